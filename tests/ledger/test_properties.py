"""What holds of the ledger whatever is said, by whom, and when."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memreview.language import state_schema
from memreview.ledger import POLICY, Ledger, decay
from memreview.records.entry import DAY, Origin
from memreview.records.gate import LAYERS
from tests.ledger.histories import START, TOPICS, Told, held, histories, play, snapshot, step, vector

stable_start = st.sampled_from(((), (held("n1"),), (held("n1"), held("n2", 1, 1, "contextual"))))


@given(histories(), stable_start, st.integers(-100, 6_000))
def test_what_is_in_quarantine_or_evicted_is_never_retrieved(
    history: list[Told], start: Sequence[object], days: int
) -> None:
    ledger = play(Ledger(start), history)
    for moment in (START + days * DAY, max(one.at for one in history)):
        for past in (ledger, ledger.as_of(moment)):
            given_out = [
                node for topic in range(TOPICS) for node, _ in past.retrieve(vector(topic, 0), "global", moment)
            ]
            assert {node.status for node in given_out} <= {"active"}
            assert all(past.node(node.id).status == "active" for node in given_out)


@given(histories())
def test_no_sentence_alone_overwrites_a_stable_node(history: list[Told]) -> None:
    ledger = Ledger([held("n1")])
    spoken: list[Told] = []
    for number, one in enumerate(history):
        if one.origin is Origin.USER and one.dated and one.authenticity >= POLICY.overwrite_confidence:
            spoken.append(one)
        step(ledger, number, one)
        if ledger.node("n1").status == "superseded":
            assert len({each.session for each in spoken}) >= 2 or len(spoken) >= 3
            return


@given(histories())
def test_others_never_change_what_is_stable(history: list[Told]) -> None:
    ledger = Ledger([held("n1")])
    play(ledger, [one for one in history if one.origin is not Origin.USER])
    assert ledger.node("n1").status == "active"
    assert not any(node.corroborations for node in ledger)


@given(histories())
def test_protected_attributes_are_taken_from_the_person_alone(history: list[Told]) -> None:
    ledger = play(Ledger(), history)
    schema = state_schema.load()
    first_hand = {
        f"e{number}" for number, one in enumerate(history) if one.origin is Origin.USER and one.speech_act == "sincere"
    }
    for node in ledger:
        if node.status == "active" and node.slot in schema and schema.slot(node.slot).protected:
            assert first_hand & set(node.events)


@given(st.sampled_from(LAYERS), st.booleans(), st.lists(st.integers(-(10**16), 10**16), min_size=2, max_size=20))
def test_decay_is_monotone(layer: object, quarantined: bool, times: list[int]) -> None:
    node = held("n1", layer=layer, status="quarantined" if quarantined else "active")
    left = [decay.confidence(node, START + at, POLICY) for at in sorted(times)]
    assert left == sorted(left, reverse=True)
    assert all(0 <= share <= node.confidence for share in left)


@given(histories(), st.lists(st.integers(0, 14), max_size=4), stable_start)
def test_the_ledger_does_not_depend_on_how_the_history_is_cut(
    history: list[Told], cuts: list[int], start: Sequence[object]
) -> None:
    whole = play(Ledger(start), history)
    ledger, done = Ledger(start), 0
    for cut in [*sorted(cuts), len(history)]:
        ledger = play(ledger, history[done:cut], first=done)
        done = max(done, cut)
        edges = {edge.key: edge for node in ledger for edge in ledger.edges(node.id)}
        ledger = Ledger(list(ledger), edges.values())  # as after a restart
    assert snapshot(ledger) == snapshot(whole)


@given(histories())
def test_the_same_history_gives_the_same_ledger(history: list[Told]) -> None:
    assert snapshot(play(Ledger(), history)) == snapshot(play(Ledger(), history))


@given(histories(), st.integers(0, 30))
def test_nothing_waits_longer_than_its_days(history: list[Told], more: int) -> None:
    ledger = play(Ledger(), history)
    at = max(one.at for one in history) + more * DAY
    ledger.commit(ledger.advance(at))
    for node in ledger:
        if node.status == "quarantined":
            assert decay.retention(node, at, POLICY) >= POLICY.floor - 1e-9
        if node.status == "evicted":
            assert decay.retention(node, at, POLICY) <= POLICY.floor + 1e-9


@given(histories())
def test_time_is_looked_back_upon_as_it_was(history: list[Told]) -> None:
    """Of a history in time order, the ledger as of any of its moments is the ledger that there was then."""
    history = sorted(history, key=lambda one: one.at)
    ledger = play(Ledger(), history)
    moment = history[len(history) // 2].at
    before = play(Ledger(), [one for one in history if one.at <= moment])
    before.commit(before.advance(moment))
    assert sorted(map(str, snapshot(ledger.as_of(moment)))) == sorted(map(str, snapshot(before)))
