"""kill -9 at random instants: an import, a decision and a migration are there whole or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memreview.evaluate import generate
from memreview.review import imports
from memreview.review.profile import Profile
from memreview.store import integrity
from memreview.store.database import FILE_NAME, Database
from tests.review.builders import profile_with_cases

TIMES = 20
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")

IMPORT = """
import sys
from pathlib import Path
from memreview.review import importing
from memreview.review.profile import Profile
profile = Profile.open(Path(sys.argv[1]))
print("go", flush=True)
importing.BATCH_ENTRIES = 200
importing.import_path(profile, Path(sys.argv[2]), progress=lambda *args: None)
"""
DECIDE = """
import sys
from pathlib import Path
from memreview.review import decisions, history
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb
profile = Profile.open(Path(sys.argv[1]))
print("go", flush=True)
while True:
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1, 2)))
    history.undo(profile)
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(1, 2, 3, 4)))
    history.undo(profile)
"""
MIGRATE = """
import sys
from pathlib import Path
from sqlite_utils.migrations import Migrations
from memreview.store import database, schema
newer = Migrations("memreview")
for migration in schema.migrations._migrations:
    newer(name=migration.name)(migration.fn)
@newer()
def colour(db):
    db.execute("ALTER TABLE memories ADD COLUMN colour TEXT")
    for row in list(db.execute("SELECT id FROM memories")):
        db.execute("UPDATE memories SET colour = 'red', scope = 'migrated' WHERE id = ?", row)
    db.execute(f"PRAGMA user_version = {len(newer._migrations)}")
schema.migrations, database.SCHEMA_VERSION = newer, len(newer._migrations)
print("go", flush=True)
database.Database.open(Path(sys.argv[1]) / database.FILE_NAME)
"""


def killed(script: str, *arguments: Path, after: float) -> bool:
    """Run a script and kill it `after` seconds from its "go"; False where it had ended by then."""
    child = subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"go\n"
    time.sleep(after)
    child.send_signal(signal.SIGKILL)
    child.stdout.close()
    return child.wait() == -signal.SIGKILL


def faults(database: Database) -> list[str]:
    return [f"{name}: {problem}" for name, problem, _ in integrity.check(database) if problem]


def test_a_killed_import_shows_nothing_and_goes_on(tmp_path: Path) -> None:
    rng = random.Random(7)
    export = tmp_path / "conversations.json"
    messages = generate.chatgpt_export(export, 300)
    times_killed = 0
    for round_ in range(TIMES):
        home = tmp_path / f"home-{round_ // 4}"  # each profile is killed four times, and goes on from there
        times_killed += killed(IMPORT, home, export, after=rng.uniform(0.0, 0.45))
        profile = Profile.open(home)
        assert faults(profile.database) == []
        live = profile.database.value("SELECT count(*) FROM live_entries")
        finished = any(row.state == "done" for row in imports.list(profile))
        assert live == (messages if finished else 0)
        profile.close()
    assert times_killed > TIMES // 2
    subprocess.run([sys.executable, "-c", IMPORT, str(home), str(export)], check=True, stdout=subprocess.DEVNULL)
    profile = Profile.open(home)
    assert profile.database.value("SELECT count(*) FROM live_entries") == messages
    profile.close()


def test_a_killed_decision_is_whole_or_not_there(tmp_path: Path) -> None:
    rng = random.Random(8)
    profile_with_cases(tmp_path).close()
    for _ in range(TIMES):
        killed(DECIDE, tmp_path, after=rng.uniform(0.0, 0.1))
        database = Database.open(tmp_path / FILE_NAME)
        assert faults(database) == []
        statuses = [row[0] for row in database.execute("SELECT status FROM memories WHERE id <= 4 ORDER BY id")]
        assert statuses in (["active"] * 4, ["superseded", "superseded", "active", "active"], ["deleted"] * 4)
        standing = database.value(
            "SELECT count(*) FROM journal WHERE state = 'done' AND verb NOT IN ('import', 'audit')"
        )
        assert standing == (statuses != ["active"] * 4)
        if standing:
            from memreview.store import journal

            last = journal.next_undo(database)
            assert last is not None
            journal.undo(database, last.id)
        database.close()


def test_a_killed_migration_leaves_the_old_schema_or_the_new_one(tmp_path: Path) -> None:
    rng = random.Random(9)
    generate.profile_of(tmp_path, 3_000).close()
    whole = (tmp_path / FILE_NAME).read_bytes()
    for _ in range(TIMES):
        (tmp_path / FILE_NAME).write_bytes(whole)
        for side in ("-wal", "-shm"):
            (tmp_path / (FILE_NAME + side)).unlink(missing_ok=True)
        killed(MIGRATE, tmp_path, after=rng.uniform(0.0, 0.12))
        import sqlite3

        with sqlite3.connect(tmp_path / FILE_NAME) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
            migrated = connection.execute("SELECT count(*) FROM memories WHERE scope = 'migrated'").fetchone()[0]
            noted = connection.execute("SELECT count(*) FROM _sqlite_migrations WHERE name = 'colour'").fetchone()[0]
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        connection.close()
        assert ("colour" in columns, migrated, noted) in ((False, 0, 0), (True, 3_000, 1))
