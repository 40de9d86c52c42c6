"""Tombstones by meaning: which incoming memories say again what the person had deleted or overtaken."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from memreview.language.sentences import normalize
from memreview.records import MemoryRecord
from memreview.review.profile import Profile
from memreview.store import tombstones
from memreview.store.ingest import Buried

COSINE = 0.80
"""From here on two wordings are taken for one claim, if their names, numbers and negations agree."""

_NAME_OR_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|(?<![.!?] )(?<!^)\b[A-Z][\w'’-]+")
_NEGATION = re.compile(r"\b(?:not?|never|no longer|without|stopped|quit|\w+n['’]t)\b", re.IGNORECASE)
_NOT_NAMES = frozenset({"user", "the", "he", "she", "they", "i"})


def judge(profile: Profile) -> Buried:
    """The function that an import asks. With no tombstone it loads no model."""
    buried = tombstones.memories(profile.database)
    if not buried:
        return lambda records: [False] * len(records)
    meanings = {stone.meaning for stone in buried}
    stones = list({stone.meaning: stone.text for stone in buried}.values())

    def ask(records: Sequence[MemoryRecord]) -> list[bool]:
        exact = [normalize(record.text) in meanings for record in records]
        open_ones = [n for n, found in enumerate(exact) if not found]
        for n in _reworded(profile, [records[n].text for n in open_ones], stones):
            exact[open_ones[n]] = True
        return exact

    return ask


def _reworded(profile: Profile, texts: list[str], stones: list[str]) -> list[int]:
    """Which of `texts` say in other words what a stone says, and are no nearer to a memory that stands."""
    embedder = profile.embedder_or_none()
    if embedder is None or not texts:
        return []
    standing = [row[0] for row in profile.database.execute("SELECT text FROM live_memories WHERE status = 'active'")]
    vectors = embedder.encode([*texts, *stones, *standing])
    ours, dead, alive = np.split(vectors, [len(texts), len(texts) + len(stones)])
    to_dead = ours @ dead.T
    to_alive = (ours @ alive.T).max(axis=1) if len(alive) else np.full(len(texts), -1.0)
    found = []
    for n, similarities in enumerate(to_dead):
        nearest = int(similarities.argmax())
        similar = similarities[nearest] >= COSINE and similarities[nearest] >= to_alive[n]
        if similar and same_particulars(texts[n], stones[nearest]):
            found.append(n)
    return found


def same_particulars(one: str, other: str) -> bool:
    """Whether two texts could be one claim: the same names and numbers (one may leave some out), the same negation."""
    mine, theirs = _particulars(one), _particulars(other)
    return (mine <= theirs or theirs <= mine) and bool(_NEGATION.search(one)) == bool(_NEGATION.search(other))


def _particulars(text: str) -> set[str]:
    return {found.casefold() for found in _NAME_OR_NUMBER.findall(text)} - _NOT_NAMES
