"""A history through the gate into the ledger, event by event, over values: what `gate_runs` does to a profile and
`evaluate` to an episode.

Claims and vectors are read ahead in blocks, because those models are quicker in batches; how a claim stands to what is
held depends on what came before it. What a model gives does not depend on the batch, so neither does the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memreview.gate.features import features, target
from memreview.gate.model import Gate, State, gate_folder
from memreview.gate.reading import DAY, NEAREST, read_bearings, read_claims
from memreview.language.claims import ClaimModel, claims_folder
from memreview.language.embedder import TextEmbedder
from memreview.language.gate_reader import GateReader, reader_folder
from memreview.language.relations import RelationModel, relations_folder
from memreview.ledger import Change, Ledger
from memreview.records.gate import ACTIONS, Bearing, ClaimEvent, Event, Vector, Verdict
from memreview.review.asking import Asking

EVENTS_A_QUESTION = 12
"""At most one question in so many events (Capture, App. B) …"""
SAVED_UP = 3
"""… but for so many at any time: doubts come together."""
BLOCK = 256
"""Events whose claims are read in one batch: more are hardly quicker, and a person who stops waits for one."""
_SILENT = tuple(action for action in ACTIONS if action != "ask")


@dataclass(frozen=True, slots=True)
class Models:
    claims: ClaimModel
    embedder: TextEmbedder
    relations: RelationModel
    reader: GateReader
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

    def run(self, events: Sequence[Event]) -> Iterator[Outcome]:
        """Each event once, in the given order."""
        for start in range(0, len(events), BLOCK):
            block = events[start : start + BLOCK]
            claims = self.read(block)
            for event, claim in zip(block, claims, strict=True):
                yield self.step(event, claim)

    def read(self, events: Sequence[Event], least: float | None = None) -> list[ClaimEvent | None]:
        """The claims of events, with vectors as the store keeps them."""
        options = {} if least is None else {"least": least}
        found = read_claims(events, self._models.claims, self._models.embedder, **options)
        return [claim and replace(claim, vector=as_kept(claim.vector)) for claim in found]

    def step(self, event: Event, claim: ClaimEvent | None) -> Outcome:
        """One event through gate and ledger; equal to any other way of cutting the history."""
        self.events += 1
        if claim is None:
            return Outcome(event)
        bearings = self.bearings(claim)
        seen = features(claim, bearings, event.at)
        self.state, verdict = self._models.gate.step(self.state, seen, self._gap(event.at))
        verdict = self._affordable(claim, replace(verdict, target=target(verdict.action, bearings)), bearings)
        changes = self.ledger.apply(claim, verdict, bearings, event.at)
        self.ledger.commit(changes)
        self.at = event.at if self.at is None else max(self.at, event.at)
        return Outcome(event, claim, bearings, verdict, tuple(changes))

    def bearings(self, claim: ClaimEvent) -> tuple[Bearing, ...]:
        """How a claim stands to the nearest held nodes."""
        nodes = self.ledger.nearest(claim.vector, NEAREST, claim.event.at)
        return read_bearings([(claim, nodes)], self._models.reader)[0]

    def _affordable(self, claim: ClaimEvent, verdict: Verdict, bearings: Sequence[Bearing]) -> Verdict:
        """Beyond the quota the likeliest of the silent actions is taken."""
        if verdict.action != "ask" or self.asking.joined(claim, verdict, bearings):
            return verdict
        spent = self._quota and (self.asked - SAVED_UP + 1) * EVENTS_A_QUESTION >= self.events
        if spent:
            action = max(_SILENT, key=verdict.probabilities.__getitem__)
            return replace(verdict, action=action, target=target(action, bearings))
        self.asked += 1
        self.asking.open(claim, verdict, bearings)
        return verdict

    def _gap(self, at: int) -> float:
        """Days since the last claim; none where a clock went back."""
        return 0.0 if self.at is None else max(0, at - self.at) / DAY


def as_kept(vector: Vector) -> Vector:
    """As it comes back from the store: float16."""
    return vector.astype(np.float16).astype(np.float32)
