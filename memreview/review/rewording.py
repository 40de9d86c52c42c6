"""Whether two short notes about a person are one claim in two wordings, or look-alikes that differ in a particular.

Nearness of meaning can't tell: "lives in Lisbon" is nearer to "lives in Porto" than "vegetarian" is to "eats no meat".
So what makes two claims differ (a number, a name, a person, a denial, a change, another member of one set of values)
is read off both texts, and a small logistic model weighs it with the nearness.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.fuzz import ratio

from memreview.language.sentences import content_tokens, normalize

FEATURES = ("bias", "cosine", "covered", "shared", "differs", "lacking", "replaced", "listed")
WEIGHTS: NDArray[np.float64] = np.zeros(len(FEATURES))
"""Fitted by `tests/review/test_burial.py::test_the_weights_are_those_of_the_development_pairs`."""


# --- words

_NUMBER = re.compile(r"(?<![\w.])(?:[^\W\d_]+\d\w*|\d+(?:\.\d+)?(?:\s*[ap]m\b)?)", re.I)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w’'-]*")
_DENIAL = re.compile(
    r"\b(?:no|not|nobody|none|never|without|cannot|avoid(?:s|ed)?|dislikes?|hates?|leave\b.*\bout)\b|n['’]t\b|-free\b|\bnon-",
    re.I,
)
_UNLIKED = re.compile(
    r"\b(?:do(?:es)?n['’]t|do(?:es)? not) (?:really )?(?:like|enjoy)\b|\bcan(?:['’]t|not) stand\b|\bhates?\b|\bisn['’]t .*\benjoys?\b", re.I
)
_CHANGE = re.compile(
    r"\b(?:no longer|any ?more|used to(?! be the)|former(?:ly)?|again|ago|switched|moved|cancell?ed|stopped|quit|gave up"
    r"|given up|sold|left(?! out)|died|dead|passed away|laid off|lost|finished|graduated|became|bought|started|paid off|retired"
    r"|dropped|ended|broke\w*|took up|gave birth)\b",
    re.I,
)
_SCOPE = re.compile(r"\b(?:except|unless|weekdays?|weekends?|in (?:e-?mails?|public|private|winter|summer))\b", re.I)
_OVER = re.compile(r"\b(\w+) (?:over|rather than|instead of|more than) (\w+)|\b(?:prefers?|likes?) (\w+) to (\w+)", re.I)


def _groups(text: str) -> dict[str, str]:
    """Each word of a line, stemmed, with the line's first word."""
    return {token: line.split()[0] for line in text.strip().splitlines() for token in content_tokens(line)}


_PERSONS = _groups(
    """
    mother mum mom mama
    father dad papa
    parents parent
    sister sisters
    brother brothers
    wife
    husband
    partner spouse
    girlfriend
    boyfriend
    son sons
    daughter daughters
    grandmother grandma gran
    grandfather grandpa
    aunt
    uncle
    cousin
    nephew
    niece
    friend
    colleague coworker
    roommate flatmate housemate
    """
)
_SAME = _groups(
    """
    apartment flat
    elevator lift
    cilantro coriander
    celiac coeliac
    buy bought
    car automobile
    film movie
    film films
    bicycle bike cycle
    degree diploma
    university uni
    color colour
    child kids children
    neighbor neighbour
    fear afraid scared anxious
    chicken hens hen
    cook makes
    begin start
    build built
    rent tenant
    store shop
    vacation holiday
    favorite favourite best
    doctor physician
    garden yard
    evening dinner
    """
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
} | {"twice": "2", "third": "3", "fourth": "4", "fifth": "5"}

_FILLER = frozenset(
    content_tokens(
        """like likes prefer prefers preference choice favorite have own owns called call named name go goes take takes
        make makes keep keeps use uses using want wants mention mentioned note noted state stated currently mostly mainly
        usually most every each day daily routine home role hobby work works person someone something thing things way
        rule love loves enjoy enjoys find finds try trying attempt attempting plan plans planning live lives living household
        get gets be being with without not no never dislike hate avoid doesn't time taste tastes fond choose become one all"""
    )
)

