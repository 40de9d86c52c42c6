"""Rows of the store as the values that people look at: memory rows and stretches of conversations."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from memreview.language.sentences import content_tokens, windows
from memreview.records import Origin
from memreview.review.profile import Profile
from memreview.review.values import Context, ContextEntry, MemoryRow
from memreview.store import conversations
from memreview.store import memories as stored


def rows(profile: Profile, ids: Sequence[int]) -> list[MemoryRow]:
    """Those of `ids` that exist, in that order."""
    found = stored.rows(profile.database, ids)
    return [memory_row(found[memory_id]) for memory_id in ids if memory_id in found]


def context(
    profile: Profile, entry_id: int, *, highlights: Sequence[tuple[int, int]] = (), around: int = 3
) -> Context | None:
    """The conversation around an entry; None where the entry is no longer there."""
    shown, before, after = conversations.around(profile.database, entry_id, around)
    if not any(row["id"] == entry_id for row in shown):
        return None
    marks = {entry_id: tuple(highlights)}
    return _context(shown, entry_id, marks, before, after)


def source(profile: Profile, entry_id: int, memory: str) -> Context | None:
    """The conversation around the entry that a memory came from, its nearest sentence marked."""
    found = context(profile, entry_id)
    if found is None:
        return None
    wanted = set(content_tokens(memory))
    entries = tuple(
        msgspec.structs.replace(entry, highlights=_nearest(entry.text, wanted)) if entry.id == entry_id else entry
        for entry in found.entries
    )
    return msgspec.structs.replace(found, entries=entries)


def _nearest(text: str, wanted: set[str]) -> tuple[tuple[int, int], ...]:
    """The window that shares most words with a memory; none where none is shared."""
    shared = {
        (window.start, window.end): len(wanted & set(content_tokens(text[window.start : window.end])))
        for window in windows(text)[:400]
    }
    best = max(shared, key=lambda span: shared[span], default=None)
    return (best,) if best is not None and shared[best] else ()


def conversation(profile: Profile, conversation_id: int) -> Context | None:
    """A whole conversation, at most 2,000 entries."""
    shown = conversations.whole(profile.database, conversation_id)
    return _context(shown, shown[0]["id"], {}, 0, 0) if shown else None


def memory_row(row: sqlite3.Row) -> MemoryRow:
    return MemoryRow(
        id=row["id"],
        text=row["text"],
        status=row["status"],
        native_state=row["native_state"],
        kind=row["kind"],
        provider=row["provider"],
        source_label=row["source_label"],
        scope=row["scope"],
        valid_until=row["valid_until"],
        slot=row["slot"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        pending=row["pending"],
        anchored=bool(row["anchored"]),
        added=bool(row["added"]),
        stayed_deleted=bool(row["stayed_deleted"]),
    )


def _context(
    shown: Sequence[sqlite3.Row], focus: int, marks: dict[int, tuple[tuple[int, int], ...]], before: int, after: int
) -> Context:
    return Context(
        conversation_id=shown[0]["conversation_id"],
        title=shown[0]["title"],
        provider=shown[0]["provider"],
        entries=tuple(
            ContextEntry(
                id=row["id"],
                origin=Origin(row["origin"]),
                kind=row["kind"],
                actor=row["actor"],
                at=row["at"],
                text=row["text"],
                active=bool(row["active"]),
                hidden=bool(row["hidden"]),
                highlights=marks.get(row["id"], ()),
            )
            for row in shown
        ),
        focus=focus,
        before=before,
        after=after,
    )
