"""What the person says of a claim that waits: their word counts at once, and alone brings back what was evicted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memreview.ledger import rules
from memreview.ledger.draft import Draft
from memreview.ledger.scopes import is_global
from memreview.ledger.values import Choice, Edge
from memreview.records.entry import Origin
from memreview.records.gate import GLOBAL_SCOPE, Layer, Node


def answer(draft: Draft, node_id: str, choice: Choice, scope: str, text: str) -> None:
    if choice == "no":
        delete(draft, node_id)
        return
    node = _vouched(draft, node_id, None, scope)
    if text:
        node = replace(node, claim=text)
    if choice == "scoped" and is_global(node.scope):
        node = replace(node, scope=rules.SOME_SITUATION)
    draft.put(node, "released")
    for other in list(_against(draft, node_id)):
        if choice == "changed":
            rules.supersede(draft, node, other)
        elif choice == "scoped":
            _narrow(draft, node, other)


def fold(draft: Draft, node_id: str, newest: str) -> None:
    """An earlier remark of those that the person answered at once: what came last takes its place, and the place of
    what it would have changed."""
    for other in list(_against(draft, node_id)):
        if other.id != newest:
            rules.supersede(draft, draft.node(newest), other)
    rules.supersede(draft, draft.node(newest), draft.node(node_id))


def release(draft: Draft, node_id: str, layer: Layer | None, scope: str) -> None:
    """With a scope it narrows what it contradicts; else both stand, unless it waited as a change of the other."""
    node = _vouched(draft, node_id, layer, scope)
    draft.put(node, "released")
    awaited = [edge.target for edge in draft.edges("contends", source=node_id)]
    for other in list(_against(draft, node_id)):
        if not is_global(node.scope):
            _narrow(draft, node, other)
        elif other.id in awaited:
            rules.supersede(draft, node, other)


def keep(draft: Draft, node_id: str) -> None:
    node = draft.node(node_id)
    draft.put(replace(node, status="quarantined", corroborated_at=max(draft.at, node.corroborated_at)), "kept")


def delete(draft: Draft, node_id: str) -> None:
    draft.put(rules.with_status(draft.node(node_id), "deleted"), "deleted")


def reopen(draft: Draft, node_id: str) -> None:
    node = draft.node(node_id)
    draft.put(replace(node, status="quarantined", corroborated_at=max(draft.at, node.corroborated_at)), "reopened")


def _vouched(draft: Draft, node_id: str, layer: Layer | None, scope: str) -> Node:
    """The node in force, resting on the person's own word."""
    node = draft.node(node_id)
    return replace(
        node,
        status="active",
        layer=layer or node.layer,
        scope=scope or node.scope or GLOBAL_SCOPE,
        confidence=1.0,
        corroborated_at=max(draft.at, node.corroborated_at),
        corroborations=node.corroborations + 1,
        origins=(Origin.USER,),
    )


def _against(draft: Draft, node_id: str) -> Iterator[Node]:
    """What is in force and contradicts it with near certainty, or would be changed by it."""
    contrary = draft.edges("contradiction", source=node_id)
    sure = [edge for edge in contrary if edge.probability >= draft.policy.contradicts]
    for other in dict.fromkeys(edge.target for edge in (*draft.edges("contends", source=node_id), *sure)):
        if draft.node(other).status == "active":
            yield draft.node(other)


def _narrow(draft: Draft, node: Node, other: Node) -> None:
    draft.link(Edge("scopes", node.id, other.id, draft.at), "narrowed")
    draft.put(replace(draft.node(other.id), revised_at=draft.at), "narrowed")
