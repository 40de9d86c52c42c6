from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.importers.contract import Limits
from memreview.importers.text import clean, clean_all, limit, same, text_id


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain", "plain"),
        ("a\0b", "ab"),
        ("\ud83d", "\ufffd"),
        ("é\udc00\0☃", "é\ufffd☃"),
        ("\u202eright\u200d to left\ue000", "\u202eright\u200d to left\ue000"),
        (None, ""),
        (3, ""),
        (["x"], ""),
    ],
)
def test_clean(raw: object, expected: str) -> None:
    assert clean(raw) == expected


@given(st.text(st.characters(codec=None)))
def test_whatever_is_cleaned_can_be_stored(raw: str) -> None:
    text = clean(raw)
    assert "\0" not in text
    assert text.encode().decode() == text
    assert clean(text) == text


def test_clean_all_reaches_keys_and_depths() -> None:
    assert clean_all({"a\0": ["\ud83d", {"b": ("kept",), "n": 1}]}) == {"a": ["\ufffd", {"b": ("kept",), "n": 1}]}


def test_limit_says_what_it_cut() -> None:
    assert limit("abc", Limits(message_chars=3)) == ("abc", None)
    text, note = limit("abcd", Limits(message_chars=3), "x.json, item 2")
    assert text == "abc"
    assert note is not None
    assert (note.where, note.reason) == ("x.json, item 2", "a text of 4 characters was cut to 3")


def test_the_same_memory_has_the_same_id() -> None:
    assert same("Keeps  bees.\n") == "Keeps bees"
    assert text_id("Keeps bees.") == text_id(" Keeps bees") != text_id("Keeps wasps")
    assert text_id("caf\u00e9") == text_id("cafe\u0301")
