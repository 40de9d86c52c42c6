"""Metrics against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memreview.evaluate.metrics import accuracy, average_precision, confusion, estimate, f1_scores, macro_f1

TRUTH = np.array([0, 0, 0, 1, 1, 2])
GIVEN = np.array([0, 0, 1, 1, 2, 2])


def test_confusion_has_a_row_for_each_true_class() -> None:
    assert confusion(TRUTH, GIVEN, 3).tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_accuracy_and_f1() -> None:
    # Class 0: precision 1, recall 2/3. Class 1: 1/2 and 1/2. Class 2: 1/2 and 1.
    assert accuracy(TRUTH, GIVEN) == pytest.approx(4 / 6)
    assert f1_scores(TRUTH, GIVEN, 3).tolist() == pytest.approx([4 / 5, 1 / 2, 2 / 3])
    assert macro_f1(TRUTH, GIVEN, 3) == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)


def test_a_class_that_nobody_names_does_not_count() -> None:
    assert math.isnan(f1_scores(TRUTH, GIVEN, 4)[3])
    assert macro_f1(TRUTH, GIVEN, 4) == macro_f1(TRUTH, GIVEN, 3)


def test_a_class_that_is_never_found_counts_as_nothing() -> None:
    assert macro_f1(np.array([0, 1]), np.array([0, 0]), 2) == pytest.approx((2 / 3 + 0) / 2)


def test_average_precision() -> None:
    # Relevant at ranks 1 and 3: (1/1 + 2/3) / 2.
    assert average_precision(np.array([True, False, True, False]), np.array([0.9, 0.8, 0.7, 0.1])) == pytest.approx(
        5 / 6
    )


def test_equal_scores_enter_together() -> None:
    # One step: two of four are relevant, whichever stands first.
    scores = np.full(4, 0.5)
    for relevant in ([True, True, False, False], [False, False, True, True]):
        assert average_precision(np.array(relevant), scores) == pytest.approx(0.5)


def test_nothing_relevant_has_no_precision() -> None:
    assert math.isnan(average_precision(np.array([False, False]), np.array([0.1, 0.2])))


def test_the_interval_holds_the_value_and_narrows_with_more_cases() -> None:
    few = estimate(accuracy, TRUTH, GIVEN, seed=1)
    many = estimate(accuracy, np.tile(TRUTH, 50), np.tile(GIVEN, 50), seed=1)
    assert few.value == pytest.approx(4 / 6)
    assert few.n == 6
    assert few.ci[0] < few.value < few.ci[1]
    assert many.ci[1] - many.ci[0] < (few.ci[1] - few.ci[0]) / 3
    # Normal approximation: ±1.96 √(p (1 − p) / n).
    assert many.ci[1] - many.ci[0] == pytest.approx(2 * 1.96 * math.sqrt(4 / 6 * 2 / 6 / 300), rel=0.1)


def test_one_seed_one_interval() -> None:
    scores = np.random.default_rng(0).normal(size=40)
    first, again, other = (estimate(average_precision, scores > 0.3 * scores[::-1], scores, seed=s) for s in (3, 3, 4))
    assert first == again
    assert first != other


def test_no_cases_have_no_value() -> None:
    nobody = np.array([], np.int64)
    found = estimate(accuracy, nobody, nobody, seed=0)
    assert math.isnan(found.value)
    assert found.n == 0
