"""The ledger's rules, one by one, on short histories."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from memreview.language.gate_reader import READINGS
from memreview.ledger import POLICY, Edge, EdgeKind, Ledger, Policy, decay
from memreview.records.entry import DAY, Origin
from memreview.records.gate import Action
from tests.ledger.histories import (
    NO_READING,
    START,
    Told,
    bearing,
    claim,
    held,
    play,
    step,
    told,
    vector,
    verdict,
)

DOCUMENT = Origin.RETRIEVED_DOCUMENT


def statuses(ledger: Ledger) -> dict[str, str]:
    return {node.id: node.status for node in ledger}


def retrieved(ledger: Ledger, topic: int = 0, at: int = START + DAY) -> list[str]:
    return [node.id for node, _ in ledger.retrieve(vector(topic, 0), "global", at)]


def test_a_change_of_what_is_stable_stands_beside_it_until_it_is_said_in_another_session() -> None:
    ledger = play(Ledger([held("n1")]), [told(value=1, action="revise")])
    assert statuses(ledger) == {"n1": "active", "e0": "active"}
    step(ledger, 1, told(value=1, action="retain", session="s1", at=START + 1))
    assert statuses(ledger)["n1"] == "active"  # twice in one session
    step(ledger, 2, told(value=1, action="retain", session="s2", at=START + DAY))
    assert statuses(ledger) == {"n1": "superseded", "e0": "active"}
    assert [(edge.source, edge.target) for edge in ledger.edges("n1", "supersedes")] == [("e0", "n1")]


def test_three_in_one_session_do_as_well() -> None:
    history = [told(value=1, action=action, at=START + n) for n, action in enumerate(("revise", "retain", "retain"))]
    assert statuses(play(Ledger([held("n1")]), history))["n1"] == "superseded"


def test_saying_the_old_again_dismisses_the_change() -> None:
    history = [told(value=1, action="revise"), told(value=0, action="retain", session="s2", at=START + DAY)]
    assert statuses(play(Ledger([held("n1")]), history)) == {"n1": "active", "e0": "superseded"}


def test_a_second_change_of_an_unconfirmed_one_counts_for_both() -> None:
    history = [told(value=1, action="revise"), told(value=2, action="revise", session="s2", at=START + DAY)]
    ledger = Ledger([held("n1")])
    step(ledger, 0, history[0])
    step(ledger, 1, history[1])
    assert statuses(ledger) == {"n1": "superseded", "e0": "superseded", "e1": "active"}


def test_what_is_not_stable_gives_way_at_once() -> None:
    ledger = play(Ledger([held("n1", layer="contextual")]), [told(value=1, action="revise")])
    assert statuses(ledger) == {"n1": "superseded", "e0": "active"}


def test_an_unsure_change_waits_and_a_second_one_lets_it_out() -> None:
    unsure = told(value=1, action="revise", revise=0.3)
    ledger = play(Ledger([held("n1", layer="contextual")]), [unsure])
    assert statuses(ledger) == {"n1": "active", "e0": "quarantined"}
    step(ledger, 1, told(value=1, action="revise", revise=0.3, session="s2", at=START + DAY))
    assert statuses(ledger) == {"n1": "superseded", "e0": "active"}


def test_an_older_statement_changes_nothing_newer() -> None:
    ledger = play(Ledger([held("n1")]), [told(value=1, action="revise", at=START - DAY)])
    assert statuses(ledger) == {"n1": "active", "e0": "superseded"}


def test_an_undated_statement_authorizes_nothing() -> None:
    ledger = play(Ledger([held("n1", layer="transient")]), [told(value=1, action="revise", dated=False)])
    assert statuses(ledger) == {"n1": "active", "e0": "quarantined"}
    step(ledger, 1, told(value=1, action="retain", dated=False, session="s2"))
    assert statuses(ledger)["e0"] == "quarantined"


def test_quarantine_is_left_by_the_persons_own_words_alone() -> None:
    planted = told(value=1, action="quarantine", authenticity=0.1, origin=DOCUMENT)
    ledger = play(Ledger(), [planted])
    step(ledger, 1, told(value=1, action="add", origin=DOCUMENT, at=START + DAY))
    assert statuses(ledger) == {"e0": "quarantined"}
    assert ledger.node("e0").events == ("e0", "e1")
    step(ledger, 2, told(value=1, action="add", at=START + 2 * DAY))
    assert statuses(ledger) == {"e0": "active"}
    assert ledger.node("e0").origins == (Origin.USER,)


def test_hearing_it_again_from_others_does_not_keep_it_longer() -> None:
    planted = told(value=1, action="quarantine", authenticity=0.1, origin=DOCUMENT)
    again = told(value=1, action="quarantine", authenticity=0.1, origin=DOCUMENT, at=START + 13 * DAY)
    ledger = play(Ledger(), [planted, again])
    ledger.commit(ledger.advance(START + 15 * DAY))
    assert statuses(ledger) == {"e0": "evicted"}


def test_it_takes_the_same_scope_to_corroborate() -> None:
    ledger = play(Ledger(), [told(action="quarantine", authenticity=0.3, scope="letters")])
    step(ledger, 1, told(action="add", at=START + DAY))
    assert statuses(ledger) == {"e0": "quarantined", "e1": "active"}
    step(ledger, 2, told(action="add", scope="the letters", at=START + DAY))
    assert statuses(ledger)["e0"] == "active"


def test_days_in_quarantine_are_fourteen() -> None:
    node = held("n1", status="quarantined")
    days = (decay.evicts_at(node, POLICY) - START) / DAY
    assert 14 < days < 14.1
    assert decay.retention(node, START + 14 * DAY, POLICY) > POLICY.floor


def test_evicted_claims_come_back_only_by_the_person() -> None:
    ledger = play(Ledger(), [told(value=1, action="quarantine", authenticity=0.3, origin=DOCUMENT)])
    step(ledger, 1, told(value=1, action="add", at=START + 20 * DAY))
    assert statuses(ledger) == {"e0": "evicted", "e1": "active"}
    ledger.commit(ledger.release("e0", START + 21 * DAY, layer="contextual"))
    assert (ledger.node("e0").status, ledger.node("e0").layer) == ("active", "contextual")
    assert "e0" in retrieved(ledger, at=START + 21 * DAY)


@pytest.mark.parametrize("released", [True, False])
@pytest.mark.parametrize(
    ("kind", "probability", "touched"),
    [("contradiction", 0.8, False), ("contradiction", 0.95, True), ("contends", 0.8, True)],
)
def test_the_person_changes_only_what_is_contradicted_with_near_certainty(
    kind: EdgeKind, probability: float, touched: bool, released: bool
) -> None:
    nodes = [held("n1"), held("e0", value=1, status="quarantined")]
    ledger = Ledger(nodes, [Edge(kind, "e0", "n1", START, probability)])
    decide = ledger.release if released else partial(ledger.answer, choice="scoped")
    ledger.commit(decide("e0", at=START + DAY, scope="letters"))
    assert ledger.node("e0").status == "active"
    assert ledger.narrowed("n1") == touched
    assert (ledger.node("n1") == nodes[0]) != touched


def test_what_holds_in_one_situation_stands_beside_the_rule() -> None:
    ledger = play(Ledger([held("n1")]), [told(value=1, action="scope", scope="stand-up notes")])
    assert statuses(ledger) == {"n1": "active", "e0": "active"}
    assert ledger.narrowed("n1")
    assert ledger.node("n1").revised_at == START
    found = dict(ledger.retrieve(vector(0, 1), "stand-up notes", START))
    assert {node.id: score for node, score in found.items()}["e0"] > {n.id: s for n, s in found.items()}["n1"]


def test_what_is_more_probably_anothers_is_held_back_whatever_the_gate_says() -> None:
    ledger = play(Ledger(), [told(action="add", authenticity=0.4), told(topic=1, action="scope", authenticity=0.2)])
    assert set(statuses(ledger).values()) == {"quarantined"}


def test_a_question_waits_for_its_answer() -> None:
    ledger = play(Ledger([held("n1")]), [told(value=1, action="ask", authenticity=0.6)])
    assert retrieved(ledger) == ["n1"]
    for choice, expected in (
        ("changed", {"n1": "superseded", "e0": "active"}),
        ("scoped", {"n1": "active", "e0": "active"}),
        ("no", {"n1": "active", "e0": "deleted"}),
    ):
        answered = Ledger(list(ledger), ledger.edges("e0"))
        answered.commit(answered.answer("e0", choice, START + DAY, scope="letters" if choice == "scoped" else ""))
        assert statuses(answered) == expected


def test_what_is_kept_waits_another_fortnight() -> None:
    ledger = play(Ledger(), [told(action="quarantine", authenticity=0.3)])
    ledger.commit(ledger.keep("e0", START + 10 * DAY))
    ledger.commit(ledger.advance(START + 20 * DAY))
    assert statuses(ledger) == {"e0": "quarantined"}


def test_an_event_counts_once() -> None:
    ledger = Ledger([held("n1")])
    for _ in range(3):
        step(ledger, 0, told(value=1, action="revise"))
    step(ledger, 7, told(value=1, action="retain", session="s2", at=START + 1))
    step(ledger, 7, told(value=1, action="retain", session="s2", at=START + 1))
    assert ledger.node("e0").events == ("e0", "e7")


def test_ties_of_retrieval_go_by_confidence_recency_and_id() -> None:
    nodes = [held("b"), held("a"), held("c", written_at=START + 1, corroborated_at=START), held("d", confidence=0.95)]
    assert retrieved(Ledger(nodes))[:4] == ["d", "c", "a", "b"]


@pytest.mark.parametrize(("sessions", "status"), [(2, "active"), (1, "superseded")])
def test_thresholds_can_be_chosen_for_an_evaluation(sessions: int, status: str) -> None:
    ledger = Ledger([held("n1")], policy=Policy(overwrite_sessions=sessions))
    assert statuses(play(ledger, [told(value=1, action="revise")]))["n1"] == status


def meets(ledger: Ledger, number: int, one: Told, **seen: object) -> None:
    """A claim whose bearings are as given, of the node that it is nearest to."""
    made = claim(number, one)
    (node,) = ledger.nearest(made.vector, 1, one.at)
    seen = {"relations": UNDECIDED, "nli": UNCERTAIN} | seen
    bearings = [replace(bearing(node, made), **seen)]  # type: ignore[arg-type]
    ledger.commit(ledger.apply(made, verdict(one, node.id), bearings, one.at))


UNDECIDED = dict.fromkeys(("supersedes", "scopes", "duplicates", "coexists", "unrelated"), 0.2)
UNCERTAIN = dict.fromkeys(("entailment", "neutral", "contradiction"), 0.3)
SAID_AGAIN, FAINTLY, HARDLY = (
    tuple(share if name == "retain" else (1 - share) / (len(READINGS) - 1) for name in READINGS)
    for share in (0.7, POLICY.repeated + 0.01, POLICY.repeated - 0.01)
)


@pytest.mark.parametrize(
    ("reading", "status"),
    [(SAID_AGAIN, "superseded"), (FAINTLY, "superseded"), (HARDLY, "active"), (NO_READING, "active")],
)
def test_a_change_is_confirmed_by_what_gate_and_reader_take_for_a_repetition(
    reading: tuple[float, ...], status: str
) -> None:
    ledger = play(Ledger([held("n1")]), [told(value=1, action="revise")])
    meets(ledger, 1, told(value=1, action="retain", session="s2", at=START + DAY), reading=reading)
    assert statuses(ledger) == {"n1": status, "e0": "active"}


@pytest.mark.parametrize(("repeats", "corroborations"), [(0.8, 1), (0.6, 0)])
def test_a_repeat_corroborates_as_what_is_entailed_does(repeats: float, corroborations: int) -> None:
    ledger = Ledger([held("n1")])
    meets(ledger, 1, told(action="retain", at=START + DAY), relations=UNDECIDED | {"duplicates": repeats})
    assert ledger.node("n1").corroborations == corroborations


@pytest.mark.parametrize("action", ["add", "scope", "revise"])
@pytest.mark.parametrize(
    ("doubt", "status"), [(POLICY.suspicion + 0.01, "quarantined"), (POLICY.suspicion / 2, "active")]
)
def test_what_may_well_be_planted_waits_whatever_is_likelier(action: Action, doubt: float, status: str) -> None:
    ledger = Ledger([held("n1", layer="contextual")])
    one = told(value=1, action=action)
    sure = verdict(one, "n1")
    doubted = replace(sure, probabilities={**sure.probabilities, "quarantine": doubt})
    made = claim(0, one)
    ledger.commit(ledger.apply(made, doubted, [bearing(ledger.node("n1"), made)], START))
    assert ledger.node("e0").status == status
    assert (ledger.node("n1").status == "active") == (status == "quarantined" or action != "revise")


@pytest.mark.parametrize(("meant", "written"), [(0.01, False), (0.4, True)])
def test_a_plain_jest_writes_nothing_however_sure_the_gate_is(meant: float, written: bool) -> None:
    ledger = Ledger()
    jest = replace(claim(0, told()), speech_act="sarcastic", confidence=meant)
    ledger.commit(ledger.apply(jest, verdict(told(), None), [], START))
    assert ("e0" in ledger) == written


@pytest.mark.parametrize("doubt", [0.0, 2 * POLICY.suspicion])
@pytest.mark.parametrize("jest", [False, True])
def test_neither_what_may_be_planted_nor_a_jest_lets_anything_out(doubt: float, jest: bool) -> None:
    ledger = Ledger([held("n1", status="quarantined", origins=(DOCUMENT,))])
    again = told(action="retain", speech_act="sarcastic" if jest else "sincere")
    made = replace(claim(1, again), confidence=0.01 if jest else 0.9)
    said = verdict(again, "n1")
    said = replace(said, probabilities={**said.probabilities, "quarantine": doubt})
    ledger.commit(ledger.apply(made, said, [bearing(ledger.node("n1"), made)], again.at))
    assert statuses(ledger)["n1"] == ("quarantined" if doubt or jest else "active")
