"""Deciding, previewing, undoing: the person's side of the store."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.review import decisions, history, memories, queue
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb
from tests.review.builders import profile_with_cases

LATER = time.time_ns() // 1000 + 86_400_000_000


def where(profile: Profile) -> dict[str, str]:
    return {row["text"]: row["status"] for row in profile.database.execute("SELECT text, status FROM memories")}


def rows(profile: Profile) -> dict[str, list[Any]]:
    tables = ("memories", "transitions", "tombstones", "memory_evidence")
    return {name: [tuple(row) for row in profile.database.execute(f"SELECT * FROM {name}")] for name in tables}


def test_the_queue_is_ranked_with_what_is_proven_first(profile: Profile) -> None:
    assert queue.ids(profile) == [1, 2]
    assert queue.ids(profile, kind="duplicate") == [2]
    assert queue.counts(profile).pending == 2


def test_approving_supersedes_the_old_and_adds_the_new(profile: Profile) -> None:
    step = decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    assert step.label == "Approve 1 case"
    assert where(profile) | {"Lives in Lisbon": "superseded", "Lives in Porto": "active"} == where(profile)
    assert queue.ids(profile) == [2]
    detail = memories.detail(profile, 5)
    assert detail.row.added
    assert detail.sources[0].entries[0].text == "We moved to Porto last week."


def test_approving_a_duplicate_adds_nothing(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(2,)))
    assert where(profile)["Is allergic to walnuts"] == "superseded"
    assert len(where(profile)) == 4


def test_rejecting_keeps_the_memory_and_never_asks_again(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.REJECT, transitions=(1,)))
    assert where(profile)["Lives in Lisbon"] == "active"
    assert queue.ids(profile) == [2]


def test_scoping_lets_both_hold(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.SCOPE, transitions=(1,), scope="weekdays", until=LATER))
    assert where(profile)["Lives in Lisbon"] == "active"
    new = memories.rows(profile, [5])[0]
    assert (new.text, new.scope, new.valid_until) == ("Lives in Porto", "weekdays", LATER)


def test_forgetting_and_restoring(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(4,)))
    assert where(profile)["Keeps bees"] == "deleted"
    decisions.decide(profile, Decision(verb=Verb.RESTORE, memories=(4,)))
    assert where(profile)["Keeps bees"] == "active"
    assert profile.database.value("SELECT count(*) FROM tombstones") == 0


@pytest.mark.parametrize("verb", [Verb.RESTORE, Verb.REJECT])
@pytest.mark.parametrize("status", ["active", "superseded", "quarantined", "evicted", "deleted"])
def test_a_case_brings_back_only_what_is_gone(profile: Profile, verb: Verb, status: str) -> None:
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    profile.database.execute("UPDATE memories SET status = ? WHERE id = 1", (status,))
    decisions.decide(profile, Decision(verb=verb, transitions=(1,)))
    assert where(profile)["Lives in Lisbon"] == ("active" if status in ("superseded", "deleted") else status)


def test_snoozing_hides_until_the_time_comes(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.SNOOZE, transitions=(1,), until=LATER))
    assert queue.ids(profile) == [2]
    assert queue.ids(profile, include_snoozed=True) == [1, 2]
    decisions.decide(profile, Decision(verb=Verb.SNOOZE, transitions=(1,), until=1))
    assert queue.ids(profile) == [1, 2]


def test_editing_keeps_the_original_wording(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.EDIT, memories=(4,), text="Keeps two hives"))
    detail = memories.detail(profile, 4)
    assert (detail.row.text, detail.imported_text) == ("Keeps two hives", "Keeps bees")
    assert [step.verb for step in detail.steps] == ["edit"]


@pytest.mark.parametrize(
    "decision",
    [
        Decision(verb=Verb.SCOPE, transitions=(1,)),
        Decision(verb=Verb.EDIT, memories=(1,), text="  "),
        Decision(verb=Verb.SNOOZE, transitions=(1,)),
        Decision(verb=Verb.APPROVE, memories=(1,)),
        Decision(verb=Verb.SCOPE, transitions=(2,), scope="work"),
    ],
)
def test_decisions_that_make_no_sense_change_nothing(profile: Profile, decision: Decision) -> None:
    before = rows(profile)
    with pytest.raises(ValueError, match=r".+"):
        decisions.decide(profile, decision)
    assert rows(profile) == before


def test_a_preview_says_what_would_change_and_changes_nothing(profile: Profile) -> None:
    before = rows(profile)
    preview = decisions.preview(profile, Decision(verb=Verb.APPROVE, transitions=(1, 2)))
    assert preview.counts["memories superseded"] == 2
    assert preview.counts["memories added"] == 1
    assert {change.title for change in preview.changes if change.target == "memory"} >= {"Lives in Lisbon"}
    assert rows(profile) == before
    assert [step.verb for step in history.steps(profile)] == ["audit", "import"]


DECISIONS = st.builds(
    Decision,
    verb=st.sampled_from(Verb),
    transitions=st.lists(st.sampled_from([1, 2, 99]), max_size=2, unique=True).map(tuple),
    memories=st.lists(st.sampled_from([1, 2, 3, 4, 5, 99]), max_size=3, unique=True).map(tuple),
    scope=st.sampled_from(["", "work"]),
    text=st.sampled_from(["", "Something else", "Keeps bees"]),
    until=st.sampled_from([None, 1, LATER]),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(DECISIONS, min_size=1, max_size=8))
def test_any_sequence_of_decisions_undone_gives_the_very_same_rows(sequence: list[Decision]) -> None:
    with TemporaryDirectory() as folder:
        profile = profile_with_cases(Path(folder))
        before, taken = rows(profile), 0
        for decision in sequence:
            try:
                decisions.decide(profile, decision)
                taken += 1
            except (ValueError, LookupError):
                continue
        after = rows(profile)
        for _ in range(taken):
            assert history.undo(profile) is not None
        assert rows(profile) == before
        while history.redo(profile):
            pass
        assert rows(profile) == after
        profile.close()


def test_going_back_to_a_point_undoes_all_that_came_later(profile: Profile) -> None:
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(4,)))
    point = rows(profile)
    step = history.steps(profile)[0]
    decisions.decide(profile, Decision(verb=Verb.APPROVE, transitions=(1,)))
    decisions.decide(profile, Decision(verb=Verb.EDIT, memories=(5,), text="Lives in Porto now"))
    preview = history.preview_back_to(profile, step.id)
    assert preview.counts["memories removed"] == 1
    assert [undone.verb for undone in history.back_to(profile, step.id)] == ["edit", "approve"]
    assert rows(profile) == point


def test_undoing_the_import_hides_its_cases(profile: Profile) -> None:
    history.undo(profile, 1)
    assert queue.ids(profile) == []
    assert memories.ids(profile) == []


def test_an_import_is_not_undone_under_decisions_on_what_it_brought(profile: Profile) -> None:
    step = decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(4,)))
    with pytest.raises(history.UndoBlocked) as blocked:
        history.undo(profile, 1)
    assert blocked.value.blockers == [step.id]
    history.undo(profile, step.id)
    assert history.undo(profile, 1) is not None


def test_a_case_whose_proof_is_gone_does_not_ask(profile: Profile) -> None:
    profile.database.execute("UPDATE entries SET replaced_by = id WHERE text LIKE 'We moved%'")
    assert queue.ids(profile) == [2]


def test_a_case_shows_both_quotations_in_their_conversations(profile: Profile) -> None:
    case = queue.case(profile, 1)
    assert case.old_context is not None
    assert case.new_context is not None
    assert case.old_context.entries[0].highlights == ((0, 33),)
    assert case.new_context.title == "Moving"
    assert [point.value for point in case.timeline] == ["Lisbon", "Lisbon", "Porto"]
    with pytest.raises(LookupError):
        queue.case(profile, 99)
