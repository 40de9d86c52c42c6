"""What taking back and doing again an import, or a step of the gate, leaves of what the gate did."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memreview.records import Bundle, EntryRef
from memreview.review import decisions, gate_runs, history, quarantine
from memreview.review.gating import Models
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb
from memreview.store import integrity
from memreview.store import ledger as stored
from memreview.store.journal import UndoBlocked
from tests.review import histories
from tests.review.builders import import_into
from tests.review.histories import PLANTED, REMEMBERED, later, page, profile_with_history, read, remembered
from tests.store.builders import chat, said, store_of

ROWS = {
    "nodes": "SELECT * FROM nodes ORDER BY id",
    "edges": "SELECT * FROM edges ORDER BY id",
    "node_memories": "SELECT * FROM node_memories ORDER BY id",
    "questions": "SELECT * FROM questions ORDER BY id",
    "memories": "SELECT id, status FROM memories ORDER BY id",
    **{
        log: f"SELECT l.* FROM {log} l JOIN journal j ON j.id = l.journal_id AND j.state = 'done' ORDER BY 1, 2"
        for log in ("gated", "gate_runs", "gate_decisions", "ledger_log")
    },
}
NOT_LIVE = """SELECT n.key, e.value FROM nodes n, json_each(n.events) e WHERE e.value NOT IN (
    SELECT 'e' || id FROM live_entries UNION ALL SELECT 'm' || id FROM live_memories)"""
EXPORTS: tuple[list[Bundle], ...] = (
    [
        chat("a1", said("m1", "I live in Lisbon, near the river."), said("m2", "Our cat is called Pixel.")),
        chat("a2", said("m1", "Which pushchair folds smallest?", day=2), page("m2", PLANTED, day=2)),
    ],
    [
        chat("b1", said("m1", "I live in Lisbon and I need a plumber near the river.", day=30)),
        store_of(remembered("a", "Lives in Lisbon, near the river", day=30, evidence=EntryRef("b1", "m1"))),
    ],
    [store_of(remembered("b", REMEMBERED, day=40, evidence=EntryRef("a2", "m1")), complete=False)],
    [chat("c1", said("m1", "We moved to Porto last week.", day=60)), store_of(complete=False)],
)
"""Each rests on some of those before it: says it again, is said by it, is filed under it."""
MEMORY = [
    store_of(remembered("d", "Lives near the river in Lisbon", day=40, evidence=EntryRef("c1", "m1")), complete=False)
]
"""Says what the small history says."""


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    """Two imports, each with a step of the gate."""
    made = profile_with_history(tmp_path)
    yield made
    made.close()


@pytest.fixture
def two(profile: Profile, models: Models) -> Profile:
    read(profile, models)
    import_into(profile, *later(), name="newer.zip")
    read(profile, models)
    return profile


def rows(profile: Profile) -> dict[str, list[tuple[Any, ...]]]:
    return {name: [tuple(row) for row in profile.database.execute(sql)] for name, sql in ROWS.items()}


def steps_of(profile: Profile, verb: str) -> list[int]:
    """Standing ones, oldest first."""
    return [step.id for step in reversed(history.steps(profile)) if step.verb == verb and step.state == "done"]


@pytest.mark.parametrize("place", [0, 1])
def test_an_import_that_is_done_again_at_once_is_as_it_was(two: Profile, models: Models, place: int) -> None:
    before, decided = rows(two), stored.last_run(two.database)
    history.undo(two, steps_of(two, "import")[place])
    assert rows(two) != before
    history.redo(two)
    assert rows(two) == before
    assert stored.last_run(two.database) == decided
    assert read(two, models).events == 0


def test_a_planted_memory_is_held_back_the_moment_its_import_is_done_again(profile: Profile, models: Models) -> None:
    read(profile, models)
    status = "SELECT status FROM memories WHERE text = ?"
    assert profile.database.value(status, (REMEMBERED,)) == "quarantined"
    history.undo(profile)
    history.redo(profile)
    assert profile.database.value(status, (REMEMBERED,)) == "quarantined"


def test_what_was_read_meanwhile_is_kept_and_the_rest_is_read_anew(two: Profile, models: Models) -> None:
    history.undo(two, steps_of(two, "import")[0])
    assert read(two, models).events == 1
    meanwhile = steps_of(two, "gate")
    history.redo(two)
    assert steps_of(two, "gate") == meanwhile
    assert read(two, models).events > 1
    assert not problems(two)


def test_imports_taken_back_one_by_one_come_back_one_by_one(two: Profile, models: Models) -> None:
    states = [rows(two)]
    for step in reversed(steps_of(two, "import")):
        history.undo(two, step)
        states.append(rows(two))
    for expected in reversed(states[:-1]):
        history.redo(two)
        assert rows(two) == expected


def test_a_decision_on_what_is_read_anew_is_not_done_again(profile: Profile, models: Models) -> None:
    import_into(profile, chat("c5", page("m1", "The reader keeps three goats in Évora.", day=5)), name="page.zip")
    read(profile, models)
    goats = profile.database.value("SELECT id FROM nodes WHERE claim LIKE '%goats%'")
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(3,)))
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(goats,)))
    added = profile.database.value("SELECT max(id) FROM memories")
    decisions.decide(profile, Decision(verb=Verb.EDIT, memories=(added,), text="Keeps goats"))
    for _ in range(3):
        history.undo(profile)
    history.undo(profile, steps_of(profile, "import")[0])
    read(profile, models)
    again = []
    while step := history.redo(profile):
        again.append(step.verb)
    assert again == ["import", "delete"]
    assert not problems(profile)


def test_a_step_of_the_gate_is_not_taken_back_from_under_a_later_one(two: Profile) -> None:
    before = rows(two)
    first, last = steps_of(two, "gate")
    with pytest.raises(UndoBlocked) as blocked:
        history.undo(two, first)
    assert blocked.value.blockers == [last]
    assert rows(two) == before


def test_an_import_goes_with_all_that_rests_on_it_or_not_at_all(two: Profile, models: Models) -> None:
    """A decision on what the gate found stands in the way, and behind it an import that holds the same again."""
    import_into(two, *histories.history(), name="again.zip")
    read(two, models)
    decisions.decide(two, Decision(verb=Verb.KEEP, nodes=(quarantine.ids(two)[0],)))
    first, unrelated, again = steps_of(two, "import")
    kept, before = steps_of(two, "keep")[0], rows(two)
    later = [step.id for step in history.resting_on(two, first)]
    assert {kept, again, *steps_of(two, "gate")} == set(later)
    with pytest.raises(UndoBlocked):
        history.undo_all(two, [kept, first])
    assert rows(two) == before
    assert [step.id for step in history.undo_all(two, [first, *later])] == [*later, first]
    assert steps_of(two, "import") == [unrelated]
    assert not problems(two)


def test_a_memory_that_a_later_step_ties_to_a_claim_keeps_the_claims_step(profile: Profile, models: Models) -> None:
    """Where no row was changed twice."""
    read(profile, models)
    import_into(profile, *MEMORY, name="memories.json")
    read(profile, models)
    gate, last = steps_of(profile, "gate")
    with pytest.raises(UndoBlocked) as blocked:
        history.undo(profile, gate)
    assert last in blocked.value.blockers


@pytest.mark.parametrize("block", [1, 256])
@pytest.mark.parametrize("bundles", [[*later(), *EXPORTS[0]], MEMORY], ids=["claims", "memories"])
def test_what_is_taken_back_while_it_is_read_is_not_written(
    profile: Profile, models: Models, bundles: list[Bundle], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the rest of it was to be read later."""
    monkeypatch.setattr(gate_runs, "BLOCK", block)
    read(profile, models)
    before = rows(profile)
    import_into(profile, *bundles, name="newer.zip")
    gate_runs.run(profile, once(lambda: history.undo(profile)), models)
    assert not profile.database.all(NOT_LIVE)
    assert {name: found for name, found in rows(profile).items() if name != "memories"} == {
        name: found for name, found in before.items() if name != "memories"
    }


