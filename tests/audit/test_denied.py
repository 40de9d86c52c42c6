"""The memory after something ended denies that and nothing else."""

from __future__ import annotations

import pytest

from memreview.audit.lifecycle.wording import denied


@pytest.mark.parametrize(
    ("note", "value", "after"),
    [
        ("User smokes.", "smokes", "User no longer smokes."),
        ("User is vegetarian and dislikes olives.", "vegetarian", "User dislikes olives and is no longer vegetarian."),
        ("Likes tea and hates coffee", "coffee", "Likes tea and no longer hates coffee"),
        ("User rows at the Weir Club and trains there daily.", "Weir Club", "User no longer rows at the Weir Club."),
        ("User is leaving Brightwater for good.", "Brightwater", "User left Brightwater for good."),
    ],
)
def test_only_what_ended_is_denied(note: str, value: str, after: str) -> None:
    assert denied(note, value) == after
