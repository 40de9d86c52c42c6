"""Whether two short notes about a person are one claim in two wordings, or look-alikes that differ in a particular.

Nearness of meaning can't tell: "lives in Lisbon" is nearer to "lives in Porto" than "vegetarian" to "eats no meat".
So what sets two claims apart (a number, a name, a person, a denial, a change, one word exchanged in the same sentence)
is read off both texts and excludes; what is left is weighed with the nearness, and with what the relation model says
of both, by a small logistic model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from memreview.language.relations import Judgement, Pair
from memreview.language.sentences import content_tokens, normalize

FEATURES = ("bias", "cosine", "shared", "turned", "lacking", "replaced")
JUDGED = ("duplicates", "entailed")
"""What the relation model adds: the mean probability of *duplicates* and the lesser of *entailment*, read both ways."""
WEIGHTS = (-5.12, 7.58, 2.45, 0.57, -1.72, -0.66)
WEIGHTS_JUDGED = (-5.1, 3.46, 2.21, 0.1, -1.05, -0.89, 3.01, 2.57)
"""Ridge-regularized logistic regression on the `dev` pairs of tests/review/data/rewordings.jsonl and the three nearest
other notes of each, without and with the relation model; tests/review/test_rewording.py fits them again."""

TURNED, REPLACED, LISTED = 0.6, 0.7, 0.6
"""From these shares of common words on, a denial or change in one of the two, an exchanged word and a longer list make
another claim."""


def probability(one: str, other: str, cosine: float, judged: Sequence[Judgement] = ()) -> float:
    """That both say one thing, given the cosine of their `claim`s, and how the relation model judges these both ways if
    there is one; 0 where a particular excludes it."""
    found = features(one, other, cosine)
    if found is None:
        return 0.0
    if judged:
        found += judged_features(judged)
    weights = WEIGHTS_JUDGED if judged else WEIGHTS
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in zip(weights, found, strict=True))))


def both_ways(one: str, other: str) -> list[Pair]:
    """What the relation model is asked about two texts."""
    return [Pair(claim(one), claim(other)), Pair(claim(other), claim(one))]


def judged_features(judged: Sequence[Judgement]) -> list[float]:
    """`JUDGED`, of the judgements of `both_ways`."""
    same = sum(one.relations["duplicates"] for one in judged) / len(judged)
    return [same, min(one.nli["entailment"] for one in judged)]


def claim(text: str) -> str:
    """The text without whom it is about, which differs from one store to the next: this is what gets embedded."""
    return _SUBJECT.sub("", text) or text


def features(first: str, second: str, cosine: float) -> list[float] | None:
    """`FEATURES` of a pair; None where a particular of one can't be what the other says."""
    one, other = _read(first), _read(second)
    left, right = _unmatched(one.words, other.tokens), _unmatched(other.words, one.tokens)
    shared = min(1 - len(left) / max(1, len(one.words)), 1 - len(right) / max(1, len(other.words)))
    numbers = _other_numbers(one, other), _other_numbers(other, one)
    names = _unmatched(one.names, other.tokens), _unmatched(other.names, one.tokens)
    lacking = any(numbers) + any(names)
    turned = (one.denied, one.changed, one.scoped) != (other.denied, other.changed, other.scoped)
    if (
        all(numbers)
        or all(names)
        or one.persons != other.persons
        or _opposed(one, other)
        or (one.changed != other.changed and lacking)
        or (turned and shared >= TURNED)
    ):
        return None
    replaced, listed = _edits(one, other, left, right)
    if replaced >= REPLACED or listed >= LISTED:
        return None
    return [1.0, cosine, shared, float(turned), float(lacking), replaced]


# --- reading


@dataclass(frozen=True, slots=True)
class _Reading:
    """`words` are the content words that say what is claimed: without filler, numbers and persons."""

    sequence: tuple[str, ...]
    tokens: frozenset[str]
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    persons: frozenset[str]
    preferred: tuple[str, ...]
    denied: bool
    changed: bool
    scoped: bool


@lru_cache(maxsize=1 << 15)
def _read(text: str) -> _Reading:
    plain = _UNLIKED.sub("dislike", _THOUSANDS.sub("", text))
    stems = content_tokens(plain)
    tokens = [_SAME.get(stem, stem) for stem in stems]
    numbers = {found.casefold().replace(" ", "") for found in _NUMBER.findall(plain)}
    names = {stem for name in _NAME.findall(plain) for stem in content_tokens(name)}
    pair = _OVER.search(plain)
    no_words = _NUMBERS.keys() | _PERSONS.keys() | _FILLER
    return _Reading(
        sequence=tuple(_in_order(plain)),
        tokens=frozenset(tokens),
        words=frozenset(token for token in tokens if token not in no_words and not token[0].isdigit()),
        numbers=frozenset(numbers | {_NUMBERS[token] for token in tokens if token in _NUMBERS}),
        names=frozenset(names - no_words),
        persons=frozenset(_PERSONS[stem] for stem in stems if stem in _PERSONS),
        preferred=tuple(content_tokens(" ".join(filter(None, pair.groups())))) if pair else (),
        denied=_DENIAL.search(_OVER.sub(" ", plain)) is not None,
        changed=_CHANGE.search(plain) is not None,
        scoped=_SCOPE.search(plain) is not None,
    )


def _in_order(text: str) -> Iterator[str]:
    """All words, function words as they are."""
    for word in normalize(text).split():
        stems = content_tokens(word)
        yield _SAME.get(stems[0], stems[0]) if stems else word


# --- comparing

_STEM = 4


