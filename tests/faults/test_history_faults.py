"""Imports, undo, redo, cancel and discard in odd orders."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memreview.resources import sample_files
from memreview.review import decisions, history, importing, imports, memories
from memreview.review.profile import Profile
from memreview.review.values import Cancelled, Decision, Verb
from memreview.store import ingest
from tests.review.builders import profile_with_cases
from tests.store.builders import chat, said, start, take_in


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Profile]:
    made = Profile.open(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    """Case 1: Lisbon → Porto."""
    made = profile_with_cases(tmp_path / "home")
    yield made
    made.close()


def quiet(stage: str, done: int, total: int) -> None:
    pass


def cancelling(stage: str, done: int, total: int) -> None:
    if stage == "reading":
        raise Cancelled


def live_entries(profile: Profile) -> int:
    return int(profile.database.value("SELECT count(*) FROM live_entries"))


def texts(profile: Profile) -> list[str]:
    return sorted(row.text for row in memories.rows(profile, memories.ids(profile, "is:active")))


def test_an_undone_import_that_is_redone_after_a_cancelled_one_has_its_entries(empty: Profile) -> None:
    path = sample_files()[0]
    importing.import_path(empty, path, progress=quiet)
    entries = live_entries(empty)
    history.undo(empty)
    with pytest.raises(Cancelled):
        importing.import_path(empty, path, progress=cancelling)
    redone = history.redo(empty)
    assert live_entries(empty) == (entries if redone else 0)
    importing.import_path(empty, path, progress=quiet)
    assert live_entries(empty) == entries


def test_a_stopped_import_can_be_discarded_after_an_undone_one(empty: Profile) -> None:
    path = sample_files()[0]
    importing.import_path(empty, path, progress=quiet)
    entries = live_entries(empty)
    history.undo(empty)
    with pytest.raises(Cancelled):
        importing.import_path(empty, path, progress=cancelling)
    imports.discard(empty, next(row.import_id for row in imports.list(empty) if row.state == "stopped"))
    importing.import_path(empty, path, progress=quiet)
    assert live_entries(empty) == entries


def test_a_stopped_import_that_lost_its_entries_reads_them_again(empty: Profile) -> None:
    database = empty.database
    first, second = chat("c1", said("m1", "I live in Lisbon.")), chat("c2", said("m2", "I keep bees."))
    stopped = ingest.add(database, start(database, name="a.zip"), [first])
    ingest.stop(database, stopped.id)
    take_in(database, first, second, name="newer.zip")
    history.undo(empty)
    again = start(database, name="a.zip")
    assert again.id == stopped.id
    rest = [bundle for bundle in (first, second) if again.cursor is None or bundle.cursor > again.cursor]
    ingest.finish(
        database, ingest.add(database, again, rest), meaning=str.casefold, buried=lambda records: [False] * len(records)
    )
    assert live_entries(empty) == 2


def test_a_case_approved_twice_adds_one_memory(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1, 1)))
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    assert texts(profile).count("Lives in Porto") == 1


def test_asking_again_takes_back_the_memory_that_approving_added(profile: Profile) -> None:
    before = texts(profile)
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    decisions.decide(profile, Decision(verb=Verb.RESTORE, transitions=(1,)))
    assert texts(profile) == before


def test_rejecting_an_approved_case_leaves_no_trace_of_the_approval(profile: Profile) -> None:
    before = texts(profile)
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    decisions.decide(profile, Decision(verb=Verb.REJECT, transitions=(1,)))
    assert texts(profile) == before


def test_a_decision_on_nothing_that_exists_is_no_step(profile: Profile) -> None:
    steps = len(history.steps(profile))
    with contextlib.suppress(LookupError):
        decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(99_999,)))
    assert len(history.steps(profile)) == steps


def test_redo_does_the_step_again_that_was_undone_last(profile: Profile) -> None:
    first = decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(3,)))
    second = decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(4,)))
    history.undo(profile, first.id)
    history.undo(profile, second.id)
    redone = history.redo(profile)
    assert redone is not None
    assert redone.id == second.id


def test_undoing_an_unknown_step_is_an_error(profile: Profile) -> None:
    with pytest.raises(LookupError):
        history.undo(profile, 99_999)


def test_two_files_of_one_account_in_one_folder_do_not_drop_each_others_memories(
    empty: Profile, tmp_path: Path
) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    for number, text in enumerate(("Keeps bees", "Plays chess")):
        item: dict[str, Any] = {"id": f"{number}", "memory": text, "hash": "0", "user_id": "ines"}
        (folder / f"{number}.json").write_text(json.dumps({"results": [item]}))
    importing.import_path(empty, folder, progress=quiet)
    assert memories.count(empty, "is:gone") == 0


def test_a_cancelled_import_of_a_file_without_an_account_is_taken_up(empty: Profile, tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": [{"id": "1", "memory": "Keeps bees", "hash": "0", "score": 1}]}))
    with pytest.raises(Cancelled):
        importing.import_path(empty, path, progress=cancelling)
    importing.import_path(empty, path, progress=quiet)
    assert [row.state for row in imports.list(empty)] == ["done"]
