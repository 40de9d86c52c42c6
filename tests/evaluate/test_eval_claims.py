from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from memreview.evaluate.eval_claims import Case, Label, Reading, keywords, measured, overlap, run
from memreview.evaluate.reports import read

CLAIM = Label(
    has_claim=True,
    speech_act="sincere",
    claim="Skips lunch on gym days",
    claim_span="I skip lunch on gym days",
    scope="gym days",
    scope_span="on gym days",
    timescale="stable",
    direction="habit",
    slot="diet.meal_times",
)
NONE = Label(has_claim=False, speech_act="sincere")


def _case(number: int, text: str, label: Label) -> Case:
    return Case(f"x-u-{number:04}", text, "user", label)


def _perfect(label: Label) -> Reading:
    return Reading(
        label.has_claim, label.speech_act, label.timescale, label.direction, label.slot, label.scope, label.claim_span
    )


CASES = [_case(1, "I skip lunch on gym days, ideas?", CLAIM), _case(2, "What is a stoat?", NONE)] * 10


def test_perfect_readings_score_one() -> None:
    metrics = measured(CASES, [_perfect(case.label) for case in CASES], seed=0)
    assert {name: one.value for name, one in metrics.items()} == dict.fromkeys(metrics, 1.0)


def test_each_metric_sees_its_own_error() -> None:
    def with_error(**changed: object) -> dict[str, float]:
        readings = [_perfect(case.label) for case in CASES]
        readings[0] = Reading(**(msgspec.to_builtins(readings[0]) | changed))
        return {name: one.value for name, one in measured(CASES, readings, seed=0).items() if one.value < 1}

    assert with_error(direction="fact") == {"direction.accuracy": 0.9}
    assert with_error(timescale="transient") == {"timescale.accuracy": 0.9}
    assert with_error(slot="diet.likes") == {"slot.top1": 0.9}
    assert with_error(scope="Sundays") == {"scope.accuracy": 0.9}
    assert with_error(scope="global") == {"scope.accuracy": 0.9, "scope.narrow": 0.9}
    missed = with_error(has_claim=False)
    assert missed["claim.recall"] == 0.9
    assert missed["abstention.precision"] == pytest.approx(10 / 11)
    assert "abstention.recall" not in missed


def test_overlap_is_of_content_words() -> None:
    assert overlap("the gym days", "gym days") == 1
    assert overlap("gym days", "Sundays") == 0
    assert overlap("gym days in April", "gym days") == pytest.approx(0.8)


def test_keywords_read_a_message() -> None:
    [found] = keywords([_case(1, "I can't eat walnuts, allergic", CLAIM)])
    assert found.has_claim
    assert found.direction == "constraint"


def test_run_reports_and_names_bad_lines(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_bytes(b"\n".join([*map(msgspec.json.encode, CASES[:4]), b'{"id": 1}', b"\xff"]))
    assert len(read(file, Case, "utterances*.jsonl")[0]) == 4
    report = run(file, out=tmp_path / "out.jsonl")
    assert report.cases == 4
    assert report.status == 1
    assert [problem.startswith(f"{file}:{line}:") for problem, line in zip(report.problems, (5, 6), strict=True)] == [
        True
    ] * 2
    assert set(report.baselines) == {"keywords", "nearest"}
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == 4
    decoded = msgspec.json.decode(msgspec.json.encode(report))
    assert decoded["command"] == "eval claims"
    assert np.array(decoded["confusion"]).sum() == 4
