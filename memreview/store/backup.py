"""Online backups by SQLite's own backup call (a copy of a WAL database's file may hold none of its rows)."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from memreview.store.database import Database
from memreview.store.errors import StoreBusy, StoreCorrupt, StoreError, StoreFull, translated

FOLDER = "backups"
KEEP_DAILY, KEEP_WEEKLY, KEEP_RECENT = 7, 4, 3
_NAME = re.compile(r"(\d{8}T\d{6})Z-([a-z-]+)\.sqlite")


class Backup(msgspec.Struct, frozen=True):
    path: Path
    made: datetime
    reason: str
    size: int


def back_up(database: Database, *, reason: str) -> Backup:
    """Copy the database aside while it is in use; older backups are thinned. Raises `StoreFull`."""
    folder = database.path.parent / FOLDER
    try:
        folder.mkdir(exist_ok=True, mode=0o700)
        made = datetime.now(UTC).replace(microsecond=0)
        path = folder / f"{made:%Y%m%dT%H%M%S}Z-{reason}.sqlite"
        temporary = path.with_suffix(".tmp")
        with translated(), closing(sqlite3.connect(temporary)) as copy:
            database.connection.backup(copy, pages=4096)
        os.chmod(temporary, 0o600)
        os.replace(temporary, path)
    except OSError as error:
        raise StoreFull("The backup could not be written.") from error
    _thin(folder)
    return Backup(path, made, reason, path.stat().st_size)


def back_up_if_due(database: Database, *, reason: str, every: timedelta) -> Backup | None:
    """A backup unless there is one that is younger than `every`."""
    newest = next(iter(backups(database.path.parent)), None)
    if newest is not None and datetime.now(UTC) - newest.made < every:
        return None
    return back_up(database, reason=reason)


def backups(home: Path) -> list[Backup]:
    """Newest first."""
    found = []
    for path in (home / FOLDER).glob("*.sqlite"):
        if match := _NAME.fullmatch(path.name):
            made = datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
            found.append(Backup(path, made, match[2], path.stat().st_size))
    return sorted(found, key=lambda backup: backup.made, reverse=True)


def restore(path: Path, backup: Path) -> Path | None:
    """Put a backup in the place of the database at `path`. What stood there is kept beside it and its new name
    returned. Raises `StoreBusy` while anybody has it open, `StoreCorrupt` where the backup itself is damaged."""
    _refuse_if_open(path)
    with translated(), closing(sqlite3.connect(_read_only(backup), uri=True)) as source:
        if source.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise StoreCorrupt("This backup is damaged.", "Choose another one.")
        fresh = path.with_suffix(".restoring")
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh)) as copy:
            source.backup(copy)
    os.chmod(fresh, 0o600)
    kept = _set_aside(path)
    os.replace(fresh, path)
    return kept


def counts(path: Path) -> dict[str, int]:
    """What a database file holds, to show what a restore would change. Raises `StoreError`."""
    tables = ("live_memories", "live_entries", "imports", "journal")
    if not path.exists():
        raise StoreError("There is no such backup.")
    with translated(), closing(sqlite3.connect(_read_only(path), uri=True)) as source:
        return {
            table.removeprefix("live_"): source.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in tables
        }


def _read_only(path: Path) -> str:
    """SQLite's address of a file, whatever signs (#, ?, %) its path holds."""
    return f"{path.resolve().as_uri()}?mode=ro"


def _refuse_if_open(path: Path) -> None:
    """Leaving WAL mode takes the file alone: SQLite refuses it while another connection is open. A file that is too
    damaged to ask has nobody who reads it."""
    if not path.exists():
        return
    try:
        with translated(), closing(sqlite3.connect(path, timeout=0.2)) as asking:
            asking.execute("PRAGMA journal_mode = DELETE")
            asking.execute("PRAGMA journal_mode = WAL")
    except StoreBusy:
        raise StoreBusy("This profile is open in a window or another command.") from None
    except StoreError:
        return


def _set_aside(path: Path) -> Path | None:
    if not path.exists():
        return None
    kept = path.with_name(f"{path.stem}-before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S}.sqlite")
    os.replace(path, kept)
    for suffix in ("-wal", "-shm"):
        side = path.with_name(path.name + suffix)
        if side.exists():
            os.replace(side, kept.with_name(kept.name + suffix))
    return kept


def _thin(folder: Path) -> None:
    """Keep the newest few, the last of each of 7 days and of each of 4 weeks."""
    found = backups(folder.parent)
    keep = {backup.path for backup in found[:KEEP_RECENT]}
    for form, count in (("%Y-%m-%d", KEEP_DAILY), ("%G-%V", KEEP_WEEKLY)):
        newest_of: dict[str, Path] = {}
        for backup in found:
            newest_of.setdefault(backup.made.strftime(form), backup.path)
        keep.update(list(newest_of.values())[:count])
    for backup in found:
        if backup.path not in keep:
            backup.path.unlink(missing_ok=True)
