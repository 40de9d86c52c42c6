"""The journal: every change with its inverse, so that anything can be undone, also after a restart.

A change holds what it touched before and after: the whole row where it was added or removed, else the columns that
changed. Undo goes backwards through them, redo forwards; both refuse where a later change of the same row stands in the
way and name it. The rows of one action commit together with its entry.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import msgspec

from memreview.store.database import Database

Actor = Literal["person", "program"]
JOURNALED = frozenset(
    {
        "imports", "entries", "memories", "memory_evidence", "transitions", "tombstones", "saved_filters", "nodes",
        "edges", "node_memories", "questions", "blocked_sources",
    }
)  # fmt: skip


class JournalEntry(msgspec.Struct, frozen=True):
    """`detail` holds what the label needs (counts, file names); `state` is done, undone or dropped (undone, and
    then something else was done, so that it can't be redone)."""

    id: int
    at: int
    actor: Actor
    verb: str
    detail: dict[str, Any]
    state: str


class UndoBlocked(Exception):
    """Later actions rest on this one, as those that changed the same rows do; `blockers` are their journal ids, newest
    first."""

    def __init__(self, blockers: list[int]) -> None:
        self.blockers = blockers
        changes = "1 later change has" if len(blockers) == 1 else f"{len(blockers)} later changes have"
        super().__init__(f"{changes} to be undone first.")


class Action:
    """Records what it changes. Only handed out by `action()`, inside its transaction."""

    def __init__(self, database: Database, journal_id: int) -> None:
        self.database = database
        self.id = journal_id
        self._seq = 0

    def insert(self, table: str, **values: Any) -> int:
        columns = ", ".join(values)
        marks = ", ".join("?" * len(values))
        cursor = self.database.execute(
            f"INSERT INTO {_checked(table)} ({columns}) VALUES ({marks})", tuple(values.values())
        )
        row_id = int(cursor.lastrowid or 0)
        self._record(table, row_id, None, _row(self.database, table, row_id))
        return row_id

    def update(self, table: str, row_id: int, **values: Any) -> bool:
        """Change some columns; False, and no record, where nothing would be different or the row is missing."""
        row = _row(self.database, table, row_id)
        changed = {} if row is None else {column: value for column, value in values.items() if row[column] != value}
        if row is None or not changed:
            return False
        _assign(self.database, table, row_id, changed)
        self._record(table, row_id, {column: row[column] for column in changed}, changed)
        return True

    def delete(self, table: str, row_id: int) -> None:
        before = _row(self.database, table, row_id)
        if before is not None:
            self.database.execute(f"DELETE FROM {_checked(table)} WHERE rowid = ?", (row_id,))
            self._record(table, row_id, before, None)

    def note(self, **detail: Any) -> None:
        """Add to the entry's detail (counts that are known only at the end)."""
        current = json.loads(self.database.value("SELECT detail FROM journal WHERE id = ?", (self.id,)))
        self.database.execute("UPDATE journal SET detail = ? WHERE id = ?", (_dump({**current, **detail}), self.id))

    def _record(self, table: str, row_id: int, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
        self.database.execute(
            "INSERT INTO journal_changes VALUES (?, ?, ?, ?, ?, ?)",
            (self.id, self._seq, table, row_id, before and _dump(before), after and _dump(after)),
        )
        self._seq += 1


@contextmanager
def action(database: Database, verb: str, actor: Actor = "person", **detail: Any) -> Iterator[Action]:
    """One undoable step: a transaction with its journal entry. After a step of the person's, what was undone before
    can't be redone."""
    with database.transaction():
        if actor == "person":
            database.execute("UPDATE journal SET state = 'dropped' WHERE state = 'undone'")
        cursor = database.execute(
            "INSERT INTO journal (at, actor, verb, detail, state) VALUES (?, ?, ?, ?, 'done')",
            (time.time_ns() // 1000, actor, verb, _dump(detail)),
        )
        yield Action(database, int(cursor.lastrowid or 0))


def undo(database: Database, journal_id: int) -> None:
    """Put every row of this action back as it was. Raises `UndoBlocked`, `LookupError`."""
    _replay(database, journal_id, backwards=True)


def redo(database: Database, journal_id: int) -> None:
    """Do an undone action again. Raises `UndoBlocked`, `LookupError`."""
    _replay(database, journal_id, backwards=False)


def entries(database: Database, *, before: int | None = None, limit: int = 200) -> list[JournalEntry]:
    """Newest first; `before` is the id to go on from."""
    rows = database.all(
        "SELECT * FROM journal WHERE (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ?", (before, before, limit)
    )
    return [_entry(row) for row in rows]


def entry(database: Database, journal_id: int) -> JournalEntry | None:
    row = database.one("SELECT * FROM journal WHERE id = ?", (journal_id,))
    return None if row is None else _entry(row)


def import_step(database: Database, import_id: int) -> int | None:
    """The id of the standing step that brought an import in."""
    step_id: int | None = database.value(
        """SELECT id FROM journal WHERE verb = 'import' AND state = 'done'
           AND json_extract(detail, '$.import_id') = ? ORDER BY id DESC LIMIT 1""",
        (import_id,),
    )
    return step_id


def next_undo(database: Database) -> JournalEntry | None:
    """The person's own last step that stands."""
    row = database.one("SELECT * FROM journal WHERE state = 'done' AND actor = 'person' ORDER BY id DESC LIMIT 1")
    return None if row is None else _entry(row)


def next_redo(database: Database) -> JournalEntry | None:
    """The step that was undone last."""
    row = database.one("SELECT * FROM journal WHERE state = 'undone' ORDER BY undone_as DESC LIMIT 1")
    return None if row is None else _entry(row)


def of_row(database: Database, table: str, row_id: int, limit: int = 50) -> list[JournalEntry]:
    """The steps that touched one row, newest first."""
    rows = database.all(
        """SELECT j.* FROM journal j WHERE j.id IN (SELECT journal_id FROM journal_changes WHERE tbl = ? AND row_id = ?)
           ORDER BY j.id DESC LIMIT ?""",
        (table, row_id, limit),
    )
    return [_entry(row) for row in rows]


def sizes(database: Database, journal_ids: list[int]) -> dict[int, int]:
    """How many changes each step made."""
    rows = database.among(
        "SELECT journal_id, count(*) FROM journal_changes WHERE journal_id IN ($values) GROUP BY 1", journal_ids
    )
    return {row[0]: row[1] for row in rows}


def standing_after(database: Database, journal_id: int) -> list[int]:
    """Steps after this one that are not undone, newest first."""
    rows = database.execute("SELECT id FROM journal WHERE id > ? AND state = 'done' ORDER BY id DESC", (journal_id,))
    return [row[0] for row in rows]


def decided_rows(database: Database, table: str) -> set[int]:
    """Rows that standing decisions of the person changed; what came with an import is no decision."""
    rows = database.execute(
        """SELECT DISTINCT c.row_id FROM journal_changes c JOIN journal j ON j.id = c.journal_id
           WHERE c.tbl = ? AND j.state = 'done' AND j.actor = 'person' AND j.verb <> 'import'""",
        (table,),
    )
    return {row[0] for row in rows}


def decided(database: Database, table: str, row_id: int, after: int, before: int | None = None) -> bool:
    """Whether a standing decision of the person's changed this row after some step, and before another."""
    found = database.value(
        """SELECT EXISTS (SELECT 1 FROM journal_changes c JOIN journal j ON j.id = c.journal_id
             WHERE c.tbl = ? AND c.row_id = ? AND j.id > ? AND j.state = 'done' AND j.actor = 'person'
               AND j.verb <> 'import' AND (? IS NULL OR j.id < ?))""",
        (table, row_id, after, before, before),
    )
    return bool(found)


def changes(database: Database, journal_id: int) -> list[tuple[str, int, dict[str, Any] | None, dict[str, Any] | None]]:
    """(table, row id, before, after) in the order they were made."""
    rows = database.all("SELECT * FROM journal_changes WHERE journal_id = ? ORDER BY seq", (journal_id,))
    return [(row["tbl"], row["row_id"], _load(row["before"]), _load(row["after"])) for row in rows]


def blockers(database: Database, journal_id: int) -> list[int]:
    """Later standing actions that changed the same rows, or rows that this import brought, newest first: they have to
    be undone first."""
    rows = database.all(
        """SELECT DISTINCT later.journal_id FROM journal_changes mine
           JOIN journal_changes later ON later.tbl = mine.tbl AND later.row_id = mine.row_id
                AND later.journal_id > mine.journal_id
           JOIN journal j ON j.id = later.journal_id AND j.state = 'done'
           WHERE mine.journal_id = ? ORDER BY later.journal_id DESC""",
        (journal_id,),
    )
    found = {row[0] for row in rows}
    step = entry(database, journal_id)
    if step is not None and step.verb == "import":
        import_id = step.detail.get("import_id")
        found |= _decided_on_import(database, journal_id, import_id) | _newer_imports(database, journal_id, import_id)
        found |= _gave_its_ids(database, journal_id)
    return sorted(found, reverse=True)


def _decided_on_import(database: Database, journal_id: int, import_id: int | None) -> set[int]:
    """The person's later decisions on what an import brought: hiding its rows would leave them hanging."""
    rows = database.execute(
        """SELECT DISTINCT j.id FROM journal j JOIN journal_changes c ON c.journal_id = j.id
           LEFT JOIN transitions t ON c.tbl = 'transitions' AND t.id = c.row_id
           JOIN memories m ON m.import_id = ?
             AND m.id = CASE c.tbl WHEN 'memories' THEN c.row_id ELSE t.old_memory_id END
           WHERE j.id > ? AND j.state = 'done' AND j.actor = 'person' AND j.verb <> 'import'
             AND c.tbl IN ('memories', 'transitions')""",
        (import_id, journal_id),
    )
    return {row[0] for row in rows}


def _newer_imports(database: Database, journal_id: int, import_id: int | None) -> set[int]:
    """Later ones that brought again what this one holds: that is kept as this import's, and would be hidden with it.
    One of the same account whose report is too old to name what it met may have met this one."""
    rows = database.execute(
        """SELECT j.id FROM imports mine JOIN imports newer ON newer.source_id = mine.source_id AND newer.state = 'done'
           JOIN journal j ON j.verb = 'import' AND j.state = 'done' AND j.id > ?
                AND json_extract(j.detail, '$.import_id') = newer.id
           WHERE mine.id = ? AND (json_type(newer.report, '$.met') IS NULL
                OR mine.id IN (SELECT value FROM json_each(newer.report, '$.met')))""",
        (journal_id, import_id),
    )
    return {row[0] for row in rows}


def _gave_its_ids(database: Database, journal_id: int) -> set[int]:
    """Later ones that gave another memory the native id that one had before this step."""
    rows = database.execute(
        """SELECT DISTINCT j.id FROM journal_changes mine JOIN memories m ON m.id = mine.row_id
           JOIN memories other ON other.source_id = m.source_id AND other.id <> m.id
                AND other.native_id = json_extract(mine.before, '$.native_id')
           JOIN journal_changes later ON later.tbl = 'memories' AND later.row_id = other.id
                AND json_extract(later.after, '$.native_id') IS NOT NULL
           JOIN journal j ON j.id = later.journal_id AND j.id > mine.journal_id AND j.state = 'done'
           WHERE mine.journal_id = ? AND mine.tbl = 'memories'""",
        (journal_id,),
    )
    return {row[0] for row in rows}


def _replay(database: Database, journal_id: int, *, backwards: bool) -> None:
    expected, target = ("done", "undone") if backwards else ("undone", "done")
    with database.transaction():
        if database.value("SELECT state FROM journal WHERE id = ?", (journal_id,)) != expected:
            raise LookupError(f"journal entry {journal_id} is not {expected}")
        if blocking := blockers(database, journal_id):
            raise UndoBlocked(blocking)
        database.execute("PRAGMA defer_foreign_keys = ON")
        steps = changes(database, journal_id)
        for table, row_id, before, after in reversed(steps) if backwards else steps:
            _move(database, table, row_id, *((after, before) if backwards else (before, after)))
        database.execute(
            """UPDATE journal SET state = ?, undone_as = (SELECT coalesce(max(undone_as), 0) + 1 FROM journal)
               WHERE id = ?""",
            (target, journal_id),
        )


def _move(
    database: Database, table: str, row_id: int, here: dict[str, Any] | None, there: dict[str, Any] | None
) -> None:
    if there is None:
        database.execute(f"DELETE FROM {_checked(table)} WHERE rowid = ?", (row_id,))
    elif here is None:
        marks = ", ".join("?" * len(there))
        database.execute(f"INSERT INTO {_checked(table)} ({', '.join(there)}) VALUES ({marks})", tuple(there.values()))
    else:
        _assign(database, table, row_id, there)


def _assign(database: Database, table: str, row_id: int, values: dict[str, Any]) -> None:
    assignments = ", ".join(f"{column} = ?" for column in values)
    database.execute(f"UPDATE {_checked(table)} SET {assignments} WHERE rowid = ?", (*values.values(), row_id))


def _row(database: Database, table: str, row_id: int) -> dict[str, Any] | None:
    row = database.one(f"SELECT * FROM {_checked(table)} WHERE rowid = ?", (row_id,))
    return None if row is None else dict(row)


def _checked(table: str) -> str:
    if table not in JOURNALED:
        raise ValueError(f"{table} is not a journaled table")
    return table


def _entry(row: Any) -> JournalEntry:
    return JournalEntry(row["id"], row["at"], row["actor"], row["verb"], json.loads(row["detail"]), row["state"])


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _load(image: str | None) -> dict[str, Any] | None:
    loaded: dict[str, Any] | None = None if image is None else json.loads(image)
    return loaded
