"""The changes of one step as they are made, read back before they count."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memreview.ledger.constants import Policy
from memreview.ledger.values import Change, Edge, EdgeKind, Why
from memreview.records.gate import Node


class Draft:
    """A view of the ledger with this step's changes in it. `changes` are what it comes to."""

    def __init__(
        self,
        node: Callable[[str], Node],
        edges: Callable[[str], list[Edge]],
        policy: Policy,
        at: int,
        event: str,
    ) -> None:
        self.policy = policy
        self.at = at
        self.changes: list[Change] = []
        self._event = event
        self._node, self._edges = node, edges
        self._nodes: dict[str, Node] = {}
        self._links: dict[tuple[EdgeKind, str, str], Edge] = {}

    def node(self, node_id: str) -> Node:
        """Raises `KeyError`."""
        return self._nodes.get(node_id) or self._node(node_id)

    def edges(self, kind: EdgeKind, *, source: str = "", target: str = "") -> list[Edge]:
        """Edges of a kind that begin at `source`, or that end at `target`."""
        end = source or target
        found = {edge.key: edge for edge in self._edges(end)} | self._links
        return [
            edge for edge in found.values() if edge.kind == kind and end == (edge.source if source else edge.target)
        ]

    def put(self, node: Node, why: Why) -> None:
        self._nodes[node.id] = node
        self.changes.append(Change(self.at, why, node=node, event=self._event))

    def link(self, edge: Edge, why: Why = "written") -> None:
        self._links[edge.key] = edge
        self.changes.append(Change(self.at, why, edge=edge, event=self._event))

    def take(self, changes: Iterable[Change]) -> None:
        """Changes that were made elsewhere, such as evictions that are due."""
        for change in changes:
            if change.node is not None:
                self._nodes[change.node.id] = change.node
            self.changes.append(change)
