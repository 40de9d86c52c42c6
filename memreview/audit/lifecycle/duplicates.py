"""Memories that say one thing in two wordings. Nearness alone is not enough: value, number, denial and
subject must agree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memreview.audit.lifecycle.claims import Claim
from memreview.audit.lifecycle.evidence import HeldMemory, Vectors
from memreview.audit.lifecycle.grammar import KIN, stems
from memreview.audit.lifecycle.space import close_pairs

_NEAREST = 16  # notes that each is compared with
_DENIAL = re.compile(r"\b(?:not|no|never|without|avoids?|hates?|dislikes?|no longer)\b|n't\b", re.I)
_RELATION = re.compile(rf"\b{KIN}\b", re.I)
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'-]*")
_FUNCTION = frozenset("call name work has have own is a an the per week everi each of veri".split())


def duplicates(
    memories: Sequence[HeldMemory],
    vectors: Vectors,
    claims: Sequence[tuple[Claim, ...]],
    subjects: Sequence[str],
    alike: float,
    new: Sequence[int],
) -> Iterator[tuple[int, int, float]]:
    """(the one to fold, the one that stays, how alike), by index. `new` are the indices that may take part
    as one side."""
    if not new:
        return
    partners: dict[int, dict[int, float]] = defaultdict(dict)
    for row, other, score in _pairs(memories, vectors, alike, new):
        if (
            new[row] != other
            and subjects[new[row]] == subjects[other]
            and _one_thing(memories[new[row]].text, memories[other].text, claims[new[row]], claims[other], score)
        ):
            partners[new[row]][other] = score
            partners[other][new[row]] = score
    settled: set[int] = set()
    for stays in sorted(partners, key=lambda index: _worth(memories[index]), reverse=True):
        if stays in settled:
            continue
        settled.add(stays)
        for folded, score in partners[stays].items():
            if folded not in settled:
                settled.add(folded)
                yield folded, stays, score


def _pairs(
    memories: Sequence[HeldMemory], vectors: Vectors, alike: float, new: Sequence[int]
) -> Iterator[tuple[int, int, float]]:
    yield from close_pairs(vectors[list(new)], vectors, alike, _NEAREST)
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, memory in enumerate(memories):
        same[tuple(sorted(set(stems(memory.text)) - _FUNCTION))].append(index)
    for row, index in enumerate(new):
        for other in same[tuple(sorted(set(stems(memories[index].text)) - _FUNCTION))][:_NEAREST]:
            yield row, other, 1.0


def _worth(memory: HeldMemory) -> tuple[int, int, int]:
    """The one that says more stays; of equals the newer."""
    return len(set(stems(memory.text)) - _FUNCTION), memory.written or 0, memory.id


def _one_thing(one: str, other: str, claims: tuple[Claim, ...], other_claims: tuple[Claim, ...], score: float) -> bool:
    if (_DENIAL.search(one) is None) != (_DENIAL.search(other) is None):
        return False
    first, second = set(stems(one)) - _FUNCTION, set(stems(other)) - _FUNCTION
    only_first, only_second = first - second, second - first
    if any(token[0].isdigit() for token in only_first ^ only_second):
        return False
    if {kin.casefold() for kin in _RELATION.findall(one)} != {kin.casefold() for kin in _RELATION.findall(other)}:
        return False
    if any(a.key == b.key and a.canon != b.canon and not a.agrees(b) for a in claims for b in other_claims):
        return False
    if not only_first or not only_second:
        return bool(first & second) and len(first & second) >= 0.5 * max(len(first), len(second))
    names = {stem for name in _NAME.findall(one) + _NAME.findall(other) for stem in stems(name)}
    if names & (only_first | only_second):
        return False
    return len(first & second) >= 0.6 * len(first | second) or (
        score >= 0.93 and len(first & second) >= 0.4 * len(first | second)
    )
