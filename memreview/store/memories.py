"""Reading memories: ids of all that match a filter, rows of a page of ids, and one memory's evidence and versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from memreview.records import MemoryStatus
from memreview.store.database import Database
from memreview.store.keywords import query_terms

Row = sqlite3.Row
NO_LONGER = (MemoryStatus.DELETED, MemoryStatus.SUPERSEDED)
"""Removed or replaced: what may come back."""


class MemoryFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What to show. Each of `terms` is (field, value, wanted): fields are status, flag, source, kind, slot, scope,
    before and after (UTC microseconds as text); `words` go to the keyword index, all of them must be there."""

    words: str = ""
    terms: tuple[tuple[str, str, bool], ...] = ()


_FLAGS = {
    "pending": "EXISTS (SELECT 1 FROM transitions t WHERE t.old_memory_id = m.id AND t.status = 'pending')",
    "anchored": "EXISTS (SELECT 1 FROM memory_evidence e WHERE e.memory_id = m.id)",
    "edited": "m.text <> m.imported_text",
    "added": "m.added = 1",
    "scoped": "(m.scope <> '' OR m.valid_until IS NOT NULL)",
    "gone": "m.native_state = 'gone'",
    "stayed-deleted": "m.stayed_deleted = 1",
}
FLAGS = tuple(_FLAGS)

_CONDITIONS = {
    "status": "m.status = ?",
    "source": "(s.provider = ? OR s.label = ?)",
    "kind": "m.kind = ?",
    "slot": "m.slot LIKE ? || '%'",
    "scope": "m.scope LIKE '%' || ? || '%'",
    "before": "m.created_at < ?",
    "after": "m.created_at >= ?",
}

_SORTS = {
    "created": "m.created_at {0} NULLS LAST, m.id {0}",
    "updated": "coalesce(m.updated_at, m.created_at) {0} NULLS LAST, m.id {0}",
    "text": "m.text COLLATE NOCASE {0}, m.id {0}",
    "status": "m.status {0}, m.id {0}",
    "source": "s.provider {0}, s.label {0}, m.id {0}",
    "scope": "m.scope COLLATE NOCASE {0}, m.id {0}",
}
SORTS = tuple(_SORTS)


def ids(
    database: Database, wanted: MemoryFilter, *, sort: str = "created", descending: bool = True, limit: int = -1
) -> list[int]:
    """Ids of all live memories that match, in order. Raises `KeyError` for an unknown sort, field or flag."""
    where, parameters = _where(wanted)
    order = _SORTS[sort].format("DESC" if descending else "ASC")
    rows = database.execute(
        f"SELECT m.id FROM live_memories m JOIN sources s ON s.id = m.source_id WHERE {where} ORDER BY {order} LIMIT ?",
        (*parameters, limit),
    )
    return [row[0] for row in rows]


def count(database: Database, wanted: MemoryFilter) -> int:
    where, parameters = _where(wanted)
    return int(
        database.value(
            f"SELECT count(*) FROM live_memories m JOIN sources s ON s.id = m.source_id WHERE {where}", parameters
        )
    )


def rows(database: Database, wanted: Sequence[int]) -> dict[int, sqlite3.Row]:
    """Rows with their source (provider, source_label), number of pending cases and whether an entry is known."""
    found = database.among(
        """SELECT m.*, s.provider, s.label AS source_label,
              (SELECT count(*) FROM transitions t WHERE t.old_memory_id = m.id AND t.status = 'pending') AS pending,
              EXISTS (SELECT 1 FROM memory_evidence e WHERE e.memory_id = m.id) AS anchored
            FROM memories m JOIN sources s ON s.id = m.source_id WHERE m.id IN ($values)""",
        wanted,
    )
    return {row["id"]: row for row in found}


def categories(row: Row) -> list[str]:
    return [str(name) for name in json.loads(row["categories"])]


def held(database: Database) -> list[sqlite3.Row]:
    """Live, active memories that the assistant still has (or may have), as an audit reads them."""
    return database.all(
        """SELECT m.id, m.text, m.source_id, m.kind, m.created_at, m.updated_at, m.slot, m.scope, m.subject
           FROM live_memories m WHERE m.status = 'active' AND m.native_state NOT IN ('gone', 'deleted') ORDER BY m.id"""
    )


def texts(database: Database) -> list[tuple[int, str, str]]:
    """(id, text, slot) of all live memories."""
    return [tuple(row) for row in database.execute("SELECT id, text, slot FROM live_memories ORDER BY id")]


def file(database: Database, slots: Sequence[tuple[str, int]]) -> None:
    """Set the (slot, memory id) that were read off the texts."""
    with database.transaction():
        database.executemany("UPDATE memories SET slot = ? WHERE id = ?", slots)


def evidence(database: Database, memory_id: int | None = None) -> list[tuple[int, int]]:
    """(memory id, entry id) pairs of live entries, best first; of one memory or of all."""
    found = database.execute(
        """SELECT v.memory_id, v.entry_id FROM memory_evidence v JOIN live_entries e ON e.id = v.entry_id
           WHERE ? IS NULL OR v.memory_id = ? ORDER BY v.memory_id, v.rank""",
        (memory_id, memory_id),
    )
    return [(row[0], row[1]) for row in found]


def versions(database: Database, memory_id: int) -> list[sqlite3.Row]:
    """What the store's own history says of it, oldest first, unknown times first."""
    return database.all(
        """SELECT v.at, v.event, v.old_text, v.new_text FROM memory_versions v JOIN imports i ON i.id = v.import_id
           WHERE v.memory_id = ? AND i.state = 'done' ORDER BY v.at, v.id""",
        (memory_id,),
    )


def counts(database: Database) -> dict[str, int]:
    """Numbers over all live rows: memories, active, superseded, deleted, stayed_deleted, entries, conversations."""
    found = {row[0]: row[1] for row in database.execute("SELECT status, count(*) FROM live_memories GROUP BY status")}
    found["memories"] = sum(found.values())
    found["stayed_deleted"] = database.value("SELECT count(*) FROM live_memories WHERE stayed_deleted = 1")
    # Entries are counted by import, not row by row: there may be millions.
    found["entries"], found["conversations"], found["imports"] = _conversation_counts(database)
    return found


def _conversation_counts(database: Database) -> tuple[int, int, int]:
    done = database.value("SELECT count(*) FROM imports WHERE state = 'done'")
    entries = database.value(
        """SELECT coalesce(sum(json_extract(report, '$.counts."entries.new"')), 0) FROM imports WHERE state = 'done'"""
    )
    conversations = database.value(
        """SELECT count(*) FROM conversations c
           WHERE EXISTS (SELECT 1 FROM live_entries e WHERE e.conversation_id = c.id)"""
    )
    return int(entries), int(conversations), int(done)


def _where(wanted: MemoryFilter) -> tuple[str, list[Any]]:
    clauses, parameters = ["1"], list[Any]()
    for field, value, positive in wanted.terms:
        condition = _FLAGS[value] if field == "flag" else _CONDITIONS[field]
        clauses.append(condition if positive else f"NOT coalesce({condition}, 0)")
        if field != "flag":
            converted = int(value) if field in ("before", "after") else value
            parameters.extend([converted] * condition.count("?"))
    if terms := query_terms(wanted.words, prefix=True):
        clauses.append("m.id IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)")
        parameters.append(" ".join(terms))
    return " AND ".join(clauses), parameters
