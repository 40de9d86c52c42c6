"""Cosines of one vector with those of all nodes, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from memreview.records.gate import Vector


class Index:
    """A row a node. Rows are never moved, so that a cosine does not depend on what else came or went."""

    def __init__(self) -> None:
        self._rows: NDArray[np.float32] = np.empty((0, 0), np.float32)
        self._shown: NDArray[np.bool_] = np.empty(0, bool)
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}

    def put(self, node_id: str, vector: Vector, shown: bool) -> None:
        """`shown` nodes are found; one whose vector changed gets a new row."""
        row = self._row_of.get(node_id)
        if row is not None and np.array_equal(self._rows[row], vector):
            self._shown[row] = shown
            return
        if row is not None:
            self._shown[row] = False
        if len(self._ids) == len(self._rows):
            self._grow(len(vector))
        self._row_of[node_id] = row = len(self._ids)
        self._ids.append(node_id)
        self._rows[row], self._shown[row] = vector, shown

    def cosines(self, vector: Vector) -> dict[str, float]:
        """Of all nodes that are shown."""
        cosines = self._cosines(vector)
        return {self._ids[row]: float(cosines[row]) for row in np.flatnonzero(self._shown[: len(self._ids)])}

    def nearest(self, vector: Vector, k: int, without: Collection[str] = ()) -> list[str]:
        """Ids of the shown nodes of greatest cosine; ties by id."""
        shown = self._shown[: len(self._ids)].copy()
        shown[[self._row_of[node_id] for node_id in without]] = False
        rows = np.flatnonzero(shown)
        cosines = self._cosines(vector)[rows]
        if len(rows) > k:
            least = np.partition(cosines, -k)[-k]
            rows, cosines = rows[cosines >= least], cosines[cosines >= least]
        found = sorted(zip(-cosines, (self._ids[row] for row in rows), strict=True))
        return [node_id for _, node_id in found[:k]]

    def _cosines(self, vector: Vector) -> NDArray[np.float64]:
        """Rounded: the last digits depend on how many rows are multiplied at once."""
        if not self._ids:
            return np.zeros(0)
        found: NDArray[np.float64] = (self._rows[: len(self._ids)] @ vector).astype(np.float64)
        return found.round(5)

    def _grow(self, dims: int) -> None:
        size = max(64, 2 * len(self._ids))
        rows, shown = np.zeros((size, dims), np.float32), np.zeros(size, bool)
        if self._ids:
            rows[: len(self._ids)], shown[: len(self._ids)] = self._rows, self._shown
        self._rows, self._shown = rows, shown
