"""How a block of text reads as single memories. The importer and the exporter of a store must cut it alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKER = re.compile(r"[ \t]*(?:(?:[-*•+]|\d{1,3}[.)])[ \t]+)?")
BOUNDARY = re.compile(r"(?:(?<=[.!?…。！？])|(?<=[.!?…。！？][\"'”’)\]]))[ \t]+")
# Full stops that end no sentence: initials, numbers, titles, "e.g.".
ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[^\W_]|\d{1,3}|Dr|Mr|Mrs|Ms|Prof|St|vs|etc|e\.g|i\.e|approx|No)\.$", re.I)


def memory_spans(block: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Each line of a block with the places of its memories: its sentences, without a list marker."""
    for line in block.split("\n"):
        marker = MARKER.match(line)
        yield line, list(_sentences(line, marker.end() if marker else 0))


def _sentences(line: str, start: int) -> Iterator[tuple[int, int]]:
    stop = len(line.rstrip(" \t\r"))
    for boundary in BOUNDARY.finditer(line, start):
        if start < boundary.start() < stop and not ABBREVIATION.search(line[start : boundary.start()]):
            yield start, boundary.start()
            start = boundary.end()
    if start < stop:
        yield start, stop
