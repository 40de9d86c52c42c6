"""Windows keep exact offsets whatever the text; equal claims share a key; content tokens are the words that count."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memreview.language.sentences import Window, content_tokens, normalize, windows


def pieces(text: str, max_words: int = 60) -> list[str]:
    return [text[window.start : window.end] for window in windows(text, max_words)]


MARKED_UP = st.lists(
    st.sampled_from(
        ["I moved to Berlin.", "yes", "ok!", "\n", "\n\n", " ", "```", "- ", "1. ", "我住在北京。", "👩‍👩‍👧", "?!",
         "\ud800", "\x00", "e.g. ", "\u202e", "a" * 90, "(", ")", '"', "\r\n", "...", "\u2028"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@settings(deadline=None)
@given(text=st.one_of(st.text(), MARKED_UP), max_words=st.integers(1, 70))
@example(text="0\x1f\u3400", max_words=1)
def test_windows_are_in_order_trimmed_and_hold_every_character(text: str, max_words: int) -> None:
    found = windows(text, max_words)
    for window in found:
        piece = text[window.start : window.end]
        assert piece
        assert piece == piece.strip()
    for before, after in itertools.pairwise(found):
        assert before.end <= after.start
    if found:
        assert "".join("".join(pieces(text, max_words)).split()) == "".join(text.split())


@settings(deadline=None)
@given(words=st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=300))
def test_no_window_is_longer_than_asked(words: list[str]) -> None:
    assert max(len(piece.split()) for piece in pieces(" ".join(words), 20)) <= 20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved to Berlin. It is fine there.", ["I moved to Berlin.", "It is fine there."]),
        ("i moved to berlin. it is fine there! she likes it too",
         ["i moved to berlin.", "it is fine there!", "she likes it too"]),
        ("Dr. Smith said, e.g. that it's ok. We left.", ["Dr. Smith said, e.g. that it's ok. We left."]),
        ("I like oats, rice etc. and so on.", ["I like oats, rice etc. and so on."]),
        ("Yes. I still live in Rome.", ["Yes. I still live in Rome."]),
        ("I still live in Rome. Yes.", ["I still live in Rome. Yes."]),
        ("- milk\n- eggs\n- bread\n- I hate olives", ["- milk\n- eggs\n- bread", "- I hate olives"]),
        ("I like tea\nMy sister likes coffee", ["I like tea", "My sister likes coffee"]),
        ("See this code now:\n```\nx = 1. \nY = 2\n```\nIt does not run.",
         ["See this code now:", "```\nx = 1. \nY = 2\n```", "It does not run."]),
        ("A line that was wrapped by the program that sent it\nand goes on here.",
         ["A line that was wrapped by the program that sent it\nand goes on here."]),
        ("我住在北京。我喜欢喝茶！你呢，朋友？", ["我住在北京。", "我喜欢喝茶！", "你呢，朋友？"]),
        ("मैं दिल्ली में रहता हूँ। मुझे चाय पसंद है।", ["मैं दिल्ली में रहता हूँ।", "मुझे चाय पसंद है।"]),
        ("So happy today 😊 really! I moved to Leeds 🎉", ["So happy today 😊 really!", "I moved to Leeds 🎉"]),
        ("Vegan.", ["Vegan."]),
        (" \n", []),
        ("…", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_long_sentences_are_cut_evenly() -> None:
    text = "word " * 121
    assert [len(piece.split()) for piece in pieces(text)] == [40, 40, 41]


@pytest.mark.parametrize(
    "unit", ["word ", "a", ".", "?! ", "我", "👩‍👩‍👧 ", "ab\n", "\n", '"a. B ', "1.2.", "```\n", "\x00"]
)
def test_long_texts_without_sentences_are_cut_in_linear_time(unit: str) -> None:
    text = "x " + unit * (400_000 // len(unit))
    started = time.perf_counter()
    found = windows(text)
    assert time.perf_counter() - started < 15
    assert found[0].start == 0


def test_windows_are_values() -> None:
    assert windows("I live in Rome.") == [Window(0, 15)]


ALLERGIC = [
    "User is allergic to walnuts.",
    "The user is allergic to walnuts",
    "is allergic to walnuts",
    "I am allergic to walnuts",
    "I’m  ALLERGIC to walnuts!!",
    "User: is allergic to “walnuts”",
    "- **User** is allergic to wal\u200bnuts.",
]


@pytest.mark.parametrize("text", ALLERGIC)
def test_one_key_however_it_is_addressed_and_punctuated(text: str) -> None:
    assert normalize(text) == normalize(ALLERGIC[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes tea", "I like tea"),
        ("User likes tea", "likes tea"),
        ("The user's sister lives in Rome.", "My sister lives in Rome"),
        ("User doesn't eat meat", "I don't eat meat"),
        ("I dont eat meat", "User does not eat meat."),
        ("I can't swim", "User cannot swim"),
        ("User has 1,200 books", "I have 1200 books"),
        ("ﬁne with well-being", "fine with well being"),
        ("Straße", "STRASSE"),
    ],
)
def test_equal_claims_share_a_key(one: str, other: str) -> None:
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User is allergic to walnuts", "User is not allergic to walnuts"),
        ("User is allergic to walnuts", "User's brother is allergic to walnuts"),
        ("Pays 3.5 a month", "Pays 35 a month"),
        ("It was -5 degrees", "It was 5 degrees"),
        ("Writes C#", "Writes C"),
        ("👍", "👎"),
        ("!!!", "???"),
    ],
)
def test_different_claims_have_different_keys(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


@given(st.text())
def test_a_key_ignores_case_and_surrounding_space(text: str) -> None:
    assert normalize(f"  {text}\n") == normalize(text)


@given(st.text(min_size=1))
def test_a_text_that_can_be_seen_has_a_key(text: str) -> None:
    assert normalize(f"x{text}")
    assert all(content_tokens(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The user is allergic to walnuts.", ["allerg", "walnut"]),
        ("I don't eat meat, and I never did", ["not", "eat", "meat", "never"]),
        ("cant swim", ["not", "swim"]),
        ("Anna's 2 dogs cost 1,200.50 at 10:30", ["anna", "2", "dog", "cost", "1200.50", "10:30"]),
        ("我喜欢茶", ["我", "喜", "欢", "茶"]),
        ("मैं दिल्ली में", ["मैं", "दिल्ली", "में"]),
        ("wal\u200bnuts \u202ewalnuts", ["walnut", "walnut"]),
        ("covid19 B12 naïve ﬁsh", ["covid19", "b12", "naïv", "fish"]),
        ("👍 ...", []),
    ],
)
def test_content_tokens(text: str, expected: list[str]) -> None:
    assert content_tokens(text) == expected


@given(st.text())
def test_content_tokens_do_not_depend_on_case_or_what_surrounds_them(text: str) -> None:
    assert content_tokens(f"walnuts {text}")[0] == "walnut"
