"""A gate whose weights are set by hand, and the models around it: what the use cases do must not hang on training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memreview.gate.features import NAMES
from memreview.gate.model import Gate, GateConfig
from memreview.language.claims import ClaimModel, claims_folder
from memreview.language.embedder import load_embedder
from memreview.language.gate_reader import READINGS, Impression, Meeting
from memreview.language.model_files import embedder_folder
from memreview.language.relations import Judgement, Pair, RelationModel, relations_folder
from memreview.language.seeker import Seeker
from memreview.records.gate import ACTIONS
from memreview.review.gating import Models

_ACTION = {
    "retain": {"node0.duplicates": 7, "node0.entailment": 3, "cue.claim_probability": -4},
    "add": {"origin.user": 2, "cue.claim_probability": 4, "node0.duplicates": -4},
    "scope": {"node0.scopes": 9, "origin.user": 1},
    "revise": {"node0.supersedes": 9, "origin.user": 1, "node0.duplicates": -4},
    "quarantine": {"origin.user": -6, "speech.quoted": 4, "cue.quotation": 40, "cue.claim_probability": 4},
    "ask": {"cue.question": 10},
}
_BIAS = {"retain": 2.0, "add": -1.0, "scope": -3.0, "revise": -3.0, "quarantine": 0.0, "ask": -3.0}
_AUTHENTIC = {"origin.user": 5, "speech.quoted": -4, "speech.sarcastic": -3, "cue.quotation": -60}


def hand_gate(eta: float = 1.5) -> Gate:
    columns = len(NAMES)
    weights = {
        "mean": np.zeros(columns),
        "scale": np.ones(columns),
        "action.weight": np.stack([_row(_ACTION[action]) for action in ACTIONS]),
        "action.bias": np.array([_BIAS[action] for action in ACTIONS]),
        "authentic.weight": _row(_AUTHENTIC)[None],
        "authentic.bias": np.array([-1.5]),
    }
    config = GateConfig(
        id="by-hand", kind="logistic", columns=columns, dims=4, temperature=1.0, eta=eta, sha256="", source="tests",
        licence="Apache-2.0",
    )  # fmt: skip
    return Gate(config, {name: value.astype(np.float32) for name, value in weights.items()})


class RelationReader:
    """Sees how two statements relate, and has no opinion on what to do about it."""

    def __init__(self, model: RelationModel) -> None:
        self._model = model
        self.seeker = Seeker(np.zeros((384, 384), np.float32))

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        judged = iter(self._model.judge([Pair(held, one.text, 0.0) for one in meetings for held in one.held]))
        return [tuple(_impression(next(judged)) for _ in one.held) for one in meetings]


def _impression(judged: Judgement) -> Impression:
    return Impression((1 / len(READINGS),) * len(READINGS), 0.5, judged, 1 - judged.relations["unrelated"])


def models(gate: Gate | None = None) -> Models:
    relations = RelationModel.load(relations_folder())
    return Models(
        ClaimModel.load(claims_folder()),
        load_embedder(embedder_folder()),
        relations,
        RelationReader(relations),
        gate or hand_gate(),
    )


def _row(weights: dict[str, float]) -> np.ndarray:
    row = np.zeros(len(NAMES) + 1)  # the last one is the gap
    for name, value in weights.items():
        row[NAMES.index(name)] = value
    return row