# Words of one set exclude each other as the value of one attribute.
_SETS = tuple(
    frozenset(content_tokens(line))
    for line in """
    spring summer autumn winter
    morning afternoon evening night
    early late
    am pm
    first last
    left right
    like dislike
    love hate
    good bad
    high low
    long short
    big small
    hot cold
    rent buy
    red blue green yellow orange purple pink black white grey brown beige
    kitchen bathroom bedroom cellar attic balcony garage
    dog cat rabbit hamster parrot horse tortoise fish
    cello viola violin guitar piano flute drums trumpet harp clarinet saxophone
    soprano alto tenor baritone bass
    vegan vegetarian pescatarian omnivore
    single engaged married divorced widowed
    aisle window middle
    bicycle tram train bus car foot ferry plane
    """.strip().splitlines()
)
_SET_OF: dict[str, tuple[int, ...]] = {}
for _n, _members in enumerate(_SETS):
    for _member in _members:
        _SET_OF[_member] = (*_SET_OF.get(_member, ()), _n)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared of one text. `words` are content stems without filler, numbers and persons."""

    words: frozenset[str]
    all_words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    persons: frozenset[str]
    denied: bool
    changed: bool
    scoped: bool
    over: tuple[str, str] | None
    sequence: tuple[str, ...]


def read(text: str) -> Reading:
    return _read(text)


@lru_cache(maxsize=1 << 15)
def _read(text: str) -> Reading:
    plain = _UNLIKED.sub("dislike", _THOUSANDS.sub("", text))
    tokens = [_SAME.get(token, token) for token in content_tokens(plain)]
    spelled = {_NUMBERS[token] for token in tokens if token in _NUMBERS}
    numbers = {found.casefold().replace(" ", "") for found in _NUMBER.findall(plain)} | spelled
    names = {token for name in _NAME.findall(plain) for token in content_tokens(name)} - _NUMBERS.keys() - _PERSONS.keys()
    over = _OVER.search(plain)
    pair = content_tokens(" ".join(filter(None, over.groups()))) if over else []
    rest = frozenset(tokens) - _NUMBERS.keys() - _PERSONS.keys()
    return Reading(
        words=frozenset(token for token in rest - _FILLER if not token[0].isdigit()),
        all_words=frozenset(tokens),
        numbers=frozenset(numbers),
        names=frozenset(names - _FILLER),
        persons=frozenset(_PERSONS[token] for token in content_tokens(plain) if token in _PERSONS),
        denied=_DENIAL.search(plain) is not None,
        changed=_CHANGE.search(plain) is not None,
        scoped=_SCOPE.search(plain) is not None,
        over=(pair[0], pair[-1]) if len(pair) > 1 else None,
        sequence=tuple(_in_order(plain)),
    )


def _in_order(text: str) -> Iterator[str]:
    """All words, function words as they are."""
    for word in normalize(text).split():
        stems = content_tokens(word)
        yield _SAME.get(stems[0], stems[0]) if stems else word


def _unmatched(mine: Iterable[str], theirs: Collection[str]) -> list[str]:
    return [word for word in mine if word not in theirs and not any(_alike(word, other) for other in theirs)]


def _alike(one: str, other: str) -> bool:
    """Two forms of one word: "diabetes" and "diabetic", "color" and "colour", "Postgres" and "PostgreSQL"."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short[0] == long[0] and (ratio(short, long) >= 78 or (len(short) >= 5 and long.startswith(short[:6])))


def excluded(one: Reading, other: Reading) -> bool:
    """Whether a particular of one can't be what the other says: another number, name or person, the opposite."""
    numbers = _other_numbers(one.numbers, other.numbers), _other_numbers(other.numbers, one.numbers)
    names = _unmatched(one.names, other.all_words), _unmatched(other.names, one.all_words)
    return (
        all(numbers)
        or all(names)
        or one.persons != other.persons
        or (one.over is not None and other.over is not None and one.over == other.over[::-1])
        or _contrast(one.all_words, other.all_words)
    )


def _other_numbers(mine: frozenset[str], theirs: frozenset[str]) -> set[str]:
    hours = {number.rstrip("apm") for number in theirs} | theirs
    return {number for number in mine if number not in hours and not (number[-1] == "m" and number.rstrip("apm") in theirs)}


def features(one: Reading, other: Reading, cosine: float) -> list[float]:
    """`FEATURES` of a pair."""
    left, right = _unmatched(one.words, other.all_words), _unmatched(other.words, one.all_words)
    covered = 1 - len(left) / max(1, len(one.words)), 1 - len(right) / max(1, len(other.words))
    low, high = min(covered), max(covered)
    numbers = _other_numbers(one.numbers, other.numbers), _other_numbers(other.numbers, one.numbers)
    names = _unmatched(one.names, other.all_words), _unmatched(other.names, one.all_words)
    lacking = (any(numbers)) + (any(names))
    differs = (one.denied != other.denied) + (one.changed != other.changed) + (one.scoped != other.scoped)
    replaced, listed = _edits(one, other, left, right)
    return [1.0, cosine, high, low, differs * low, float(lacking), replaced, listed]


def _contrast(one: frozenset[str], other: frozenset[str]) -> bool:
    mine, theirs = ({n for word in words for n in _SET_OF.get(word, ())} for words in (one - other, other - one))
    return bool(mine & theirs)


def _edits(one: Reading, other: Reading, left: Collection[str], right: Collection[str]) -> tuple[float, float]:
    """How much of the wording is kept (0 to 1) where a word was exchanged in it, and where a list is longer in one."""
    matcher = SequenceMatcher(None, one.sequence, other.sequence, autojunk=False)
    replaced = extended = False
    for tag, start, end, begin, stop in matcher.get_opcodes():
        mine, theirs = one.sequence[start:end], other.sequence[begin:stop]
        lost, won = any(word in left for word in mine), any(word in right for word in theirs)
        replaced |= tag == "replace" and lost and won
        extended |= tag != "equal" and lost != won and ("and" in mine) != ("and" in theirs)
    kept = matcher.ratio()
    return kept * replaced, kept * extended
