"""A history through the gate into the ledger, event by event, over values: what `gate_runs` does to a profile and
`evaluate` to an episode.

Claims and vectors are read ahead in blocks, because those models are quicker in batches; how a claim stands to what is
held depends on what came before it. What a model gives does not depend on the batch, so neither does the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from memreview.gate.features import features, target
from memreview.gate.model import Gate, State, gate_folder
from memreview.gate.reading import NEAREST, meeting, read_bearings, read_claims
from memreview.language.claims import ClaimModel, claims_folder
from memreview.language.embedder import TextEmbedder
from memreview.language.gate_reader import GateReader, Impression, Meeting, Reader, reader_folder
from memreview.language.relations import RelationModel, relations_folder
from memreview.ledger import Change, Ledger
from memreview.records.entry import DAY
from memreview.records.gate import Bearing, ClaimEvent, Event, Node, Vector, Verdict
from memreview.review.asking import ABOUT_HELD, Asking, topic_of

EVENTS_A_QUESTION = 12
"""At most one question in so many events (Capture, App. B) …"""
SAVED_UP = 3
"""… but for so many at any time: doubts come together."""
BLOCK = 256
"""Events whose claims are read in one batch: more are hardly quicker, and a person who stops waits for one."""

B = TypeVar("B")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Models:
    claims: ClaimModel
    embedder: TextEmbedder
    relations: RelationModel
    reader: Reader
    gate: Gate

    @classmethod
    def load(cls, embedder: TextEmbedder) -> Models:
        """Raises `ModelUnavailable`."""
        return cls(
            ClaimModel.load(claims_folder()),
            embedder,
            RelationModel.load(relations_folder()),
            GateReader.load(reader_folder()),
            Gate.load(gate_folder()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of one event; without a claim nothing did. `changes` are in the ledger already. `asked`: a question
    is worth the person's time; `verdict.action` is then `ask`."""

    event: Event
    claim: ClaimEvent | None = None
    bearings: tuple[Bearing, ...] = ()
    verdict: Verdict | None = None
    changes: tuple[Change, ...] = ()

    @property
    def asked(self) -> bool:
        return self.verdict is not None and self.verdict.action == "ask"


class _ReaderAhead:
    """Reads on another core what will probably be asked next."""

    def __init__(self, model: Reader) -> None:
        self._model = model
        self.seeker = model.seeker
        self._pool = ThreadPoolExecutor(2)
        self._now: tuple[Meeting, Future[list[tuple[Impression, ...]]]] | None = None
        self._next: tuple[Meeting, Future[list[tuple[Impression, ...]]]] | None = None

    def expect(self, meeting: Meeting | None) -> None:
        """After what was expected before: that is asked now, if it was expected rightly."""
        self._now = self._next
        self._next = None if meeting is None else (meeting, self._pool.submit(self._model.read, [meeting]))

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        if self._now is not None and meetings == [self._now[0]]:
            return self._now[1].result()
        return self._model.read(meetings)


