"""The sample through import and audit: what expected.json plants is found, what it leaves alone stays quiet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memreview.records import Authorization, TransitionKind
from memreview.resources import RESOURCES
from memreview.review import jobs, queue
from memreview.review.profile import Profile
from memreview.review.values import QueueItem

EXPECTED = json.loads((RESOURCES / "samples" / "expected.json").read_text("utf-8"))["problems"]
INFERRED = (TransitionKind.IMPLICIT, TransitionKind.PROPAGATED)
CHANGES = (TransitionKind.EXPLICIT, TransitionKind.SAME_SUBJECT, *INFERRED)


def same(text: str) -> str:
    return " ".join(text.split()).rstrip(".")


def memories_of(problem: dict[str, Any]) -> set[str]:
    """The texts of the memories that hold the old value."""
    named = [problem["old"].get("memory"), *(other.get("memory", other) for other in problem.get("also", []))]
    return {same(memory["text"]) for memory in named if memory}


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[QueueItem]]:
    profile = Profile.open(tmp_path_factory.mktemp("sample"))
    jobs.sample(profile, {}, lambda stage, done, total: None)
    yield queue.items(profile, queue.ids(profile))
    profile.close()


def missed(items: list[QueueItem], *kinds: str) -> list[str]:
    flagged = {same(item.old_text) for item in items}
    return [p["id"] for p in EXPECTED if p["kind"] in kinds and not memories_of(p) & flagged]


def test_explicit_and_same_subject_transitions_are_found(items: list[QueueItem]) -> None:
    assert not missed(items, "explicit", "same_subject")


def test_half_of_what_is_only_implied_is_found_and_nothing_else_is_inferred(items: list[QueueItem]) -> None:
    assert len(missed(items, "implicit")) <= 3
    assert len(missed(items, "propagated")) <= 1
    stale = {text for p in EXPECTED if p["expected"] == "transition" for text in memories_of(p)}
    # Wrong from the start, and overtaken as well: the child was born in June.
    stale |= {text for p in EXPECTED if p["id"] == "due-date" for text in memories_of(p)}
    # Another wording of the ride to work, with the same ankle.
    stale.add("User cycles to work at Tynelift over the Millennium Bridge, about 25 minutes")
    inferred = {same(item.old_text) for item in items if item.kind in INFERRED}
    assert not inferred - stale


def test_most_duplicates_are_found(items: list[QueueItem]) -> None:
    assert len(missed(items, "duplicate")) <= 1


QUIET = (
    "scoped hypothetical other_person temporary planted_web planted_document planted_tool planted_paste summary_drift"
    " no_source"
)


@pytest.mark.parametrize("kind", QUIET.split())
def test_what_is_no_change_stays_quiet(items: list[QueueItem], kind: str) -> None:
    assert len(missed(items, kind)) == len([p for p in EXPECTED if p["kind"] == kind])


def test_no_control_is_taken_for_a_change_that_is_not_planted(items: list[QueueItem]) -> None:
    planted = {text for p in EXPECTED if p["expected"] in ("transition", "merge") for text in memories_of(p)}
    controls = {text for p in EXPECTED if p["kind"] == "control" for text in memories_of(p)}
    flagged = {same(item.old_text) for item in items if item.kind in CHANGES}
    assert not (flagged & controls) - planted


def test_most_of_what_is_called_proven_was_planted(items: list[QueueItem]) -> None:
    planted = {text for p in EXPECTED if p["expected"] == "transition" for text in memories_of(p)}
    proven = [item for item in items if item.authorization is Authorization.VERIFIED]
    assert len(proven) >= 15
    assert sum(same(item.old_text) in planted for item in proven) >= 0.8 * len(proven)
