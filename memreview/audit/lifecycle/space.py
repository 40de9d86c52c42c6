"""How near two texts are: the embedder's vectors, or hashed words where there is no embedder."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memreview.audit.lifecycle.evidence import Similarity, Vectors
from memreview.audit.lifecycle.grammar import stems

BLOCK = 1024  # rows of one matrix product: 1,024 × 25,000 float32 are 100 MB
DIMENSIONS = 512


@dataclass(frozen=True, slots=True)
class Space:
    """Unit vectors of memories and windows. At `related` two texts may be about one thing, at `alike` they
    may say the same."""

    memories: Vectors
    windows: Vectors
    related: float
    alike: float

    def likeness(self, memory: int, window: int) -> float:
        return float(self.memories[memory] @ self.windows[window])


def space(memories: list[str], windows: list[str], similarity: Similarity | None) -> Space:
    vectors = similarity.vectors(memories + windows) if similarity is not None else None
    if vectors is None:
        hashed = _hashed(memories + windows)
        return Space(hashed[: len(memories)], hashed[len(memories) :], related=0.2, alike=0.6)
    return Space(vectors[: len(memories)], vectors[len(memories) :], related=0.35, alike=0.8)


def nearest(queries: Vectors, keys: Vectors, count: int) -> NDArray[np.int64]:
    """The `count` nearest keys of each query, unordered."""
    count = min(count, len(keys))
    found = np.empty((len(queries), count), dtype=np.int64)
    for start in range(0, len(queries), BLOCK):
        scores = queries[start : start + BLOCK] @ keys.T
        found[start : start + BLOCK] = np.argpartition(scores, len(keys) - count, axis=1)[:, len(keys) - count :]
    return found


def close_pairs(queries: Vectors, keys: Vectors, least: float, count: int) -> Iterator[tuple[int, int, float]]:
    """(query, key, cosine) of at least `least`, for each query the `count` nearest at most."""
    for start in range(0, len(queries), BLOCK):
        scores = queries[start : start + BLOCK] @ keys.T
        best = np.argpartition(scores, max(0, len(keys) - count), axis=1)[:, max(0, len(keys) - count) :]
        for row, columns in enumerate(best.tolist()):
            for column in columns:
                if scores[row, column] >= least:
                    yield start + row, column, float(scores[row, column])


def _hashed(texts: list[str]) -> Vectors:
    """Feature hashing with inverse document frequency: the cosine is a weighted overlap of words."""
    bags = [stems(text) for text in texts]
    frequency = Counter(stem for bag in bags for stem in set(bag))
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    for row, bag in enumerate(bags):
        for stem in set(bag):
            code = zlib.crc32(stem.encode())
            vectors[row, code % DIMENSIONS] += (1 if code & 0x10000 else -1) * np.log(1 + len(texts) / frequency[stem])
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.maximum(norms, 1e-9)
    return unit
