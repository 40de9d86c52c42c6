"""Where among the embeddings of beliefs to look for what a text concerns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memreview.records.gate import Vector

FILE = "seeker.safetensors"
_NAME = "turn"


class Seeker:
    """A linear map, shape (dims, dims), by which a text's embedding is turned toward the beliefs that such texts
    concern. Trained by `memreview.evaluate.train_seeker`."""

    def __init__(self, turn: NDArray[np.float32]) -> None:
        self._turn = np.asarray(turn, np.float16).astype(np.float32)  # as it is kept

    @classmethod
    def load(cls, folder: Path) -> Seeker:
        from safetensors.numpy import load

        return cls(load((folder / FILE).read_bytes())[_NAME])

    def to_bytes(self) -> bytes:
        from safetensors.numpy import save

        return save({_NAME: self._turn.astype(np.float16)})

    def query(self, vector: Vector) -> Vector:
        """Of unit length, like the vector. One at a time: the same alone and in company."""
        turned: Vector = vector + self._turn @ vector
        return turned / max(float(np.linalg.norm(turned)), 1e-9)
