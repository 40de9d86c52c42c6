"""The ledger between its values and the store: loading it, and keeping what changes with the step that did it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from memreview.ledger import POLICY, Change, Edge, Ledger
from memreview.ledger.draft import Draft
from memreview.ledger.rules import with_status
from memreview.records import MemoryStatus, Origin
from memreview.records.gate import Node, Vector
from memreview.store import journal
from memreview.store import ledger as stored
from memreview.store.database import Database
from memreview.store.journal import Action
from memreview.store.ledger import Link

Vectors = Callable[[list[str]], Iterable[Vector]]


def load(database: Database, vectors: Vectors) -> Ledger:
    """The whole ledger. A node that only memories said counts no longer once the person removed the last of them."""
    rows = stored.all_rows(database)
    nodes = [
        stored.node(row, vector) for row, vector in zip(rows, vectors([row["claim"] for row in rows]), strict=True)
    ]
    current = [
        with_status(node, "deleted") if row["gone"] and node.status == "active" else node
        for node, row in zip(nodes, rows, strict=True)
    ]
    return Ledger(current, map(_edge, stored.links(database)))


def decide(
    database: Database, act: Action, key: str, at: int, how: Callable[[Draft], None], *, open: bool = False
) -> list[Change]:
    """Carry out what the person decides about one node, without any model; `open` where it waits for them again."""
    draft = Draft(
        lambda key: _node(database, key), lambda key: list(map(_edge, stored.links(database, key))), POLICY, at, ""
    )
    how(draft)
    keep(database, act, draft.changes)
    act.update("nodes", stored.number(database, key), decided=int(not open))
    return draft.changes


def keep(database: Database, act: Action, changes: Iterable[Change]) -> None:
    """Write what changes come to, and each of them into the log; memories follow the claim that they repeat in and
    out of quarantine."""
    changes = list(changes)
    nodes = {change.node.id: change.node for change in changes if change.node is not None}
    edges = {change.edge.key: change.edge for change in changes if change.edge is not None}
    for node in nodes.values():
        node_id = stored.put_node(database, act, node)
        for memory_id in stored.memories_of(database, [node_id])[node_id]:
            follow(database, act, node, memory_id)
    for edge in edges.values():
        stored.put_link(
            database, act, Link(edge.kind, edge.source, edge.target, edge.at, edge.probability, edge.sessions)
        )
    stored.log(database, act, map(_line, changes))


def follow(database: Database, act: Action, node: Node, memory_id: int) -> None:
    """A memory that repeats a claim is in quarantine with it where that holds it, until that is let out; not against
    what the person decided about the memory itself."""
    held = database.value("SELECT status FROM memories WHERE id = ?", (memory_id,))
    if holds(node) and held == MemoryStatus.ACTIVE:
        if not journal.decided(database, "memories", memory_id, after=stored.reworded(database, memory_id)):
            act.update("memories", memory_id, status=MemoryStatus.QUARANTINED)
    elif node.status == "active" and held == MemoryStatus.QUARANTINED:
        act.update("memories", memory_id, status=MemoryStatus.ACTIVE)


def holds(node: Node) -> bool:
    """Whether it holds back the memories that repeat it: what came on another channel than the person's does. What came
    on theirs, also what they seem to have pasted, does not: whose words those are the person alone decides."""
    return node.status in ("quarantined", "evicted") and Origin.USER not in node.origins


def _node(database: Database, key: str) -> Node:
    row = stored.by_key(database, key)
    if row is None:
        raise KeyError(key)
    return stored.node(row)


def _edge(link: Link) -> Edge:
    return msgspec.convert(msgspec.to_builtins(link), Edge)


def _line(change: Change) -> tuple[str, int, str, str, dict[str, Any]]:
    if change.node is not None:
        node = change.node
        body = {"status": node.status, "layer": node.layer, "scope": node.scope, "corroborations": node.corroborations}
        return node.id, change.at, change.why, change.event, body
    assert change.edge is not None
    edge = change.edge
    body = {"edge": edge.kind, "other": edge.target, "said": len(edge.sessions)}
    return edge.source, change.at, change.why, change.event, body
