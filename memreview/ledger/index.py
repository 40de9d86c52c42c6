"""Cosines of one vector with those of all held nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memreview.records.gate import Vector


class Index:
    """Rows are never moved, so that a cosine does not depend on what else came or went."""

    def __init__(self) -> None:
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._count = 0

    def add(self, vector: Vector) -> int:
        """The row that it has from now on."""
        if self._count == len(self._rows):
            grown = np.zeros((max(64, 2 * self._count), len(vector)), np.float32)
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count] = vector
        self._count += 1
        return self._count - 1

    def cosines(self, vector: Vector, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Rounded: the last digits depend on how many rows are multiplied at once."""
        if not len(rows):
            return np.zeros(0)
        found: NDArray[np.float64] = (self._rows[rows] @ vector).astype(np.float64)
        return found.round(5)
