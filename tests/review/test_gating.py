"""A history through gate and ledger over values: the quota of questions, blocks, and odd clocks."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import pytest

from memreview.gate.reading import NEAREST
from memreview.language.gate_reader import Impression, Meeting
from memreview.language.seeker import Seeker
from memreview.ledger import Ledger
from memreview.records.entry import Origin
from memreview.records.gate import Event
from memreview.review import gating
from memreview.review.asking import topic_of
from memreview.review.gating import Models, Replay, read_ahead
from tests.ledger import histories
from tests.ledger.histories import held, snapshot, told, verdict
from tests.review.gates import RelationReader
from tests.review.histories import asking

DAY = 86_400_000_000
TEXTS = (
    "I live in Lisbon, near the river.", "Thanks, that worked.", "Our cat is called Pixel.", "I play the trombone.",
    "I am allergic to walnuts.", "We moved to Porto last week.", "I cycle to work.", "What is the capital of Peru?",
    "I work as a baker.", "I live in Porto now, near the bridge.", "I speak Welsh at home.", "I go running on Sundays.",
    "My sister is a pilot.", "I prefer short answers.", "I gave up coffee.", "I keep bees on the roof.",
)  # fmt: skip


def events(times: Sequence[int] = range(len(TEXTS))) -> list[Event]:
    return [
        Event(f"e{n}", f"s{n // 4}", 1_750_000_000_000_000 + at * DAY, Origin.USER, text)
        for n, (at, text) in enumerate(zip(times, TEXTS, strict=True))
    ]


def play(models: Models, history: Sequence[Event]) -> Replay:
    replay = Replay(Ledger(), models)
    for _ in replay.run(history):
        pass
    return replay


def test_at_most_one_question_in_twelve_events_but_for_a_few(models: Models) -> None:
    replay = Replay(Ledger(), asking(models))
    for outcome in replay.run(events() * 3):
        assert len(replay.asking.questions) == replay.asked
        assert (replay.asked - gating.SAVED_UP) * gating.EVENTS_A_QUESTION < replay.events, outcome.event.id
    assert replay.asked > gating.SAVED_UP


def test_doubts_that_come_together_are_asked_together(models: Models) -> None:
    apart = ("I live in Lisbon, near the river.", "I play the trombone.", "I am allergic to walnuts.", "I keep bees.")
    history = [
        Event(f"e{n}", f"s{n}", 1_750_000_000_000_000 + n * DAY, Origin.USER, text) for n, text in enumerate(apart)
    ]
    outcomes = list(Replay(Ledger(), asking(models)).run(history))
    assert [outcome.asked for outcome in outcomes] == [True] * gating.SAVED_UP + [False]


def test_a_question_whether_something_is_meant_is_about_nothing_that_is_held(models: Models) -> None:
    nodes = [dataclasses.replace(held("n1"), claim=TEXTS[0], vector=models.embedder.encode([TEXTS[0]])[0])]
    for said, topic, about in ((TEXTS[5], "changed", "n1"), ("I keep bees on the roof.", "meant", None)):
        replay = Replay(Ledger(nodes), asking(models))
        (outcome,) = replay.run([Event("e1", "s1", 1_800_000_000_000_000, Origin.USER, said)])
        (question,) = replay.asking.questions
        assert (question.topic, question.target, outcome.verdict and outcome.verdict.target) == (topic, about, about)
        assert [edge.target for edge in replay.ledger.edges("e1", "contends")] == ([about] if about else [])


def test_without_a_quota_it_asks_whenever_the_gate_would(models: Models) -> None:
    replay = Replay(Ledger(), asking(models), quota=False)
    outcomes = list(replay.run(events()))
    claimed = [one for one in outcomes if one.claim is not None]
    assert claimed
    assert all(outcome.asked for outcome in claimed)


@pytest.mark.parametrize("block", [1, 3, 7])
def test_blocks_of_any_size_give_the_same_ledger(models: Models, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play(models, events())
    monkeypatch.setattr(gating, "BLOCK", block)
    cut = play(models, events())
    assert snapshot(cut.ledger) == snapshot(whole.ledger)
    assert cut.state.to_bytes() == whole.state.to_bytes()


def test_clocks_that_jump_and_gaps_of_years_are_borne(models: Models) -> None:
    times = [0, 0, 0, 4_000, -300, 5, 5, 9_000, -9_000, 1, 2, 3, 3, 3, 20_000, 0]
    replay = play(models, events(times))
    assert replay.events == len(TEXTS)
    assert replay.at == max(event.at for event in events(times))
    assert all(node.corroborated_at >= node.written_at for node in replay.ledger)


def test_a_block_is_read_while_the_one_before_is_decided() -> None:
    second = threading.Event()

    def read(block: int) -> int:
        if block == 2:
            second.set()
        return -block

    found = []
    for block, what in read_ahead(iter([1, 2, 3]), read):
        if block == 1:
            assert second.wait(timeout=10), "the second block waits for the first to be decided"
        found.append((block, what))
    assert found == [(1, -1), (2, -2), (3, -3)]
    assert list(read_ahead([], read)) == []


def test_what_goes_wrong_while_reading_ahead_comes_after_what_was_read() -> None:
    def read(block: int) -> int:
        if block == 2:
            raise ValueError("broken")
        return block

    ahead = read_ahead([1, 2, 3], read)
    assert next(ahead) == (1, 1)
    with pytest.raises(ValueError, match="broken"):
        next(ahead)


def test_to_know_the_next_claim_changes_nothing(models: Models) -> None:
    """Also where a step changes what the next claim meets, so that what was read ahead is of no use."""
    history = events()
    claims = Replay(Ledger(), models).read(history)
    alone, ahead = Replay(Ledger(), models), Replay(Ledger(), models)
    for event, claim, upcoming in zip(history, claims, ahead.expect(claims), strict=True):
        one, other = alone.step(event, claim), ahead.step(event, claim, upcoming)
        assert [bearing.node.id for bearing in one.bearings] == [bearing.node.id for bearing in other.bearings]
        assert one.verdict == other.verdict
    assert snapshot(alone.ledger) == snapshot(ahead.ledger)


def test_what_a_claim_concerns_is_looked_for_where_the_seeker_says(models: Models) -> None:
    near = [f"I keep {number + 2} bees on the roof." for number in range(NEAREST)]
    far = "I am allergic to walnuts."
    said = Event("e1", "s1", 1_750_000_000_000_000, Origin.USER, "My bees on the roof are gone.")
    nodes = [
        dataclasses.replace(held(f"n{place}"), claim=text, vector=vector)
        for place, (text, vector) in enumerate(zip([*near, far], models.embedder.encode([*near, far]), strict=True))
    ]
    turn = np.outer(nodes[-1].vector, models.embedder.encode([said.text])[0])
    found = []
    for strength in (0, 9):
        reader = RelationReader(models.relations)
        reader.seeker = Seeker(strength * turn)
        (last,) = Replay(Ledger(nodes), dataclasses.replace(models, reader=reader)).run([said])
        assert last.claim
        cosines = [float(bearing.node.vector @ last.claim.vector) for bearing in last.bearings]
        assert [bearing.similarity for bearing in last.bearings] == pytest.approx(cosines)
        found.append(far in [bearing.node.claim for bearing in last.bearings])
    assert found == [False, True]


def test_what_was_read_ahead_is_not_read_again_over_the_ends_of_blocks(models: Models) -> None:
    asked: list[Meeting] = []

    class Counting:
        seeker = models.reader.seeker

        def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
            asked.extend(meetings)
            return models.reader.read(meetings)

    replay = Replay(Ledger(), dataclasses.replace(models, reader=Counting()))
    claims = [claim for claim in replay.read(events(), least=0.0) if claim is not None]
    for block in (claims[:5], claims[5:9], claims[9:]):
        for claim, upcoming in zip(block, replay.expect(block), strict=True):
            assert replay.bearings(claim, upcoming) == ()
    assert sorted(one.text for one in asked) == sorted(claim.event.text for claim in claims)


def test_the_claim_that_follows_each(models: Models) -> None:
    replay = Replay(Ledger(), models)
    one, other, *_ = (claim for claim in replay.read(events()) if claim is not None)
    assert replay.expect([None, one, None, other, None]) == [one, other, other, None, None]
    assert replay.expect([]) == []


def test_who_stops_does_not_wait_for_what_is_read_ahead() -> None:
    begun, going_on = threading.Event(), threading.Event()
    ended = []

    def read(block: int) -> int:
        if block == 2:
            begun.set()
            ended.append(going_on.wait(timeout=10))
        return block

    with closing(read_ahead([1, 2, 3], read)) as ahead:
        assert next(ahead) == (1, 1)
        assert begun.wait(timeout=10)
    assert not ended
    going_on.set()


@pytest.mark.parametrize(("concern", "ask", "topic"), [(0.9, 0.6, "changed"), (0.2, 0.6, "meant"), (0.9, 0.3, "meant")])
def test_a_hint_about_something_that_is_held_asks_whether_that_changed(concern: float, ask: float, topic: str) -> None:
    made = histories.claim(1, told())
    about = dataclasses.replace(histories.bearing(held("n1", topic=1), made), concern=concern)
    said = verdict(told(action="ask"), "n1")
    shares = {**dict.fromkeys(said.probabilities, 0.0), "ask": ask, "add": 1 - ask}
    assert topic_of(made, dataclasses.replace(said, probabilities=shares), [about]) == topic
