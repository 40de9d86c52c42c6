"""The run-time gate beside torch's, on random weights: the same numbers by other means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memreview.gate.features import NAMES
from memreview.gate.model import Gate, Kind
from memreview.language.onnx_model import ModelUnavailable
from memreview.records.gate import ACTIONS

torch = pytest.importorskip("torch")
training = pytest.importorskip("memreview.evaluate.gate_training")
ship = pytest.importorskip("memreview.evaluate.train_gate").ship

KINDS: tuple[Kind, ...] = ("ode", "gru", "logistic")


def trained(kind: Kind, *, eta: float = 9.0) -> tuple[object, object]:
    torch.manual_seed(3)
    columns = len(NAMES)
    model = training.TorchGate(kind, np.zeros(columns, np.float32), np.ones(columns, np.float32)).eval()
    return model, training.Trained(kind, 3, model.weights(), 1.3, eta)


@pytest.mark.parametrize("kind", KINDS)
def test_numpy_and_torchdiffeq_agree(kind: Kind) -> None:
    model, found = trained(kind)
    random = np.random.default_rng(4)
    features = random.normal(size=(1, 6, len(NAMES))).astype(np.float32)
    gaps = np.array([[0.0, 0.004, 0.3, 2.0, 14.0, 29.0]], np.float32)
    with torch.no_grad():
        logits, authentic, _ = model(*map(torch.from_numpy, (features, gaps)), torch.ones(1, 6, dtype=torch.bool))
    gate = found.gate()
    state = gate.start()
    for event in range(6):
        state, verdict = gate.step(state, features[0, event], float(gaps[0, event]))
        expected = (logits[0, event] / 1.3).softmax(0).numpy()
        assert [verdict.probabilities[action] for action in ACTIONS] == pytest.approx(expected, abs=2e-3)
        assert verdict.authenticity == pytest.approx(torch.sigmoid(authentic[0, event]).item(), abs=2e-3)


def test_a_batch_of_people_is_each_of_them() -> None:
    gate = trained("ode")[1].gate()
    random = np.random.default_rng(5)
    beliefs, features = random.normal(size=(3, gate.config.dims)), random.normal(size=(3, len(NAMES)))
    gaps = np.array([0.0, 1.0, 400.0])
    together = gate.step_all(beliefs, features, gaps)
    for row in range(3):
        alone = gate.step_all(beliefs[row : row + 1], features[row : row + 1], gaps[row : row + 1])
        assert together.probabilities[row] == pytest.approx(alone.probabilities[0], abs=1e-9)
        assert together.beliefs[row] == pytest.approx(alone.beliefs[0], abs=1e-9)


@pytest.mark.parametrize("gap", [1e9, float("inf"), float("nan"), -5.0])
def test_gaps_of_years_and_clocks_that_jump_are_harmless(gap: float) -> None:
    gate = trained("ode")[1].gate()
    state, verdict = gate.step(gate.start(), np.ones(len(NAMES), np.float32), gap)
    assert np.isfinite(state.belief).all()
    assert sum(verdict.probabilities.values()) == pytest.approx(1)
    assert 0 < verdict.sigma < 1


def test_a_state_goes_through_bytes() -> None:
    gate = trained("ode")[1].gate()
    state, _ = gate.step(gate.start(), np.ones(len(NAMES), np.float32), 1.0)
    again = gate.restore(state.to_bytes())
    assert (again.belief == state.belief).all()
    with pytest.raises(ValueError, match="another gate"):
        gate.restore(b"1234")


def test_it_asks_where_it_cannot_tell() -> None:
    sure, unsure = trained("ode", eta=9.0)[1].gate(), trained("ode", eta=0.0)[1].gate()
    features = np.ones(len(NAMES), np.float32)
    assert unsure.step(unsure.start(), features, 0)[1].action == "ask"
    silent = Gate(unsure.config, unsure.weights, questions=False)
    _, verdict = silent.step(silent.start(), features, 0)
    assert verdict.action != "ask"
    assert verdict.entropy == pytest.approx(sure.step(sure.start(), features, 0)[1].entropy)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_ships_and_loads(kind: Kind, tmp_path: Path) -> None:
    _, found = trained(kind)
    ship(found, tmp_path)
    gate, features = Gate.load(tmp_path), np.ones(len(NAMES), np.float32)
    assert gate.step(gate.start(), features, 1.0)[1] == found.gate().step(gate.start(), features, 1.0)[1]


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="missing"):
        Gate.load(tmp_path)
    ship(trained("gru")[1], tmp_path)
    (tmp_path / "gate.safetensors").write_bytes(b"no")
    with pytest.raises(ModelUnavailable, match="damaged"):
        Gate.load(tmp_path)
    ship(trained("gru")[1], tmp_path)
    config = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(config.replace(f'"columns": {len(NAMES)}', '"columns": 3'))
    with pytest.raises(ModelUnavailable, match="other features"):
        Gate.load(tmp_path)
