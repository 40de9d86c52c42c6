"""What the columns of the memory table say: a memory's standing, source and scope in plain words."""

from __future__ import annotations

from html import escape

from memreview.records import MemoryStatus
from memreview.review import labels
from memreview.review.values import MemoryRow
from memreview.review.words import STANDINGS
from memreview.ui.text import day, line, plain, provider_name, tr

SHOWN = 300
LISTS = frozenset({"list", "generic", "pasted"})
NO_LONGER = frozenset({"superseded", "deleted", "evicted"})


def one_line(text: str) -> str:
    """A table cell is cut by its width, so a text of 50 MB must cost no more than what fits."""
    return line(text[:SHOWN], SHOWN)


def status(name: str) -> str:
    return tr(STANDINGS[MemoryStatus(name)])


def standing(row: MemoryRow) -> str:
    """Where a memory stands here and, where that differs, in the assistant's own store."""
    here = status(row.status)
    there = {
        "paused": tr("paused there"),
        "archived": tr("archived there"),
        "deleted": tr("deleted there"),
        "historic": tr("seen being saved"),
        "gone": tr("no longer in the export"),
    }.get(row.native_state, "")
    if row.stayed_deleted:
        return tr("Stayed deleted")
    return f"{here}, {there}" if there and row.status != row.native_state else here


def source(row: MemoryRow) -> str:
    """Who holds it. Only a list has no better name than the one the person gave it."""
    if row.added:
        return tr("You")
    if row.provider in LISTS and row.source_label:
        return line(row.source_label, 100)
    return provider_name(row.provider)


def source_in_full(row: MemoryRow) -> str:
    name, label = source(row), line(row.source_label, 100)
    return name if row.added or not label or label == name else f"{name} ({label})"


def about(row: MemoryRow) -> str:
    """What the memory is about, "" if that is not sure."""
    return labels.about(row.slot)


def holds(row: MemoryRow) -> str:
    """Where and until when it holds; "" for everywhere and always."""
    until = tr("until %1").replace("%1", day(row.valid_until)) if row.valid_until is not None else ""
    return ", ".join(part for part in (line(row.scope, 100), until) if part)


def tooltip(row: MemoryRow) -> str:
    """The text as markup that shows it literally: Qt would take a bare tooltip that looks like HTML for HTML."""
    return f"<div style='white-space: pre-wrap'>{escape(plain(row.text, 1_000))}</div>"
