"""Which question a doubtful claim belongs to, so that ten about one trip are one, and what that question is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from memreview.records.entry import DAY, Origin
from memreview.records.gate import Bearing, ClaimEvent, Vector, Verdict

Topic = Literal["changed", "situation", "meant", "words"]
ABOUT_HELD: tuple[Topic, ...] = ("changed", "situation")

ALIKE, ALIKE_IN_SESSION = 0.6, 0.4
"""Cosines from which two doubtful claims are one question, within a month and within one session."""
MONTH = 30 * DAY
_CONTRARY = 0.3
_CONCERNED = 0.5


@dataclass(slots=True)
class Asked:
    """An open question: its topic, the held node that it is about, and what its first claim was. `id` is its number in
    the store, None until it is kept."""

    topic: Topic
    target: str | None
    session: str
    at: int
    vector: Vector
    id: int | None = None
    claims: list[str] = field(default_factory=list)


class Asking:
    """The questions that are open as the history goes by."""

    def __init__(self, questions: Iterable[Asked] = ()) -> None:
        self.questions = list(questions)

    def joined(self, topic: Topic, claim: ClaimEvent, verdict: Verdict) -> bool:
        """Put a doubtful claim to the open question that it belongs to, if there is one."""
        found = next((asked for asked in self.questions if self._joins(asked, topic, claim, verdict.target)), None)
        if found is not None:
            found.claims.append(claim.event.id)
        return found is not None

    def open(self, topic: Topic, claim: ClaimEvent, verdict: Verdict) -> None:
        """A question of its own."""
        asked = Asked(topic, verdict.target, claim.event.session, claim.event.at, claim.vector)
        asked.claims.append(claim.event.id)
        self.questions.append(asked)

    @staticmethod
    def _joins(asked: Asked, topic: Topic, claim: ClaimEvent, target: str | None) -> bool:
        if asked.topic != topic:
            return False
        alike = float(np.dot(asked.vector, claim.vector))
        if asked.session == claim.event.session and alike >= ALIKE_IN_SESSION:
            return True
        if abs(claim.event.at - asked.at) > MONTH:
            return False
        return alike >= ALIKE or (target is not None and target == asked.target and topic == "changed")


def topic_of(claim: ClaimEvent, verdict: Verdict, bearings: Iterable[Bearing]) -> Topic:
    """What one does not know: whether it changed, whether it holds everywhere, whether it is meant, or whose words."""
    likeliest = verdict.unasked
    if claim.event.origin != Origin.USER or likeliest == "quarantine":
        return "words"
    if likeliest == "scope":
        return "situation"
    about = next((bearing for bearing in bearings if bearing.node.id == verdict.target), None)
    doubted = about is not None and (_contrary(about) or (_hinted(verdict) and about.concern >= _CONCERNED))
    return "changed" if likeliest == "revise" or doubted else "meant"


def _contrary(bearing: Bearing) -> bool:
    return max(bearing.relations["supersedes"], bearing.nli["contradiction"]) >= _CONTRARY


def _hinted(verdict: Verdict) -> bool:
    """Whether a question is what the gate thinks of first, and not only for want of anything likely."""
    return max(verdict.probabilities.values()) == verdict.probabilities["ask"]
