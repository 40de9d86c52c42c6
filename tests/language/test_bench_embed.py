"""The bench measures what it says, with and without torch."""

from __future__ import annotations

import pytest

from memreview.evaluate import bench_embed as bench
from memreview.evaluate.measure import Measurement
from memreview.evaluate.sample_sentences import sample_sentences


def test_without_torch_there_is_no_baseline_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    monkeypatch.setattr(bench, "TEXTS", 200)
    monkeypatch.setattr(bench, "CHUNK", 100)
    found = bench.bench_embed()
    assert [one.baseline for one in found] == [None] * 3
    assert "not installed" in found[0].note
    assert found[0].value > 1


def test_better_is_more_or_less() -> None:
    fast = Measurement.at_least("rate", 300, "texts/s", budget=200, baseline=100)
    slow = Measurement.at_most("wait", 20, "ms", budget=10, baseline=10)
    assert (fast.ratio, fast.met) == (3, True)
    assert (slow.ratio, slow.met) == (0.5, False)
    assert Measurement.at_most("nothing", 0, "").met is None


def test_sample_sentences_are_the_same_distinct_and_of_mixed_length() -> None:
    texts = sample_sentences(1000)
    assert texts == sample_sentences(1000)
    assert len(set(texts)) == 1000
    lengths = [len(text.split()) for text in texts]
    assert min(lengths) < 3
    assert max(lengths) > 150
    assert not any("{" in text for text in texts if "Traceback" not in text)
