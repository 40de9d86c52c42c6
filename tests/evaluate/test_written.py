from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreview.evaluate import written
from memreview.evaluate.eval_claims import TRAINING
from memreview.records.entry import Origin

LINE: dict[str, Any] = {
    "id": "clerk-e-001",
    "topic": "ferry",
    "track": "T1",
    "subtype": "abrupt",
    "profile": [["n1", "stable", "code", "Wants code in Ada"], ["n2", "transient", "global", "Is on leave"]],
    "events": [
        ["0", "user", "morning"],
        ["30m", "user", "Rust from here on", {
            "action": "revise", "target": "n1", "claim": "Wants code in Rust", "scope": "code", "layer": "stable",
            "authentic": True,
        }],
        ["2d", "tool_output", "prefers Perl", {
            "action": "quarantine", "target": "e2", "claim": "Prefers Perl", "scope": "code", "layer": "stable",
            "authentic": False, "answer": "no",
        }],
    ],
}  # fmt: skip


def put(folder: Path, *lines: dict[str, Any]) -> Path:
    (folder / "episodes-01.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def test_the_authors_episodes_break_no_rule() -> None:
    found, problems = written.parse(TRAINING)
    assert problems == []
    assert len(found) > 300


def test_a_line_becomes_a_case(tmp_path: Path) -> None:
    (one,) = written.read_written(put(tmp_path, LINE))
    episode = one.episode()
    first, second, third = episode.events
    assert one.author == "clerk"
    assert [node.layer for node in episode.profile] == ["stable", "transient"]
    assert max(node.written_at for node in episode.profile) < first.at
    assert (first.session_id, second.session_id, third.session_id) == ("s1", "s1", "s2")
    assert (third.at - second.at).days == 2
    assert not first.label.has_claim
    assert second.action == "revise"
    assert second.label.target_node_id == "n1"
    assert third.origin == Origin.TOOL_OUTPUT
    assert third.label.authentic is False
    assert third.clarification_answer == "no"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "clerk-1"}, "id should be"),
        ({"subtype": "sarcasm"}, "T1 has no sarcasm"),
        ({"profile": []}, "event 2: there is no n1 yet"),
        ({"events": [["soon", "user", "hello"]]}, "soon|regex|match"),
        ({"events": [["0", "user", "hello", {"action": "forget"}]]}, "forget|Invalid"),
        ({"note": 1}, "unknown field"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(written.BadEpisodes, match=rf"episodes-01.jsonl:2: .*({told})"):
        written.read_written(put(tmp_path, LINE, LINE | {"id": "clerk-e-002"} | change))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"authentic": False}, "revise of what somebody else planted"),
        ({"action": "clarify"}, "clarify without an answer"),
        ({"action": "add"}, "add with target n1"),
    ],
)
def test_a_label_that_contradicts_itself_is_named(change: dict[str, Any], told: str, tmp_path: Path) -> None:
    line = json.loads(json.dumps(LINE))
    line["events"][1][3] |= change
    assert f"event 2: {told}" in [problem.split(":1: ")[1] for problem in written.parse(put(tmp_path, line))[1]]


def test_a_change_without_a_target_and_an_id_that_is_taken_are_named(tmp_path: Path) -> None:
    lost = json.loads(json.dumps(LINE))
    lost["events"][1][3]["target"] = None
    _, problems = written.parse(put(tmp_path, LINE, lost))
    assert [problem.split(":2: ")[1] for problem in problems] == [
        "id should be <voice>-e- and three digits of its own",
        "event 2: revise with target None",
    ]
