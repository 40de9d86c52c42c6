"""The typed filter and the pages of memories."""

from __future__ import annotations

import pytest

from memreview.review import decisions, memories
from memreview.review.memories import BadFilter
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [1, 2, 3, 4]),
        ("walnuts", [2, 3]),
        ("waln", [2, 3]),
        ("is:active", [1, 2, 3]),
        ("is:deleted", [4]),
        ("-is:deleted walnuts", [2, 3]),
        ("is:pending", [1, 2]),
        ("is:anchored", [1]),
        ("-is:anchored bees", [4]),
        ("source:mem0", [1, 2, 3, 4]),
        ("source:chatgpt", []),
        ("after:2025-06-18", [3]),
        ("before:2025-06-18", [1, 2, 4]),
        ("-before:2025-06-18", [3]),
        ('"carries a pen"', [3]),
        ("kind:memory is:active lisbon", [1]),
        ("-bees", [4]),
        ("colour:red", []),
    ],
)
def test_filters(profile: Profile, query: str, expected: list[int]) -> None:
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=(4,)))
    assert sorted(memories.ids(profile, query)) == expected
    assert memories.count(profile, query) == len(expected)


@pytest.mark.parametrize("query", ["is:purple", "before:yesterday", "after:2025-13", "source:"])
def test_a_wrong_filter_is_told_in_words(profile: Profile, query: str) -> None:
    assert memories.problem(query)
    with pytest.raises(BadFilter):
        memories.ids(profile, query)


@pytest.mark.parametrize("query", ['"', "a:b:c", "-", "::", "is", "'; DROP TABLE memories", "\0", 'before:2025 "'])
def test_no_typed_filter_breaks_anything(profile: Profile, query: str) -> None:
    memories.ids(profile, query)


@pytest.mark.parametrize("sort", ["created", "updated", "text", "status", "source", "scope"])
def test_every_sort_gives_all_rows_both_ways(profile: Profile, sort: str) -> None:
    up = memories.ids(profile, sort=sort, descending=False)
    assert sorted(up) == [1, 2, 3, 4]
    assert len(memories.ids(profile, sort=sort)) == 4


def test_rows_come_in_the_order_asked_for(profile: Profile) -> None:
    assert [row.id for row in memories.rows(profile, [4, 99, 1])] == [4, 1]
    assert memories.rows(profile, [1])[0].anchored


def test_saved_filters(profile: Profile) -> None:
    memories.save(profile, "Bees", "bees is:active")
    memories.save(profile, "Bees", "bees")
    assert memories.saved(profile) == [("Bees", "bees")]
    memories.forget(profile, "Bees")
    assert memories.saved(profile) == []
    with pytest.raises(BadFilter):
        memories.save(profile, "Bad", "is:purple")
