"""Which stretches of text have an embedding: windows of the person's own messages, and memories as a whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from memreview.store.database import Database
from memreview.store.vectors import digest

Spans = Callable[[str], Iterable[tuple[int, int]]]
BATCH = 500


def cut(database: Database, spans: Spans, progress: Callable[[int, int], None] | None = None) -> int:
    """Cut the own messages that have no windows yet; `spans(text)` gives their (start, end). Returns how many messages
    were cut. A message without words gets one empty window, so that it is not looked at again. `progress` may raise
    to stop; batches stay."""
    todo = [row[0] for row in database.execute(_UNCUT)]
    for start in range(0, len(todo), BATCH):
        chunk = todo[start : start + BATCH]
        texts = database.all(f"SELECT id, text FROM entries WHERE id IN ({', '.join('?' * len(chunk))})", chunk)
        with database.transaction():
            database.executemany(
                "INSERT INTO windows (entry_id, start, end, digest) VALUES (?, ?, ?, ?)",
                [
                    (row["id"], begin, end, digest(row["text"][begin:end]))
                    for row in texts
                    for begin, end in list(spans(row["text"])) or [(0, 0)]
                ],
            )
        if progress:
            progress(start + len(chunk), len(todo))
    return len(todo)


def cover_memories(database: Database) -> int:
    """Give each live memory one window over its whole text, and a new one where the text was edited."""
    rows = database.all(
        """SELECT m.id, m.text, w.digest FROM live_memories m LEFT JOIN windows w ON w.memory_id = m.id"""
    )
    stale = [(row["id"], row["text"], key) for row in rows if (key := digest(row["text"])) != row["digest"]]
    with database.transaction():
        database.executemany("DELETE FROM windows WHERE memory_id = ?", [(memory_id,) for memory_id, _, _ in stale])
        database.executemany(
            "INSERT INTO windows (memory_id, start, end, digest) VALUES (?, 0, ?, ?)",
            [(memory_id, len(text), key) for memory_id, text, key in stale],
        )
    return len(stale)


def without_vector(database: Database, model: str) -> list[str]:
    """Distinct texts of live windows that this model has not embedded."""
    found: dict[bytes, str] = {}
    for owner, table in (("entry", "entries"), ("memory", "memories")):
        found.update(
            database.execute(
                f"""SELECT w.digest, substr(t.text, w.start + 1, w.end - w.start) FROM windows w
                    JOIN live_{table} t ON t.id = w.{owner}_id
                    WHERE w.end > w.start
                      AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.digest = w.digest AND v.model = ?)""",
                (model,),
            )
        )
    return list(found.values())


def statements(database: Database) -> list[sqlite3.Row]:
    """Windows of live own messages: (id, entry_id, start, end)."""
    return database.all(
        """SELECT w.id, w.entry_id, w.start, w.end FROM windows w JOIN live_entries e ON e.id = w.entry_id
           WHERE w.end > w.start ORDER BY w.entry_id, w.start"""
    )


def entries(database: Database) -> list[sqlite3.Row]:
    """The messages of `statements`, each once, for one may have thousands: (id, conversation_id, at, text, active)."""
    return database.all(
        """SELECT e.id, e.conversation_id, e.at, e.text, e.active FROM live_entries e
           WHERE EXISTS (SELECT 1 FROM windows w WHERE w.entry_id = e.id AND w.end > w.start) ORDER BY e.id"""
    )


_UNCUT = """SELECT e.id FROM live_entries e WHERE e.origin = 'user' AND e.kind = 'message'
    AND NOT EXISTS (SELECT 1 FROM windows w WHERE w.entry_id = e.id) ORDER BY e.id"""
