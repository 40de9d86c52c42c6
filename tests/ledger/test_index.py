"""The nearest nodes: the same as by comparing with each, however often and in whatever order one asks."""

from __future__ import annotations

import numpy as np
import pytest

from memreview.ledger import index as ledger_index
from memreview.ledger.index import Index


def unit(order: np.random.Generator) -> np.ndarray:
    vector = order.normal(size=16).astype(np.float32)
    return vector / np.linalg.norm(vector)


def test_the_nearest_are_those_of_the_greatest_cosine_and_ties_go_by_id() -> None:
    order = np.random.default_rng(0)
    index, shown = Index(), dict[str, np.ndarray]()
    asked = [unit(order) for _ in range(3)]
    for number in range(300):
        if number in (0, 100, 200):
            index.expect(asked[: number // 100])
        vector = shown["n0"] if number % 7 == 3 else unit(order)
        index.put(f"n{number}", vector, number % 5 != 4)
        if number % 5 != 4:
            shown[f"n{number}"] = vector
        for query in asked:  # the same vectors again and again, while the index grows
            without = [name for name in shown if name.endswith("1")]
            cosines = {name: round(float(one @ query), 5) for name, one in shown.items() if name not in without}
            expected = sorted(cosines, key=lambda name: (-cosines[name], name))[:4]
            assert index.nearest(query, 4, without) == expected


def test_what_is_hidden_or_moved_is_not_found_where_it_was() -> None:
    index = Index()
    here, there = np.eye(2, dtype=np.float32)
    index.put("a", here, True)
    index.put("b", there, True)
    assert index.nearest(here, 1) == ["a"]
    index.put("a", here, False)
    assert index.nearest(here, 1) == ["b"]
    index.put("b", here, True)
    assert index.cosines(here) == {"b": 1.0}


def test_of_many_that_are_expected_each_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_index, "_KEPT", 100)
    order = np.random.default_rng(1)
    index = Index()
    for number in range(40):
        index.put(f"n{number}", unit(order), True)
    asked = [unit(order) for _ in range(5)]
    found = [index.nearest(query, 4) for query in asked]
    index.expect(asked)
    assert [index.nearest(query, 4) for query in asked] == found
