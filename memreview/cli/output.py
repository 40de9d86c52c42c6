"""Printing: a value as JSON, or as text that no imported control character can disturb."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from memreview.review.labels import one_line
from memreview.review.values import Progress

GAP = "  "
LEAST = 4
PADDED = 60
"""A text that is longer, in a list that is not for a terminal, runs over its column instead of widening it."""
STAGES = {
    "starting": "Starting",
    "reading": "Reading",
    "words": "Indexing words",
    "sentences": "Finding sentences",
    "meaning": "Reading for meaning",
    "claims": "Finding claims",
    "comparing": "Comparing",
    "model": "Trying the language model",
    "gate": "Checking what is new",
}


def emit(arguments: argparse.Namespace, value: Any, text: Callable[[], str]) -> None:
    """The value with `--json`, else its text, made only then."""
    if arguments.json:
        sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    else:
        sys.stdout.write(text() + "\n")
    sys.stdout.flush()


def width() -> int | None:
    """How many columns the terminal has; None where standard output is none, and nothing is cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class Table:
    """In a terminal its columns share the width, the widest giving way first; elsewhere no text is cut."""

    def __init__(self, *heads: str) -> None:
        self._rows = [list(heads)]

    def add(self, *cells: object) -> None:
        self._rows.append([one_line(str(cell), None) for cell in cells])

    def __str__(self) -> str:
        widths = [max(len(row[n]) for row in self._rows) for n in range(len(self._rows[0]))]
        columns = width()
        if columns is not None:
            widths = _shared(widths, columns - len(GAP) * (len(widths) - 1))
            rows = [[one_line(cell, room) for cell, room in zip(row, widths, strict=True)] for row in self._rows]
        else:
            widths = [min(needed, PADDED) for needed in widths]
            rows = self._rows
        return "\n".join(
            GAP.join(cell.ljust(room) for cell, room in zip(row, widths, strict=True)).rstrip() for row in rows
        )


def _shared(needed: list[int], room: int) -> list[int]:
    """Widths that fit into the room: no column has more than it needs, and the widest are equally wide."""
    widths = list(needed)
    for left, column in enumerate(sorted(range(len(needed)), key=needed.__getitem__)):
        widths[column] = min(needed[column], max(LEAST, room // (len(needed) - left)))
        room -= widths[column]
    return widths


def _counted(stage: str, done: int, total: int) -> str:
    """How far it is: " 1,200 of 3,400"; files by their size, shares as such."""
    if not total:
        return ""
    if stage == "reading":
        return f" {done / 1e6:,.1f} of {total / 1e6:,.1f} MB"
    return f" {done} %" if stage == "comparing" else f" {done:,} of {total:,}"


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A progress callable that keeps one line on a terminal's standard error, and is silent elsewhere."""
    shown, last = False, 0.0

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal shown, last
        now = time.monotonic()
        if not sys.stderr.isatty() or (now - last < 0.1 and done != total):
            return
        last, shown = now, True
        sys.stderr.write(f"\r\x1b[K{STAGES.get(stage, 'Working')}{_counted(stage, done, total)}")
        sys.stderr.flush()

    try:
        yield progress
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
