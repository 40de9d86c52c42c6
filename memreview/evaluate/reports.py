"""What the `eval` commands share: reading cases line by line, a sample of them, and the printed report."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from memreview import __version__
from memreview.evaluate.jsonl import decoded
from memreview.evaluate.metrics import Estimate

Metrics = dict[str, Estimate]
T = TypeVar("T")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`confusion` has a row for each true label and a column for each given one; `problems` name the malformed lines,
    which were skipped."""

    command: str
    file: str
    cases: int
    seed: int
    version: str = __version__
    model: str
    system: Metrics
    baselines: dict[str, Metrics]
    ablations: dict[str, Metrics]
    confusion: list[list[int]]
    problems: list[str]

    @property
    def status(self) -> int:
        """The command's exit status."""
        return 1 if self.problems else 0


def rows(system: Metrics, others: dict[str, Metrics], name: str) -> list[str]:
    """A line for each metric and way of getting it."""
    ways = {name: system, **others}
    width = max(map(len, system), default=0)
    return [
        f"{metric:{width}}  {way:14}  {found[metric]}"
        for metric in system
        for way, found in ways.items()
        if metric in found
    ]


def confusion_rows(confusion: Sequence[Sequence[int]], labels: Sequence[str]) -> list[str]:
    lines = ["", f"{'is ↓ given →':14}" + "".join(f"{label:>14}" for label in labels)]
    for label, row in zip(labels, confusion, strict=True):
        lines.append(f"{label:14}" + "".join(f"{count:14}" for count in row))
    return lines


def read(path: Path, kind: type[T], files: str) -> tuple[list[T], list[str]]:
    """The cases of a file, or of all that `files` matches in a folder, and a sentence for each malformed line.

    Raises `OSError` if it can't be read, `ValueError` if there is no case."""
    cases: list[T] = []
    problems: list[str] = []
    for where, case, problem in decoded(sorted(path.glob(files)) if path.is_dir() else [path], kind):
        if case is None:
            problems.append(f"{where}: {problem}")
        else:
            cases.append(case)
    if not cases:
        raise ValueError("\n".join(["There is no case to evaluate.", *problems]))
    return cases, problems


def sample(cases: list[T], limit: int | None, seed: int) -> list[T]:
    """As many of them at most, drawn at random, in their order."""
    if limit is None or limit >= len(cases):
        return cases
    return [cases[index] for index in sorted(random.Random(seed).sample(range(len(cases)), limit))]
