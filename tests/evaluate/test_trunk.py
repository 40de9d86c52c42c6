"""The trunk that three trainings share: what its frozen part knows, and what is trained."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from memreview.evaluate.trunk import FROZEN, Model, load


@pytest.fixture(scope="module")
def model() -> Model:
    trunk, _ = load(1)
    return Model(trunk).eval()


def test_the_frozen_part_tells_two_types_of_token_apart_and_no_more(model: Model) -> None:
    ids, mask = torch.tensor([[5, 6, 7]]), torch.ones((1, 3), dtype=torch.bool)
    first, second, third = (model.lower(ids, torch.full_like(ids, kind), mask) for kind in range(3))
    assert not torch.allclose(first, second)
    assert torch.equal(second, third)


def test_the_words_and_the_lowest_layers_stay_as_they_are(model: Model) -> None:
    assert not any(value.requires_grad for value in model.embeddings.parameters())
    learns = [any(value.requires_grad for value in layer.parameters()) for layer in model.encoder.layer]
    assert learns == [False] * FROZEN + [True] * (len(learns) - FROZEN)
