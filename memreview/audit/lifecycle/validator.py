"""The deterministic gate of the lifecycle audit (StateAuditor/VTA §4.4): whatever proposed a transition,
only this authorizes it.

It proves provenance and chronology, not meaning: both quotations stand in one entry each, in the person's
own words, and the later one is later by the entries' own times. Nothing that a proposer claims about times,
origins or offsets is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory
from memreview.language.sentences import content_tokens, normalize
from memreview.records.entry import Origin
from memreview.records.transition import Quotation, Transition, TransitionKind

COVERAGE = 0.8  # share of a quotation's content tokens that one entry must hold
# Words gathered from all over a long entry are no quotation: the match lies within this many times its length.
STRETCH, SLACK = 3, 12

_WORD = re.compile(r"\w+(?:['’]\w+)*")


class Failure(StrEnum):
    """Why a transition is not authorized; `words` says it to a person."""

    OLD_NOT_QUOTED = "old_not_quoted"
    NEW_NOT_QUOTED = "new_not_quoted"
    NOT_AN_ENTRY = "not_an_entry"
    OLD_NOT_FOUND = "old_not_found"
    NEW_NOT_FOUND = "new_not_found"
    NOT_OWN_WORDS = "not_own_words"
    ABANDONED_BRANCH = "abandoned_branch"
    TIME_UNKNOWN = "time_unknown"
    NOT_LATER = "not_later"
    OLD_VALUE_MISSING = "old_value_missing"
    NEW_VALUE_MISSING = "new_value_missing"
    NO_CHANGE = "no_change"
    NO_APPLICATION = "no_application"
    NO_PATH = "no_path"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Failure.OLD_NOT_QUOTED: "No words of yours were found that the memory rests on.",
    Failure.NEW_NOT_QUOTED: "No words of yours were found that state the change.",
    Failure.NOT_AN_ENTRY: "A quotation names something that is not part of any conversation.",
    Failure.OLD_NOT_FOUND: "The old quotation does not stand in its message.",
    Failure.NEW_NOT_FOUND: "The new quotation does not stand in its message.",
    Failure.NOT_OWN_WORDS: "A quotation is not in your own words.",
    Failure.ABANDONED_BRANCH: "A quotation comes from a version of the conversation that you left.",
    Failure.TIME_UNKNOWN: "The time of a message is unknown.",
    Failure.NOT_LATER: "The new message is not later than the old one.",
    Failure.OLD_VALUE_MISSING: "The old message does not hold the old value.",
    Failure.NEW_VALUE_MISSING: "The new message does not hold the new value.",
    Failure.NO_CHANGE: "Old and new value are the same.",
    Failure.NO_APPLICATION: "The change touches no memory that is held.",
    Failure.NO_PATH: "Nothing joins the old message to the new one.",
}


@dataclass(frozen=True, slots=True)
class Validation:
    """`old_quote` and `new_quote` are pinned anew to the words and the time of their entries, where they
    were found."""

    authorized: bool
    failures: tuple[Failure, ...]
    old_quote: Quotation | None = None
    new_quote: Quotation | None = None


def validate(
    transition: Transition, entries: Mapping[int, EvidenceEntry], memories: Mapping[int, HeldMemory]
) -> Validation:
    """Material application: the transition names a memory in `memories` whose text carries the old value,
    or which its own store says was taken from the quoted old entry."""
    failures: list[Failure] = []
    old = _pin(transition.old_quote, entries, failures, Failure.OLD_NOT_QUOTED, Failure.OLD_NOT_FOUND)
    new = _pin(transition.new_quote, entries, failures, Failure.NEW_NOT_QUOTED, Failure.NEW_NOT_FOUND)
    if old and not _carries(entries[old.entry_id].text, transition.old_value):
        failures.append(Failure.OLD_VALUE_MISSING)
    if new and not _carries(entries[new.entry_id].text, transition.new_value):
        failures.append(Failure.NEW_VALUE_MISSING)
    if old and new:
        failures += _chronology(old, new)
    if transition.kind is not TransitionKind.DUPLICATE and normalize(transition.old_value) == normalize(
        transition.new_value
    ):
        failures.append(Failure.NO_CHANGE)
    if not _applies(transition, memories):
        failures.append(Failure.NO_APPLICATION)
    if not _joins(transition, entries, memories):
        failures.append(Failure.NO_PATH)
    unique = tuple(dict.fromkeys(failures))
    return Validation(not unique, unique, old, new)


def locate(quotation: str, text: str) -> tuple[int, int] | None:
    """The span of `text` that holds at least 80 % of the quotation's content tokens close together, or
    None."""
    wanted = Counter(token for token, _, _ in _positions(quotation))
    if not wanted:
        return None
    exact = re.search(rf"(?<!\w){re.escape(quotation.strip())}(?!\w)", text)
    if exact:
        return exact.span()
    words = _positions(text)
    reach = STRETCH * wanted.total() + SLACK
    best, span = 0, (0, 0)
    for first, (token, start, _) in enumerate(words):
        if token not in wanted:
            continue
        left, found = wanted.copy(), 0
        for other, _, end in words[first : first + reach]:
            if left[other] > 0:
                left[other] -= 1
                found += 1
                if found > best:
                    best, span = found, (start, end)
        if best == wanted.total():
            break
    return span if best >= COVERAGE * wanted.total() else None


def _pin(
    quotation: Quotation | None,
    entries: Mapping[int, EvidenceEntry],
    failures: list[Failure],
    unquoted: Failure,
    unfound: Failure,
) -> Quotation | None:
    if quotation is None:
        failures.append(unquoted)
        return None
    entry = entries.get(quotation.entry_id)
    if entry is None:
        failures.append(Failure.NOT_AN_ENTRY)
        return None
    span = locate(quotation.text, entry.text)
    if span is None:
        failures.append(unfound)
        return None
    if entry.origin is not Origin.USER:
        failures.append(Failure.NOT_OWN_WORDS)
    if not entry.active:
        failures.append(Failure.ABANDONED_BRANCH)
    start, end = span
    return Quotation(
        entry_id=entry.id, text=entry.text[start:end], start=start, end=end, at=entry.at, origin=entry.origin
    )


def _chronology(old: Quotation, new: Quotation) -> list[Failure]:
    if old.at is None or new.at is None:
        return [Failure.TIME_UNKNOWN]
    return [] if new.at > old.at else [Failure.NOT_LATER]


def _applies(transition: Transition, memories: Mapping[int, HeldMemory]) -> bool:
    memory = memories.get(transition.old_memory_id)
    if memory is None or transition.new_memory_id == transition.old_memory_id:
        return False
    if transition.new_memory_id is not None and transition.new_memory_id not in memories:
        return False
    quote = transition.old_quote
    return _carries(memory.text, transition.old_value) or (quote is not None and quote.entry_id in memory.evidence)


def _joins(transition: Transition, entries: Mapping[int, EvidenceEntry], memories: Mapping[int, HeldMemory]) -> bool:
    """Does the path run from the old entry or memory to the new entry, through nodes that exist and never
    back in time?"""
    path, old, new = transition.path, transition.old_quote, transition.new_quote
    if len(path) < 2 or len(set(path)) < len(path) or old is None or new is None:
        return False
    if path[0] not in (f"entry:{old.entry_id}", f"memory:{transition.old_memory_id}"):
        return False
    if path[-1] != f"entry:{new.entry_id}":
        return False
    times: list[int] = []
    for node in path:
        kind, _, name = node.partition(":")
        if kind == "slot" and name:
            continue
        if kind not in ("entry", "memory") or not name.isdecimal():
            return False
        if kind == "memory":
            if int(name) not in memories:
                return False
        elif (entry := entries.get(int(name))) is None:
            return False
        elif entry.at is not None:
            times.append(entry.at)
    return times == sorted(times)


def _carries(text: str, value: str) -> bool:
    tokens = {token for token, _, _ in _positions(value)}
    if tokens:
        return tokens <= {token for token, _, _ in _positions(text)}
    plain = normalize(value)
    return bool(plain) and re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", normalize(text)) is not None


@lru_cache(maxsize=1024)
def _positions(text: str) -> tuple[tuple[str, int, int], ...]:
    """Content tokens with their place in the text."""
    return tuple((token, match.start(), match.end()) for match in _WORD.finditer(text) for token in _stems(match[0]))


@lru_cache(maxsize=65536)
def _stems(word: str) -> tuple[str, ...]:
    """Without inflected function words ("uses"), which their plain forms ("use") would never match."""
    return tuple(token for token in content_tokens(word) if content_tokens(token))
