from __future__ import annotations

import numpy as np
import pytest

from memreview.gate.ode import flow


def test_a_field_with_a_known_flow_is_followed_within_the_tolerance() -> None:
    start = np.array([[1.0, -2.0], [0.5, 3.0]])
    reached = flow(lambda state: -state, start, np.array([0.3, 5.0]))
    assert reached == pytest.approx(start * np.exp([[-0.3], [-5.0]]), abs=2e-3)


def test_each_row_goes_its_own_way() -> None:
    spans, start = np.array([0.0, 0.01, 3.0, 30.0]), np.random.default_rng(0).normal(size=(4, 8))
    turn = np.random.default_rng(1).normal(size=(8, 8))

    def field(state: np.ndarray) -> np.ndarray:
        return np.tanh(state @ turn) - state

    together = flow(field, start, spans)
    alone = [flow(field, start[row : row + 1], spans[row : row + 1])[0] for row in range(4)]
    assert together == pytest.approx(np.array(alone), abs=1e-9)
    assert together[0] == pytest.approx(start[0])


def test_two_gaps_are_one_as_time_enters_only_by_its_length() -> None:
    start = np.random.default_rng(2).normal(size=(1, 6))
    turn = np.random.default_rng(3).normal(size=(6, 6))

    def field(state: np.ndarray) -> np.ndarray:
        return np.tanh(state @ turn) - state

    halfway = flow(field, start, np.array([1.7]))
    assert flow(field, halfway, np.array([2.3])) == pytest.approx(flow(field, start, np.array([4.0])), abs=5e-3)


@pytest.mark.parametrize("span", [-1.0, 0.0])
def test_no_time_is_no_change(span: float) -> None:
    start = np.ones((1, 3))
    assert flow(lambda state: state, start, np.array([span])) == pytest.approx(start)


def test_a_wild_field_ends_in_bounded_time() -> None:
    calls = 0

    def field(state: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return 1e6 * np.sin(1e6 * state)

    assert np.isfinite(flow(field, np.ones((1, 2)), np.array([1e3]))).all()
    assert calls < 1500
