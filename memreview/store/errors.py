"""What can go wrong with the database, in words for the person; SQLite's own codes are sorted here, once.

None of these messages holds a text of the person's. Anything that is not here is a bug and stays a
`sqlite3.Error` (the two families of qutebrowser's `misc/sql.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


class StoreError(Exception):
    """The world failed: `advice` says what the person can do."""

    advice = ""

    def __init__(self, message: str, advice: str = "") -> None:
        self.advice = advice or self.advice
        super().__init__(message)


class StoreBusy(StoreError):
    advice = "Close the other memreview window or wait until its import has ended, then try again."


class StoreFull(StoreError):
    advice = "Free some space on this disk and try again. Nothing was lost: the last change was not written."


class StoreReadOnly(StoreError):
    advice = "Make the profile folder writable, or choose another one with --home."


class StoreCorrupt(StoreError):
    advice = "Restore the last backup with `memreview doctor --restore`, or from Settings."


class StoreTooNew(StoreError):
    advice = "Install the newer memreview that wrote it, or choose another profile folder with --home."


_BY_CODE: dict[int, tuple[type[StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (StoreBusy, "The database is in use by another program"),
    sqlite3.SQLITE_LOCKED: (StoreBusy, "The database is in use by another program"),
    sqlite3.SQLITE_FULL: (StoreFull, "The disk is full"),
    sqlite3.SQLITE_IOERR: (StoreFull, "The disk could not be written"),
    sqlite3.SQLITE_READONLY: (StoreReadOnly, "The database can't be written"),
    sqlite3.SQLITE_CANTOPEN: (StoreReadOnly, "The database can't be opened"),
    sqlite3.SQLITE_CORRUPT: (StoreCorrupt, "The database is damaged"),
    sqlite3.SQLITE_NOTADB: (StoreCorrupt, "The file is not a memreview database"),
}


@contextmanager
def translated() -> Iterator[None]:
    """Raise the matching `StoreError` for what the world did to SQLite; let bugs through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if primary not in _BY_CODE:
            raise
        kind, message = _BY_CODE[primary]
        raise kind(f"{message}.") from error
