"""Cosines of one vector with those of all nodes, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from memreview.records.gate import Vector

_DIGITS = 5
_TIE = 1e-4
"""More than rounding moves a cosine."""
_KEPT = 4_000_000
"""Products that are kept at once, at most: 16 MB."""


class Index:
    """A row a node. Rows are never moved, so that a cosine does not depend on what else came or went."""

    def __init__(self) -> None:
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._hidden: NDArray[np.float32] = np.empty(0, np.float32)  # -∞ where a row is not shown, else 0
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._expected: dict[int, tuple[Vector, NDArray[np.float32]]] = {}

    def put(self, node_id: str, vector: Vector, shown: bool) -> None:
        """`shown` nodes are found; one whose vector changed gets a new row."""
        row = self._row_of.get(node_id)
        if row is not None and np.array_equal(self._rows[row], vector):
            self._hidden[row] = _hides(shown)
            return
        if row is not None:
            self._hidden[row] = _hides(False)
        if len(self._ids) == len(self._rows):
            self._grow(len(vector))
        self._row_of[node_id] = row = len(self._ids)
        self._ids.append(node_id)
        self._rows[row], self._hidden[row] = vector, _hides(shown)

    def cosines(self, vector: Vector) -> dict[str, float]:
        """Of all nodes that are shown."""
        cosines = self._products(vector)
        rows = np.flatnonzero(self._hidden[: len(self._ids)] == 0)
        return {self._ids[row]: cosine for row, cosine in zip(rows, _rounded(cosines[rows]), strict=True)}

    def nearest(self, vector: Vector, k: int, without: Collection[str] = ()) -> list[str]:
        """Ids of the shown nodes of greatest cosine; ties by id."""
        cosines = self._products(vector) + self._hidden[: len(self._ids)]
        cosines[[self._row_of[node_id] for node_id in without]] = -np.inf
        least = np.partition(cosines, -k)[-k] - _TIE if len(cosines) > k else -np.inf
        rows = np.flatnonzero((cosines >= least) & (cosines > -np.inf))
        found = sorted((-cosine, self._ids[row]) for row, cosine in zip(rows, _rounded(cosines[rows]), strict=True))
        return [node_id for _, node_id in found[:k]]

    def expect(self, vectors: Sequence[Vector]) -> None:
        """These very vectors will be asked for next: one product for all costs a fraction of one for each, and then
        only new rows are left to multiply. The last ones are multiplied when they are asked for, if there are many."""
        rows = self._rows[: len(self._ids)]
        now = vectors[: _KEPT // max(1, len(rows))]
        products = np.stack(now) @ rows.T if now and len(rows) else np.zeros((len(now), 0), np.float32)
        self._expected = {id(vector): (vector, found) for vector, found in zip(now, products, strict=True)}

    def _products(self, vector: Vector) -> NDArray[np.float32]:
        """With all rows, shown or not. Not to be changed."""
        _, known = self._expected.get(id(vector), (vector, np.zeros(0, np.float32)))
        if len(known) < len(self._ids):
            known = np.concatenate([known, self._rows[len(known) : len(self._ids)] @ vector])
            if id(vector) in self._expected:
                self._expected[id(vector)] = vector, known
        return known

    def _grow(self, dims: int) -> None:
        size = max(64, 2 * len(self._ids))
        rows, hidden = np.zeros((size, dims), np.float32), np.zeros(size, np.float32)
        if self._ids:
            rows[: len(self._ids)], hidden[: len(self._ids)] = self._rows, self._hidden
        self._rows, self._hidden = rows, hidden


def _hides(shown: bool) -> float:
    return 0.0 if shown else -np.inf


def _rounded(cosines: NDArray[np.float32]) -> list[float]:
    """The last digits depend on how many rows are multiplied at once."""
    rounded: list[float] = cosines.astype(np.float64).round(_DIGITS).tolist()
    return rounded
