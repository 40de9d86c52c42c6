"""Bench: one search among 100,000 memories (embed, FAISS, SQL), against a plain float32 flat index."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import faiss
import numpy as np

from memreview.evaluate import generate
from memreview.evaluate.measure import Measurement
from memreview.review import search

QUERIES = 200
WARM = 20


def run(*, full: bool) -> list[Measurement]:
    """`full`: 100,000 memories; else 20,000. The budget holds for the full size."""
    count = 100_000 if full else 20_000
    rng = random.Random(1)
    queries = [" ".join(generate.sentence(rng).split()[: rng.randrange(2, 8)]) for _ in range(QUERIES + WARM)]
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        profile = generate.profile_of(Path(folder), count, with_vectors=True)
        ours, words, plain = [], [], []
        flat = _plain_index(count, profile.embedder().dims)
        for query in queries:
            ours.append(_timed(partial(search.search, profile, query)))
            words.append(_timed(partial(search.search, profile, query, meaning=False)))
            plain.append(_timed(partial(flat.search, profile.embedder().encode([query]), search.DEPTH)))
        profile.close()
    return [
        Measurement.at_most(
            f"search, {count:,} memories, p95", _p95(ours), "ms", budget=25, baseline=_p95(plain),
            note="baseline: the flat float32 index alone",
        ),
        Measurement.at_most(f"search by words alone, {count:,} memories, p95", _p95(words), "ms", budget=25),
    ]  # fmt: skip


def _plain_index(count: int, dims: int) -> faiss.IndexFlatIP:
    index = faiss.IndexFlatIP(dims)
    vectors = np.random.default_rng(0).normal(size=(count, dims)).astype(np.float32)
    index.add(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    return index


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _p95(times: list[float]) -> float:
    return float(np.percentile(times[WARM:], 95))
