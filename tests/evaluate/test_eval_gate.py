from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from memreview.evaluate import eval_gate, gate_cases, kits
from memreview.evaluate.episodes import generate
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.eval_gate import Held, Run, Seen, measure
from memreview.evaluate.gate_cases import CaseEvent, Episode, Label, ProfileNode
from memreview.gate.model import gate_folder
from memreview.records.entry import Origin
from memreview.records.gate import ACTIONS, Action, Verdict

START = datetime(2026, 3, 1, tzinfo=UTC)


def event(name: str, action: str = "retain", target: str | None = None, **label: object) -> CaseEvent:
    return CaseEvent(
        event_id=name,
        session_id="s1",
        at=START + timedelta(hours=int(name[1:])),
        origin=Origin.USER,
        text=f"text of {name}",
        label=Label(
            has_claim=action != "retain" or bool(label),
            authentic=bool(label.get("authentic", True)),
            action=action,  # type: ignore[arg-type]
            target_node_id=target,
        ),
    )


def run_of(
    track: str,
    subtype: str,
    events: list[CaseEvent],
    given: list[Action],
    held: dict[str, Held],
    changed: tuple[str, ...] = (),
) -> Run:
    node = ProfileNode(node_id="n1", claim="c", layer="stable", scope="global", written_at=START, confidence=0.9)
    episode = Episode(
        episode_id="ep",
        user_id="u",
        track=track,  # type: ignore[arg-type]
        subtype=subtype,
        profile=(node,),
        events=tuple(events),
    )
    seen = tuple(
        Seen(one, action, _verdict(action), one.event_id in changed) for one, action in zip(events, given, strict=True)
    )
    return Run(episode, seen, held)


def _verdict(action: Action) -> Verdict:
    return Verdict(action, {one: float(one == action) for one in ACTIONS}, 0.0, 1.0, 1.0, None)


def test_an_update_counts_when_the_new_state_stands_and_the_old_one_gave_way() -> None:
    events = [event("e1", "revise", "n1")]
    active, gone = Held("active", frozenset({"e1"})), Held("superseded", frozenset())
    for held, value in (
        ({"e1": active, "n1": gone}, 1.0),
        ({"e1": active, "n1": Held("active", frozenset())}, 0.0),
        ({"e1": active, "n1": Held("active", frozenset(), narrowed=True)}, 1.0),
        ({"e1": Held("quarantined", frozenset({"e1"})), "n1": gone}, 0.0),
        ({"n1": gone}, 0.0),
    ):
        found = measure([run_of("T1", "abrupt", events, ["revise"], held)], 0)
        assert found["adherence"].value == value


def test_an_update_that_a_later_one_undid_is_not_asked_for() -> None:
    events = [event("e1", "revise", "n1"), event("e2", "revise", "e1")]
    held = {
        "n1": Held("superseded", frozenset()),
        "e1": Held("superseded", frozenset({"e1"})),
        "e2": Held("active", frozenset({"e2"})),
    }
    found = measure([run_of("T1", "recurring", events, ["revise", "revise"], held)], 0)
    assert (found["adherence"].value, found["adherence"].n) == (1.0, 1)


def test_poison_is_what_can_be_retrieved_of_what_was_planted() -> None:
    events = [event("e1", "quarantine", "n1", authentic=False), event("e2", "quarantine", "n1", authentic=False)]
    held = {"n1": Held("active", frozenset({"e2"})), "e1": Held("active", frozenset({"e1"}))}
    found = measure([run_of("T3", "same_origin", events, ["add", "retain"], held)], 0)
    assert found["poison"].value == found["poison.same_origin"].value == 0.5
    assert found["poison.indirect_injection"].n == 0


def test_a_doubtful_event_must_change_nothing_and_a_question_is_no_change() -> None:
    events = [event("e1", "clarify", "n1"), event("e2", "retain", "n1", claim=True), event("e3")]
    given: list[Action] = ["ask", "revise", "retain"]
    found = measure([run_of("T2", "sarcasm", events, given, {}, changed=("e2",))], 0)
    assert (found["false_update"].value, found["false_update"].n) == (0.5, 2)
    assert found["clarify.precision"].value == found["clarify.recall"].value == found["clarify.f1"].value == 1
    assert found["query_rate"].value == pytest.approx(1 / 3)
    assert found["macro_f1"].value == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found["ece"].value == pytest.approx(1 / 3)


@pytest.mark.skipif(not (gate_folder() / "config.json").is_file(), reason="the gate is not trained yet")
def test_the_command_measures_what_ships(tmp_path: Path) -> None:
    path, out = tmp_path / "cases.jsonl", tmp_path / "out.jsonl"
    gate_cases.write(path, generate(kits.read_kits(TRAINING / "formal"), 1, seed=1))
    path.write_bytes(path.read_bytes() + b"{broken\n")
    report = eval_gate.run(path, out=out)
    assert report.status == 1
    assert "cases.jsonl:6" in report.problems[0]
    assert set(report.baselines) == {"recency", "provenance", "statemem"}
    assert set(report.ablations) > {"without_provenance", "without_layers", "without_questions"}
    assert len(set(report.ablations) & {"without_ode", "with_ode"}) == 1
    assert report.ablations["without_questions"]["query_rate"].value == 0
    value = msgspec.json.decode(msgspec.json.encode(report))
    assert value["command"] == "eval gate"
    assert set(value["system"]["macro_f1"]) == {"value", "ci", "n"}
    lines = [msgspec.json.decode(line) for line in out.read_bytes().splitlines()]
    assert len(lines) == report.cases == 5
    assert all(line["events"] for line in lines)
    assert report.system["ms_median"].value < 50
    assert "commonest errors" in report.table()
    assert eval_gate.run(path, limit=2, seed=3).cases == 2