class Replay:
    """One person's gate, ledger and open questions as their events go by. `at` is the time of the last claim, `events`
    and `asked` how many there were: together they are all that has to be kept to go on later.

    A claim that belongs to an open question asks nothing more. Without a `quota` it asks whenever the gate would.
    """

    def __init__(
        self,
        ledger: Ledger,
        models: Models,
        *,
        state: State | None = None,
        at: int | None = None,
        events: int = 0,
        asked: int = 0,
        asking: Asking | None = None,
        quota: bool = True,
    ) -> None:
        self.ledger = ledger
        self.state = state or models.gate.start()
        self.at = at
        self.events = events
        self.asked = asked
        self.asking = asking or Asking()
        self._quota = quota
        self._models = models
        self._reader = _ReaderAhead(models.reader)

    def run(self, events: Sequence[Event]) -> Iterator[Outcome]:
        """Each event once, in the given order."""
        blocks = (events[start : start + BLOCK] for start in range(0, len(events), BLOCK))
        with closing(read_ahead(blocks, self.read)) as ahead:
            for block, claims in ahead:
                for event, claim, upcoming in zip(block, claims, self.expect(claims), strict=True):
                    yield self.step(event, claim, upcoming)

    def read(self, events: Sequence[Event], least: float | None = None) -> list[ClaimEvent | None]:
        """The claims of events, with vectors as the store keeps them."""
        options = {} if least is None else {"least": least}
        found = read_claims(events, self._models.claims, self._models.embedder, self._reader.seeker, **options)
        return [claim and replace(claim, vector=as_kept(claim.vector)) for claim in found]

    def expect(self, claims: Sequence[ClaimEvent | None]) -> list[ClaimEvent | None]:
        """These come next, in this order: steps are quicker then. For each place the next claim after it."""
        self.ledger.expect([claim.query for claim in claims if claim is not None])
        found: list[ClaimEvent | None] = []
        upcoming = None
        for claim in reversed(claims):
            found.append(upcoming)
            upcoming = claim or upcoming
        return found[::-1]

    def step(self, event: Event, claim: ClaimEvent | None, upcoming: ClaimEvent | None = None) -> Outcome:
        """One event through gate and ledger; equal to any other way of cutting the history. `upcoming` is the next
        claim, if that is known: what it meets, if this step doesn't change that, is read meanwhile."""
        self.events += 1
        if claim is None:
            return Outcome(event)
        bearings = self.bearings(claim, upcoming)
        seen = features(claim, bearings, event.at)
        self.state, verdict = self._models.gate.step(self.state, seen, self._gap(event.at))
        verdict = self._affordable(claim, replace(verdict, target=target(verdict.action, bearings)), bearings)
        changes = self.ledger.apply(claim, verdict, bearings, event.at)
        self.ledger.commit(changes)
        self.at = event.at if self.at is None else max(self.at, event.at)
        return Outcome(event, claim, bearings, verdict, tuple(changes))

    def bearings(self, claim: ClaimEvent, upcoming: ClaimEvent | None = None) -> tuple[Bearing, ...]:
        """How a claim stands to the nearest held nodes."""
        self._reader.expect(None if upcoming is None else meeting(upcoming, self._nearest(upcoming)))
        return read_bearings(claim, self._nearest(claim), self._reader)

    def _nearest(self, claim: ClaimEvent) -> list[Node]:
        return self.ledger.nearest(claim.query, NEAREST, claim.event.at)

    def _affordable(self, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> Verdict:
        """Beyond the quota the likeliest of the silent actions is taken. A question whether something is meant, or
        whose words it is, is about nothing that is held."""
        if verdict.action != "ask":
            return verdict
        topic = topic_of(claim, verdict, bearings)
        about = replace(verdict, target=verdict.target if topic in ABOUT_HELD else None)
        if self.asking.joined(topic, claim, about):
            return about
        spent = self._quota and (self.asked - SAVED_UP + 1) * EVENTS_A_QUESTION >= self.events
        if spent:
            action = verdict.unasked
            return replace(verdict, action=action, target=target(action, bearings))
        self.asked += 1
        self.asking.open(topic, claim, about)
        return about

    def _gap(self, at: int) -> float:
        """Days since the last claim; none where a clock went back."""
        return 0.0 if self.at is None else max(0, at - self.at) / DAY


def read_ahead(blocks: Iterable[B], read: Callable[[B], R]) -> Generator[tuple[B, R], None, None]:
    """Each block with what is read of it while the caller is busy with the one before: models leave a core free. Close
    it when you stop early: what was not begun is not read then."""
    pool = ThreadPoolExecutor(1)
    before: tuple[B, Future[R]] | None = None
    try:
        for block in blocks:
            reading = pool.submit(read, block)
            if before is not None:
                yield before[0], before[1].result()
            before = block, reading
        if before is not None:
            yield before[0], before[1].result()
    finally:  # also where the caller stops: nobody wants what was not begun
        pool.shutdown(wait=False, cancel_futures=True)


def as_kept(vector: Vector) -> Vector:
    """As it comes back from the store: float16."""
    return vector.astype(np.float16).astype(np.float32)
