"""Imports: nothing shows before the end, twice is once, newer exports bring what is new."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.records import Bundle, EntryRef, MemoryRecord, NativeState, Origin
from memreview.store import ingest, integrity, journal, keywords
from memreview.store.database import FILE_NAME, Database
from tests.store.builders import chat, kept, said, start, store_of, take_in


def texts(database: Database, view: str = "live_entries") -> list[str]:
    return [row[0] for row in database.execute(f"SELECT text FROM {view} ORDER BY id")]


def test_nothing_shows_before_the_import_is_finished(database: Database) -> None:
    row = ingest.add(database, start(database), [chat("c1", said("m1", "I moved to Porto."))])
    assert texts(database) == []
    ingest.finish(database, row, meaning=str, buried=lambda records: [])
    assert texts(database) == ["I moved to Porto."]


def test_importing_twice_adds_nothing(database: Database) -> None:
    bundles = [chat("c1", said("m1", "one"), said("m2", "two")), store_of(kept("a", "Keeps bees"))]
    take_in(database, *bundles)
    again = take_in(database, *bundles, name="again.zip")
    assert texts(database) == ["one", "two"]
    assert texts(database, "live_memories") == ["Keeps bees"]
    assert again.report.counts["entries.known"] == 2
    assert again.report.counts["entries.new"] == 0
    assert again.report.counts["memories.known"] == 1


def test_a_newer_export_appends_and_marks_what_was_dropped(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees"), kept("b", "Has a cat")))
    newer = take_in(
        database, chat("c1", said("m1", "one"), said("m2", "two")), store_of(kept("a", "Keeps bees")), name="newer"
    )
    assert texts(database) == ["one", "two"]
    assert newer.report.counts["memories.gone"] == 1
    assert database.value("SELECT native_state FROM live_memories WHERE native_id = 'b'") == "gone"


def test_an_incomplete_list_drops_nothing(database: Database) -> None:
    take_in(database, store_of(kept("a", "Keeps bees"), kept("b", "Has a cat")))
    take_in(database, store_of(kept("a", "Keeps bees"), complete=False), name="search result")
    assert database.value("SELECT count(*) FROM live_memories WHERE native_state = 'gone'") == 0


def test_a_revised_message_replaces_the_older_wording(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "I live in Lisbon")))
    take_in(database, chat("c1", said("m1", "I live in Porto")), name="newer")
    assert texts(database) == ["I live in Porto"]
    journal.undo(database, 2)
    assert texts(database) == ["I live in Lisbon"]


def test_new_ids_for_the_same_claims_are_known(database: Database) -> None:
    take_in(database, store_of(kept("a", "Keeps bees"), kept("b", "Has a cat")))
    again = take_in(database, store_of(kept("x", "Keeps bees"), kept("y", "Has a cat")), name="new ids")
    assert again.report.counts["memories.known"] == 2
    assert texts(database, "live_memories") == ["Keeps bees", "Has a cat"]


def test_the_branch_shown_changes_with_the_newer_export(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "tea"), said("m2", "coffee", active=False)))
    take_in(database, chat("c1", said("m1", "tea", active=False), said("m2", "coffee")), name="newer")
    assert [tuple(row) for row in database.execute("SELECT text, active FROM live_entries ORDER BY id")] == [
        ("tea", 0),
        ("coffee", 1),
    ]


def test_evidence_is_linked_to_entries(database: Database) -> None:
    take_in(
        database,
        chat("c1", said("m1", "I moved to Porto.")),
        store_of(kept("a", "Lives in Porto", evidence=[EntryRef("c1", "m1")])),
    )
    assert database.value("SELECT count(*) FROM memory_evidence") == 1


def test_a_stopped_import_goes_on_where_it_was(database: Database) -> None:
    row = ingest.add(database, start(database), [chat("c1", said("m1", "one"))])
    ingest.stop(database, row.id)
    resumed = start(database)
    assert (resumed.id, resumed.cursor, resumed.state) == (row.id, "c1", "running")
    resumed = ingest.add(database, resumed, [chat("c2", said("m1", "two"))])
    finished = ingest.finish(database, resumed, meaning=str, buried=lambda records: [])
    assert texts(database) == ["one", "two"]
    assert finished.report.counts["conversations"] == 2


def test_a_discarded_import_leaves_nothing(database: Database) -> None:
    row = ingest.add(database, start(database), [chat("c1", said("m1", "marmalade")), store_of(kept("a", "Bees"))])
    keywords.index_entries(database)
    ingest.stop(database, row.id)
    ingest.discard(database, row.id)
    for table in ("entries", "conversations", "staged", "memories"):
        assert database.value(f"SELECT count(*) FROM {table}") == 0
    assert ingest.imports(database) == []
    assert all(not problem for _, problem, _ in integrity.check(database))
    with pytest.raises(LookupError):
        ingest.discard(database, row.id)


@pytest.mark.parametrize("dropped", [False, True])
def test_discarding_leaves_an_undone_import_what_it_had_taken_over(database: Database, dropped: bool) -> None:
    both = chat("c1", said("m1", "I like marmalade"), said("m2", "I moved to Porto."))
    ingest.stop(database, ingest.add(database, start(database, name="stopped"), [both]).id)
    record = kept("a", "Lives in Porto", evidence=[EntryRef("c1", "m2")])
    take_in(database, both, chat("c2", said("m1", "two")), store_of(record), name="whole")
    keywords.index_entries(database)
    journal.undo(database, 1)
    if dropped:
        with journal.action(database, "save-filter") as act:
            act.insert("saved_filters", name="bees", query="bees")
    ingest.discard(database, 1)
    assert texts(database) == []
    if not dropped:
        journal.redo(database, 1)
        assert texts(database) == ["I like marmalade", "I moved to Porto.", "two"]
        assert len(keywords.search(database, "marmalade", "entries")) == 1
        journal.undo(database, 1)
    take_in(database, both, name="again")
    assert texts(database) == ["I like marmalade", "I moved to Porto."]
    assert all(not problem for _, problem, _ in integrity.check(database))


def test_undoing_an_import_hides_it_and_importing_again_brings_it_back(database: Database) -> None:
    bundles = [chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees"))]
    take_in(database, *bundles)
    journal.undo(database, 1)
    assert texts(database) == [] == texts(database, "live_memories")
    assert [row.state for row in ingest.imports(database)] == ["undone"]
    ingest.stop_abandoned(database)
    journal.redo(database, 1)
    assert texts(database) == ["one"]
    journal.undo(database, 1)
    take_in(database, *bundles, name="again")
    assert texts(database) == ["one"]
    assert texts(database, "live_memories") == ["Keeps bees"]


@pytest.mark.parametrize("again", [chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees"))])
def test_an_import_is_not_undone_under_a_newer_one_that_holds_the_same(database: Database, again: Bundle) -> None:
    """What both hold would be gone, though the newer one stands."""
    take_in(database, chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees")))
    take_in(database, chat("c2", said("m2", "two")), name="another")
    take_in(database, again, name="newer")
    with pytest.raises(journal.UndoBlocked) as blocked:
        journal.undo(database, 1)
    assert blocked.value.blockers == [3]
    assert texts(database) == ["one", "two"]
    for step in (3, 1):
        journal.undo(database, step)
    assert texts(database) == ["two"]


@pytest.mark.parametrize("again", [chat("c2", said("m2", "two")), store_of(kept("b", "Has a cat"))])
def test_an_import_that_shares_nothing_is_undone_freely(database: Database, again: Bundle) -> None:
    """Also from under one that brought again what a third one holds."""
    take_in(database, chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees")))
    take_in(database, chat("c2", said("m2", "two")), store_of(kept("b", "Has a cat"), complete=False), name="another")
    take_in(database, again, name="newer")
    journal.undo(database, 1)
    assert (texts(database), texts(database, "live_memories")) == (["two"], ["Has a cat"])
    with pytest.raises(journal.UndoBlocked) as blocked:
        journal.undo(database, 2)
    assert blocked.value.blockers == [3]


def test_a_conversation_that_stands_twice_in_a_file_blocks_nothing(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "one")))
    again = take_in(database, chat("c2", said("m2", "two")), chat("c2", said("m2", "two")), name="newer")
    assert again.report.counts["entries.known"] == 1
    journal.undo(database, 1)
    assert texts(database) == ["two"]


def test_what_an_import_met_before_it_was_stopped_still_counts(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "one")))
    row = ingest.add(database, start(database, name="newer"), [chat("c1", said("m1", "one"))])
    ingest.stop(database, row.id)
    row = ingest.add(database, start(database, name="newer"), [chat("c2", said("m2", "two"))])
    ingest.finish(database, row, meaning=str, buried=lambda records: [])
    with pytest.raises(journal.UndoBlocked):
        journal.undo(database, 1)


def test_an_import_that_took_over_what_was_hidden_met_nobody(database: Database) -> None:
    shared = [chat("c1", said("m1", "one")), store_of(kept("a", "Keeps bees"))]
    take_in(database, *shared)
    journal.undo(database, 1)
    newer = take_in(database, *shared, name="newer")
    assert newer.report.met == ()
    assert texts(database) == ["one"]


def test_an_import_whose_report_names_none_that_it_met_may_have_met_any(database: Database) -> None:
    """Written by an earlier version."""
    take_in(database, chat("c1", said("m1", "one")))
    take_in(database, chat("c1", said("m1", "one")), name="newer")
    database.execute("UPDATE imports SET report = json_remove(report, '$.met')")
    with pytest.raises(journal.UndoBlocked):
        journal.undo(database, 1)
    journal.undo(database, 2)
    journal.undo(database, 1)


def test_stopping_a_second_import_keeps_what_the_first_brought(database: Database) -> None:
    take_in(database, chat("c1", said("m1", "one")))
    row = ingest.add(database, start(database, name="newer"), [chat("c1", said("m1", "one"), said("m2", "two"))])
    ingest.stop(database, row.id)
    ingest.discard(database, row.id)
    assert texts(database) == ["one"]


def test_the_assistants_change_does_not_overwrite_the_persons_wording(database: Database) -> None:
    take_in(database, store_of(kept("a", "Lives in Porto")))
    with journal.action(database, "edit") as act:
        act.update("memories", 1, text="Lives in Porto, near the river")
    changed = take_in(database, store_of(kept("a", "Lives in Porto, Portugal")), name="newer")
    assert changed.report.counts["memories.changed"] == 1
    row = database.one("SELECT text, imported_text FROM memories")
    assert row is not None
    assert tuple(row) == ("Lives in Porto, near the river", "Lives in Porto, Portugal")


def test_origin_is_stored_as_the_importer_says(database: Database) -> None:
    take_in(database, chat("c1", *(said(f"m{n}", "text", origin=origin) for n, origin in enumerate(Origin))))
    assert [row[0] for row in database.execute("SELECT origin FROM live_entries ORDER BY id")] == list(Origin)


# -- which memory it is ---------------------------------------------------------------------------------------------

IDS, CLAIMS = ("a", "b", "c"), ("Keeps bees", "Has a dog", "Has a cat")
EXPORTS = st.tuples(
    st.dictionaries(st.sampled_from(IDS), st.sampled_from(CLAIMS), min_size=1, max_size=3), st.booleans()
)


def standing(database: Database) -> list[tuple[Any, ...]]:
    found = database.execute("SELECT id, native_id, native_state, text, status FROM live_memories ORDER BY id")
    return [tuple(row) for row in found]


@contextmanager
def imported(*exports: tuple[dict[str, str], bool]) -> Iterator[tuple[Database, list[list[tuple[Any, ...]]]]]:
    """A store, and what stood in it before the first import and after each; an export is (texts by id, whole)."""
    with TemporaryDirectory() as folder, closing(Database.open(Path(folder) / FILE_NAME)) as database:
        states = [standing(database)]
        for number, (texts, whole) in enumerate(exports):
            records = [kept(native_id, text) for native_id, text in texts.items()]
            take_in(database, store_of(*records, complete=whole), name=f"{number}.json")
            states.append(standing(database))
            assert {row[1]: row[3] for row in states[-1]}.items() >= texts.items()
        yield database, states


BEES, DOG, BOTH = {"b": "Keeps bees"}, {"b": "Has a dog"}, {"a": "Keeps bees", "b": "Has a dog"}


@pytest.mark.parametrize("second", [BOTH, dict(reversed(BOTH.items()))])
def test_a_memory_is_known_by_its_id_before_it_is_by_what_it_says(second: dict[str, str]) -> None:
    with imported((BEES, True), (second, True)) as (database, states):
        assert {row[:2] for row in states[-1]} == {(1, "b"), (2, "a")}
        journal.undo(database, 2)
        assert standing(database) == states[1]


@settings(max_examples=40, deadline=None)
@given(st.lists(EXPORTS, min_size=2, max_size=4))
def test_imports_in_any_order_are_undone_one_by_one_and_done_again(exports: list[tuple[dict[str, str], bool]]) -> None:
    with imported(*exports) as (database, states):
        for step in range(len(exports), 0, -1):
            journal.undo(database, step)
            assert standing(database) == states[step - 1]
        for step in range(1, len(exports) + 1):
            journal.redo(database, step)
            assert standing(database) == states[step]


@settings(max_examples=40, deadline=None)
@given(st.lists(EXPORTS, min_size=2, max_size=4), st.permutations(range(1, 5)))
def test_an_import_that_nothing_stands_in_the_way_of_is_undone_and_done_again(
    exports: list[tuple[dict[str, str], bool]], order: list[int]
) -> None:
    with imported(*exports) as (database, states):
        for step in [step for step in order if step <= len(exports)]:
            if not journal.blockers(database, step):
                journal.undo(database, step)
        while undone := journal.next_redo(database):
            journal.redo(database, undone.id)
        assert standing(database) == states[-1]


def test_an_id_that_another_memory_took_is_given_back() -> None:
    with imported((BEES, False), ({"a": "Keeps bees"}, False), (DOG, False)) as (database, states):
        with pytest.raises(journal.UndoBlocked) as blocked:
            journal.undo(database, 2)
        assert blocked.value.blockers == [3]
        for step in (3, 2):
            journal.undo(database, step)
        assert standing(database) == states[1]
        for step in (2, 3):
            journal.redo(database, step)
        assert standing(database) == states[3]


# -- what comes back ------------------------------------------------------------------------------------------------


def dropped(record: MemoryRecord) -> MemoryRecord:
    return msgspec.structs.replace(record, state=NativeState.DELETED)


def decide(database: Database, verb: str, **values: Any) -> None:
    with journal.action(database, verb) as act:
        act.update("memories", 1, **values)


@pytest.mark.parametrize("status", ["deleted", "superseded"])
@pytest.mark.parametrize("state", [NativeState.ACTIVE, NativeState.DELETED])
def test_what_was_removed_comes_back_with_the_assistants_words_alone(
    database: Database, status: str, state: NativeState
) -> None:
    take_in(database, store_of(kept("a", "Lives in Porto")))
    decide(database, "edit", text="Lives in Porto, near the river")
    decide(database, "delete", status=status)
    before = standing(database)
    reworded = msgspec.structs.replace(kept("a", "Keeps bees"), state=state)
    take_in(database, store_of(reworded), name="newer")
    row = database.one("SELECT text, meaning, status FROM memories")
    assert row is not None
    if state is NativeState.ACTIVE:
        assert tuple(row) == ("Keeps bees", "keeps bees", "active")
    else:
        assert tuple(row)[::2] == ("Lives in Porto, near the river", status)
    journal.undo(database, 4)
    assert standing(database) == before


def test_what_the_assistant_alone_had_deleted_comes_back_with_it(database: Database) -> None:
    take_in(database, store_of(dropped(kept("a", "Keeps bees"))))
    again = take_in(database, store_of(dropped(kept("a", "Keeps bees"))), name="again")
    assert again.report.counts.get("memories.stayed_deleted", 0) == 0
    before = standing(database)
    newer = take_in(database, store_of(kept("a", "Keeps bees")), name="newer")
    assert standing(database) == [(1, "a", "active", "Keeps bees", "active")]
    assert newer.report.counts.get("memories.stayed_deleted", 0) == 0
    assert newer.report.counts["memories.changed"] == 1
    journal.undo(database, 3)
    assert standing(database) == before
    journal.redo(database, 3)
    assert standing(database)[0][-1] == "active"


def test_what_the_person_deleted_as_well_stays_gone(database: Database) -> None:
    take_in(database, store_of(kept("a", "Keeps bees")))
    decide(database, "delete", status="deleted")
    take_in(database, store_of(dropped(kept("a", "Keeps bees"))), name="dropped")
    newer = take_in(database, store_of(kept("a", "Keeps bees")), name="newer")
    assert standing(database) == [(1, "a", "active", "Keeps bees", "deleted")]
    assert newer.report.counts["memories.stayed_deleted"] == 1
