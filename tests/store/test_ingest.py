"""Imports: nothing shows before the end, twice is once, newer exports bring what is new."""

from __future__ import annotations

import pytest

from memreview.records import EntryRef, Origin
from memreview.store import ingest, integrity, journal, keywords
from memreview.store.database import Database
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
