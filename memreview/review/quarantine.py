"""What was held back: from where, why, what speaks against it, what would let it out, and until when it waits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from sqlite3 import Row

from memreview.language import state_schema
from memreview.ledger import POLICY, decay
from memreview.ledger.scopes import is_global
from memreview.records.entry import DAY
from memreview.records.gate import Node
from memreview.review import belief_views, provenance, views
from memreview.review.profile import Profile
from memreview.review.values import (
    Corroboration,
    DecayPoint,
    GateReading,
    QuarantineCase,
    QuarantineItem,
)
from memreview.store import conversations
from memreview.store import ledger as stored

POINTS = 14
HELD = ("active", "quarantined")
"""A memory of another status is none any more."""


def ids(profile: Profile, *, evicted: bool = False) -> list[int]:
    """Claims that wait for the person: what an assistant remembers already first, then by what they contradict. With
    `evicted` also those whose days ran out before anybody looked."""
    return list(stored.held_back(profile.database, POLICY.contradicts, evicted=evicted))


def items(profile: Profile, ids: Sequence[int]) -> list[QuarantineItem]:
    """Those of `ids` that wait, in that order."""
    held = stored.waiting_rows(profile.database, ids, POLICY.contradicts)
    return _items(profile, [held[node_id] for node_id in ids if node_id in held])


def case(profile: Profile, node_id: int) -> QuarantineCase:
    """Raises `LookupError` where it does not wait, or not any more."""
    row = stored.waiting_rows(profile.database, [node_id], POLICY.contradicts).get(node_id)
    if row is None:
        raise LookupError(f"no claim {node_id} in quarantine")
    item = _items(profile, [row])[0]
    context, quote = belief_views.context(profile, row["key"])
    reading = belief_views.reading(profile, row["key"])
    against = stored.contradicted(profile.database, node_id, POLICY.contradicts)
    node = stored.node(row)
    return QuarantineCase(
        item=item,
        context=context,
        quote=quote or row["claim"],
        reading=reading,
        contradicts=tuple(belief_views.node_rows(profile, list(against))),
        corroboration=_corroboration(profile, node),
        decay=_curve(row),
        floor=POLICY.floor,
        evicts_at=decay.evicts_at(node, POLICY),
        layer=node.layer,
        scope=node.scope,
        reasons=tuple(_reasons(item, reading, node.slot or "")),
        memories=tuple(views.rows(profile, item.memories)),
        effects=_effects(item, node.scope, contradicts=bool(against), replaces=any(against.values())),
    )


def blocked(profile: Profile) -> list[tuple[int, str]]:
    """(id, name) of the sources of which the person wants nothing any more."""
    rows = profile.database.execute("SELECT id, name FROM blocked_sources ORDER BY name")
    return [(row["id"], row["name"]) for row in rows]


def _items(profile: Profile, rows: Sequence[Row]) -> list[QuarantineItem]:
    keys = [row["key"] for row in rows]
    said_in = stored.entries_of(profile.database, keys)
    entries = conversations.entries(profile.database, [entry_id for entry_id in said_in.values() if entry_id])
    memories = stored.memories_of(profile.database, [row["id"] for row in rows])
    known = {memory.id: memory for memory in views.rows(profile, list(dict.fromkeys(chain(*memories.values()))))}
    read = stored.decisions(profile.database, keys)
    at = belief_views.clock(profile)
    found = []
    for row in rows:
        node = stored.node(row)
        said = read.get(row["key"])
        authenticity = row["confidence"] if said is not None else 0.0
        left = max(0, decay.evicts_at(node, POLICY) - max(at, node.corroborated_at)) / DAY
        repeats = [memory for memory_id in memories[row["id"]] if (memory := known[memory_id]).status in HELD]
        found.append(
            QuarantineItem(
                id=row["id"],
                claim=row["claim"],
                provenance=provenance.of_entry(entries.get(said_in[row["key"]] or 0), pasted=_quoted(said)),
                at=row["written_at"],
                status=row["status"],
                days_left=left if row["status"] == "quarantined" else 0.0,
                authenticity=authenticity,
                contradicts=row["against"],
                memories=tuple(memories[row["id"]]),
                remembered=repeats[0].text if repeats else "",
                in_use=any(memory.status == "active" for memory in repeats),
                rank=2.0 * row["stored"] + min(1.0, row["against"] / 2) + 1 - authenticity,
            )
        )
    return found


def _quoted(said: Row | None) -> bool:
    """Whether a message of the person's reads as somebody else's words."""
    return said is not None and bool(json.loads(said["body"]).get("quoted"))


def _corroboration(profile: Profile, node: Node) -> Corroboration:
    where = "" if is_global(node.scope) else f" about {node.scope}"
    words: tuple[str, ...] = (
        f"You say the same{where} in a message of your own, in your own words.",
        f"That has to happen within {POINTS} days; documents, tools and pasted texts don't count.",
    )
    if node.status == "evicted":
        words = (f"Its {POINTS} days are over, so only you can let it out: let it count if it is true.",)
    heard = [entry_id for key in node.events if (entry_id := stored.entry_of(profile.database, key)) is not None]
    return Corroboration(have=0, needed=int(node.status != "evicted"), words=words, heard=tuple(heard))


def _curve(row: Row) -> tuple[DecayPoint, ...]:
    node = stored.node(row)
    times = [node.corroborated_at + day * DAY for day in range(POINTS + 1)] + [decay.evicts_at(node, POLICY)]
    return tuple(
        DecayPoint(
            days=(at - node.corroborated_at) / DAY,
            at=at,
            share=decay.retention(node, at, POLICY),
        )
        for at in times
    )


def _reasons(item: QuarantineItem, reading: GateReading | None, slot: str) -> list[str]:
    reasons = [f"It comes from {item.provenance.words}."]
    if reading is not None:
        reasons.append(f"That you wrote it and mean it has a probability of {reading.authenticity:.0%}.")
        doubt = reading.probabilities["quarantine"]
        if reading.action == "ask":
            reasons.append("It was too uncertain to decide, so you were asked about it.")
        elif reading.action != "quarantine" and doubt >= POLICY.suspicion:
            reasons.append(f"That somebody planted it has a probability of {doubt:.0%}: enough for it to wait for you.")
        elif reading.action == "revise":
            reasons.append("It would change something that you said before, and was said only once or not clearly.")
        elif reading.action != "quarantine":
            reasons.append("It would have been taken in, but not on the word of somebody else.")
    schema = state_schema.load()
    if slot in schema and schema.slot(slot).protected:
        reasons.append(f"It is about {schema.slot(slot).title.lower()}: that is taken from nobody but you.")
    if item.remembered:
        reasons.append("An assistant remembers it already.")
    return reasons


def _effects(item: QuarantineItem, scope: str, *, contradicts: bool, replaces: bool) -> dict[str, tuple[str, ...]]:
    stored_already = bool(item.remembered)
    again = "The memory that says it stays in use." if item.in_use else "The memory that says it counts again."
    memory = again if stored_already else "A memory that says it is added."
    both = [_on_others(scope, replaces=replaces)] if contradicts else []
    forget = ["The memory that says it is forgotten, and stays so."] if stored_already else []
    effects = {
        "release": ("It counts from now on.", memory, *both),
        "keep": (
            "It stays out unless you say the same within fourteen days, and you are not asked about it again.",
            *(("So does the memory that says it: no export holds it.",) if stored_already else ()),
        ),
        "delete": ("It is gone from here, with its record in the history.", *forget),
    }
    if item.provenance.blockable:
        never = f"Nothing from {item.provenance.name} is taken in any more, and what waits from there goes."
        effects["never"] = (*effects["delete"], never)
    return effects


def _on_others(scope: str, *, replaces: bool) -> str:
    """What a release does to what the claim contradicts."""
    if not is_global(scope):
        return f"What it contradicts holds except for {scope}."
    other = "What it would change gives way to it" if replaces else "What it contradicts stays as it is"
    return f"{other}, unless you say where this holds."
