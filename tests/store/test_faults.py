"""What the world does to a database: locked, full, read-only, damaged, newer; and backups against it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlite_utils
from sqlite_utils.migrations import Migrations

from memreview.store import backup, schema
from memreview.store import database as database_module
from memreview.store.database import FILE_NAME, Database
from memreview.store.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
)
from tests.store.builders import kept, store_of, take_in


def memories(database: Database) -> list[str]:
    return [row[0] for row in database.execute("SELECT text FROM live_memories")]


def test_a_locked_database_is_a_clear_error(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    database.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(StoreBusy) as error, database.transaction():
        pass
    assert error.value.advice
    other.close()


def test_a_full_disk_loses_nothing(database: Database) -> None:
    take_in(database, store_of(kept("a", "Keeps bees")))
    database.execute(f"PRAGMA max_page_count = {database.value('PRAGMA page_count')}")
    with pytest.raises(StoreFull):
        take_in(database, store_of(*(kept(str(n), "x" * 5_000) for n in range(200))), name="big")
    database.execute("PRAGMA max_page_count = 1073741823")
    assert memories(database) == ["Keeps bees"]
    take_in(database, store_of(kept("b", "Has a cat"), complete=False), name="after")
    assert memories(database) == ["Keeps bees", "Has a cat"]


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to look like one" * 40])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    if not content:
        Database.open(tmp_path / FILE_NAME).close()  # an empty file is a new database
        return
    with pytest.raises(StoreCorrupt):
        Database.open(tmp_path / FILE_NAME)


def test_a_damaged_database_is_told_and_a_backup_brings_it_back(database: Database) -> None:
    take_in(database, store_of(*(kept(str(n), f"memory {n} " * 50) for n in range(200))))
    made = backup.back_up(database, reason="by-hand")
    database.close()
    content = bytearray(database.path.read_bytes())
    content[4096 : len(content) : 3] = b"\xff" * len(content[4096 : len(content) : 3])
    database.path.write_bytes(content)
    for side in ("-wal", "-shm"):
        database.path.with_name(database.path.name + side).unlink(missing_ok=True)
    with pytest.raises(StoreCorrupt):
        memories(Database.open(database.path))
    kept_aside = backup.restore(database.path, made.path)
    assert kept_aside is not None
    assert kept_aside.exists()
    restored = Database.open(database.path)
    assert os.name == "nt" or database.path.stat().st_mode & 0o077 == 0
    assert len(memories(restored)) == 200
    restored.close()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreReadOnly):
        Database.open(tmp_path / "new" / FILE_NAME)


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreReadOnly):
        Database.open(tmp_path / "file" / FILE_NAME)


def test_no_profile_yet(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no profile"):
        Database.open(tmp_path / FILE_NAME, create=False)


def test_a_database_of_a_newer_program_is_not_touched(database: Database) -> None:
    database.execute(f"PRAGMA user_version = {database_module.SCHEMA_VERSION + 1}")
    database.close()
    with pytest.raises(StoreTooNew):
        Database.open(database.path)


def test_a_migration_backs_up_first_and_a_failed_one_leaves_the_old_schema(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_in(database, store_of(kept("a", "Keeps bees")))
    database.close()
    newer = Migrations("memreview")
    for migration in schema.migrations._migrations:
        newer(name=migration.name)(migration.fn)

    @newer()
    def breaks(db: sqlite_utils.Database) -> None:
        db.execute("ALTER TABLE memories ADD COLUMN colour TEXT")
        raise sqlite3.OperationalError("no such thing")

    monkeypatch.setattr(schema, "migrations", newer)
    monkeypatch.setattr(database_module, "SCHEMA_VERSION", database_module.SCHEMA_VERSION + 1)
    with pytest.raises(sqlite3.OperationalError):
        Database.open(database.path)
    assert [made.reason for made in backup.backups(database.path.parent)] == ["before-migration"]
    monkeypatch.undo()
    again = Database.open(database.path)
    assert memories(again) == ["Keeps bees"]
    assert "colour" not in [row["name"] for row in again.execute("PRAGMA table_info(memories)")]
    again.close()


def test_a_backup_holds_what_was_committed_and_not_what_was_open(database: Database) -> None:
    take_in(database, store_of(kept("a", "Keeps bees")))
    made = backup.back_up(database, reason="by-hand")
    assert backup.counts(made.path)["memories"] == 1
    assert backup.back_up_if_due(database, reason="daily", every=timedelta(hours=1)) is None


def test_old_backups_are_thinned_by_day_and_week(tmp_path: Path) -> None:
    folder = tmp_path / backup.FOLDER
    folder.mkdir()
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    for hours in range(0, 24 * 60, 6):
        (folder / f"{now - timedelta(hours=hours):%Y%m%dT%H%M%S}Z-daily.sqlite").write_bytes(b"")
    backup._thin(folder)
    left = backup.backups(tmp_path)
    assert len({made.made.date() for made in left}) >= backup.KEEP_DAILY
    assert len(left) <= backup.KEEP_DAILY + backup.KEEP_WEEKLY + backup.KEEP_RECENT
    assert left[0].made == now


def test_the_database_is_for_its_owner_alone(database: Database) -> None:
    if os.name != "nt":
        assert database.path.stat().st_mode & 0o077 == 0


def test_the_schema_version_is_the_number_of_migrations(database: Database) -> None:
    assert len(schema.migrations._migrations) == database_module.SCHEMA_VERSION
    assert database.value("PRAGMA user_version") == database_module.SCHEMA_VERSION


def test_opening_a_profile_that_is_up_to_date_imports_nothing_heavy(database: Database) -> None:
    script = (
        "import sys; from pathlib import Path; from memreview.review.profile import Profile; "
        f"Profile.open(Path({str(database.path.parent)!r})).close(); "
        "assert not {'numpy', 'sqlite_utils', 'faiss', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
