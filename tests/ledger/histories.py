"""Histories of claims about a few topics, with every kind of clock, and what a gate might make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from memreview.language.gate_reader import READINGS
from memreview.ledger import Change, Ledger
from memreview.records.entry import DAY, Origin
from memreview.records.gate import ACTIONS, LAYERS, Action, Bearing, ClaimEvent, Event, Layer, Node, Verdict

TOPICS, VALUES = 4, 3
START = 1_700_000_000_000_000
NEAREST = 4
NO_READING = (0.0,) * len(READINGS)


@dataclass(frozen=True)
class Told:
    """One claim: a value of a topic, and the gate's verdict of it."""

    topic: int
    value: int
    action: Action
    authenticity: float
    revise: float
    origin: Origin = Origin.USER
    session: str = "s1"
    at: int = START
    dated: bool = True
    timescale: Layer = "stable"
    scope: str = "global"
    slot: str | None = None
    speech_act: str = "sincere"


def told(topic: int = 0, value: int = 0, action: Action = "add", **more: object) -> Told:
    """A confident claim of the person's."""
    defaults: dict[str, object] = {"authenticity": 0.95, "revise": 0.9 if action == "revise" else 0.05}
    return Told(topic, value, action, **(defaults | more))  # type: ignore[arg-type]


def vector(topic: int, value: int) -> np.ndarray:
    found = np.zeros(TOPICS + VALUES, np.float32)
    found[topic], found[TOPICS + value] = 0.8, 0.6
    return found


def claim(number: int, one: Told) -> ClaimEvent:
    event = Event(f"e{number}", one.session, one.at, one.origin, f"topic {one.topic} is {one.value}", one.dated)
    return ClaimEvent(
        event=event, claim=event.text, direction="fact", scope=one.scope, timescale=one.timescale, confidence=0.9,
        speech_act=one.speech_act, slot=one.slot, vector=vector(one.topic, one.value),
        query=vector(one.topic, one.value),
    )  # fmt: skip


def held(name: str, topic: int = 0, value: int = 0, layer: Layer = "stable", **more: object) -> Node:
    node = Node(
        id=name, claim=f"topic {topic} is {value}", layer=layer, scope="global", status="active", written_at=START,
        corroborated_at=START, confidence=0.9, slot=None, origins=(Origin.USER,), events=(name,), corroborations=0,
        revised_at=None, vector=vector(topic, value),
    )  # fmt: skip
    return replace(node, **more)  # type: ignore[arg-type]


def bearing(node: Node, made: ClaimEvent) -> Bearing:
    """As true models would see it: the same, another value of the same topic, or another topic."""
    same_topic = int(node.vector[:TOPICS].argmax()) == int(made.vector[:TOPICS].argmax())
    same_value = int(node.vector[TOPICS:].argmax()) == int(made.vector[TOPICS:].argmax())
    kind = "duplicates" if same_topic and same_value else "supersedes" if same_topic else "unrelated"
    relations = dict.fromkeys(("supersedes", "scopes", "duplicates", "coexists", "unrelated"), 0.02) | {kind: 0.92}
    entails = {"duplicates": "entailment", "supersedes": "contradiction", "unrelated": "neutral"}[kind]
    nli = dict.fromkeys(("entailment", "neutral", "contradiction"), 0.02) | {entails: 0.96}
    return Bearing(node, float(node.vector @ made.vector), relations, nli, NO_READING, 0.5, float(same_topic))


def verdict(one: Told, target: str | None) -> Verdict:
    rest = (1 - one.revise) / 5
    doubted = rest if one.action == "quarantine" else 0.0
    probabilities: dict[Action, float] = dict.fromkeys(ACTIONS, rest) | {"revise": one.revise, "quarantine": doubted}
    probabilities["retain"] += rest - doubted
    return Verdict(one.action, probabilities, 1.0, one.authenticity, 0.9, target)


def step(ledger: Ledger, number: int, one: Told) -> list[Change]:
    """As a replay does it: the target is the nearest active node of the claim's topic."""
    made = claim(number, one)
    bearings = [bearing(node, made) for node in ledger.nearest(made.vector, NEAREST, one.at)]
    contrary = [each for each in bearings if each.node.status == "active" and each.relations["unrelated"] < 0.5]
    target = max(contrary, key=lambda each: (each.relations["supersedes"], each.node.id), default=None)
    changes = ledger.apply(made, verdict(one, target.node.id if target else None), bearings, one.at)
    ledger.commit(changes)
    return changes


def play(ledger: Ledger, history: Sequence[Told], first: int = 0) -> Ledger:
    for number, one in enumerate(history, start=first):
        step(ledger, number, one)
    return ledger


def snapshot(ledger: Ledger) -> list[tuple[object, ...]]:
    """Everything of it but the vectors."""
    nodes = [
        (node.id, node.claim, node.layer, node.scope, node.status, node.written_at, node.corroborated_at,
         node.confidence, node.origins, node.events, node.corroborations, node.revised_at)
        for node in ledger
    ]  # fmt: skip
    edges = sorted(
        (edge.key, edge.at, edge.probability, edge.sessions) for node in ledger for edge in ledger.edges(node.id)
    )
    return [*nodes, *edges]


_gaps = st.one_of(
    st.just(0), st.integers(1, 3600 * 10**6), st.integers(0, 40 * DAY), st.integers(-400 * DAY, 5_000 * DAY)
)
_tellings = st.builds(
    Told,
    topic=st.integers(0, TOPICS - 1),
    value=st.integers(0, VALUES - 1),
    action=st.sampled_from(ACTIONS),
    authenticity=st.sampled_from((0.1, 0.55, 0.72, 0.85, 0.99)),
    revise=st.sampled_from((0.1, 0.65, 0.95)),
    origin=st.sampled_from((Origin.USER, Origin.USER, Origin.USER, Origin.RETRIEVED_DOCUMENT, Origin.ASSISTANT)),
    session=st.sampled_from(("s1", "s2", "s3")),
    dated=st.sampled_from((True, True, True, False)),
    timescale=st.sampled_from(LAYERS),
    scope=st.sampled_from(("global", "global", "letters")),
    slot=st.sampled_from((None, "health.condition", "technology.editor")),
    speech_act=st.sampled_from(("sincere", "sincere", "quoted")),
)


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> list[Told]:
    """Mostly forwards in time, with equal times, jumps back, and gaps of years."""
    at, found = START, []
    for one in draw(st.lists(_tellings, min_size=1, max_size=most)):
        at += draw(_gaps)
        found.append(replace(one, at=at))
    return found
