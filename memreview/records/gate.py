"""What passes the authenticity gate and what comes out of it (Capture §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memreview.records.entry import Origin

Action = Literal["retain", "add", "scope", "revise", "quarantine", "ask"]
Layer = Literal["stable", "contextual", "transient"]
NodeStatus = Literal["active", "superseded", "quarantined", "evicted", "deleted"]
ACTIONS: tuple[Action, ...] = get_args(Action)
SILENT = tuple(action for action in ACTIONS if action != "ask")
LAYERS: tuple[Layer, ...] = get_args(Layer)
GLOBAL_SCOPE = "global"

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Event:
    """One message, tool result or document as the gate sees it. `at` in microseconds, UTC; not `dated` where that is a
    guess from its place in the conversation: then it may add and be held back, but authorizes nothing."""

    id: str
    session: str
    at: int
    origin: Origin
    text: str
    dated: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ClaimEvent:
    """An event whose text claims something: the hypothesis tuple of Capture eq. 3, the claim's embedding (384,), and
    near which vector what it concerns is to be looked for.

    `scope` is `GLOBAL_SCOPE` or words; `direction` and `speech_act` as `language.claims` names them. `cues` are what
    else the gate reads in the whole text (`gate.reading.CUES`)."""

    event: Event
    claim: str
    direction: str
    scope: str
    timescale: Layer
    confidence: float
    speech_act: str
    slot: str | None
    vector: Vector
    query: Vector
    cues: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A belief in the ledger. Times in microseconds, UTC.

    `confidence` is c0 at the time of writing; `origins` those of the events that it rests on (its lineage), from which
    its trust is computed."""

    id: str
    claim: str
    layer: Layer
    scope: str
    status: NodeStatus
    written_at: int
    corroborated_at: int
    confidence: float
    slot: str | None
    origins: tuple[Origin, ...]
    events: tuple[str, ...]
    corroborations: int
    revised_at: int | None
    """When it last took another's place or was itself narrowed; None if never."""
    vector: Vector
    influence: float = 0.0
    """Running mean of what answers lost without it (Capture eq. 6), for retrieval; 0 until anything was measured."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """How a claim stands to one held node: cosine, and what the gate's reader makes of the whole text beside the node
    (`language.gate_reader.Impression`), the node being the older statement."""

    node: Node
    similarity: float
    relations: Mapping[str, float]
    nli: Mapping[str, float]
    reading: tuple[float, ...]
    authentic: float
    concern: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of one event. `entropy` in nats, of `probabilities`; `authenticity` the probability that the
    person means and authored the claim; `sigma` the scalar σ(h) that all nodes' confidences share."""

    action: Action
    probabilities: Mapping[Action, float]
    entropy: float
    authenticity: float
    sigma: float
    target: str | None
    """The node that the action concerns, if any."""

    @property
    def unasked(self) -> Action:
        """The likeliest of the silent actions."""
        return max(SILENT, key=self.probabilities.__getitem__)
