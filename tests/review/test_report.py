"""The report calls remembered what an assistant holds, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.review import report
from memreview.review.gating import Models
from memreview.review.profile import Profile
from tests.review.histories import REMEMBERED, profile_with_history, read


@pytest.fixture
def profile(tmp_path: Path, models: Models) -> Iterator[Profile]:
    """What a planted page says waits, whether or not a memory repeats it."""
    made = profile_with_history(tmp_path)
    read(made, models)
    made.database.execute("UPDATE nodes SET status = 'quarantined' WHERE status = 'evicted'")
    yield made
    made.close()


def put(profile: Profile, status: str) -> None:
    profile.database.execute("UPDATE memories SET status = ? WHERE text = ?", (status, REMEMBERED))


@pytest.mark.parametrize(("status", "state"), [("quarantined", "held back"), ("active", "looks planted, still in use")])
def test_what_is_planted_is_told_with_where_it_stands(profile: Profile, status: str, state: str) -> None:
    put(profile, status)
    assert f"  ! {REMEMBERED}\n    {state}" in report.text(profile)


@pytest.mark.parametrize("status", ["superseded", "deleted"])
def test_a_memory_that_is_none_any_more_is_not_told_as_planted(profile: Profile, status: str) -> None:
    put(profile, status)
    assert report.build(profile)["quarantine"]
    assert REMEMBERED not in report.text(profile)


def test_the_memory_that_is_still_held_is_told_where_another_is_not(profile: Profile) -> None:
    (node_id, memory_id), *_ = profile.database.execute(
        "SELECT v.node_id, m.id FROM node_memories v JOIN memories m ON m.id = v.memory_id WHERE m.text = ?",
        (REMEMBERED,),
    )
    other = profile.database.value("SELECT id FROM memories WHERE text = 'Keeps bees'")
    profile.database.execute("DELETE FROM node_memories WHERE memory_id = ?", (other,))
    profile.database.execute("INSERT INTO node_memories (node_id, memory_id) VALUES (?, ?)", (node_id, other))
    profile.database.execute("UPDATE memories SET status = 'superseded' WHERE id = ?", (memory_id,))
    assert "  ! Keeps bees\n    looks planted, still in use" in report.text(profile)
