"""How a block of text reads as single memories. The importer and the exporter of a store must cut it alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKER = re.compile(r"[ \t]*(?:(?:[-*•+]|\d{1,3}[.)])[ \t]+)?")
BOUNDARY = re.compile(r"(?:(?<=[.!?…。！？])|(?<=[.!?…。！？][\"'”’)\]]))[ \t]+")
WORD = re.compile(r"\w")
# Full stops that end no sentence: initials, numbers, titles, "e.g.".
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[^\W_]|\d{1,3}|Dr|Mr|Mrs|Ms|Prof|St|vs|etc|e\.g|i\.e|approx|No)\.$", re.I)


def memory_spans(block: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each line of a block with the places of its memories: its sentences that hold a word, without list markers."""
    for line in block.split("\n"):
        yield line, [span for span in _sentences(line) if WORD.search(line, *span)]


def _sentences(line: str) -> Iterator[tuple[int, int]]:
    start = _past_marker(line, 0)
    stop = len(line.rstrip(" \t\r"))
    for boundary in BOUNDARY.finditer(line, start):
        if start < boundary.start() < stop and not ABBREVIATION.search(line[start : boundary.start()]):
            yield start, boundary.start()
            # Also within a line: once what stands before it is removed, a marker would begin the line.
            start = _past_marker(line, boundary.end())
    if start < stop:
        yield start, stop


def _past_marker(line: str, start: int) -> int:
    marker = MARKER.match(line, start)
    return marker.end() if marker else start
