"""What a person says of themselves as an assistant would note it, by rules: "I can't eat kiwi" as "Can't eat kiwi"."""

from __future__ import annotations

import re

from memreview.audit.lifecycle.wording import third
from memreview.language.claims import Hypothesis

_LEADING = re.compile(
    r"^(?:and|but|so|because|cos|which|as|now that|given that|btw|fyi|look|please|pls|right|ok|okay|well)\b[,:]?\s+",
    re.I,
)
_TRAILING = re.compile(r"(?:\s*,?\s*\b(?:please|pls|thanks|thank you|ok|okay|full stop))?[\s.!?,;:]*$", re.I)
_ADVERBS = r"(?:(?:also|always|already|still|only|just|never|now|mostly|usually|often|really|actually|both) )*"
_FIRST = r"\b(?:i|we)"
_START = rf"^({_ADVERBS})(?:i|we)"
_AT_THE_START = (
    (r"\bi(m|ve)\b", r"i'\1"),
    (rf"{_START}(?:'m|'re| am| are)\b", r"\1is"),
    (rf"{_START}(?:'ve| have)\b", r"\1has"),
    (rf"{_START}'ll\b", r"\1will"),
    (rf"{_START}'d\b", r"\1would"),
    (rf"{_START} (?:don't|do not|dont)\b", r"\1doesn't"),
    (rf"{_START} (?:haven't|have not)\b", r"\1hasn't"),
    (rf"{_START} (?:aren't|are not|ain't)\b", r"\1isn't"),
    (rf"{_START} were\b", r"\1was"),
)
_ELSEWHERE = (
    (rf"{_FIRST}(?:'m|'re| am| are)\b", "they are"),
    (rf"{_FIRST}'(ve|ll|d)\b", r"they'\1"),
    (rf"{_FIRST} was\b", "they were"),
    (rf"{_FIRST}\b", "they"),
    (r"\b(?:mine|ours)\b", "theirs"),
    (r"\b(?:me|us)\b", "them"),
    (r"\b(?:my|our)\b", "their"),
    (r"\b(?:myself|ourselves)\b", "themselves"),
)
_SAID = re.compile(rf"{_START} ({_ADVERBS})([\w']+)", re.I)
_AS_IT_IS = re.compile(
    r"(?:can|could|may|might|must|shall|should|will|would|was|had|did|went|took|gave|got|bought|sold|said|told|made|came|"
    r"left|lost|found|kept|quit|put|let|grew|began|became|broke|spent|taught|ran|ate|drank|wore|won|met|knew|thought|"
    r"thinks|[a-z]+n't|cannot|cant|[a-z]*[^aeiou]ed|[a-z]+[aeiou]ed)",
    re.I,
)
_PLAIN_ED = frozenset("need feed speed breed bleed exceed proceed succeed embed shed wed".split())
_OWNER = re.compile(r"^(?:my|our)\s+", re.I)
_DO_NOT = re.compile(r"^(?:do not|don't|dont|never)(?: ever)? (?!an?\b|any\b|the\b)", re.I)
_NO = re.compile(r"^(?:never|no|no more|stop|avoid|skip|drop)\b\s*", re.I)
_ORDER = re.compile(
    r"^(?:always |only |just )?(?:add|address|answer|assume|avoid|be|begin|bring|call|check|cite|code|convert|cut|"
    r"do|draft|drop|end|explain|format|give|go|ignore|include|keep|leave|let|list|make|mention|name|offer|place|"
    r"print|put|quote|refer|remember|remind|reply|say|send|set|show|skip|speak|spell|start|stay|stick|stop|suggest|"
    r"take|talk|tell|translate|treat|try|use|wrap|write)\b",
    re.I,
)


def note(text: str, hypothesis: Hypothesis | None = None) -> str:
    """In the third person without a subject, of the words that make the claim; of all words without a hypothesis."""
    span = hypothesis.claim_span if hypothesis else None
    words = " ".join((_whole_words(text, *span) if span else text).replace("’", "'").split())
    while (shorter := _LEADING.sub("", words, count=1)) != words:
        words = shorter
    words = _TRAILING.sub("", words) or words
    is_wish = hypothesis is not None and hypothesis.direction == "instruction"
    is_order = _ORDER.match(words) or _DO_NOT.match(words) or not re.search(rf"{_FIRST}\b", words, re.I)
    said = _instruction(words) if is_wish and is_order else _told(_OWNER.sub("", words, count=1))
    return said[:1].upper() + said[1:]


def _whole_words(text: str, start: int, end: int) -> str:
    while start and re.match(r"[\w'’]", text[start - 1]) and re.match(r"[\w'’]", text[start]):
        start -= 1
    while end < len(text) and re.match(r"[\w'’-]", text[end]):
        end += 1
    return text[start:end]


def _told(words: str) -> str:
    for pattern, replacement in _AT_THE_START:
        words = re.sub(pattern, replacement, words, flags=re.I)
    words = _SAID.sub(_third, words)
    for pattern, replacement in _ELSEWHERE:
        words = re.sub(pattern, replacement, words, flags=re.I)
    return words


def _third(found: re.Match[str]) -> str:
    before, adverbs, verb = found[1], found[2], found[3]
    keep = _AS_IT_IS.fullmatch(verb) and verb.casefold() not in _PLAIN_ED
    return f"{before}{adverbs}{verb if keep else third(verb)}"


def _instruction(words: str) -> str:
    said = _told(words)
    lowered = said[:1].lower() + said[1:] if said[1:2].islower() or said[1:2] == " " else said
    if found := _DO_NOT.match(lowered):
        return f"Wants the assistant not to {lowered[found.end() :]}"
    if found := _NO.match(lowered):
        return f"Wants no {lowered[found.end() :]}"
    return f"Wants the assistant to {lowered}" if _ORDER.match(lowered) else f"Wants {lowered}"
