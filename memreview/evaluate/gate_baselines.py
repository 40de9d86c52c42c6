"""Three rules that a gate is compared with, each on a flat memory without layers or decay (Capture §5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memreview.evaluate.gate_rows import nearest
from memreview.gate.features import target
from memreview.gate.reading import NEAREST
from memreview.language.claims import ClaimModel
from memreview.records.entry import Origin
from memreview.records.gate import Action, Bearing, ClaimEvent, Node

NEAR = 0.54
"""Cosine from which a claim is on the subject of a node: the ledger's for corroboration."""

Rule = Callable[[ClaimEvent, Sequence[Bearing]], Action]


def recency(claim: ClaimEvent, bearings: Sequence[Bearing]) -> Action:
    """Accept every claim; the newest on a subject counts."""
    return "revise" if any(one.similarity >= NEAR for one in bearings if one.node.status == "active") else "add"


def provenance(claim: ClaimEvent, bearings: Sequence[Bearing]) -> Action:
    """Accept what comes through the user's channel and nothing else."""
    return recency(claim, bearings) if claim.event.origin == Origin.USER else "quarantine"


def statemem(claim: ClaimEvent, bearings: Sequence[Bearing]) -> Action:
    """What contradicts a node supersedes it, what repeats it changes nothing; nobody asks whose claim it is."""
    concerned = next((one for one in bearings if one.node.status == "active"), None)
    if concerned is None:
        return "add"
    relation = max(concerned.relations, key=concerned.relations.__getitem__)
    return {"supersedes": "revise", "duplicates": "retain"}.get(relation, "add")  # type: ignore[return-value]


RULES: dict[str, Rule] = {"recency": recency, "provenance": provenance, "statemem": statemem}


class FlatMemory:
    """Claims by the id of their event. Whatever is not superseded or held back can be retrieved."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = {node.id: node for node in nodes}

    def nearest(self, claim: ClaimEvent) -> tuple[Node, ...]:
        return nearest(claim.query, list(self.nodes.values()), NEAREST)

    def apply(self, claim: ClaimEvent, action: Action, bearings: Sequence[Bearing]) -> None:
        if action == "revise":
            old = target(action, bearings)
            if old is not None:
                self.nodes[old] = replace(self.nodes[old], status="superseded")
        if action in ("add", "revise", "quarantine"):
            at = claim.event.at
            self.nodes[claim.event.id] = Node(
                id=claim.event.id,
                claim=claim.claim,
                layer=claim.timescale,
                scope=claim.scope,
                status="quarantined" if action == "quarantine" else "active",
                written_at=at,
                corroborated_at=at,
                confidence=claim.confidence,
                slot=claim.slot,
                origins=(claim.event.origin,),
                events=(claim.event.id,),
                corroborations=0,
                revised_at=None,
                vector=claim.vector,
            )


def claims_something(claim: ClaimEvent | None, model: ClaimModel) -> bool:
    """Whether the claim model, left to itself, would see a claim: the rules have no gate that looks twice."""
    return claim is not None and claim.cues[0] >= model.threshold
