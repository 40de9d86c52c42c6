"""Texts as sentences, content tokens and meaning keys: one way for the validator, the tombstones and the search."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import snowballstemmer

MAX_CHARS = 4_000
"""A stretch without an end of sentence is cut here, so that no input is quadratic for the segmenter."""

# Function words only: "not", "no" and "never" carry the meaning of a claim and stay.
_STOP = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers him his
    how i if in into is it its just me more most my of off on once only or other our out over own s same she should so
    some such t than that the their them then there these they this those through to too under until up us very was we
    were what when where which while who whom why will with would you your yours ve re ll d m user""".split()
)
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_LINE = re.compile(r"[^\n]+")
_SUBJECT = re.compile(
    r"^(?:the\s+)?(?:user|person|human|client)(?:['’]s\s+|\s+)(?=\w)|^(?:i['’]m|i\s+am)\s+|^(?:i|he|she|they)\s+(?=\w)",
    re.IGNORECASE,
)
_SPACE_OR_MARK = re.compile(r"[\W_]+")


class Window(NamedTuple):
    """`text[start:end]` of the text it was cut from."""

    start: int
    end: int


def windows(text: str, max_words: int = 60) -> list[Window]:
    """Sentences with exact offsets: cut where longer than `max_words`, joined to the next where under three words.

    [] for a text without words. Linear in the text's length, whatever it holds.
    """
    found: list[Window] = []
    for sentence in _sentences(text):
        for start, end in _cut(text, *sentence, max_words):
            if found and _is_short(text, found[-1]) and end - found[-1].start < max_words * 8:
                found[-1] = Window(found[-1].start, end)
            else:
                found.append(Window(start, end))
    if len(found) > 1 and _is_short(text, found[-1]) and found[-1].end - found[-2].start < max_words * 8:
        last = found.pop()
        found[-1] = Window(found[-1].start, last.end)
    return found


def content_tokens(text: str) -> list[str]:
    """Casefolded, Snowball-stemmed words without function words; numbers whole; in the order of the text.

    Writing without spaces gives its letters one by one.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        word = match.group().casefold().replace("’", "'").removesuffix("'s")
        if word in _STOP:
            continue
        if word[:1].isascii():
            found.append(_stem(word))
        else:
            found.extend(word if _has_no_spaces(word) else [_stem(word)])
    return found


def normalize(text: str) -> str:
    """The key by which equal claims are known: case, punctuation, spacing and the way the person is named don't count.

    "User is allergic to walnuts." and "The user is allergic to walnuts" are one.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().strip()
    folded = _SUBJECT.sub("", folded)
    folded = re.sub(r"^(?:am|is|are|was)\s+(?=\w)", "", folded)
    return _SPACE_OR_MARK.sub(" ", folded.replace("'", "").replace("’", "")).strip()


@functools.lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@functools.cache
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


def _has_no_spaces(word: str) -> bool:
    """Chinese, Japanese and Thai words are not set apart: there a letter is the unit."""
    return any("぀" <= char <= "鿿" or "฀" <= char <= "๿" for char in word)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of sentences; a line break always ends one, as in lists, code and chat."""
    from syntok import segmenter  # late: 0.1 s, and only who cuts texts needs it

    for line in _LINE.finditer(text):
        for begin in range(line.start(), line.end(), MAX_CHARS):
            part = text[begin : min(begin + MAX_CHARS, line.end())]
            if not _TOKEN.search(part):
                continue
            for paragraph in segmenter.analyze(part):
                for sentence in paragraph:
                    tokens = list(sentence)
                    last = tokens[-1]
                    yield _trimmed(text, begin + tokens[0].offset, begin + last.offset + len(last.value))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut(text: str, start: int, end: int, max_words: int) -> Iterator[tuple[int, int]]:
    words = [match.span() for match in re.finditer(r"\S+", text[start:end])]
    for first in range(0, len(words), max_words):
        chunk = words[first : first + max_words]
        yield start + chunk[0][0], start + chunk[-1][1]


def _is_short(text: str, window: Window) -> bool:
    return len(_TOKEN.findall(text, window.start, window.end)) < 3
