"""The triage evaluation on a small file of its own."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from memreview.evaluate import baselines, eval_claims, eval_triage
from memreview.language.relations import RELATIONS, Pair

ROWS = [
    ("Works at the brewery.", "I start at the dairy on Monday, the brewery is behind me.", "supersedes"),
    ("Lives in Turku.", "Unpacking boxes in Oulu, the keys to the old place went back yesterday.", "supersedes"),
    ("Prefers tea without milk.", "At my aunt's I take milk in my tea, she insists.", "scopes"),
    ("Never works on Sundays.", "Only this Sunday I am in the shop, for the stocktaking.", "scopes"),
    ("Has a parrot.", "There is a parrot living with me.", "duplicates"),
    ("Is afraid of lifts.", "Lifts frighten me.", "duplicates"),
    ("Plays the tuba.", "Plays the zither too.", "coexists"),
    ("Brother lives in Turku.", "Sister lives in Turku.", "coexists"),
    ("Has a parrot.", "The match was called off for fog.", "unrelated"),
    ("Likes rye bread.", "My laptop has 16 GB of memory.", "unrelated"),
]


def row(number: int, older: str, newer: str, relation: str, **more: object) -> dict[str, Any]:
    return {
        "pair_id": f"p{number}",
        "older": {"text": older, "at": "2025-01-01T10:00:00+00:00"},
        "newer": {"text": newer, "at": "2025-03-01T10:00:00+02:00"},
        "relation": relation,
        "note": "keys that nobody names are ignored",
        **more,
    }


def write(path: Path, lines: list[object]) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "pairs.jsonl", [row(number, *one) for number, one in enumerate(ROWS)])


def test_the_report(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "cases.jsonl"
    report = eval_triage.run(file, seed=3, out=out)
    written = msgspec.json.decode(msgspec.json.encode(report))
    assert written["command"] == "eval triage"
    assert (written["cases"], written["seed"], written["problems"], report.status) == (len(ROWS), 3, [], 0)
    assert set(written["baselines"]) == {"keywords", "nearness", "rules"}
    for found in (written["system"], *written["baselines"].values()):
        assert {"accuracy", "macro_f1", "ap_supersedes", "us_per_pair"} <= set(found)
        for value in found.values():
            assert set(value) == {"value", "ci", "n"}
            assert value["ci"][0] <= value["value"] <= value["ci"][1]
    assert [sum(line) for line in written["confusion"]] == [2] * 5
    cases = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [case["pair_id"] for case in cases] == [f"p{number}" for number in range(len(ROWS))]
    right = sum(case["given"] == case["relation"] for case in cases) / len(cases)
    assert report.system["accuracy"].value == pytest.approx(right)
    assert right > report.baselines["keywords"]["accuracy"].value
    table = report.table()
    assert all(relation in table for relation in RELATIONS)
    assert f"{report.system['macro_f1'].value:.3f}" in table


def test_malformed_lines_are_named_and_skipped(tmp_path: Path) -> None:
    good = [row(number, *one) for number, one in enumerate(ROWS)]
    bad = ["{", '{"pair_id":"x"}', '"text"', json.dumps(row(1, "a b", "c d", "replaces")), '{"older":' * 5_000]
    timeless = row(2, "a b", "c d", "scopes") | {"newer": {"text": "c d", "at": "2025-01-01T10:00:00"}}
    file = write(tmp_path / "pairs.jsonl", [good[0], *bad, timeless, "", *good[1:]])
    report = eval_triage.run(file)
    assert report.cases == len(ROWS)
    assert [problem.removeprefix(f"{file}:").partition(":")[0] for problem in report.problems] == list("234567")
    assert report.status == 1
    assert all(problem in report.table() for problem in report.problems)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_bytes(b"\xff\xfe\n" + json.dumps(row(1, *ROWS[0])).encode() + b"\n")
    report = eval_triage.run(file)
    assert (report.cases, len(report.problems)) == (1, 1)


def test_a_sample_is_drawn_by_the_seed(file: Path, tmp_path: Path) -> None:
    def drawn(seed: int) -> list[str]:
        eval_triage.run(file, limit=4, seed=seed, out=tmp_path / "out.jsonl")
        return [json.loads(line)["pair_id"] for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]

    assert len(drawn(1)) == 4
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_labels_of_training_pairs_give_more_figures(tmp_path: Path) -> None:
    rows = [row(number, *one, implicit=number == 1, nli="neutral") for number, one in enumerate(ROWS)]
    report = eval_triage.run(write(tmp_path / "pairs.jsonl", rows))
    assert {"ap_supersedes.implicit", "ap_supersedes.explicit", "nli_accuracy"} <= set(report.system)
    assert report.system["ap_supersedes.implicit"].n == len(ROWS) - 1


@pytest.mark.parametrize(("command", "name"), [(eval_triage, "pairs.jsonl"), (eval_claims, "utterances.jsonl")])
def test_a_file_without_a_case_is_an_error(command: ModuleType, name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no case"):
        command.run(write(tmp_path / name, []))
    (tmp_path / name).write_text("{\n", "utf-8")
    with pytest.raises(ValueError, match=rf"{name}:1"):
        command.run(tmp_path / name)


def test_keyword_baseline() -> None:
    guesses = baselines.keywords([Pair(older, newer) for older, newer, _ in ROWS])
    assert guesses[4][0] == "duplicates"
    assert guesses[8][0] == "unrelated"
    assert guesses[3][0] == "scopes"
