"""The journal: any sequence of changes, undone, gives the very same rows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.store import journal
from memreview.store.database import FILE_NAME, Database
from tests.store.builders import kept, store_of, take_in

TABLES = ("memories", "transitions", "tombstones", "memory_evidence", "saved_filters")


def rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    return {table: [tuple(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY 1")] for table in TABLES}


def tombstone(act: journal.Action, text: str) -> int:
    return act.insert("tombstones", kind="memory", meaning=text, slot="", scope="", text=text, created_at=1)


STEP = st.lists(
    st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(1, 6), st.text(max_size=6)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=6))
def test_undoing_everything_gives_the_very_same_rows_and_redo_brings_them_back(steps: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        database = Database.open(Path(folder) / FILE_NAME)
        take_in(database, store_of(*(kept(str(n), f"memory {n}") for n in range(1, 7))))
        before = rows(database)
        for step in steps:
            with journal.action(database, "edit") as act:
                for kind, row_id, text in step:
                    if kind == "insert":
                        tombstone(act, text)
                    elif kind == "update":
                        act.update("memories", row_id, text=text, scope=text)
                    else:
                        act.delete("tombstones", row_id)
        after = rows(database)
        while (last := journal.next_undo(database)) and last.verb != "import":
            journal.undo(database, last.id)
        assert rows(database) == before
        while undone := journal.next_redo(database):
            journal.redo(database, undone.id)
        assert rows(database) == after
        database.close()


def test_a_change_and_its_entry_commit_together(database: Database) -> None:
    def fails_half_way() -> None:
        with journal.action(database, "edit") as act:
            tombstone(act, "bees")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails_half_way()
    assert rows(database)["tombstones"] == []
    assert journal.entries(database) == []


def test_undo_survives_a_restart(tmp_path: Path) -> None:
    first = Database.open(tmp_path / FILE_NAME)
    with journal.action(first, "edit") as act:
        tombstone(act, "bees")
    first.close()
    second = Database.open(tmp_path / FILE_NAME)
    last = journal.next_undo(second)
    assert last is not None
    journal.undo(second, last.id)
    assert rows(second)["tombstones"] == []
    second.close()


def test_an_older_step_can_be_undone_alone_unless_a_later_one_stands_in_the_way(database: Database) -> None:
    take_in(database, store_of(kept("a", "one"), kept("b", "two")))
    for memory_id, text in ((1, "uno"), (2, "dos"), (1, "eins")):
        with journal.action(database, "edit") as act:
            act.update("memories", memory_id, text=text)
    journal.undo(database, 3)
    assert database.value("SELECT text FROM memories WHERE id = 2") == "two"
    with pytest.raises(journal.UndoBlocked) as blocked:
        journal.undo(database, 2)
    assert blocked.value.blockers == [4]


def test_a_new_decision_ends_redo_but_an_automatic_change_does_not(database: Database) -> None:
    with journal.action(database, "edit") as act:
        tombstone(act, "bees")
    journal.undo(database, 1)
    with journal.action(database, "audit", "program"):
        pass
    assert journal.next_redo(database) is not None
    with journal.action(database, "edit"):
        pass
    assert journal.next_redo(database) is None


def test_undoing_twice_is_refused(database: Database) -> None:
    with journal.action(database, "edit") as act:
        tombstone(act, "bees")
    journal.undo(database, 1)
    with pytest.raises(LookupError):
        journal.undo(database, 1)


def test_only_journaled_tables_can_be_changed(database: Database) -> None:
    with pytest.raises(ValueError, match="not a journaled table"), journal.action(database, "edit") as act:
        act.delete("journal", 1)
