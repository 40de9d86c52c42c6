"""Plain text into what the rest compares: windows of one sentence, content tokens, and the key of a meaning.

One tokenizer serves the validator, the tombstones and the search, so that they agree on what a word is.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

import regex  # type: ignore[import-untyped]
from snowballstemmer.english_stemmer import EnglishStemmer
from syntok import segmenter

MIN_WORDS = 3
"""A shorter sentence ("Yes.") says too little alone and joins its neighbour."""

_CJK = r"\p{Han}\p{Hiragana}\p{Katakana}"
_SPACE = r"\s\x1c-\x1f"  # what str.strip takes away
_WORD = regex.compile(rf"[{_CJK}]|\w[^{_SPACE}{_CJK}]*")

# What counts as a word for the length of a window: scripts without spaces, URLs and base64 are counted in pieces.
_UNIT = regex.compile(rf"[{_CJK}]|[^{_SPACE}{_CJK}]{{1,24}}")


@dataclass(frozen=True, slots=True)
class Window:
    """text[start:end] is the sentence, without the white space around it."""

    start: int
    end: int


def windows(text: str, max_words: int = 60) -> list[Window]:
    """The sentences of a text in order; together they hold each character but white space once. [] without a word.

    Longer ones are cut into even parts, shorter ones than `MIN_WORDS` joined to the next. A fenced code block
    counts as one sentence.
    """
    if not _WORD.search(text):
        return []
    trimmed = filter(None, (_trim(text, start, end) for start, end in _sentences(text)))
    return [window for joined in _join_short(text, trimmed) for window in _cut_long(text, joined, max_words)]


# --- sentences

_LINE = regex.compile(r"[^\n\r]+")
_FENCE = regex.compile(r"\s*(?:```|~~~)")
_HARD_WRAP = 50  # a line shorter than this was ended on purpose, not by the width of a page
_MAY_END = regex.compile(r"[.!?…。！？｡।؟۔]")

# syntok wants a capital after the full stop and knows no full-width ones; chats have neither.
_MISSED_END = regex.compile(
    r"""[!?؟۔]+["'”’)\]]*\s+(?=\S)
    |[。！？｡।]+["'”’」』）)]*\s*
    |(?<word>\p{Ll}{3,})\.["'”’)\]]*\s+(?=\p{Ll})""",
    regex.VERBOSE,
)
_ABBREVIATIONS = frozenset(
    "approx assoc bzw corp dept div esp etc evtl excl ext fig ggf hrs inc incl ltd max min mins misc orig resp sec tel "
    "usw vgl vol".split()
)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for start, end, is_code in _blocks(text):
        if is_code or not _MAY_END.search(text, start, end):
            yield start, end
            continue
        block = text[start:end]
        starts = sorted({0, *_syntok_starts(block), *_missed_starts(block), len(block)})
        yield from ((start + left, start + right) for left, right in pairwise(starts))


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Fenced code whole; else line by line, hard-wrapped lines together."""
    start, end, in_code = 0, 0, False
    for line in _LINE.finditer(text):
        if _FENCE.match(line[0]):
            border = line.end() if in_code else line.start()
            yield start, border, in_code
            start, in_code = border, not in_code
        elif not in_code and not _continues(text, start, end, line):
            yield start, line.start(), False
            start = line.start()
        end = line.end()
    yield start, len(text), in_code


def _continues(text: str, start: int, end: int, line: regex.Match[str]) -> bool:
    is_next = text[end : line.start()] in ("\n", "\r\n")
    return is_next and end - max(start, text.rfind("\n", start, end)) > _HARD_WRAP and line[0].lstrip()[:1].islower()


def _syntok_starts(block: str) -> Iterator[int]:
    for paragraph in segmenter.analyze(block):
        for sentence in paragraph:
            yield sentence[0].offset


def _missed_starts(block: str) -> Iterator[int]:
    for found in _MISSED_END.finditer(block):
        if found["word"] not in _ABBREVIATIONS:
            yield found.end()


# --- lengths


def _trim(text: str, start: int, end: int) -> Window | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return Window(start + left, start + right) if right else None


def _join_short(text: str, sentences: Iterator[Window]) -> list[Window]:
    joined: list[Window] = []
    waiting: Window | None = None
    words = 0
    for sentence in sentences:
        waiting = Window(waiting.start if waiting else sentence.start, sentence.end)
        words += len(list(islice(_WORD.finditer(text, sentence.start, sentence.end), MIN_WORDS)))
        if words >= MIN_WORDS:
            joined.append(waiting)
            waiting, words = None, 0
    if waiting:
        joined.append(Window(joined.pop().start if joined else waiting.start, waiting.end))
    return joined


def _cut_long(text: str, window: Window, max_words: int) -> Iterator[Window]:
    if window.end - window.start <= max_words:  # no word is shorter than a character
        yield window
        return
    units = [match.span() for match in _UNIT.finditer(text, window.start, window.end)]
    parts = math.ceil(len(units) / max_words)
    bounds = [len(units) * part // parts for part in range(parts + 1)]
    for first, after in pairwise(bounds):
        yield Window(units[first][0], units[after - 1][1])


# --- words

_INVISIBLE = regex.compile(r"\p{Cf}")  # zero-width and bidi characters would hide a word from its equal
_APOSTROPHES = regex.compile("[’‘ʼ′`´]")
_THOUSANDS = regex.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_TOKEN = regex.compile(rf"(?V1)\d+(?:[.,:/]\d+)+|[{_CJK}]|[\w--[_{_CJK}]]+(?:'[\w--[_{_CJK}]]+)*")
_NEGATED = regex.compile(
    r"(?:ai|are|ca|could|did|do|does|had|has|have|is|might|must|need|sha|should|was|were|wo|would)n'?t|cannot"
)
_ENDING = regex.compile(r"'(?:s|m|re|ve|ll|d)$")

# Function words. What sets a claim in time, counts or negates it ("before", "every", "no", "only") is content.
_STOP_WORDS = frozenset(
    """
    a about above across actually also am among an and any are around as at be became because been being below between
    but by can could did do does doing done down during either else even for from further get gets getting got had has
    have having he her here hers herself him himself his how however i if in into is it its itself just let many may
    maybe me might mine much must my myself need now of off oh ok okay on onto or other our ours ourselves out over own
    please quite rather really said same say says shall she should so some such than that the their theirs them
    themselves then there therefore these they this those though through thus to too under up upon us use user very was
    we were what when where whether which while who whom whose why will with would yeah yes yet you your yours yourself
    """.split()
)


def content_tokens(text: str) -> list[str]:
    """The words that carry the claim, in order: stemmed, without function words, negations and numbers kept."""
    return [_stem(word) for word in _words(text) if word not in _STOP_WORDS]


def _words(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(_fold(text)):
        yield "not" if _NEGATED.fullmatch(token) else _ENDING.sub("", token)


def _fold(text: str) -> str:
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    folded: str = _THOUSANDS.sub("", _APOSTROPHES.sub("'", visible.casefold()))
    return folded


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    # A stemmer holds the word it works on: one shared between threads would mix them up.
    stem: str = EnglishStemmer().stemWord(word)
    return stem


# --- keys of a meaning

_SUBJECT = regex.compile(r"(?:(?:the |this )?user(?:'s)?|i|my)(?= |$) ?")
_VERB_FORMS = {"am": "is", "are": "is", "is": "is", "was": "was", "were": "was", "has": "have", "does": "do"}
_EXPANSIONS = (
    (regex.compile(r"\bcan'?t\b|\bcannot\b"), "can not"),
    (regex.compile(r"\bwon't\b"), "will not"),
    (regex.compile(r"(?<=\w)n't\b"), " not"),
    (regex.compile(r"\b(do|does|did|is|was|are|has|have)nt\b"), r"\1 not"),
    (regex.compile(r"(?<=\bi)'m\b"), " am"),
    (regex.compile(r"(?<=\w)'ve\b"), " have"),
    (regex.compile(r"(?<=\w)'re\b"), " are"),
    (regex.compile(r"(?<=\w)'ll\b"), " will"),
)
# Kept are the signs that a word or a number may carry ("C#", "30%", "@home", "3.5", "-5", "anna's").
_PUNCTUATION = regex.compile(
    r"""(?V1) [\p{P}`^~|--[\#%&@'\-.,:]]
    | (?<!\w)[\#%&@](?!\w)
    | (?<!\w)' | '(?!\w)
    | (?<=\S)- | -(?!\d)
    | (?<!\d)[.,:] | [.,:](?!\d)""",
    regex.VERBOSE,
)


def normalize(text: str) -> str:
    """The key under which a claim about the person is remembered, however it was punctuated or addressed.

    "User is allergic to walnuts.", "I'm allergic to walnuts" and "is allergic to walnuts" share one key. For
    comparing only: it is not meant to be shown.
    """
    folded = _fold(text)
    for pattern, plain in _EXPANSIONS:
        folded = pattern.sub(plain, folded)
    words = " ".join(_PUNCTUATION.sub(" ", folded).split())
    claim = _SUBJECT.sub("", words, count=1) if _SUBJECT.match(words) else words
    first, space, rest = (claim or words).partition(" ")
    key = (_VERB_FORMS.get(first) or _stem(first)) + space + rest
    return key or folded.strip()
