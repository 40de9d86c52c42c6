"""Disclosures of change: the phrases by which people say that something ended, came back, or gave way to
something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from memreview.audit.lifecycle.grammar import SELF, actor
from memreview.audit.lifecycle.stance import Sentence, real


class Change(StrEnum):
    ENDED = "ended"
    REPLACED = "replaced"
    RESUMED = "resumed"
    GONE = "gone"  # somebody or something that died, left or parted


@dataclass(frozen=True, slots=True)
class Disclosure:
    """`old` names what no longer holds; `new` is verbatim `text[start:end]`: the new state, or the words of
    the ending."""

    change: Change
    old: str
    new: str
    start: int
    end: int
    sentence: Sentence
    strength: float
    thing: str = ""  # what has the old value, where that was said


_A = r"(?P<a>[^,;:!?()\n—–]{2,60}?)"
_B = r"(?P<b>[^,;:!?()\n—–]{2,60}?)"
_END = (
    r"(?=\s*(?:$|[,;:!?()\n—–]|\.(?!\d)|\b(?:and|but|since|because|so|when|while|after|which|who|last|this|over"
    r"|in (?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december|spring|summer|autumn|winter|the (?:spring|summer|autumn"
    r"|winter))|for good|at (?:new year|last)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|at the (?:end|start|beginning|weekend|time|moment)|ages|two"
    r"|three|a (?:few|couple|while|week|month|year)|after|before|then|now|these days|any ?more"
    r"|yesterday|today|already|finally|ages ago|to my|to a|to the|as a)\b))"
)
_ME = r"(?:\s+(?:me|us|all|everything|all (?:my|our) [\w-]+|my [\w-]+|our [\w-]+|over|back|completely|fully))*"

_REPLACED = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:switched|moved|changed|went|gone|migrated|upgraded|transferred|converted|swapped|jumped"
        rf"|relocated){_ME}\s+from\s+{_A}\s+(?:over\s+)?to\s+{_B}{_END}",
        rf"\b(?:swapped|swapping|traded(?: in)?|trading in|replaced|exchanged|ditched|dropped|left)\s+{_A}\s+"
        rf"(?:for|with|in favou?r of|and got)\s+(?!good\b|me\b|a while){_B}{_END}",
        rf"\b(?:chose|choose|use|using|do|doing|take|taking|play|playing|eat|eating|drink|drinking|see|want|prefer"
        rf"|get|getting|\w+ing)\s+{_B}\s+instead of\s+{_A}{_END}",
    )
)
_REPLACED_ANYWHERE = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:it's|it is|i'm|we're|that's)\s+(?:now\s+)?{_B},?\s+not\s+{_A}(?:\s+any ?more|\s+now)?{_END}",
        rf"^(?:i|we|it)?\s*used to (?:be\s+)?{_A},?\s+(?:but\s+)?(?:now\s+(?:it's\s+|i'm\s+|i\s+|we\s+)?"
        rf"|these days\s+(?:it's\s+|i\s+)?){_B}{_END}",
        rf"\b(?:no longer|not)\s+{_A},\s+it's\s+{_B}\s+(?:now|these days)\b",
        rf"\b(?:in|with)\s+(?P<b>[\w-]+(?: [\w-]+)?),?\s+not\s+(?!only\b|just\b)(?:in\s+)?{_A}{_END}",
    )
)
# "my levothyroxine up from 50 to 75", "the class has moved from Wednesdays to Mondays": the thing and its old
# value together.
_THING = re.compile(
    rf"\b(?:my|our|the)\s+(?P<thing>(?:[\w-]+\s+){{0,3}}?[\w-]+?)\s+(?:(?:has|have|was|were|got|been|just|now|up"
    rf"|down|went|gone|go|goes|moved|moves|changed"
    rf"|changes|switched|shifted|increased|rose|dropped|is|are)\s+){{1,4}}from\s+{_A}\s+to\s+{_B}{_END}",
    re.I,
)
_HAPPENED = re.compile(
    r"^(?:the )?(?:user |i |we |he |she |they )?(?:has |have |had |once )?(?:already )?(?:ran|run in|won|completed"
    r"|finished|graduated|qualified|passed|failed|visited|attended|climbed|crossed|published|wrote|built"
    r"|watched|saw|met|voted|gave birth|grew up|performed|competed|participated|took part)\b"
    r"|\bborn (?:on|in|at|\d)",
    re.I,
)
_ENDED = re.compile(
    r"\b(?:quit|quitted|left|gave up(?: on)?|given up(?: on)?|stopped|dropped|cancel+ed|sold|ended|finished"
    r"|completed|resigned from|got rid of"
    r"|broke up with|split up with|split with|divorced|separated from|uninstalled|unsubscribed from|let go of"
    r"|closed|donated"
    r"|handed in my notice at|(?:got |been |was )?(?:laid off|fired|let go|made redundant|kicked out) (?:from|by"
    r"|at|of)|retired from|outgrew|stepped down (?:as|from)"
    r"|(?:'m|am|are|'re) (?:off|done with|over|through with|out of|finished with))\s+(?!it\b|there\b|that\b|this\b"
    r"|them\b|because\b)" + _A + _END,
    re.I,
)
_NO_LONGER = re.compile(rf"\b(?:no longer|not)\s+{_A}(?:\s+(?:any ?more|at all now|after all))?{_END}", re.I)
_NOT_ANY_MORE = re.compile(
    rf"(?:\bdo not|\bdon't|\bdont|\bdoes not|\bdoesn't|\bcan't|\bcannot|\bam not|'m not|'re not|\baren't"
    rf"|\bisn't)\s+{_A}\s+(?:any ?more|after all|these days)\b",
    re.I,
)
_NO_MORE = re.compile(rf"\bno more\s+{_A}(?:\s+please)?{_END}", re.I)
_WITHOUT = re.compile(rf"\bday \d+ without\s+{_A}{_END}", re.I)
_GONE = re.compile(
    r"(?:^|[,;.:!]\s*)(?P<a>(?:(?:my|our)\s+(?:[\w-]+\s+)?)?(?:dr\.? |mr\.? |mrs\.? |ms\.? )?[^\W\d_][\w'-]+(?:\s+"
    r"(?-i:[A-Z])[\w'-]+)?)\s+(?:has\s+|just\s+|have\s+)?"
    r"(?:died|passed away|passed|retired|moved out|left(?=\s*(?:$|[,;.!]|the company|last|in|and|for)))",
    re.I,
)
_PARTED = re.compile(
    r"\b(?P<a>[^\W\d_][\w'-]+) and (?:i|me) (?:have |just |recently )*(?:broke up|broken up|split up|split"
    r"|separated|got divorced|divorced|are no longer together"
    r"|called it off)\b",
    re.I,
)
_RESUMED = re.compile(r"\b(?:again|these days|now|after all|nowadays)\b", re.I)
_NOT_A_NAME = re.compile(
    r"^(?:he|she|they|it|we|i|you|everyone|who|that|people|the|a|one|nobody|somebody|and|so|which)\b", re.I
)


def disclosures(sentence: Sentence) -> Iterator[Disclosure]:
    """What one asserted sentence says has changed for the person."""
    text = sentence.text
    for pattern in _REPLACED:
        for match in pattern.finditer(text):
            if _own(text, match) or _done_to_me(text, match):
                yield _replaced(sentence, match, 0.95)
    for pattern in _REPLACED_ANYWHERE:
        for match in pattern.finditer(text):
            if real(text[: match.start()]):
                yield _replaced(sentence, match, 0.8)
    for match in _THING.finditer(text):
        if real(text[: match.start()]):
            change = _replaced(sentence, match, 0.9)
            yield replace(change, thing=match["thing"])
    for match in _ENDED.finditer(text):
        if _own(text, match):
            yield _ended(sentence, match, match.start(), 0.9)
    for pattern in (_NO_LONGER, _NOT_ANY_MORE):
        for match in pattern.finditer(text):
            if _lasting(match) and _own(text, match):
                yield _ended(sentence, match, match.start(), 0.9)
    for pattern in (_NO_MORE, _WITHOUT):
        for match in pattern.finditer(text):
            if real(text[: match.start()]):
                yield _ended(sentence, match, match.start(), 0.75)
    for pattern in (_GONE, _PARTED):
        for match in pattern.finditer(text):
            if real(text[: match.start()]) and not _NOT_A_NAME.match(match["a"]):
                yield replace(_ended(sentence, match, match.start("a"), 0.85), change=Change.GONE)
    for match in _RESUMED.finditer(text):
        if actor(text, match.start(), noted=False).subject or re.search(r"\b(?:i|we)\b", text[: match.start()], re.I):
            yield Disclosure(
                Change.RESUMED, text, text[: match.end()].strip(), *_span(sentence, text[: match.end()]), sentence, 0.7
            )
            return


def ended(text: str) -> bool:
    """Does a stored note itself tell of an ending? Then a later ending does not overturn it."""
    return bool(
        _ENDED.search(text) or re.search(r"\b(?:no longer|any ?more|former(?:ly)?|used to|previously)\b", text, re.I)
    )


def happened(text: str) -> bool:
    """Does a stored note tell of something done? Nothing that comes after can rule it out."""
    return _HAPPENED.search(text) is not None


def _own(text: str, match: re.Match[str]) -> bool:
    who = actor(text, match.start(), noted=False, verb_text=match[0])
    return who.subject == SELF and not who.denied and not who.former


def _done_to_me(text: str, match: re.Match[str]) -> bool:
    return bool(
        re.search(r"\b(?:they|doctor|gp|company|boss|he|she)\s+(?:have |has |just )*$", text[: match.start()], re.I)
    ) and bool(re.match(r"\w+\s+(?:me|us|my|our)\b", match[0], re.I))


def _lasting(match: re.Match[str]) -> bool:
    """ "not X" alone is a state; "no longer X", "not X any more" a change."""
    return match[0].casefold().startswith("no longer") or bool(
        re.search(r"\b(?:any ?more|after all|these days)$", match[0], re.I)
    )


def _replaced(sentence: Sentence, match: re.Match[str], strength: float) -> Disclosure:
    start, end = match.span("b")
    return Disclosure(
        Change.REPLACED,
        match["a"].strip(),
        match["b"],
        sentence.start + start,
        sentence.start + end,
        sentence,
        strength,
    )


def _ended(sentence: Sentence, match: re.Match[str], start: int, strength: float) -> Disclosure:
    new = sentence.text[start : match.end()].rstrip()
    return Disclosure(
        Change.ENDED,
        match["a"].strip(),
        new,
        sentence.start + start,
        sentence.start + start + len(new),
        sentence,
        strength,
    )


def _span(sentence: Sentence, head: str) -> tuple[int, int]:
    skipped = len(head) - len(head.lstrip())
    return sentence.start + skipped, sentence.start + skipped + len(head.strip())
