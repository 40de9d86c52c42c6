"""One SQLite file a profile: opening, migrating with a backup before, and transactions.

A `Database` belongs to the thread that opened it. Every process opens its own; SQLite's write lock makes one writer.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memreview.store.errors import StoreError, StoreReadOnly, StoreTooNew, translated

FILE_NAME = "memreview.sqlite"
BUSY_SECONDS = 5.0
SCHEMA_VERSION = 3
"""The number of migrations in store/schema.py; each sets SQLite's `user_version` to its own."""
_PORTION = 500
"""Values in one query: SQLite takes 999 at least."""


class Database:
    """`execute` reads and writes; writes happen inside `transaction()`, which is immediate and all or nothing."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> Database:
        """Open and bring up to date. A file of an older schema is backed up beside it first.

        Raises `StoreError` where the file can't be opened, read, written, or is newer than this program.
        """
        if not create and not path.exists():
            raise StoreError(
                f"There is no profile in {path.parent} yet.", "Import an export first: memreview import FILE"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreReadOnly("The profile folder can't be made.") from error
        with translated():
            connection = _connect(path)
            try:
                database = cls(path, connection)
                database._migrate()
            except BaseException:
                connection.close()
                raise
        return database

    def _migrate(self) -> None:
        version = self.value("PRAGMA user_version")
        if version > SCHEMA_VERSION:
            raise StoreTooNew("This profile was written by a newer memreview.")
        if version == SCHEMA_VERSION:
            return
        # Late: sqlite-utils takes 0.13 s to import, and a profile that is up to date has no use for it.
        import sqlite_utils

        from memreview.store import backup, schema

        if version:
            backup.back_up(self, reason="before-migration")
        schema.migrations.apply(sqlite_utils.Database(self.connection))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """An immediate transaction, or a savepoint where one is open already."""
        nested = self.connection.in_transaction
        begin, commit, rollback = (
            ("SAVEPOINT nested", "RELEASE nested", "ROLLBACK TO nested")
            if nested
            else ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
        )
        with translated():
            self.connection.execute(begin)
            try:
                yield
                self.connection.execute(commit)
            except BaseException:
                # A full disk has rolled back already; a second error here would hide the first.
                if self.connection.in_transaction:
                    self.connection.execute(rollback)
                    if nested:
                        self.connection.execute("RELEASE nested")
                raise

    def execute(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Cursor:
        with translated():
            return self.connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterator[Sequence[Any]] | Sequence[Sequence[Any]]) -> sqlite3.Cursor:
        with translated():
            return self.connection.executemany(sql, rows)

    def one(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Row | None:
        with translated():
            row: sqlite3.Row | None = self.execute(sql, parameters).fetchone()
        return row

    def all(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> list[sqlite3.Row]:
        with translated():
            return self.execute(sql, parameters).fetchall()

    def among(self, sql: str, values: Iterable[Any], before: Sequence[Any] = ()) -> Iterator[sqlite3.Row]:
        """Rows of a query with `IN ($values)`, for any number of values, each once; in its order only within a
        portion. `before` are the parameters that stand before the list."""
        distinct = list(dict.fromkeys(values))
        for start in range(0, len(distinct), _PORTION):
            portion = distinct[start : start + _PORTION]
            yield from self.all(sql.replace("$values", ", ".join("?" * len(portion))), (*before, *portion))

    def value(self, sql: str, parameters: Sequence[Any] | dict[str, Any] = ()) -> Any:
        row = self.one(sql, parameters)
        return None if row is None else row[0]

    def state(self, name: str, default: str = "") -> str:
        found = self.value("SELECT value FROM state WHERE name = ?", (name,))
        return default if found is None else str(found)

    def set_state(self, name: str, value: str) -> None:
        self.execute(
            "INSERT INTO state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (name, value),
        )

    def close(self) -> None:
        """Close; safe to call twice."""
        self.connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    new = not path.exists()
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.row_factory = sqlite3.Row
    if new:
        os.chmod(path, 0o600)  # the most personal data there is
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA mmap_size = 201326592")
    return connection
