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
_FIRST = r"\b(?:i|we)"
_ADVERBS = r"(?:(?:also|always|already|still|only|just|never|now|mostly|usually|often|really|actually|both) )*"
_PERSONS = (
    (rf"{_FIRST}(?:'m|'re| am| are)\b", "is"),
    (rf"{_FIRST}(?:'ve| have)\b", "has"),
    (rf"{_FIRST}'ll\b", "will"),
    (rf"{_FIRST}'d\b", "would"),
    (rf"{_FIRST} (?:don't|do not|dont)\b", "doesn't"),
    (rf"{_FIRST} (?:haven't|have not)\b", "hasn't"),
    (rf"{_FIRST} (?:aren't|are not|ain't)\b", "isn't"),
    (rf"{_FIRST} were\b", "was"),
    (r"\b(?:mine|ours)\b", "theirs"),
    (r"\b(?:me|us)\b", "them"),
    (r"\b(?:myself|ourselves)\b", "themselves"),
)
_SAID = re.compile(rf"{_FIRST} ({_ADVERBS})([\w']+)", re.I)
_AS_IT_IS = re.compile(
    r"(?:can|could|may|might|must|shall|should|will|would|was|had|did|went|took|gave|got|bought|sold|said|told|made|came|"
    r"left|lost|found|kept|quit|put|let|grew|began|became|broke|spent|taught|ran|ate|drank|wore|won|met|knew|thought|"
    r"thinks|[a-z]+n't|cannot|cant|[a-z]*[^aeiou]ed|[a-z]+[aeiou]ed)",
    re.I,
)
_PLAIN_ED = frozenset("need feed speed breed bleed exceed proceed succeed embed shed wed".split())
_OWNER = re.compile(r"^(?:my|our)\s+", re.I)
_MY = re.compile(r"\b(?:my|our)\b", re.I)
_NOT = re.compile(r"^(?:do not|don't|dont|never|no more|stop|avoid|skip|drop)\b\s*", re.I)
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
    words = " ".join((text[slice(*span)] if span else text).replace("’", "'").split())
    while (shorter := _LEADING.sub("", words, count=1)) != words:
        words = shorter
    words = _TRAILING.sub("", words) or words
    is_order = (
        hypothesis is not None and hypothesis.direction == "instruction" and not re.search(rf"{_FIRST}\b", words, re.I)
    )
    said = _instruction(words) if is_order else _told(_OWNER.sub("", words, count=1))
    return said[:1].upper() + said[1:]


def _told(words: str) -> str:
    for pattern, replacement in _PERSONS:
        words = re.sub(pattern, replacement, words, flags=re.I)
    return _MY.sub("their", _SAID.sub(_third, words))


def _third(found: re.Match[str]) -> str:
    adverbs, verb = found[1], found[2]
    keep = _AS_IT_IS.fullmatch(verb) and verb.casefold() not in _PLAIN_ED
    return f"{adverbs}{verb if keep else third(verb)}"


def _instruction(words: str) -> str:
    said = _told(words)
    lowered = said[:1].lower() + said[1:] if said[1:2].islower() or said[1:2] == " " else said
    if found := _NOT.match(lowered):
        rest = lowered[found.end() :]
        return f"Wants the assistant not to {rest}" if _ORDER.match(rest) else f"Wants no {rest}"
    return f"Wants the assistant to {lowered}" if _ORDER.match(lowered) else f"Wants {lowered}"