def test_what_is_taken_back_while_the_models_are_loaded_is_not_written(
    profile: Profile, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(embedder: object) -> Models:
        history.undo(profile)
        return models

    monkeypatch.setattr(Models, "load", load)
    gate_runs.run(profile, lambda stage, done, total: None)
    assert not profile.database.all("SELECT * FROM nodes")


def test_what_comes_back_while_the_check_reads_it_is_not_written_twice(profile: Profile, models: Models) -> None:
    read(profile, models)
    import_into(profile, *MEMORY, name="memories.json")
    read(profile, models)
    before = rows(profile)
    history.undo(profile, steps_of(profile, "import")[0])
    gate_runs.run(profile, once(lambda: history.redo(profile)), models)
    assert rows(profile) == before


def test_two_runs_at_once_tie_a_memory_once(profile: Profile, models: Models, tmp_path: Path) -> None:
    read(profile, models)
    import_into(profile, *MEMORY, name="memories.json")
    other = Profile.open(tmp_path)
    gate_runs.run(profile, once(lambda: read(other, models)), models)
    other.close()
    assert len(steps_of(profile, "gate")) == 2


def once(act: Callable[[], object]) -> Callable[[str, int, int], None]:
    done: list[object] = []

    def progress(stage: str, at: int, total: int) -> None:
        if not done:
            done.append(act())

    return progress


def problems(profile: Profile) -> list[str]:
    return [problem for _, problem, _ in integrity.check(profile.database) if problem]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    acts=st.lists(
        st.tuples(st.sampled_from(["import", "read", "decide", "undo", "redo"]), st.integers(0, 9)), max_size=14
    )
)
def test_in_any_order_no_belief_outlives_its_import(models: Models, acts: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as home:
        profile = Profile.open(Path(home))
        exports = enumerate(EXPORTS)
        for act, place in [("import", 0), ("read", 0), *acts, ("read", 0)]:
            if act == "import" and (export := next(exports, None)):
                import_into(profile, *export[1], name=f"{export[0]}.zip")
            elif act == "read":
                read(profile, models)
            elif act == "decide" and (held := quarantine.ids(profile, evicted=True)):
                decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(held[place % len(held)],)))
            elif act == "redo":
                with suppress(UndoBlocked):  # a decision on what the gate has changed since
                    history.redo(profile)
            elif act == "undo":
                undo_twice(profile, place)
            assert not profile.database.all(NOT_LIVE)
            assert not problems(profile)
        profile.close()


def undo_twice(profile: Profile, place: int) -> None:
    """Undo a step, and once more after it was done again, which brings a step of the gate back that was on top."""
    standing = [step.id for step in history.steps(profile) if step.state == "done"]
    if not standing:
        return
    step, before = standing[place % len(standing)], rows(profile)
    top = history.peek(profile)[1]
    try:
        history.undo(profile, step)
    except UndoBlocked:
        assert rows(profile) == before
        return
    history.redo(profile)
    assert rows(profile) == before or (top is not None and top.verb == "gate")
    history.undo(profile, step)
