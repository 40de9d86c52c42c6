"""A profile's history through the gate: what it comes to, however it is cut, stopped, undone and taken up again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from memreview.ledger import POLICY, rules
from memreview.ledger.draft import Draft
from memreview.records import Bundle, Entry, Moment, Origin
from memreview.review import (
    belief_views,
    beliefs,
    decisions,
    exports,
    gate_runs,
    history,
    memories,
    quarantine,
    queue,
    why,
)
from memreview.review.gating import Models
from memreview.review.profile import Profile
from memreview.review.values import Cancelled, Decision, Verb
from memreview.store import integrity, journal
from memreview.store import ledger as stored
from memreview.store.journal import UndoBlocked
from tests.review import histories
from tests.review.builders import import_into
from tests.review.histories import PLANTED, REMEMBERED, profile_with_history, read
from tests.store.builders import chat, kept, said, store_of


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    made = profile_with_history(tmp_path)
    yield made
    made.close()


def ledger(profile: Profile) -> list[list[tuple[Any, ...]]]:
    """Every node and edge, by the keys of what wrote them."""
    nodes = profile.database.execute(
        """SELECT key, claim, layer, scope, status, written_at, corroborated_at, confidence, origins, events,
             corroborations, revised_at FROM nodes ORDER BY key"""
    )
    edges = profile.database.execute(
        """SELECT e.kind, s.key, t.key, e.at, e.probability, e.sessions FROM edges e JOIN nodes s ON s.id = e.source
           JOIN nodes t ON t.id = e.target ORDER BY 1, 2, 3"""
    )
    return [[tuple(row) for row in nodes], [tuple(row) for row in edges]]


def status_of(profile: Profile, text: str) -> str:
    return str(profile.database.value("SELECT status FROM memories WHERE text = ?", (text,)))


def test_what_a_page_planted_is_held_back_and_its_memory_with_it(profile: Profile, models: Models) -> None:
    summary = read(profile, models)
    assert summary.quarantined >= 1
    assert status_of(profile, REMEMBERED) == "quarantined"
    assert status_of(profile, "Lives in Lisbon, near the river") == "active"
    assert status_of(profile, "Keeps bees") == "active"
    counts = queue.counts(profile)
    assert counts.planted == 1
    exported = [memory.text for memory in exports.corrected(profile) if memory.stays]
    assert REMEMBERED not in exported
    assert len(exported) == 2


def test_what_the_person_says_again_is_one_belief_that_memories_share(profile: Profile, models: Models) -> None:
    read(profile, models)
    rows = profile.database.all("SELECT key, events, corroborations FROM nodes WHERE claim LIKE '%Lisbon%'")
    assert len(rows) == 1
    assert rows[0]["corroborations"] == 1
    memory = profile.database.value("SELECT id FROM memories WHERE text LIKE 'Lives in Lisbon%'")
    assert profile.database.value("SELECT count(*) FROM node_memories WHERE memory_id = ?", (memory,)) == 1


def test_a_step_says_what_it_read(profile: Profile, models: Models) -> None:
    read(profile, models)
    assert re.match(r"Read \d+ messages and 3 memories for what is new", history.steps(profile, limit=1)[0].label)
    import_into(profile, store_of(kept("z", "Plays the trombone"), complete=False), name="memories.json")
    read(profile, models)
    assert history.steps(profile, limit=1)[0].label == "Read 1 memory for what is new"


def test_a_memory_of_unknown_time_says_no_day(profile: Profile, models: Models) -> None:
    undated = msgspec.structs.replace(kept("z", "Plays the trombone"), created=Moment(None))
    import_into(profile, store_of(undated, complete=False), name="memories.json")
    read(profile, models)
    ids = [row["id"] for row in profile.database.execute("SELECT id FROM nodes")]
    at = {row.claim: row.at for row in belief_views.node_rows(profile, ids)}
    assert at["Plays the trombone"] is None
    assert at["Keeps bees"]


def test_who_says_again_what_was_held_is_not_told_that_it_no_longer_counts(profile: Profile, models: Models) -> None:
    read(profile, models)
    found = {row["key"]: stored.node(row) for row in profile.database.execute("SELECT * FROM nodes WHERE key < 'm'")}
    said_again, rival = (node for node in found.values() if node.status == "active")
    draft = Draft(found.__getitem__, lambda key: [], POLICY, said_again.written_at, "")
    rules.supersede(draft, said_again, rival, "dismissed")
    with journal.action(profile.database, "gate", "program") as act:
        beliefs.keep(profile.database, act, draft.changes)
    lives = [why.of_node(profile, stored.number(profile.database, node.id)) for node in (said_again, rival)]
    over = [any("so this no longer counts" in line.text for line in life.lines) for life in lives]
    assert over == [False, True]


def test_nothing_is_read_twice(profile: Profile, models: Models) -> None:
    first = read(profile, models)
    before = ledger(profile)
    again = read(profile, models)
    assert first.events > 0
    assert again.events == 0
    assert ledger(profile) == before


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_ledger_does_not_depend_on_the_steps(
    profile: Profile, models: Models, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(profile, models)
    other = profile_with_history(tmp_path / "other")
    monkeypatch.setattr(gate_runs, "STEP", step)
    monkeypatch.setattr("memreview.review.gate_runs.BLOCK", 1)
    read(other, models)
    assert ledger(other) == ledger(profile)
    other.close()


def test_a_stopped_run_keeps_what_it_read_and_goes_on_after_it(
    profile: Profile, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(profile, models)
    other = profile_with_history(tmp_path / "other")
    monkeypatch.setattr("memreview.review.gate_runs.BLOCK", 2)

    def stop(stage: str, done: int, total: int) -> None:
        if done >= 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        gate_runs.run(other, stop, models)
    assert 0 < other.database.value("SELECT count(*) FROM gated") < 10
    read(other, models)
    assert ledger(other) == ledger(profile)
    other.close()


def test_undo_takes_a_run_back_and_the_next_one_does_it_again(profile: Profile, models: Models) -> None:
    read(profile, models)
    before = ledger(profile)
    step = next(step for step in history.steps(profile) if step.verb == "gate")
    history.undo(profile, step.id)
    assert ledger(profile) == [[], []]
    assert status_of(profile, REMEMBERED) == "active"
    read(profile, models)
    assert ledger(profile) == before
    assert not [problem for _, problem, _ in integrity.check(profile.database) if problem]


def test_an_undone_import_takes_its_claims_along(profile: Profile, models: Models) -> None:
    read(profile, models)
    before = ledger(profile)
    import_into(profile, *histories.later(), name="newer.zip")
    read(profile, models)
    assert ledger(profile) != before
    history.undo(profile)
    assert ledger(profile) == before
    assert queue.counts(profile).imports == 1


def test_an_import_is_not_undone_under_a_decision_on_what_it_brought(profile: Profile, models: Models) -> None:
    read(profile, models)
    step = decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=tuple(quarantine.ids(profile)[:1])))
    first = journal.entries(profile.database)[-1]
    with pytest.raises(UndoBlocked) as blocked:
        history.undo(profile, first.id)
    assert step.id in blocked.value.blockers


def test_what_the_person_had_remembered_is_not_read_as_news(profile: Profile, models: Models) -> None:
    import_into(
        profile, chat("c5", histories.page("m1", "The reader keeps three goats in Évora.", day=5)), name="p.zip"
    )
    read(profile, models)
    waiting = [item.id for item in quarantine.items(profile, quarantine.ids(profile, evicted=True))]
    free = next(item.id for item in quarantine.items(profile, waiting) if not item.memories)
    decisions.decide(profile, Decision(verb=Verb.RELEASE, nodes=(free,)))
    before = ledger(profile)
    assert read(profile, models).events == 0
    assert ledger(profile) == before


def test_a_decision_during_a_run_is_not_lost(profile: Profile, models: Models) -> None:
    read(profile, models)
    claim = quarantine.ids(profile)[0]
    import_into(profile, *histories.later(), name="newer.zip")

    def decide_meanwhile(stage: str, done: int, total: int) -> None:
        if claim in quarantine.ids(profile):
            decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(claim,)))

    gate_runs.run(profile, decide_meanwhile, models)
    assert profile.database.value("SELECT status FROM nodes WHERE id = ?", (claim,)) == "deleted"
    assert profile.database.value("SELECT count(*) FROM nodes WHERE claim LIKE '%Porto%'") == 1


def test_two_runs_at_once_read_everything_once(profile: Profile, models: Models, tmp_path: Path) -> None:
    other = Profile.open(tmp_path)
    ran = []

    def run_meanwhile(stage: str, done: int, total: int) -> None:
        if not ran:
            ran.append(read(other, models))

    gate_runs.run(profile, run_meanwhile, models)
    other.close()
    again = profile_with_history(tmp_path / "again")
    read(again, models)
    assert ledger(profile) == ledger(again)
    assert profile.database.value("SELECT count(*) FROM gated") == again.database.value("SELECT count(*) FROM gated")
    again.close()


def test_nothing_more_is_taken_from_a_source_that_the_person_blocked(profile: Profile, models: Models) -> None:
    read(profile, models)
    case = quarantine.case(profile, quarantine.ids(profile)[0])
    assert case.item.provenance.blockable
    assert case.item.provenance.name == "reviews.example"
    decisions.decide(profile, Decision(verb=Verb.NEVER, nodes=(case.item.id,)))
    assert status_of(profile, REMEMBERED) == "deleted"
    import_into(profile, chat("c9", histories.page("m1", PLANTED, day=40)), name="again.zip")
    read(profile, models)
    assert not quarantine.ids(profile, evicted=True)
    assert [name for _, name in quarantine.blocked(profile)] == ["reviews.example"]


def test_a_missing_gate_is_said_and_changes_nothing(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memreview.review.gating.gate_folder", lambda: Path("nowhere"))
    summary = gate_runs.run(profile, lambda stage, done, total: None)
    assert "missing" in summary.reason
    assert ledger(profile) == [[], []]
    assert memories.count(profile, "is:active") == 3


def odd_times() -> list[Bundle]:
    """Equal times, unknown ones, a clock that went back, and a gap of years."""
    unknown = Entry(native_id="m2", origin=Origin.USER, text="I play the trombone in a band.")
    return [
        chat("t1", said("m1", "I live in Lisbon."), said("m2", "I have a cat."), said("m3", "I play chess.")),
        chat("t2", said("m1", "I speak Welsh at home.", day=9), unknown),
        chat("t3", said("m1", "I am vegetarian.", day=-4_000), said("m2", "I am vegetarian.", day=3_000)),
    ]


def test_odd_clocks_are_read_and_their_order_is_kept(tmp_path: Path, models: Models) -> None:
    profile = Profile.open(tmp_path)
    import_into(profile, *odd_times())
    assert read(profile, models).events == 7
    written = dict(profile.database.execute("SELECT claim, written_at FROM nodes").fetchall())
    assert written["I play the trombone in a band."] == written["I speak Welsh at home."]
    assert not [problem for _, problem, _ in integrity.check(profile.database) if problem]
    profile.close()
