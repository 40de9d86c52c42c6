"""A memory's whole life as dated lines: what was said, what the gate decided, what corroborated it, how it faded, and
what the person decided."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from sqlite3 import Row

from memreview.ledger import POLICY, decay
from memreview.ledger.scopes import is_global
from memreview.records.entry import DAY
from memreview.review import belief_views, labels, provenance
from memreview.review.labels import one_line
from memreview.review.profile import Profile
from memreview.review.values import Life, LifeLine
from memreview.store import conversations, journal
from memreview.store import ledger as stored
from memreview.store import memories as stored_memories

_HALF = math.log(2)
_CHANGES = {
    "written": ("changed", "Taken in as a belief of its own."),
    "held": ("held", "Held back in quarantine: it could influence nothing."),
    "corroborated": ("corroborated", "You said it again."),
    "promoted": ("corroborated", "You said it yourself, so it left quarantine."),
    "narrowed": ("changed", "Something else holds instead of it in one situation."),
    "contended": ("changed", "It stands beside what was held, until you confirm one of them."),
    "dismissed": ("changed", "You said it again, so what stood beside it no longer counts."),
    "evicted": ("faded", "Nobody confirmed it in time: it went out of quarantine unused."),
    "released": ("decided", "You let it count."),
    "kept": ("decided", "You kept it in quarantine for another while."),
    "deleted": ("decided", "You removed it."),
    "reopened": ("decided", "You put it back into quarantine."),
}
_ACTIONS = {
    "retain": "nothing new",
    "add": "a new belief",
    "scope": "true in one situation only",
    "revise": "a change",
    "quarantine": "not to be trusted yet",
    "ask": "to be asked about",
}


def of_memory(profile: Profile, memory_id: int) -> Life:
    """Raises `LookupError`."""
    rows = stored_memories.rows(profile.database, [memory_id])
    if memory_id not in rows:
        raise LookupError(f"no memory {memory_id}")
    lines = list(_stored(profile, rows[memory_id]))
    numbers = stored.of_memory(profile.database, memory_id)
    nodes = belief_views.node_rows(profile, numbers)
    for number in numbers:
        lines += _believed(profile, stored.rows(profile.database, [number])[number])
    key = stored.rows(profile.database, numbers[:1])[numbers[0]]["key"] if numbers else ""
    return Life(
        title=rows[memory_id]["text"],
        node=nodes[0] if nodes else None,
        lines=_ordered(lines),
        reading=belief_views.reading(profile, key) if key else None,
    )


def of_node(profile: Profile, node_id: int) -> Life:
    """Raises `LookupError`."""
    nodes = belief_views.node_rows(profile, [node_id])
    if not nodes:
        raise LookupError(f"no belief {node_id}")
    row = stored.rows(profile.database, [node_id])[node_id]
    lines = list(_believed(profile, row))
    for memory in stored_memories.rows(profile.database, nodes[0].memories).values():
        lines += _stored(profile, memory)
    return Life(
        title=row["claim"],
        node=nodes[0],
        lines=_ordered(lines),
        reading=belief_views.reading(profile, row["key"]),
    )


# -- memories -------------------------------------------------------------------------------------------------------


def _stored(profile: Profile, row: Row) -> Iterator[LifeLine]:
    who = "You added it here" if row["added"] else f"Stored by {row['source_label'] or row['provider']}"
    yield LifeLine(at=row["created_at"], kind="stored", text=f"{who}: “{one_line(row['imported_text'], None)}”")
    for version in stored_memories.versions(profile.database, row["id"]):
        told = f"{version['event'].capitalize()}: “{one_line(version['new_text'] or version['old_text'], None)}”"
        yield LifeLine(at=version["at"], kind="version", text=told)
    for step in journal.of_row(profile.database, "memories", row["id"]):
        kind = "decided" if step.actor == "person" else "changed"
        undone = step.state != "done"
        label = labels.label(step.verb, step.detail)
        yield LifeLine(at=step.at, kind=kind, text=label, step=step.id, undone=undone)


# -- beliefs --------------------------------------------------------------------------------------------------------


def _believed(profile: Profile, row: Row) -> Iterator[LifeLine]:
    node = stored.node(row)
    said_in = {key: stored.entry_of(profile.database, key) or 0 for key in node.events}
    entries = conversations.entries(profile.database, list(said_in.values()))
    for key, entry_id in said_in.items():
        if (entry := entries.get(entry_id)) is not None:
            yield _said(profile, key, entry)
        if (decision := stored.decision(profile.database, key)) is not None:
            yield _read(decision)
    for line in stored.log_of(profile.database, row["key"]):
        if (told := _changed(profile, line)) is not None:
            yield told
    if node.status == "active":
        rate = decay.rate(node, POLICY)
        half = round(_HALF / rate * DAY)
        if node.corroborated_at + half <= belief_views.clock(profile):
            text = "Not said again: half of its weight was left."
            yield LifeLine(at=node.corroborated_at + half, kind="faded", text=text)


def _said(profile: Profile, key: str, entry: Row) -> LifeLine:
    _, quote = belief_views.context(profile, key)
    where = provenance.of_entry(entry, pasted=False).words
    return LifeLine(
        at=entry["at"],
        kind="said",
        text=f"In {where}: “{one_line(quote or entry['text'], None)}”",
        origin=entry["origin"],
        entry_id=entry["id"],
    )


def _read(decision: Row) -> LifeLine:
    body = json.loads(decision["body"])
    share = body["probabilities"].get(decision["action"], 0.0)
    text = (
        f"The gate took it for {_ACTIONS[decision['action']]} ({share:.0%}); that it is yours and meant, "
        f"{body['authenticity']:.0%}."
    )
    return LifeLine(at=decision["at"], kind="gate", text=text, step=decision["journal_id"])


def _changed(profile: Profile, line: Row) -> LifeLine | None:
    body = json.loads(line["body"])
    why = line["why"]
    if why == "superseded" and body.get("status") == "superseded":
        kind, text = "changed", "Something newer took its place."
    elif why == "superseded" and "status" in body:
        kind, text = "changed", "It took the place of what was held."
    elif why == "dismissed" and body.get("status") == "superseded":
        kind, text = "changed", "You said what was held before again, so this no longer counts."
    elif "edge" in body and why != "contended":
        return None
    else:
        kind, text = _CHANGES[why]
    if why in ("released", "promoted") and not is_global(body.get("scope", "")):
        text = f"{text[:-1]}, for {body['scope']}."
    return LifeLine(
        at=line["at"],
        kind=kind,
        text=text,
        entry_id=stored.entry_of(profile.database, line["event"]),
        step=line["journal_id"],
    )


def _ordered(lines: list[LifeLine]) -> tuple[LifeLine, ...]:
    """Unknown times first; of one moment in the order in which things follow from each other."""
    return tuple(sorted(dict.fromkeys(lines), key=lambda line: (line.at is not None, line.at or 0)))
