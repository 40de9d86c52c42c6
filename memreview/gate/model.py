"""The gate at run time: a belief about one person that flows between events and turns at each, in NumPy (Capture §3.2).

The same folder may hold any of three kinds that were trained alike: `ode`, `gru` (time as an input instead of a flow)
and `logistic` (no belief at all).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.gate.features import NAMES
from memreview.gate.ode import flow
from memreview.language.onnx_model import ModelUnavailable
from memreview.records.gate import ACTIONS, SILENT, Action, Vector, Verdict
from memreview.resources import MODELS

Kind = Literal["ode", "gru", "logistic"]
Rows = NDArray[np.float64]

CONFIG = "config.json"
WEIGHTS = "gate.safetensors"
CLIP = 6.0
"""Of standardized features, in standard deviations."""
LONGEST = 30.0
"""Days: a longer gap flows no further."""


class GateConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`. The gate asks where the entropy of the six probabilities exceeds `eta` (nats), or asking is the
    likeliest; `temperature` divides the logits before. `columns` counts the features, `dims` is the belief's size."""

    id: str
    kind: Kind
    columns: int
    dims: int
    temperature: float
    eta: float
    sha256: str
    source: str
    licence: str


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What the gate believes of one person: shape (dims,)."""

    belief: Vector

    def to_bytes(self) -> bytes:
        return self.belief.astype("<f4").tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A row a person: beliefs (n, dims), probabilities of the six actions (n, 6), authenticity and σ(h) (n,)."""

    beliefs: Rows
    probabilities: Rows
    authenticity: Rows
    sigma: Rows


class Gate:
    """A folder with `gate.safetensors` and `config.json`. One person's events must come one by one, in their order."""

    def __init__(
        self, config: GateConfig, weights: Mapping[str, NDArray[np.float32]], *, questions: bool = True
    ) -> None:
        """Without `questions` the likeliest of the silent actions is taken."""
        self.config = config
        self.weights = weights
        self._allowed = ACTIONS if questions else SILENT
        self._weights = {name: value.astype(np.float64) for name, value in weights.items()}

    @classmethod
    def load(cls, folder: Path) -> Gate:
        """Raises `ModelUnavailable`."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            config = msgspec.json.decode((folder / CONFIG).read_bytes(), type=GateConfig)
            data = (folder / WEIGHTS).read_bytes()
            weights = load(data)
        except FileNotFoundError as error:
            raise ModelUnavailable(f"The gate is missing: “{folder.name}” lacks a file.") from error
        except (OSError, msgspec.DecodeError, SafetensorError) as error:
            raise ModelUnavailable(f"The gate can't be read: a file in “{folder.name}” is damaged.") from error
        if hashlib.sha256(data).hexdigest() != config.sha256:
            raise ModelUnavailable(f"The gate is damaged: {WEIGHTS} in “{folder.name}” has another checksum.")
        if config.columns != len(NAMES):
            raise ModelUnavailable(f"The gate in “{folder.name}” was trained for other features.")
        return cls(config, weights)

    def start(self) -> State:
        return State(np.zeros(self.config.dims, np.float32))

    def restore(self, data: bytes) -> State:
        """What `State.to_bytes` gave. Raises `ValueError` if it is another gate's."""
        belief = np.frombuffer(data, "<f4").astype(np.float32)
        if belief.shape != (self.config.dims,):
            raise ValueError("The saved state is another gate's.")
        return State(belief)

    def step(self, state: State, features: Vector, gap_days: float) -> tuple[State, Verdict]:
        """After one claim, `gap_days` after the last. The verdict has no target: `features.target` finds it."""
        found = self.step_all(state.belief[None], features[None], np.array([gap_days]))
        verdict = self.verdict(found.probabilities[0], float(found.authenticity[0]), float(found.sigma[0]))
        return State(found.beliefs[0].astype(np.float32)), verdict

    def step_all(
        self, beliefs: NDArray[np.floating], features: NDArray[np.floating], gap_days: NDArray[np.floating]
    ) -> Judged:
        """One event of each of n persons."""
        weights = self._weights
        held = np.asarray(beliefs, np.float64)
        scaled = (features - weights["mean"]) * weights["scale"]
        inputs = np.clip(scaled, -CLIP, CLIP)
        gaps = np.clip(np.nan_to_num(gap_days), 0.0, LONGEST)
        if self.config.kind != "ode":
            inputs = np.concatenate([inputs, np.log1p(24 * gaps)[:, None]], axis=1)
        if self.config.kind == "logistic":
            seen = inputs
            sigma = np.ones(len(inputs))
        else:
            read = np.tanh(self._linear("read", inputs))
            if self.config.kind == "ode":
                held = flow(self._field, held, gaps)
            held = self._gru(read, held)
            seen = np.tanh(self._linear("mix", np.concatenate([held, read], axis=1)))
            sigma = _sigmoid(self._linear("sigma", held)[:, 0])
        return Judged(
            beliefs=held,
            probabilities=_softmax(self._linear("action", seen) / self.config.temperature),
            authenticity=_sigmoid(self._linear("authentic", seen)[:, 0]),
            sigma=sigma,
        )

    def verdict(self, probabilities: Rows, authenticity: float, sigma: float) -> Verdict:
        shares: dict[Action, float] = dict(zip(ACTIONS, probabilities.tolist(), strict=True))
        entropy = -sum(share * float(np.log(share)) for share in shares.values() if share > 0)
        action = max(self._allowed, key=shares.__getitem__)
        if entropy > self.config.eta and "ask" in self._allowed:
            action = "ask"
        return Verdict(action, shares, entropy, authenticity, sigma, None)

    def _field(self, beliefs: Rows) -> Rows:
        """Each number of the belief is drawn at a rate of its own, a day, to where the whole belief points."""
        point = beliefs
        for layer in ("flow0", "flow1", "flow2"):
            point = np.tanh(self._linear(layer, point))
        drawn: Rows = np.exp(self._weights["log_rate"]) * (point - beliefs)
        return drawn

    def _gru(self, inputs: Rows, beliefs: Rows) -> Rows:
        """As torch's GRUCell."""
        ours, theirs = self._linear("gru_input", inputs), self._linear("gru_belief", beliefs)
        reset, update, fresh = np.split(ours, 3, axis=1)
        reset_too, update_too, fresh_too = np.split(theirs, 3, axis=1)
        keep = _sigmoid(update + update_too)
        new = np.tanh(fresh + _sigmoid(reset + reset_too) * fresh_too)
        return keep * beliefs + (1 - keep) * new

    def _linear(self, name: str, inputs: Rows) -> Rows:
        product: Rows = inputs @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product


def gate_folder() -> Path:
    return MODELS / "gate"


def _softmax(logits: Rows) -> Rows:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Rows = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _sigmoid(values: Rows) -> Rows:
    found: Rows = 1 / (1 + np.exp(-np.clip(values, -60, 60)))
    return found
