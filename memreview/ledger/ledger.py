"""The ledger of one person: what is held, what was, and which of it a reader may be given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

from memreview.ledger import answers, decay, rules
from memreview.ledger.constants import POLICY, Policy
from memreview.ledger.draft import Draft
from memreview.ledger.index import Index
from memreview.ledger.scopes import match
from memreview.ledger.values import Change, Choice, Edge, EdgeKind
from memreview.records.gate import Bearing, ClaimEvent, Layer, Node, Vector, Verdict


class Ledger:
    """Nothing changes but by `commit`: the other methods say what would, and the caller keeps it and commits it.

    Times are microseconds, UTC. They may jump, go back and be equal; nothing is decided by the computer's clock.
    """

    def __init__(self, nodes: Iterable[Node] = (), edges: Iterable[Edge] = (), policy: Policy = POLICY) -> None:
        self.policy = policy
        self._nodes: dict[str, Node] = {}
        self._edges: dict[tuple[EdgeKind, str, str], Edge] = {}
        self._touching: dict[str, list[tuple[EdgeKind, str, str]]] = {}
        self._index = Index()
        self._waiting: dict[str, int] = {}  # what is in quarantine, and until when
        self._log: list[Change] = []
        for node in nodes:
            self._keep(node)
            self._log.append(Change(node.written_at, "written", node))
        for edge in edges:
            self._link(edge)

    # -- reading ------------------------------------------------------------------------------------------------------

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def node(self, node_id: str) -> Node:
        """Raises `KeyError`."""
        return self._nodes[node_id]

    def edges(self, node_id: str, kind: EdgeKind | None = None) -> list[Edge]:
        """Those that begin or end at a node, oldest first."""
        found = (self._edges[key] for key in self._touching.get(node_id, ()))
        return [edge for edge in found if kind in (None, edge.kind)]

    def narrowed(self, node_id: str) -> bool:
        """Whether something that is in force holds instead of it in one situation."""
        narrower = (edge.source for edge in self.edges(node_id, "scopes") if edge.target == node_id)
        return any(self._nodes[source].status == "active" for source in narrower)

    def expect(self, vectors: Sequence[Vector]) -> None:
        """`nearest` will be asked with these very vectors next, and is quicker then."""
        self._index.expect(vectors)

    def nearest(self, vector: Vector, k: int, at: int) -> list[Node]:
        """The k active and quarantined nodes of greatest cosine; ties by id."""
        expired = [node_id for node_id, end in self._waiting.items() if at >= end]
        return [self._nodes[node_id] for node_id in self._index.nearest(vector, k, without=expired)]

    def retrieve(
        self, vector: Vector, scope: str, at: int, k: int = POLICY.retrieved, sigma: float = 1.0
    ) -> list[tuple[Node, float]]:
        """What a reader may be given, best first: active nodes only, by the paper's score; ties by confidence,
        recency and id. `sigma` is the gate's present σ(h)."""
        found = []
        for node_id, cosine in self._index.cosines(vector).items():
            node = self._nodes[node_id]
            if node.status != "active" or node.written_at > at:
                continue
            left = decay.confidence(node, at, self.policy, sigma)
            score = (
                self.policy.similarity_weight * cosine
                + self.policy.confidence_weight * left
                + self.policy.scope_weight * match(node.scope, scope, self.policy)
                + self.policy.influence_weight * node.influence
            )
            found.append(((-score, -left, -node.written_at, node.id), node, score))
        return [(node, score) for _, node, score in sorted(found, key=itemgetter(0))[:k]]

    def as_of(self, at: int) -> Ledger:
        """The ledger as it stood at a time, as far as this one has seen it grow."""
        nodes: dict[str, Node] = {}
        edges: dict[tuple[EdgeKind, str, str], Edge] = {}
        for change in self._log:
            if change.at <= at and change.node is not None:
                nodes[change.node.id] = change.node
            if change.at <= at and change.edge is not None:
                edges[change.edge.key] = change.edge
        known = (edge for edge in edges.values() if edge.source in nodes and edge.target in nodes)
        past = Ledger(nodes.values(), known, self.policy)
        past.commit(past.advance(at))
        return past

    # -- what would change --------------------------------------------------------------------------------------------

    def apply(self, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing], at: int) -> list[Change]:
        """What a claim changes by the gate's verdict and the ledger's own rules. An event counts once."""
        if claim.event.id in self:
            return []
        draft = self._draft(at, claim.event.id)
        rules.apply(draft, claim, verdict, bearings)
        return draft.changes

    def advance(self, at: int) -> list[Change]:
        """Eviction of what nobody corroborated in time."""
        return [
            Change(end, "evicted", rules.with_status(self._nodes[node_id], "evicted"))
            for node_id, end in self._waiting.items()
            if at >= end
        ]

    def answer(self, node_id: str, choice: Choice, at: int, *, scope: str = "", text: str = "") -> list[Change]:
        """The person's answer to a question about a claim that waits; `text` replaces its wording."""
        return self._decided(at, lambda draft: answers.answer(draft, node_id, choice, scope, text))

    def release(self, node_id: str, at: int, *, layer: Layer | None = None, scope: str = "") -> list[Change]:
        """Out of quarantine, or back from eviction, by the person's word; into its own layer and scope unless told."""
        return self._decided(at, lambda draft: answers.release(draft, node_id, layer, scope))

    def keep(self, node_id: str, at: int) -> list[Change]:
        """In quarantine for another fourteen days from `at`."""
        return self._decided(at, lambda draft: answers.keep(draft, node_id))

    def delete(self, node_id: str, at: int) -> list[Change]:
        return self._decided(at, lambda draft: answers.delete(draft, node_id))

    def reopen(self, node_id: str, at: int) -> list[Change]:
        """Back into quarantine, undecided."""
        return self._decided(at, lambda draft: answers.reopen(draft, node_id))

    def commit(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.node is not None:
                self._keep(change.node)
            if change.edge is not None:
                self._link(change.edge)
            self._log.append(change)

    # -- inside -------------------------------------------------------------------------------------------------------

    def _draft(self, at: int, event: str = "") -> Draft:
        draft = Draft(self.node, self.edges, self.policy, at, event)
        draft.take(self.advance(at))
        return draft

    def _decided(self, at: int, act: Callable[[Draft], None]) -> list[Change]:
        draft = Draft(self.node, self.edges, self.policy, at, "")
        act(draft)
        return draft.changes

    def _keep(self, node: Node) -> None:
        self._nodes[node.id] = node
        self._index.put(node.id, node.vector, node.status in ("active", "quarantined"))
        if node.status == "quarantined":
            self._waiting[node.id] = decay.evicts_at(node, self.policy)
        else:
            self._waiting.pop(node.id, None)

    def _link(self, edge: Edge) -> None:
        if edge.key not in self._edges:
            for end in dict.fromkeys((edge.source, edge.target)):
                self._touching.setdefault(end, []).append(edge.key)
        self._edges[edge.key] = edge
