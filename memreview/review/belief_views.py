"""Nodes of the ledger and what the gate said of them as the values that people look at."""

from __future__ import annotations

import json
from collections.abc import Sequence
from sqlite3 import Row

from memreview.ledger import POLICY, decay
from memreview.ledger.rules import trust
from memreview.review import views
from memreview.review.profile import Profile
from memreview.review.values import Context, GateReading, NodeRow
from memreview.store import ledger as stored


def clock(profile: Profile) -> int:
    """The end of the history as far as the gate has read it: what fades is shown as of then."""
    last = stored.last_run(profile.database)
    return last.at if last is not None and last.at is not None else 0


def node_rows(profile: Profile, ids: Sequence[int]) -> list[NodeRow]:
    """Those of `ids` that exist, in that order."""
    found = stored.rows(profile.database, ids)
    memories = stored.memories_of(profile.database, list(found))
    at, undated = clock(profile), stored.undated(profile.database, [row["key"] for row in found.values()])
    return [
        _node_row(found[node_id], memories[node_id], at, dated=found[node_id]["key"] not in undated)
        for node_id in ids
        if node_id in found
    ]


def reading(profile: Profile, key: str) -> GateReading | None:
    """What the gate said of the entry that a node is named after."""
    row = stored.decision(profile.database, key)
    return None if row is None else _reading(row)


def context(profile: Profile, key: str) -> tuple[Context | None, str]:
    """The conversation around a claim with its passage highlighted, and the passage, "" where it doesn't stand there
    word for word; (None, "") where no entry says it."""
    entry_id = stored.entry_of(profile.database, key)
    if entry_id is None:
        return None, ""
    row = stored.decision(profile.database, key)
    body = json.loads(row["body"]) if row is not None else {}
    marks = [(body["start"], body["end"])] if "start" in body else []
    found = views.context(profile, entry_id, highlights=marks)
    if found is None:
        return None, ""
    text = next(entry.text for entry in found.entries if entry.id == entry_id)
    return found, text[slice(*marks[0])] if marks else "" if body else text


def _reading(row: Row) -> GateReading:
    body = json.loads(row["body"])
    return GateReading(
        at=row["at"],
        action=row["action"],
        probabilities=body["probabilities"],
        entropy=body["entropy"],
        eta=body["eta"],
        authenticity=body["authenticity"],
    )


def _node_row(row: Row, memories: Sequence[int], at: int, *, dated: bool) -> NodeRow:
    """Of what is not `dated` the ledger holds a guess, which only orders."""
    node = stored.node(row)
    return NodeRow(
        id=row["id"],
        claim=node.claim,
        layer=node.layer,
        scope=node.scope,
        status=node.status,
        at=node.written_at if dated else None,
        confidence=decay.confidence(node, at, POLICY),
        trust=trust(node.origins) or "",
        slot=node.slot or "",
        memories=tuple(memories),
    )
