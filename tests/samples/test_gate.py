"""The sample through the gate: what others planted is held back, what was said in jest changes nothing, and what holds
in one situation is kept for that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memreview.gate.model import gate_folder
from memreview.records.gate import GLOBAL_SCOPE
from memreview.resources import RESOURCES, sample_files
from memreview.review import gate_runs, importing, quarantine
from memreview.review.profile import Profile
from memreview.store import ledger

EXPECTED = json.loads((RESOURCES / "samples" / "expected.json").read_text("utf-8"))["problems"]
PLANTED = [problem for problem in EXPECTED if problem["kind"].startswith("planted_")]
SARCASM = [problem for problem in EXPECTED if problem["kind"] == "sarcasm"]
SCOPED = [problem for problem in EXPECTED if problem["kind"] == "scoped"]
MISSED = {
    "stand-up-notes": "scoped, but it waits as may be planted, with a probability of 0.12",
    "plain-notices": "it waits as may be planted, and the encoder sees no scope: the second sentence narrows the first",
    "portuguese-answers": "it waits as may be planted, and the encoder sees no scope",
    "coriander": "nothing that is held near it names coriander, and the sentence alone can be meant",
}
ELSEWHERE = ("planted_web", "planted_document", "planted_tool")
"""Not in a message of the person's own: the memory goes into quarantine with the claim."""

pytestmark = pytest.mark.skipif(not (gate_folder() / "config.json").is_file(), reason="the gate is not trained yet")


def quiet(stage: str, done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    made = Profile.open(tmp_path_factory.mktemp("sample"))
    for path in sample_files():
        importing.import_path(made, path, progress=quiet)
    assert gate_runs.run(made, quiet).reason == ""
    yield made
    made.close()


def name(problem: dict[str, Any]) -> str:
    return str(problem["id"])


def memory_of(profile: Profile, problem: dict[str, Any]) -> int:
    held = problem["old"]["memory"]
    found = profile.database.value(
        """SELECT m.id FROM live_memories m JOIN sources s ON s.id = m.source_id
           WHERE s.provider = ? AND m.text = ?""",
        (held["source"], held["text"]),
    )
    return int(found)


def entry_of(profile: Profile, place: dict[str, Any]) -> int:
    found = profile.database.value(
        "SELECT id FROM live_entries WHERE native_id = ?1 OR native_id LIKE ?1 || '#%' ORDER BY id",
        (place["entry"]["message_id"],),
    )
    return int(found)


@pytest.mark.parametrize("problem", PLANTED, ids=name)
def test_what_was_planted_waits_for_the_person(profile: Profile, problem: dict[str, Any]) -> None:
    memory = memory_of(profile, problem)
    listed = quarantine.items(profile, quarantine.ids(profile))
    assert memory in [one for item in listed for one in item.memories]


@pytest.mark.parametrize("problem", [one for one in PLANTED if one["kind"] in ELSEWHERE], ids=name)
def test_a_memory_from_somebody_elses_text_is_in_no_export(profile: Profile, problem: dict[str, Any]) -> None:
    memory = memory_of(profile, problem)
    assert profile.database.value("SELECT status FROM memories WHERE id = ?", (memory,)) == "quarantined"


def known(problem: dict[str, Any]) -> Any:
    """A case, and why it fails if it is known to."""
    marks = [pytest.mark.xfail(reason=MISSED[problem["id"]])] if problem["id"] in MISSED else []
    return pytest.param(problem, marks=marks, id=problem["id"])


@pytest.mark.parametrize("problem", [known(problem) for problem in SCOPED])
def test_what_holds_in_one_situation_is_kept_for_that(profile: Profile, problem: dict[str, Any]) -> None:
    said = ledger.by_key(profile.database, f"e{entry_of(profile, problem['new'])}")
    assert said is not None
    assert (said["status"], said["scope"] != GLOBAL_SCOPE) == ("active", True)


@pytest.mark.parametrize("problem", [known(problem) for problem in SARCASM])
def test_sarcasm_changes_nothing(profile: Profile, problem: dict[str, Any]) -> None:
    """The jest is no belief that counts, and nothing gave way to it."""
    place = problem["new"] if problem["new"]["entry"] else problem["old"]
    said = ledger.by_key(profile.database, f"e{entry_of(profile, place)}")
    assert said is None or said["status"] != "active"
    if said is not None:
        overtaken = [link for link in ledger.links(profile.database, said["key"]) if link.kind == "supersedes"]
        assert not [link for link in overtaken if link.source == said["key"]]
