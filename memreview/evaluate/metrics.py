"""Metrics of classifiers and rankings, and their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class Estimate(msgspec.Struct, frozen=True):
    """`n` cases gave the value; `ci` is its interval of 95 %."""

    value: float
    ci: tuple[float, float]
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.ci[0]:.3f}, {self.ci[1]:.3f}]"


def confusion(truth: Ints, predicted: Ints, classes: int) -> Ints:
    """Counts: a row each true class, a column each predicted one."""
    cells: Ints = np.bincount(truth * classes + predicted, minlength=classes * classes)
    return cells.reshape(classes, classes)


def accuracy(truth: Ints, predicted: Ints) -> float:
    return float(np.mean(truth == predicted))


def f1_scores(truth: Ints, predicted: Ints, classes: int) -> Floats:
    """F1 of each class; NaN for one that is neither present nor predicted."""
    counts = confusion(truth, predicted, classes)
    with np.errstate(invalid="ignore"):
        scores: Floats = 2 * counts.diagonal() / (counts.sum(axis=0) + counts.sum(axis=1))
    return scores


def macro_f1(truth: Ints, predicted: Ints, classes: int) -> float:
    """Mean F1 of the classes that are present or predicted; NaN without cases."""
    scores = f1_scores(truth, predicted, classes)
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if len(known) else float("nan")


def average_precision(relevant: NDArray[np.bool_], scores: Floats) -> float:
    """Area under the precision-recall steps; cases of one score enter together. NaN without relevant cases."""
    if not relevant.any():
        return float("nan")
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(relevant[order])
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    gained = np.diff(hits[ends], prepend=0)
    return float((gained * hits[ends] / (ends + 1)).sum() / hits[-1])


def estimate(
    statistic: Callable[..., float], *columns: NDArray[Any], seed: int, resamples: int = RESAMPLES
) -> Estimate:
    """The statistic of the columns, with the percentile bootstrap over their rows. Resamples on which it is NaN don't
    count."""
    cases = len(columns[0])
    value = statistic(*columns) if cases else float("nan")
    if np.isnan(value):
        return Estimate(value, (value, value), cases)
    random = np.random.default_rng(seed)
    drawn = (random.integers(cases, size=cases) for _ in range(resamples))
    found = np.array([statistic(*(column[rows] for column in columns)) for rows in drawn])
    low, high = np.nanpercentile(found, (2.5, 97.5)).tolist()
    return Estimate(value, (low, high), cases)
