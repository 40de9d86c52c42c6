"""The rule by which a claim is known in other words: its weights, its figures on topics it was not fitted on."""

from __future__ import annotations

import numpy as np
import pytest

from memreview.language.embedder import Embedder
from memreview.language.model_files import embedder_folder
from memreview.language.relations import Judgement, RelationModel, relations_folder
from memreview.review import rewording
from memreview.review.burial import PROBABILITY
from tests.review.rewordings import Pair, cosines, fit, pairs, wilson


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder.load(embedder_folder())


@pytest.fixture(scope="module")
def model() -> RelationModel:
    return RelationModel.load(relations_folder())


def test_the_weights_are_those_of_the_development_pairs(embedder: Embedder, model: RelationModel) -> None:
    assert np.allclose(fit(embedder), rewording.WEIGHTS, atol=0.1)
    assert np.allclose(fit(embedder, model), rewording.WEIGHTS_JUDGED, atol=0.1)


def recalls(embedder: Embedder, model: RelationModel | None) -> dict[str, float]:
    """By how far the rewording goes; `different` is the share of look-alikes that are taken for the same."""
    chosen = pairs("test")
    known = [
        rewording.probability(pair.memory, pair.other, cosine, judged(model, pair)) >= PROBABILITY
        for pair, cosine in zip(chosen, cosines(embedder, chosen), strict=True)
    ]
    kinds = [pair.label if pair.same else "different" for pair in chosen]
    return {
        kind: float(np.mean([found for found, other in zip(known, kinds, strict=True) if other == kind]))
        for kind in set(kinds)
    }


def judged(model: RelationModel | None, pair: Pair) -> list[Judgement]:
    return model.judge(rewording.both_ways(pair.memory, pair.other)) if model else []


def test_topics_that_were_not_fitted(embedder: Embedder, model: RelationModel) -> None:
    """Measured: 107 of 120 rewordings known again (light 37/39, medium 36/38, strong 34/43), 10 of 96 look-alikes taken
    for the same. The plain cosine of 0.80, even with names, numbers and denials compared, gives 49 and 34."""
    found = recalls(embedder, model)
    assert found["light"] >= 0.90
    assert found["medium"] >= 0.90
    assert found["strong"] >= 0.75
    assert found["different"] <= 0.13


def test_without_the_relation_model(embedder: Embedder) -> None:
    """Measured: light 37/39, medium 36/38, strong 35/43 known again, 11 of 96 look-alikes taken for the same."""
    found = recalls(embedder, None)
    assert found["light"] >= 0.90
    assert found["medium"] >= 0.90
    assert found["strong"] >= 0.70
    assert found["different"] <= 0.15


def test_the_data_are_as_many_as_they_should_be() -> None:
    everything = pairs()
    same = [pair for pair in everything if pair.same]
    assert [sum(pair.split == split for pair in same) for split in ("dev", "test")] == [80, 120]
    assert len({pair.memory for pair in same}) == 200
    assert len(everything) - len(same) >= 150
    assert {pair.memory for pair in everything} == {pair.memory for pair in same}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Lisbon", "Lives in Porto"),
        ("Takes 20 mg a day", "Takes 40 mg a day"),
        ("Gets up at 6 am", "Gets up at 6 pm"),
        ("Is vegetarian", "User's sister is vegetarian"),
        ("Likes olives", "Doesn't like olives"),
        ("Prefers trains over planes", "Prefers planes over trains"),
        ("Lives in Lisbon", "Moved from Lisbon to Porto"),
        ("Collects old maps", "Collects old radios"),
        ("Grows beans", "Grows beans and leeks"),
    ],
)
def test_another_particular_excludes_whatever_the_nearness(one: str, other: str) -> None:
    assert rewording.probability(one, other, 1.0) == 0.0
    assert rewording.probability(other, one, 1.0) == 0.0


@pytest.mark.parametrize("text", ["", " ", "…", "7", "日本語を話す", "User"])
def test_any_text_can_be_compared(text: str) -> None:
    assert 0 <= rewording.probability(text, "Lives in Lisbon", 0.5) <= 1
    assert rewording.probability("Keeps bees", "keeps  BEES!", 1.0) > PROBABILITY


def test_the_interval_of_a_share() -> None:
    assert np.allclose(wilson(9, 10), (0.9, 0.5958, 0.9821), atol=1e-3)
