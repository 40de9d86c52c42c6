"""What the columns of the memory table say: a memory's standing, source, scope and day in plain words."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QDate, QLocale

from memreview.review.values import MemoryRow

SHOWN = 300
NO_LONGER = frozenset({"superseded", "deleted", "evicted"})
_STANDING = {
    "active": "Counts",
    "superseded": "Replaced by a newer one",
    "quarantined": "Held back",
    "evicted": "Left out",
    "deleted": "Deleted",
}
_THERE = {
    "paused": "paused there",
    "archived": "archived there",
    "deleted": "deleted there",
    "historic": "seen being saved",
    "gone": "no longer in the export",
}
PROVIDERS = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "mem0": "mem0",
    "openmemory": "OpenMemory",
    "mcp": "MCP memory",
    "letta": "Letta",
    "list": "A list",
    "generic": "A list",
    "paste": "Pasted",
}


def one_line(text: str, limit: int = SHOWN) -> str:
    """A text on one line, cut where a table cell would cut it anyway: a cell of 50 MB must cost nothing."""
    line = " ".join(text[: limit * 2].split())
    return f"{line[:limit]}…" if len(line) > limit or len(text) > limit * 2 else line


def standing(row: MemoryRow) -> str:
    here = "Stayed deleted" if row.stayed_deleted else _STANDING.get(row.status, row.status)
    there = _THERE.get(row.native_state)
    return f"{here}, {there}" if there and row.status != row.native_state else here


def source(row: MemoryRow) -> str:
    if row.added:
        return "You"
    return row.source_label or PROVIDERS.get(row.provider, row.provider)


def day(moment: int | None) -> str:
    """A day as the person's locale writes it; "unknown" is never today."""
    if moment is None:
        return "unknown"
    try:
        local = datetime.fromtimestamp(moment / 1_000_000, UTC).astimezone()
    except (OverflowError, OSError, ValueError):
        return "unknown"
    return QLocale().toString(QDate(local.year, local.month, local.day), QLocale.FormatType.ShortFormat)


def holds(row: MemoryRow) -> str:
    """Where and until when it holds; "" for everywhere."""
    until = f"until {day(row.valid_until)}" if row.valid_until is not None else ""
    return ", ".join(part for part in (row.scope, until) if part)


def tooltip(row: MemoryRow) -> str:
    """Plain text: Qt takes a tooltip that looks like HTML for HTML unless it says otherwise."""
    shown = row.text if len(row.text) <= 1_000 else f"{row.text[:1_000]}…"
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<div style='white-space: pre-wrap'>{escaped}</div>"
