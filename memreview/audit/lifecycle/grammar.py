"""Who a verb is about and in which mood, read off the words before it; and the stems that texts are
compared by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memreview.audit.lifecycle.stance import real
from memreview.language.sentences import content_tokens

SELF = "self"
NOBODY = ""

_PARTNER = "wife|husband|partner|girlfriend|boyfriend|spouse|fianc[eé]e?|other half"
_RELATIVE = (
    "mother|father|mum|mom|dad|parents?|sister|brother|siblings?|son|daughter|kids?|child|children|baby|grand"
    "(?:mother|father|ma|pa|son|daughter)"
    "|gran|nan|aunt|uncle|cousin|nephew|niece|(?:brother|sister|mother|father)-in-law|twin"
)
_OTHERS = (
    "friend|buddy|mate|flatmate|roommate|housemate|neighbou?r|colleague|coworker|boss|manager|landlord|landlady"
    "|teacher|tutor|doctor|dentist"
    "|therapist|coach|client|guests?|students?|team|company|character|boss|ex"
)
KIN = rf"(?:{_PARTNER}|{_RELATIVE}|{_OTHERS})"
# A person has one of each of these, so that two statements about "my …" are about the same one.
UNIQUE_KIN = re.compile(rf"^(?:{_PARTNER}|mother|father|mum|mom|dad|boss|manager|landlord|landlady)$", re.I)

_AUX = (
    r"(?:(?:have|has|had|am|are|is|was|were|do|does|did|don't|doesn't|didn't|haven't|hasn't|isn't|aren't|wasn't"
    r"|won't|wouldn't|can't"
    r"|cannot|dont|doesnt|didnt|not|never|no longer|just|finally|recently|now|currently|actually|only|still|both"
    r"|officially|already|since|then"
    r"|mostly|usually|always|often|been|being|be|got|really|basically|even|might|may|could|would|should|will|shall"
    r"|must|can|all"
    r"|wants? to|wanna|like[sd]? to|love to|going to|gonna|plans? to|planning to|hoping to|hopes? to|thinking "
    r"(?:of|about)|considering"
    r"|about to|used to|needs? to|have to|try(?:ing)? to|almost|nearly|decided to|started|ended up|tends? to"
    r"|previously|formerly"
    r"|originally|once|too|also|instead|lately|probably|maybe|perhaps|gladly|happily|sadly|today|yesterday"
    r"|unfortunately|suddenly|moved and"
    r"|ok|okay|well|so|anyway|please|sometimes|just now)\b|'(?:ve|m|re|s|d|ll)\b)"
)
_LEFT = re.compile(
    rf"(?:(?P<self>\b(?:i|we|(?:the )?user|(?:my {KIN}|\w+) and i|(?:me|i) and my \w+))|(?P<kin>(?:\b(?:my|our|his"
    rf"|her|their|(?:the )?user's)\s+)?"
    rf"(?:[\w'-]+\s+){{0,2}}?\b(?P<who>{KIN})\b(?:,?\s+(?-i:[A-Z])[\w'-]+,?)?)|(?P<they>\b(?:they|he|she|you"
    rf"|people|who|it))"
    rf"|(?P<open>(?:^|[,;:.!?—–(]\s*|\s-\s*|\b(?:and|but|so|now that|because|that|then|plus)\b)))\s*(?P<aux>"
    rf"(?:{_AUX}\s*)*)$",
    re.I,
)
_DENIED = re.compile(r"\bnot\b|n't\b|\bnever\b|\bno longer\b|\bcannot\b|\b(?:dont|doesnt|didnt)\b", re.I)
_UNREAL = re.compile(
    r"\b(?:might|may|could|would|should|shall|must|can|wants? to|wanna|like[sd]? to|love to|thinking|considering"
    r"|almost|nearly|try\w* to"
    r"|tends? to|probably|maybe|perhaps|will|going to|gonna|plan\w* to|hop\w+ to|about to|needs? to|have to"
    r"|decided to|sometimes)\b|'d\b|'ll\b",
    re.I,
)
_FORMER = re.compile(r"\b(?:used to|previously|formerly|originally|once|was|were|had)\b", re.I)
_FIRST_PERSON = re.compile(r"\b(?:i|we|i'm|i've|we're|we've|user)\b", re.I)
ANYBODY = re.compile(rf"\b(?:{KIN}|he|she|they|you|people|who)\b", re.I)
_THIRD_PERSON = re.compile(r"\w+[^s\W]s$|\b(?:is|has|does|goes)$", re.I)


@dataclass(frozen=True, slots=True)
class Actor:
    """`subject` is SELF, a word of kin, or NOBODY when it cannot be told or is not meant as fact."""

    subject: str
    denied: bool = False
    former: bool = False
    start: int = 0  # where the subject and its auxiliaries begin


def actor(sentence: str, verb: int, *, noted: bool, verb_text: str = "") -> Actor:
    """Who does what begins at offset `verb`. In a stored note a missing subject is the person."""
    before = sentence[:verb]
    left = _LEFT.search(before)
    if left is None or not real(before):
        return Actor(NOBODY)
    aux = left["aux"]
    if _UNREAL.search(aux):
        return Actor(NOBODY)
    return Actor(
        _subject(left, before, noted, verb_text),
        denied=_DENIED.search(aux) is not None,
        former=_FORMER.search(aux) is not None,
        start=left.start(),
    )


def _subject(left: re.Match[str], before: str, noted: bool, verb_text: str) -> str:
    if left["self"]:
        return SELF
    if left["kin"]:
        return left["who"].casefold()
    if left["they"]:
        return SELF if noted and left["they"].casefold() in ("they", "he", "she") else NOBODY
    earlier = before[: left.start()]
    if ANYBODY.search(earlier):
        return NOBODY
    if noted or _FIRST_PERSON.search(earlier):
        return SELF
    alone = len(earlier.split()) <= 3 and not _THIRD_PERSON.search(verb_text.split(" ", maxsplit=1)[0])
    return SELF if alone else NOBODY


# Plurals and pasts that the stemmer leaves apart.
_IRREGULAR = {
    "children": "child",
    "people": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "bicycl": "bike",
    "phd": "phd",
}
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}


@lru_cache(maxsize=131072)
def stems(text: str) -> tuple[str, ...]:
    """Content stems in order, numbers as digits, without the words for the person as such."""
    return tuple(
        _NUMBER_WORDS.get(token, _IRREGULAR.get(token, token)) for token in content_tokens(text) if _is_content(token)
    )


@lru_cache(maxsize=65536)
def _is_content(stem: str) -> bool:
    """The stem of "uses" is a function word itself, and "use" has none to match it."""
    return bool(content_tokens(stem))
