"""All memories as a Markdown page to read, print or keep in a notes folder."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memreview.exporters.contract import CorrectedMemory, conditions, iso
from memreview.records import MemoryStatus

TITLE = "# Memories, as reviewed with memreview"
SECTIONS = {
    MemoryStatus.ACTIVE: "Active",
    MemoryStatus.QUARANTINED: "In quarantine",
    MemoryStatus.SUPERSEDED: "History: superseded",
    MemoryStatus.EVICTED: "History: evicted",
    MemoryStatus.DELETED: "History: deleted",
}
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])|^([-+]|\d+(?=[.)]))")


def write(memories: Iterable[CorrectedMemory]) -> bytes:
    """One section a status, one bullet a memory, its details below it. Memory texts are escaped: no markup, no HTML."""
    listed = list(memories)
    page = [TITLE]
    for status, title in SECTIONS.items():
        section = [memory for memory in listed if memory.status is status]
        if section:
            page += ["", f"## {title} ({len(section)})", "", *(_bullet(memory) for memory in section)]
    return ("\n".join(page) + "\n").encode("utf-8", "replace")


def _bullet(memory: CorrectedMemory) -> str:
    return "\n".join([f"- {_line(memory.text)}", *(f"  - {detail}" for detail in _details(memory))])


def _details(memory: CorrectedMemory) -> Iterable[str]:
    if memory.superseded_by_text is not None:
        yield f"now: {_line(memory.superseded_by_text)}"
    if memory.text != memory.original_text and not memory.added:
        yield f"was: {_line(memory.original_text)}"
    if memory.scoped:
        yield _line(conditions(memory))
    if memory.reason:
        yield f"because: {_line(memory.reason)}"
    times = [f"{what} {iso(at)}" for what, at in (("created", memory.created), ("updated", memory.updated)) if at.known]
    origin = [_line(part) for part in (memory.source_label, ", ".join(memory.categories)) if part]
    if times or origin:
        yield "; ".join([*times, *origin])


def _line(text: str) -> str:
    return SPECIAL.sub(lambda match: "\\" + match[0] if match[1] else _escaped(match[2]), " ".join(text.split()))


def _escaped(start: str) -> str:
    """A list marker at the start of a line: the escape goes before a sign, and after a number."""
    return start + "\\" if start.isdigit() else "\\" + start
