"""Reading entries: one, a stretch of a conversation around one, or the whole conversation."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memreview.store.database import Database

_COLUMNS = """e.id, e.conversation_id, e.position, e.origin, e.kind, e.actor, e.url, e.at, e.at_offset, e.active,
    e.hidden, e.text, c.title, s.provider"""
_FROM = """live_entries e JOIN conversations c ON c.id = e.conversation_id JOIN sources s ON s.id = c.source_id"""


def entries(database: Database, wanted: Sequence[int]) -> dict[int, sqlite3.Row]:
    """Live entries by id, with conversation title and provider."""
    rows = database.among(f"SELECT {_COLUMNS} FROM {_FROM} WHERE e.id IN ($values)", wanted)
    return {row["id"]: row for row in rows}


def around(database: Database, entry_id: int, reach: int) -> tuple[list[sqlite3.Row], int, int]:
    """The entries within `reach` of one in its conversation, and how many there are before and after them."""
    focus = database.one("SELECT conversation_id, position FROM entries WHERE id = ?", (entry_id,))
    if focus is None:
        return [], 0, 0
    conversation, position = focus["conversation_id"], focus["position"]
    before = database.all(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE e.conversation_id = ? AND (e.position, e.id) < (?, ?)"
        " ORDER BY e.position DESC, e.id DESC LIMIT ?",
        (conversation, position, entry_id, reach),
    )
    after = database.all(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE e.conversation_id = ? AND (e.position, e.id) >= (?, ?)"
        " ORDER BY e.position, e.id LIMIT ?",
        (conversation, position, entry_id, reach + 1),
    )
    shown = [*reversed(before), *after]
    if not shown:
        return [], 0, 0
    first, last = shown[0], shown[-1]
    left_out = database.one(
        """SELECT sum((position, id) < (?, ?)), sum((position, id) > (?, ?)) FROM live_entries
           WHERE conversation_id = ?""",
        (first["position"], first["id"], last["position"], last["id"], conversation),
    )
    return shown, int(left_out[0] or 0) if left_out else 0, int(left_out[1] or 0) if left_out else 0


def whole(database: Database, conversation_id: int, limit: int = 2_000) -> list[sqlite3.Row]:
    return database.all(
        f"SELECT {_COLUMNS} FROM {_FROM} WHERE e.conversation_id = ? ORDER BY e.position, e.id LIMIT ?",
        (conversation_id, limit),
    )
