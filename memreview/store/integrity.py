"""Checks of the database that only read: `doctor` runs them, and so do the tests that kill the program."""

from __future__ import annotations

from memreview.store.database import Database
from memreview.store.errors import StoreCorrupt, StoreError, translated

RESTORE = "Restore the last backup (`memreview doctor --restore`, or Settings)."


def check(database: Database) -> list[tuple[str, str, str]]:
    """(name, problem or "", advice) of each check."""
    return [
        ("database", _pragma(database, "integrity_check", "ok"), RESTORE),
        ("references", _pragma(database, "foreign_key_check", None), RESTORE),
        ("keyword index", _keyword_index(database), "Import any export again: the index is rebuilt."),
        ("journal", _journal(database), RESTORE),
        ("imports", _imports(database), "Import the file again to go on, or discard it in Imports."),
    ]


def _pragma(database: Database, name: str, good: str | None) -> str:
    try:
        with translated():  # a damaged file may fail at any row
            rows = [tuple(row) for row in database.execute(f"PRAGMA {name}")]
    except StoreError as error:
        return str(error)
    return "" if rows == ([(good,)] if good else []) else f"{len(rows)} faults"


def _keyword_index(database: Database) -> str:
    """FTS5 compares its index with the texts; entries past the watermark are simply not indexed yet."""
    try:
        for table in ("memories_fts", "entries_fts"):
            with translated():
                database.connection.execute("SAVEPOINT probe")
                try:
                    database.connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
                finally:
                    database.connection.execute("ROLLBACK TO probe")
                    database.connection.execute("RELEASE probe")
    except StoreCorrupt:  # locked or full says nothing about the index, and goes on
        return "does not match the texts"
    return ""


def _journal(database: Database) -> str:
    """Changes without their step, or steps of another kind than known, would mean a write past the journal."""
    orphans = database.value(
        "SELECT count(*) FROM journal_changes c WHERE NOT EXISTS (SELECT 1 FROM journal j WHERE j.id = c.journal_id)"
    )
    decided = database.value(
        """SELECT count(*) FROM transitions t WHERE t.status IN ('approved', 'rejected', 'scoped') AND NOT EXISTS (
             SELECT 1 FROM journal_changes c WHERE c.tbl = 'transitions' AND c.row_id = t.id)"""
    )
    return "" if not orphans and not decided else f"{orphans} changes without a step, {decided} without a record"


def _imports(database: Database) -> str:
    """A live import holds nothing staged; a running one without a process is found at the next import."""
    staged = database.value(
        """SELECT count(DISTINCT s.import_id) FROM staged s JOIN imports i ON i.id = s.import_id
           WHERE i.state IN ('done', 'undone')"""
    )
    return "" if not staged else f"{staged} imports are only half merged"
