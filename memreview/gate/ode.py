"""Dormand-Prince 5(4) with a step size of its own for each row (Hairer, Nørsett & Wanner, Solving ODEs I, II.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

RTOL, ATOL = 1e-3, 1e-4
"""Capture, Appendix B."""
MAX_STEPS = 200
"""Of one gap, accepted or not; what is left of it then is not integrated."""

Rows = NDArray[np.float64]
Field = Callable[[Rows], Rows]

_A = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
_SAFETY, _SLOWEST, _FASTEST = 0.9, 0.2, 10.0


def flow(field: Field, start: Rows, spans: Rows) -> Rows:
    """Rows of `start` (n, d) carried along an autonomous field for `spans` (n,) of time, each by itself."""
    state = np.array(start, np.float64)
    left = np.maximum(np.array(spans, np.float64), 0.0)
    slope = field(state)
    step = np.minimum(_first_step(field, state, slope), left)
    for _ in range(MAX_STEPS):
        rows = np.flatnonzero(left > 0)
        if not len(rows):
            break
        now, size = state[rows], np.minimum(step[rows], left[rows])
        slopes = [slope[rows]]
        reached = now
        for weights in _A:
            moved = sum(weight * one for weight, one in zip(weights, slopes, strict=True) if weight)
            reached = now + size[:, None] * moved
            slopes.append(field(reached))
        wrong = size[:, None] * np.tensordot(_ERROR, np.array(slopes), 1)
        error = _size(wrong / (ATOL + RTOL * np.maximum(np.abs(now), np.abs(reached))))
        fine = error <= 1
        done = rows[fine]
        state[done], slope[done] = reached[fine], slopes[-1][fine]
        left[done] = np.where(size[fine] >= left[done], 0.0, left[done] - size[fine])
        with np.errstate(divide="ignore"):
            grown = _SAFETY * error**-0.2
        step[rows] = size * np.clip(grown, np.where(fine, 1.0, _SLOWEST), _FASTEST)
    return state


def _first_step(field: Field, state: Rows, slope: Rows) -> Rows:
    scale = ATOL + RTOL * np.abs(state)
    far, fast = _size(state / scale), _size(slope / scale)
    guess = np.where((far < 1e-5) | (fast < 1e-5), 1e-6, 0.01 * far / np.maximum(fast, 1e-5))
    bent = _size((field(state + guess[:, None] * slope) - slope) / scale) / guess
    sharp = np.maximum(fast, bent)
    tried = np.where(sharp <= 1e-15, np.maximum(1e-6, guess * 1e-3), (0.01 / np.maximum(sharp, 1e-15)) ** 0.2)
    first: Rows = np.minimum(100 * guess, tried)
    return first


def _size(rows: Rows) -> Rows:
    sizes: Rows = np.sqrt(np.mean(np.square(rows), axis=1))
    return sizes
