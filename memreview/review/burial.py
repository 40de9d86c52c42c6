"""Tombstones by meaning: which incoming memories say again what the person had deleted or overtaken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memreview.language.sentences import normalize
from memreview.records import MemoryRecord
from memreview.review import rewording
from memreview.review.profile import Profile
from memreview.store import tombstones, vectors
from memreview.store.ingest import Buried
from memreview.store.vectors import FloatArray

if TYPE_CHECKING:
    from memreview.language.relations import RelationModel

PROBABILITY = 0.1
"""From here on a text says again what a stone says. Low, because a claim that comes back breaks a promise, while one
wrongly kept away is listed as "stayed deleted" and restored with one key. On topics that the rule was not fitted on it
knows 89 % of rewordings again and takes 10 % of look-alikes for the same."""

UNSURE = 0.02
"""Where the words and their nearness alone leave no more doubt than this, the relation model is not asked."""

STANDS = 2.0
"""A text is left alone where the odds that it says what a standing memory says are so many times those of the stone."""

NEAREST = 5
LOWEST_COSINE = 0.2
_BLOCK = 2_048


def judge(profile: Profile) -> Buried:
    """The function that an import asks. With no tombstone it loads no model; without a model it knows a claim again
    only by its key (`normalize`)."""
    stones = tombstones.memories(profile.database)
    if not stones:
        return lambda records: [False] * len(records)
    meanings = {stone.meaning for stone in stones}
    rewordings = _Rewordings(profile, list({stone.meaning: stone.text for stone in stones}.values()))

    def ask(records: Sequence[MemoryRecord]) -> list[bool]:
        gone = [normalize(record.text) in meanings for record in records]
        texts = list(dict.fromkeys(record.text for record, found in zip(records, gone, strict=True) if not found))
        again = dict(zip(texts, rewordings.ask(texts), strict=True))
        return [found or again[record.text] for record, found in zip(records, gone, strict=True)]

    return ask


class _Rewordings:
    """Knows the claims that are buried and those that stand, as they were when it was first asked."""

    def __init__(self, profile: Profile, stones: list[str]) -> None:
        self._profile = profile
        self._texts = stones

    def ask(self, texts: list[str]) -> list[bool]:
        """Which of `texts` say in other words what a stone says, and not rather what a standing memory says."""
        if not texts or self._profile.embedder_or_none() is None:
            return [False] * len(texts)
        ours, model = self._known(texts), self._profile.relations_or_none()
        buried = self._stones.probabilities(ours, model)
        found = np.flatnonzero(buried >= PROBABILITY)
        again = np.zeros(len(texts), dtype=bool)
        if len(found):
            standing = self._standing.probabilities(ours.at(found), model)
            again[found] = STANDS * _odds(buried[found]) > _odds(standing)
        return [bool(value) for value in again]

    @cached_property
    def _stones(self) -> _Claims:
        return self._known(self._texts)

    @cached_property
    def _standing(self) -> _Claims:
        rows = self._profile.database.execute("SELECT DISTINCT text FROM live_memories WHERE status = 'active'")
        return self._known([row[0] for row in rows])

    def _known(self, texts: list[str]) -> _Claims:
        """With their vectors, from the store; what has none yet is embedded and kept."""
        embedder, database = self._profile.embedder(), self._profile.database
        claims = [rewording.claim(text) for text in texts]
        return _Claims(texts, vectors.ensure(database, embedder.id, embedder.dims, claims, embedder.encode))


def _odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return probability / (1 - probability)


@dataclass(frozen=True, slots=True)
class _Claims:
    """Texts and the unit vectors of their claims, one row a text."""

    texts: list[str]
    vectors: FloatArray

    def at(self, places: NDArray[np.intp]) -> _Claims:
        return _Claims([self.texts[place] for place in places], self.vectors[places])

    def probabilities(self, asked: _Claims, model: RelationModel | None) -> NDArray[np.float64]:
        """For each of `asked`, how probably it says the same as the likeliest of those nearest to it."""
        best = np.zeros(len(asked.texts))
        for start in range(0, len(best), _BLOCK):
            unsure: list[tuple[int, int, float]] = []
            for row, place, cosine in self._near(asked, start):
                same = rewording.probability(self.texts[place], asked.texts[row], cosine)
                if model and UNSURE <= same <= 1 - UNSURE:
                    unsure.append((row, place, cosine))
                else:
                    best[row] = max(best[row], same)
            pairs = [
                pair for row, place, _ in unsure for pair in rewording.both_ways(self.texts[place], asked.texts[row])
            ]
            judged = model.judge(pairs) if model else []
            for number, (row, place, cosine) in enumerate(unsure):
                both = judged[2 * number : 2 * number + 2]
                best[row] = max(best[row], rewording.probability(self.texts[place], asked.texts[row], cosine, both))
        return best

    def _near(self, asked: _Claims, start: int) -> Iterator[tuple[int, int, float]]:
        """(row of `asked`, place here, cosine) of the nearest."""
        width = min(NEAREST, len(self.texts))
        if width == 0:
            return
        cosines = asked.vectors[start : start + _BLOCK] @ self.vectors.T
        nearest = np.argpartition(-cosines, width - 1, axis=1)[:, :width]
        for row, at in zip(*np.nonzero(np.take_along_axis(cosines, nearest, 1) >= LOWEST_COSINE), strict=True):
            place = int(nearest[row, at])
            cosine = float(cosines[row, place])
            yield start + int(row), place, cosine
