"""How what is believed fades: c0·σ(h)·exp(-γΔt) since the last corroboration, by layer (Capture §3.3)."""

from __future__ import annotations

import math

from memreview.ledger.constants import Policy
from memreview.records.entry import DAY
from memreview.records.gate import Node


def rate(node: Node, policy: Policy) -> float:
    """A day."""
    return policy.quarantine_rate if node.status in ("quarantined", "evicted") else policy.rates[node.layer]


def retention(node: Node, at: int, policy: Policy) -> float:
    """The share of its first weight that is left at `at`; 1 before it was last corroborated, for clocks jump back."""
    return math.exp(-rate(node, policy) * max(0, at - node.corroborated_at) / DAY)


def confidence(node: Node, at: int, policy: Policy, sigma: float = 1.0) -> float:
    return node.confidence * sigma * retention(node, at, policy)


def evicts_at(node: Node, policy: Policy) -> int:
    """The first moment at which a node in quarantine is below the floor."""
    return node.corroborated_at + math.ceil(-math.log(policy.floor) / policy.quarantine_rate * DAY)
