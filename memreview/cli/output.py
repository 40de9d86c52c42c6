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


class Table:
    """Columns as wide as they need, the last one as far as the terminal goes."""

    def __init__(self, *heads: str) -> None:
        self._rows = [list(heads)]

    def add(self, *cells: object) -> None:
        self._rows.append([one_line(str(cell), 60) for cell in cells[:-1]] + [one_line(str(cells[-1]), 400)])

    def __str__(self) -> str:
        widths = [min(max(len(row[n]) for row in self._rows), 44) for n in range(len(self._rows[0]) - 1)]
        room = max(30, shutil.get_terminal_size((120, 24)).columns - sum(widths) - 2 * len(widths))
        return "\n".join(
            "  ".join([*(one_line(cell, width).ljust(width) for cell, width in zip(row, widths, strict=False)),
                       one_line(row[-1], room)]).rstrip()
            for row in self._rows
        )  # fmt: skip


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
        share = f" {min(100, 100 * done // total)} %" if total else ""
        sys.stderr.write(f"\r\x1b[K{STAGES.get(stage, stage)}{share}")
        sys.stderr.flush()

    try:
        yield progress
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
