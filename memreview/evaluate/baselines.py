"""Plain ways to tell how two statements relate, which the relation model has to beat: words, nearness, and the
audit's rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from memreview.audit.lifecycle import EvidenceEntry, HeldMemory, Similarity, Statement, propose
from memreview.audit.lifecycle.evidence import Vectors
from memreview.language.embedder import TextEmbedder
from memreview.language.relations import Pair, Relation
from memreview.language.sentences import windows
from memreview.records.transition import TransitionKind

Guess = tuple[Relation, float]
"""The relation, and a score by which supersessions rank."""
Baseline = Callable[[Sequence[Pair]], list[Guess]]

_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    "a an and are as at be but by for from has have i i'm in is it my of on or our s that the their them they this to"
    " user user's was we with".split()
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|instead|switched|moved|changed|new|sold|quit|left|stopped|gave up|finished|used to"
    r"|since|not|ended|over|retired|broke|replaced|last day)\b",
    re.I,
)
_LIMIT = re.compile(
    r"\b(?:except|unless|only|just|this (?:week|once|time|month)|for (?:the|this|now)|when|while|during|until|tonight"
    r"|today|on (?:holiday|trips)|if)\b",
    re.I,
)


def keywords(pairs: Sequence[Pair]) -> list[Guess]:
    """By shared words and cue words."""
    return [_by_keywords(pair) for pair in pairs]


def _by_keywords(pair: Pair) -> Guess:
    older, newer = ({word[:5] for word in _WORD.findall(text.casefold())} - _EMPTY for text in (pair.older, pair.newer))
    shared = len(older & newer) / max(1, min(len(older), len(newer)))
    changes = len(_CHANGE.findall(pair.newer))
    score = changes + shared
    if shared >= 0.7 and not changes:
        return "duplicates", score - 1
    if _LIMIT.search(pair.newer) and shared:
        return "scopes", score
    if changes and shared:
        return "supersedes", score
    return ("coexists" if shared else "unrelated"), score - 1


DUPLICATES, SUPERSEDES, COEXISTS = 0.55, 0.4, 0.2
"""Least cosines; they give the best macro-F1 on the training voices."""


def nearness(embedder: TextEmbedder) -> Baseline:
    """By the cosine of the two statements alone."""

    def guess(pairs: Sequence[Pair]) -> list[Guess]:
        older = embedder.encode([pair.older for pair in pairs])
        newer = embedder.encode([pair.newer for pair in pairs])
        return [(_by_cosine(cosine), cosine) for cosine in (older * newer).sum(axis=1).tolist()]

    return guess


def _by_cosine(cosine: float) -> Relation:
    if cosine >= DUPLICATES:
        return "duplicates"
    if cosine >= SUPERSEDES:
        return "supersedes"
    return "coexists" if cosine >= COEXISTS else "unrelated"


def rules(embedder: TextEmbedder) -> Baseline:
    """By the lifecycle audit's proposer. The newer statement is told to it both as a note and as a message."""

    def guess(pairs: Sequence[Pair]) -> list[Guess]:
        known = _Known(embedder, [text for pair in pairs for text in (pair.older, pair.newer)])
        return [_by_rules(pair, known) for pair in pairs]

    return guess


class _Known:
    """Vectors of all texts, computed at one go."""

    def __init__(self, embedder: TextEmbedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._vectors = dict(zip(texts, embedder.encode(texts), strict=True))

    def vectors(self, texts: list[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors.update(zip(missing, self._embedder.encode(missing), strict=True))
        return np.array([self._vectors[text] for text in texts], np.float32).reshape(len(texts), -1)


_START = datetime(2025, 1, 1, tzinfo=UTC)


def _by_rules(pair: Pair, similarity: Similarity) -> Guess:
    before, after = (
        round((_START + timedelta(days=days)).timestamp() * 1e6) for days in (0, max(0.01, pair.gap_days or 1))
    )
    older = HeldMemory(1, pair.older, created=before)
    entry = EvidenceEntry(1, 1, pair.newer, after)
    said = [
        Statement(number, 1, 1, after, window.start, window.end, pair.newer[window.start : window.end])
        for number, window in enumerate(windows(pair.newer), 1)
    ]
    found = [
        *propose([older, HeldMemory(2, pair.newer, created=after)], [], {}, similarity),
        *propose([older], said, {1: entry}, similarity),
    ]
    changes = [one.confidence for one in found if one.old_memory_id == 1 and one.kind is not TransitionKind.DUPLICATE]
    if changes:
        return "supersedes", max(changes)
    return ("duplicates" if found else "unrelated"), 0.0