def _unmatched(mine: Collection[str], theirs: Collection[str]) -> list[str]:
    starts = {word[:_STEM] for word in theirs}
    return [
        word
        for word in mine
        if word not in theirs and not (word[:_STEM] in starts and any(_akin(word, other) for other in theirs))
    ]


def _akin(one: str, other: str) -> bool:
    """Two forms of one word: "diabetes" and "diabetic", "Postgres" and "PostgreSQL", but not "hostel" and "hotel"."""
    stem = max(_STEM, math.ceil(0.6 * max(len(one), len(other))))
    return one[:stem] == other[:stem]


def _other_numbers(one: _Reading, other: _Reading) -> bool:
    """Does one give a number that the other doesn't? "at 6" is "at 6 am"."""
    bare = {_hour(number) for number in other.numbers}
    return any(n not in other.numbers and n not in bare and _hour(n) not in other.numbers for n in one.numbers)


def _hour(number: str) -> str:
    return number[:-2] if number.endswith(("am", "pm")) else number


def _opposed(one: _Reading, other: _Reading) -> bool:
    """ "Tabs over spaces" and "spaces over tabs"; "a cello" and "a viola"."""
    mine, theirs = (
        {n for word in words for n in _SETS_OF.get(word, ())}
        for words in (one.tokens - other.tokens, other.tokens - one.tokens)
    )
    swapped = len(one.preferred) > 1 and one.preferred == other.preferred[::-1]
    return bool(mine & theirs) or swapped


def _edits(one: _Reading, other: _Reading, left: Collection[str], right: Collection[str]) -> tuple[float, float]:
    """The share of the wording that is kept where a word is exchanged in it, and where a list is longer; else 0."""
    matcher = SequenceMatcher(None, one.sequence, other.sequence, autojunk=False)
    replaced = listed = False
    for tag, start, end, begin, stop in matcher.get_opcodes():
        if tag != "equal":
            mine, theirs = one.sequence[start:end], other.sequence[begin:stop]
            lost, won = any(word in left for word in mine), any(word in right for word in theirs)
            replaced |= lost and won
            listed |= lost != won and ("and" in mine) != ("and" in theirs)
    kept = 1.0 if replaced and _one_word_apart(one.sequence, other.sequence) else matcher.ratio()
    return kept * replaced, kept * listed


def _one_word_apart(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """ "Collects old maps", "collects old radios": too short for a share of the wording to show it."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


# --- words


def _groups(text: str) -> dict[str, str]:
    """Each word of a line, stemmed, with the line's first."""
    return {token: content_tokens(line)[0] for line in text.strip().splitlines() for token in content_tokens(line)}


_SUBJECT = re.compile(
    r"^(?:it was noted that |the user (?:mentioned|says|said) that )?"
    r"(?:the user's|the user|user's|user|they|i'm|i've|i|my|we|our)\b\s*",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w.])(?:[^\W\d_]+\d\w*|\d+(?:\.\d+)?(?:\s*[ap]m\b)?)", re.I)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NAME = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w’'-]*")
_DENIAL = re.compile(
    r"\b(?:no|not|nobody|none|never|without|cannot|avoid(?:s|ed)?|dislikes?|hates?|leave\b.*\bout)\b|n['’]t\b"
    r"|-free\b|\bnon-",
    re.I,
)
_UNLIKED = re.compile(
    r"\b(?:do(?:es)?n['’]t|do(?:es)? not) (?:really )?(?:like|enjoy)\b|\bcan(?:['’]t|not) stand\b|\bhates?\b"
    r"|\bisn['’]t .*\benjoys?\b",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:no longer|any ?more|used to(?! be the)|former(?:ly)?|again|ago|switched|moved|cancell?ed|stopped|quit"
    r"|gave up|given up|sold|left(?! out)|died|dead|passed away|laid off|lost|finished|graduated|became|bought"
    r"|started|paid off|retired|dropped|ended|broke\w*|took up|gave birth)\b",
    re.I,
)
_SCOPE = re.compile(r"\b(?:except|unless|weekdays?|weekends?|in (?:e-?mails?|public|private|winter|summer))\b", re.I)
_OVER = re.compile(
    r"\b(\w+) (?:over|rather than|instead of|more than) (\w+)|\b(?:prefers?|likes?) (\w+) to (\w+)|\b(\w+), not (\w+)",
    re.I,
)

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
    bicycle bike cycle
    university uni
    color colour
    big large
    small little
    child kids children
    neighbor neighbour
    fear afraid scared anxious
    chicken hens hen
    begin start
    build built
    rent tenant
    store shop
    vacation holiday
    favorite favourite best
    doctor physician
    garden yard
    """
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), start=2)
} | {"twice": "2", "third": "3", "fourth": "4", "fifth": "5"}

_FILLER = frozenset(
    content_tokens(
        """
        like likes prefer prefers preference choice favorite have own owns called call named name go goes take takes
        make makes keep keeps use uses using want wants mention mentioned note noted state stated currently mostly
        mainly usually most every each day daily routine home role hobby work works person someone something thing
        things way rule love loves enjoy enjoys find finds try trying attempt attempting plan plans planning live
        lives living household get gets be being with without not no never dislike hate avoid time taste tastes fond
        choose become one all
        """
    )
)

# Words of one set exclude each other as the value of one attribute.
_SETS = tuple(
    frozenset(content_tokens(line))
    for line in """
    spring summer autumn winter
    morning afternoon evening night
    early late
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
_SETS_OF: dict[str, tuple[int, ...]] = {}
for _n, _members in enumerate(_SETS):
    for _member in _members:
        _SETS_OF[_member] = (*_SETS_OF.get(_member, ()), _n)
