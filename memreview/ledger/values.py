"""What the ledger keeps beside its nodes: edges between them, and every change with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memreview.records.gate import Node

EdgeKind = Literal["support", "contradiction", "supersedes", "scopes", "contends"]

Why = Literal[
    "written",  # a belief of its own, in force
    "held",  # in quarantine
    "corroborated",
    "promoted",  # out of quarantine, corroborated
    "superseded",
    "narrowed",  # another node holds in one situation
    "contended",  # a newer statement stands beside it until it is corroborated
    "dismissed",  # it stood beside another one, which was said again
    "evicted",
    "released",  # from here on: by the person
    "kept",
    "deleted",
    "reopened",
]

Choice = Literal["changed", "scoped", "remember", "no"]
"""What the person may answer: it takes the place of what was held, holds in one situation, holds too, or not at all."""


@dataclass(frozen=True, slots=True)
class Edge:
    """From the newer node to the older one. `sessions` of a `contends` edge name, for each event that authentically
    spoke for the newer node, the session in which it was said."""

    kind: EdgeKind
    source: str
    target: str
    at: int
    probability: float = 1.0
    sessions: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[EdgeKind, str, str]:
        return self.kind, self.source, self.target


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A node or an edge as it is from `at` on (microseconds, UTC). `event` did it, "" if time or the person did."""

    at: int
    why: Why
    node: Node | None = None
    edge: Edge | None = None
    event: str = ""
