"""What the gate sees of a claim, as one vector of fixed, named columns.

The text itself comes in as what the language models and the gate's reader make of it. Its embedding beside that made
the gate worse on the development episodes (macro-F1 0.74 without, 0.68 with it): topics are learned by heart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memreview.gate.reading import CUES, by_concern
from memreview.language.claims import DIRECTIONS, SPEECH_ACTS
from memreview.language.gate_reader import READINGS
from memreview.language.relations import NLI, RELATIONS
from memreview.language.sentences import content_tokens
from memreview.records.entry import DAY, Origin
from memreview.records.gate import GLOBAL_SCOPE, LAYERS, Action, Bearing, ClaimEvent, Node, Vector

NODES = 3
"""Held nodes that have columns: those of the greatest concern."""
PROVENANCE = ("origin.", "confidence", "speech.quoted", "speech.other_person")
"""Prefixes of the columns that say by which channel a claim came, for the ablation."""

_OF_NODE = (
    "held",
    "similarity",
    *(f"reading.{name}" for name in READINGS),
    "authentic",
    "concern",
    *RELATIONS,
    *NLI,
    "same_slot",
    *LAYERS,
    "quarantined",
    "confidence",
    "log_age",
    "log_corroborations",
    "log_since_revision",
    "narrow",
    "same_scope",
    "shared_words",
)
NAMES: tuple[str, ...] = (
    *(f"origin.{origin}" for origin in Origin),
    *(f"direction.{name}" for name in DIRECTIONS),
    *(f"speech.{name}" for name in SPEECH_ACTS),
    *(f"timescale.{name}" for name in LAYERS),
    "confidence",
    "narrow",
    *(f"cue.{name}" for name in CUES),
    *(f"node{place}.{name}" for place in range(NODES) for name in _OF_NODE),
)
"""One a column. Times in log(1 + days); `log_since_revision` of a node that never was revised is of its age."""

_NEVER = np.zeros(len(_OF_NODE), np.float32)
_LEAST = 1e-3
"""Lower probabilities of the reader count as this."""


def features(claim: ClaimEvent, bearings: Sequence[Bearing], now: int) -> Vector:
    """Shape (len(NAMES),). `now` in microseconds, UTC."""
    near = by_concern(bearings)[:NODES]
    nodes = [_of_node(claim, bearing, now) for bearing in near]
    row = [
        *(float(claim.event.origin == origin) for origin in Origin),
        *(float(claim.direction == name) for name in DIRECTIONS),
        *(float(claim.speech_act == name) for name in SPEECH_ACTS),
        *(float(claim.timescale == name) for name in LAYERS),
        claim.confidence,
        float(claim.scope != GLOBAL_SCOPE),
        *(claim.cues or [0.0] * len(CUES)),
    ]
    nodes += [_NEVER] * (NODES - len(nodes))
    found: Vector = np.concatenate([np.array(row, np.float32), *nodes])
    return found


def target(action: Action, bearings: Sequence[Bearing]) -> str | None:
    """The node that an action concerns: of those in force the one of the greatest concern. An addition has none."""
    if action == "add":
        return None
    return next((one.node.id for one in by_concern(bearings) if one.node.status == "active"), None)


def kept_columns(dropped: Sequence[str]) -> NDArray[np.bool_]:
    """A mask that is false for columns whose name begins with one of these."""
    return np.array([not name.startswith(tuple(dropped)) for name in NAMES]) if dropped else np.ones(len(NAMES), bool)


def _of_node(claim: ClaimEvent, bearing: Bearing, now: int) -> Vector:
    node = bearing.node
    return np.array(
        [
            1.0,
            bearing.similarity,
            *_read(bearing),
            *(bearing.relations[name] for name in RELATIONS),
            *(bearing.nli[name] for name in NLI),
            float(node.slot is not None and node.slot == claim.slot),
            *(float(node.layer == name) for name in LAYERS),
            float(node.status == "quarantined"),
            *_history(node, now),
            float(node.scope != GLOBAL_SCOPE),
            float(node.scope.casefold() == claim.scope.casefold()),
            _shared(node.claim, claim.claim),
        ],
        np.float32,
    )


def _read(bearing: Bearing) -> Iterator[float]:
    """Logarithms of the readings, log-odds of authenticity and of concern."""
    yield from np.log(np.maximum(bearing.reading, _LEAST))
    for probability in (bearing.authentic, bearing.concern):
        share = min(max(probability, _LEAST), 1 - _LEAST)
        yield math.log(share / (1 - share))


def _history(node: Node, now: int) -> Iterator[float]:
    yield node.confidence
    yield _log_days(now - node.corroborated_at)
    yield math.log1p(node.corroborations)
    yield _log_days(now - (node.written_at if node.revised_at is None else node.revised_at))


def _log_days(microseconds: float) -> float:
    """Clocks that jump back count as no time."""
    return math.log1p(max(0.0, microseconds) / DAY)


def _shared(one: str, other: str) -> float:
    """Share of the first text's content words that the second has."""
    words = _words(one)
    return len(words & _words(other)) / max(1, len(words))


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    return frozenset(content_tokens(text))
