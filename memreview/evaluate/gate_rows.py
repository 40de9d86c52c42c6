"""Episodes as the rows that a gate learns from: each claim's features against what was truly held at that moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memreview.evaluate.gate_cases import CaseEvent, Episode, microseconds
from memreview.evaluate.remembered import Remembering
from memreview.gate.features import features
from memreview.gate.reading import NEAREST, read_bearings, read_claims
from memreview.language.claims import ClaimModel, claims_folder
from memreview.language.embedder import FloatArray, TextEmbedder, load_embedder
from memreview.language.gate_reader import GateReader, Reader, reader_folder
from memreview.language.model_files import embedder_folder
from memreview.language.relations import RelationModel, relations_folder
from memreview.ledger import Ledger
from memreview.records.entry import DAY, Origin
from memreview.records.gate import ACTIONS, Bearing, ClaimEvent, Event, Node, Vector, Verdict

Claims = list[ClaimEvent | None]


@dataclass(frozen=True, slots=True)
class Languages:
    """The models that read the texts."""

    claims: ClaimModel
    relations: RelationModel
    reader: Reader
    embedder: TextEmbedder

    @classmethod
    def load(cls) -> Languages:
        """Raises `ModelUnavailable`."""
        return cls(
            ClaimModel.load(claims_folder()),
            RelationModel.load(relations_folder()),
            GateReader.load(reader_folder()),
            load_embedder(embedder_folder()),
        )


@dataclass(frozen=True, slots=True)
class Rows:
    """The claims of one episode that reach the gate: features (n, columns), days since the one before, actions as
    indices, authenticity (1, 0, or NaN where nothing is claimed), places among the events."""

    user: str
    features: FloatArray
    gaps: FloatArray
    actions: NDArray[np.int64]
    authentic: FloatArray
    places: NDArray[np.int64]


def rows_of(episodes: Sequence[Episode], models: Languages) -> list[Rows]:
    """The ledger that a claim meets is the real one, led by the labels instead of a gate."""
    known = replace(models, reader=Remembering(models.reader))
    claims = read_each(episodes, known)
    return [_rows(episode, list(_met(episode, of, known))) for episode, of in zip(episodes, claims, strict=True)]


def read_each(episodes: Sequence[Episode], models: Languages) -> list[Claims]:
    """The claims of each episode's events; a text of one origin is read once."""
    events = [event.seen for episode in episodes for event in episode.events]
    distinct = {(event.origin, event.text): event for event in events}
    read = dict(zip(distinct, _read(list(distinct.values()), models), strict=True))
    return [[_of(read[event.origin, event.text], event.seen) for event in episode.events] for episode in episodes]


def _read(events: Sequence[Event], models: Languages) -> Claims:
    return read_claims(events, models.claims, models.embedder, models.reader.seeker)


def profile_of(episode: Episode, embedder: TextEmbedder) -> list[Node]:
    """What is held before the first event."""
    vectors = embedder.encode([node.claim for node in episode.profile])
    return [
        Node(
            id=node.node_id,
            claim=node.claim,
            layer=node.layer,
            scope=node.scope,
            status="active",
            written_at=microseconds(node.written_at),
            corroborated_at=microseconds(node.written_at),
            confidence=node.confidence,
            slot=None,
            origins=(Origin.USER,),
            events=(),
            corroborations=0,
            revised_at=None,
            vector=vector,
        )
        for node, vector in zip(episode.profile, vectors, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Met:
    place: int
    claim: ClaimEvent
    bearings: tuple[Bearing, ...]


def _of(claim: ClaimEvent | None, event: Event) -> ClaimEvent | None:
    return claim and replace(claim, event=event)


def _met(episode: Episode, claims: Claims, models: Languages) -> Iterator[_Met]:
    ledger = Ledger(profile_of(episode, models.embedder))
    for place, (event, claim) in enumerate(zip(episode.events, claims, strict=True)):
        if claim is not None:
            at = claim.event.at
            nodes = ledger.nearest(claim.query, NEAREST, at)
            bearings = read_bearings(claim, nodes, models.reader)
            yield _Met(place, claim, bearings)
            ledger.commit(ledger.apply(claim, _told(event, ledger), bearings, at))
            if event.action == "ask" and event.clarification_answer and event.event_id in ledger:
                yes = event.clarification_answer.casefold().startswith("yes")
                ledger.commit(ledger.answer(event.event_id, "changed" if yes else "no", at))


def _told(event: CaseEvent, ledger: Ledger) -> Verdict:
    """What a gate that knows the labels would say."""
    shares = {action: float(action == event.action) for action in ACTIONS}
    target = event.label.target_node_id
    return Verdict(
        action=event.action,
        probabilities=shares,
        entropy=0.0,
        authenticity=float(event.label.authentic is not False),
        sigma=1.0,
        target=target if target in ledger else None,
    )


def nearest(vector: Vector, nodes: Sequence[Node], k: int = NEAREST) -> tuple[Node, ...]:
    """Those in force or in quarantine."""
    there = [node for node in nodes if node.status in ("active", "quarantined")]
    return tuple(sorted(there, key=lambda node: (-float(node.vector @ vector), node.id))[:k])


def _rows(episode: Episode, met: Sequence[_Met]) -> Rows:
    events = [episode.events[one.place] for one in met]
    times = np.array([microseconds(event.at) for event in events], np.float64)
    found = [features(one.claim, one.bearings, one.claim.event.at) for one in met]
    return Rows(
        user=episode.user_id,
        features=np.array(found, np.float32),
        gaps=(np.diff(times, prepend=times[:1]) / DAY).astype(np.float32),
        actions=np.array([ACTIONS.index(event.action) for event in events], np.int64),
        authentic=np.array([_authentic(event) for event in events], np.float32),
        places=np.array([one.place for one in met], np.int64),
    )


def _authentic(event: CaseEvent) -> float:
    return float("nan") if event.label.authentic is None else float(event.label.authentic)
