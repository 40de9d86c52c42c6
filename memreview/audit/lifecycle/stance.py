"""How a sentence is meant: what is asserted of the present, and what is asked, supposed, planned,
remembered, quoted or said in jest. Rules of thumb for English; where in doubt a sentence is taken for
not asserted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of a text. `text` has straight apostrophes and the same offsets as the original."""

    text: str
    start: int
    momentary: bool = False  # holds for a day or a week only
    scoped: bool = False  # opens with the occasion it holds for
    additional: bool = False  # "too", "as well": beside what was said before
    year: int | None = None  # a year that it dates itself to

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_ABBREVIATION = r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)"
_BREAK = re.compile(rf"{_ABBREVIATION}(?<=[.!?…])[\"'”)]*\s+|(?<!\s)\s*\n+\s*")
_QUESTION_WORD = (
    r"can|could|what|how|which|do|does|is|are|should|would|where|when|any|will|who|why|whose|did|have|has|anything|am"
)
_QUESTION = re.compile(rf"(?:^|[,;:—–-]\s+|\b(?:and|so|but|then)\s+)(?=(?:{_QUESTION_WORD})\b)", re.I)
_ASKED = re.compile(
    r"^(?:and |so |but |ok |hey |then )*(?:should|would|could|can|do|does|did|is|are|what|how|why|which|where|who)\b",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:what if|if (?:i|we|my|you)|were to|suppose|supposing|imagine|pretend|hypothetical\w*|let's say|wish|unless"
    r"|in case|explain how|what happens|as if|thinking (?:of|about)|considering|dream(?:ing)? of|role-?play)\b",
    re.I,
)
_IN_JEST = re.compile(
    r"\byeah,? right\b|\bpigs fly\b|\boh sure\b|^(?:haha,? |lol,? )?sure,? (?:because|and|i)\b|\bthe pope\b"
    r"|\boh great\b"
    r"|\bbecause who doesn't\b|\bas if\b|\bjust kidding\b|\bjk\b|(?:^|\s)/s(?:$|\s)|🙄|\bnot!",
    re.I,
)
_REMEMBERED = re.compile(
    r"\bwhen (?:i|we) (?:was|were)\b|\bas a (?:kid|child|teen\w*|student|boy|girl|baby|young)\b|\bgrowing up\b"
    r"|\bback (?:in|then|when)\b|\b(?:years|decades) ago\b|\bin my (?:teens|twenties|thirties|youth|childhood)\b"
    r"|\bonce upon\b|\bbefore i (?:was|moved|met)\b|\b(?:dreamt|dreamed)\b",
    re.I,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told me|tells me|according to|claims|claimed|wrote|writes|heard|reads|asked me|people say)\b", re.I
)
_FICTION = re.compile(
    r"\b(?:my|the|a) (?:character|protagonist|hero|heroine|novel|story|screenplay|scene|poem|script)\b|\bin the "
    r"(?:movie|film|book|"
    r"story|series|game|novel|show)\b|\b(?:write|draft|compose|continue|rewrite|translate) (?:me )?(?:a|an|the"
    r"|this|my)\b"
    r"|\b(?:act|speak|answer) as (?:a|an|if)\b",
    re.I,
)
_STORY = re.compile(
    r"\b(?:short |bedtime )?(?:story|novel|screenplay|scene|poem|fan ?fiction|role-?play|protagonist|dialogue)\b", re.I
)
_MOMENTARY = re.compile(
    r"\b(?:this (?:week|weekend|month|morning|evening|afternoon|time)|today|tonight|tomorrow|yesterday|just "
    r"(?:this )?once"
    r"|just for|for now|for the (?:weekend|week|day)|until (?:\w+day|tomorrow|next|the)|temporar\w+|on (?:holiday"
    r"|vacation)|last (?:night|week)"
    r"|for a (?:few|couple of) (?:days|weeks)|exception)\b",
    re.I,
)
_OCCASION = re.compile(
    r"^(?:and |but )?(?:for|when|whenever|during|while|at|in|with|on)\s+(?!(?:top of that|the other hand|fact"
    r"|march|january|february|april"
    r"|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|the end|new year|\d{4}))"
    r"[^.;:!?]{2,50}?(?:,\s*|\s+(?=(?:i|we|use|write|give|keep)\b))",
    re.I,
)
_ADDITIONAL = re.compile(r"\b(?:also|too|as well|another|a second|additionally|besides|in addition)\b", re.I)
_YEAR = re.compile(r"\b(?:in|back in|of|until|till)\s+((?:19|20)\d\d)\b", re.I)
_QUOTED = re.compile(r"[\"“«](?:[^\"”»\s]+\s+){3,}[^\"”»]*[\"”»]")
_CODE = re.compile(r"```.*?(?:```|$)|^>.*$", re.S | re.M)
_STRAIGHT = str.maketrans("’‘ʼ`", "''''")


def sentences(text: str) -> Iterator[Sentence]:
    """All sentences of a text, unjudged: how a stored note is read."""
    start = 0
    for gap in _BREAK.finditer(text):
        if gap.start() > start:
            yield Sentence(text[start : gap.start()].translate(_STRAIGHT), start)
        start = gap.end()
    if start < len(text):
        yield Sentence(text[start:].translate(_STRAIGHT), start)


def asserted(text: str) -> Iterator[Sentence]:
    """The sentences, or their beginnings, in which a person says how things stand."""
    bare = _CODE.sub(lambda code: " " * len(code[0]), text)
    if _FICTION.search(bare):
        return
    bare = _QUOTED.sub(lambda quote: " " * len(quote[0]), bare)
    for sentence in sentences(bare):
        kept = _before_the_question(sentence.text)
        if not kept.strip() or _IN_JEST.search(sentence.text) or _REMEMBERED.search(kept):
            continue
        yield Sentence(
            kept,
            sentence.start,
            momentary=_MOMENTARY.search(kept) is not None,
            scoped=_OCCASION.match(kept) is not None,
            additional=_ADDITIONAL.search(kept) is not None,
            year=int(found[1]) if (found := _YEAR.search(kept)) else None,
        )


def invented_from(text: str) -> int:
    """Where in a message a story, a scene or a role begins; beyond its end where none does."""
    found = _STORY.search(text)
    return found.end() if found else len(text) + 1


def real(before: str) -> bool:
    """Is what follows these words of a sentence said as fact, and by the person?"""
    return not (_UNREAL.search(before) or _REPORTED.search(before))


def _before_the_question(sentence: str) -> str:
    if not sentence.rstrip(" \"')").endswith("?"):
        return "" if _ASKED.match(sentence) else sentence
    asked = _QUESTION.search(sentence)
    return sentence[: asked.start()] if asked else ""
