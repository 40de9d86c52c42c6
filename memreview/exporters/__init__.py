"""The way back: corrected memories as a list to keep, into the store they came from, or as a text to paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memreview.exporters import csv, json, letta, markdown, mcp, mem0
from memreview.exporters.capabilities import capabilities
from memreview.exporters.contract import CorrectedMemory, ExportFailed
from memreview.exporters.tell import Assistant, parts, tell
from memreview.records import Moment

LISTS: dict[str, Callable[[Iterable[CorrectedMemory]], bytes]] = {
    "json": json.write,
    "csv": csv.write,
    "markdown": markdown.write,
}
STORES = ("mem0", "mcp", "letta")


def write_list(format: str, memories: Iterable[CorrectedMemory]) -> bytes:
    """All memories of any source, as one of `LISTS`."""
    return LISTS[format](memories)


def write_back(format: str, original: bytes, memories: Iterable[CorrectedMemory], now: Moment) -> bytes:
    """`original`, the file of one of `STORES` as imported, with the corrections of that store's memories in it.

    ExportFailed where it is not the file it was.
    """
    match format:
        case "mem0":
            return mem0.write(original, memories, now)
        case "mcp":
            return mcp.write(original, memories)
        case "letta":
            return letta.write(original, memories)
    raise ExportFailed("There is no way back into this kind of store")


__all__ = [
    "LISTS",
    "STORES",
    "Assistant",
    "CorrectedMemory",
    "ExportFailed",
    "capabilities",
    "parts",
    "tell",
    "write_back",
    "write_list",
]
