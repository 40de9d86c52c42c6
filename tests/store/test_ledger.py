"""The ledger's rows: how older profiles get them, what is still to be read, and in which sittings it was said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sqlite_utils
from sqlite_utils.migrations import Migrations

from memreview.records import Entry, Moment, Origin
from memreview.records.gate import Node
from memreview.store import backup, journal, ledger, schema
from memreview.store import database as database_module
from memreview.store.database import FILE_NAME, Database
from tests.store.builders import DAY, START, chat, kept, said, store_of, take_in

HOUR = 3_600_000_000
NODE = Node(
    id="e1", claim="Keeps bees", layer="stable", scope="global", status="quarantined", written_at=START,
    corroborated_at=START, confidence=0.4, slot=None, origins=(Origin.TOOL_OUTPUT,), events=("e1",), corroborations=0,
    revised_at=None, vector=np.zeros(0, np.float32),
)  # fmt: skip


@pytest.mark.parametrize("steps", [1, 2])
def test_a_profile_of_an_older_program_gets_the_ledger_and_keeps_the_rest(
    tmp_path: Path, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = Migrations("memreview")
    for migration in schema.migrations._migrations[:steps]:
        older(name=migration.name)(migration.fn)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "migrations", older)
        patched.setattr(database_module, "SCHEMA_VERSION", steps)
        old = Database.open(tmp_path / FILE_NAME)
        take_in(old, chat("c", said("m", "I keep bees.")), store_of(kept("a", "Keeps bees")))
        old.close()
    migrated = Database.open(tmp_path / FILE_NAME)
    assert migrated.value("PRAGMA user_version") == database_module.SCHEMA_VERSION
    assert migrated.value("SELECT text FROM live_memories") == "Keeps bees"
    assert {"nodes", "edges", "questions", "gate_runs"} <= set(sqlite_utils.Database(migrated.connection).table_names())
    assert [made.reason for made in backup.backups(tmp_path)] == ["before-migration"]
    assert len(ledger.unread_entries(migrated)) == 1
    migrated.close()


def test_a_node_comes_back_as_it_was_put(database: Database) -> None:
    with journal.action(database, "gate", "program") as act:
        ledger.put_node(database, act, NODE)
    row = ledger.by_key(database, "e1")
    assert row is not None
    assert vars_of(ledger.node(row)) == vars_of(NODE)
    journal.undo(database, act.id)
    assert ledger.by_key(database, "e1") is None


def vars_of(node: Node) -> list[object]:
    return [getattr(node, name) for name in node.__dataclass_fields__ if name != "vector"]


def test_a_change_of_a_node_is_undone_by_itself(database: Database) -> None:
    with journal.action(database, "gate", "program") as act:
        ledger.put_node(database, act, NODE)
    with journal.action(database, "release") as released:
        ledger.put_node(database, released, replace(NODE, status="active"))
    journal.undo(database, released.id)
    row = ledger.by_key(database, "e1")
    assert row is not None
    assert row["status"] == "quarantined"


def test_only_what_no_standing_step_has_read_is_unread(database: Database) -> None:
    take_in(database, chat("c", said("m1", "I keep bees."), said("m2", "I left.", active=False)))
    assert [row["id"] for row in ledger.unread_entries(database)] == [1]
    run = ledger.Run("gate", b"", None, 1, 0)
    with journal.action(database, "gate", "program") as act:
        ledger.put_run(database, act, run, ["e1"])
    assert ledger.unread_entries(database) == []
    assert ledger.last_run(database) == run
    journal.undo(database, act.id)
    assert len(ledger.unread_entries(database)) == 1
    assert ledger.last_run(database) is None
    journal.redo(database, act.id)
    assert ledger.unread_entries(database) == []


def test_a_conversation_that_goes_on_after_a_pause_is_another_session(database: Database) -> None:
    at = [0, HOUR, 8 * HOUR, None, 3 * DAY]
    entries = [
        Entry(
            native_id=f"m{n}",
            origin=Origin.USER,
            text=f"I keep {n} hives.",
            at=Moment(None if each is None else START + each, 0),
        )
        for n, each in enumerate(at)
    ]
    take_in(database, chat("c", *entries))
    rows = ledger.unread_entries(database)
    assert [row["session"] for row in rows] == [0, 0, 1, 1, 2]
    assert rows[3]["own_time"] is None
    assert rows[3]["time"] == rows[2]["time"]  # after what precedes it
