"""What of a history reaches the gate: the claim of each event, and how it stands to the nodes that are held."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from memreview.language.claims import ClaimModel, Hypothesis
from memreview.language.embedder import TextEmbedder
from memreview.language.gate_reader import BESIDE, Impression, Meeting, Reader
from memreview.language.seeker import Seeker
from memreview.language.sentences import windows
from memreview.records.entry import Origin
from memreview.records.gate import Bearing, ClaimEvent, Event, Node

LEAST_CLAIM = 0.01
"""Events whose likeliest sentence claims something with a lower probability don't reach the gate."""
NEAREST = BESIDE
"""Held nodes that a claim is compared with, as many as the reader takes at once. To read as many again where it
concerns none of these found no more of what a change concerns, also where forty more were held."""
EXCERPT_WORDS = 85
"""Of a longer text the reader sees so many, around the claim."""
HELD_WORDS = 18
"""Of what is held it sees so many, from the start."""
WHOLE_WORDS = 45
"""A message of the person's own that is no longer is read whole: its sentences explain each other."""

_PATTERNS = {
    "first_person": r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|our|us)\b",
    "second_person": r"\b(?:you|your|yours)\b",
    "the_user": r"\b(?:user|users|customer|client|reader|member|author|account|owner|profile)\b",
    "assistant": r"\b(?:assistants?|chatbots?|models?|bots?|agents?|memory|memories|remember|save|note)\b",
    "quotation": r"[\"“”«»>]",
    "layout": r"[\n|#*=:{}\[\]]",
    "question": r"\?",
}
_COUNTED = {name: re.compile(pattern, re.I) for name, pattern in _PATTERNS.items()}
CUES = ("claim_probability", "next_probability", "mean_probability", "place", "share", "sentences", "words", *_PATTERNS)
"""Of the claim's sentence: its probability, that of the next likeliest one and their mean; where in the text it stands
and how much of it it is. Of the text: logarithms of sentences and words, and how many words in a hundred are …"""


@dataclass(frozen=True, slots=True)
class _Unit:
    event: int
    text: str
    place: float


def read_claims(
    events: Sequence[Event], model: ClaimModel, embedder: TextEmbedder, seeker: Seeker, least: float = LEAST_CLAIM
) -> list[ClaimEvent | None]:
    """For each event its likeliest claim, or None."""
    units = [unit for row, event in enumerate(events) for unit in _units(row, event)]
    read = model.read([unit.text for unit in units], [events[unit.event].origin for unit in units], abstain=False)
    chosen: list[tuple[_Unit, Hypothesis, tuple[float, ...]]] = []
    for row, group in groupby(zip(units, read, strict=True), key=lambda pair: pair[0].event):
        found = sorted(group, key=lambda pair: -pair[1].claim_probability)
        unit, hypothesis = found[0]
        if hypothesis.claim_probability >= least:
            cues = _cues(events[row].text, unit, [one.claim_probability for _, one in found])
            chosen.append((unit, hypothesis, cues))
    vectors = embedder.encode([unit.text for unit, _, _ in chosen])
    claims: list[ClaimEvent | None] = [None] * len(events)
    for (unit, hypothesis, cues), vector in zip(chosen, vectors, strict=True):
        claims[unit.event] = ClaimEvent(
            event=events[unit.event],
            claim=unit.text,
            direction=hypothesis.direction or "fact",
            scope=hypothesis.scope or "",
            timescale=hypothesis.timescale or "stable",
            confidence=hypothesis.confidence,
            speech_act=hypothesis.speech_act,
            slot=hypothesis.slot,
            vector=vector,
            query=seeker.query(vector),
            cues=cues,
        )
    return claims


def read_bearings(claim: ClaimEvent, nodes: Sequence[Node], reader: Reader) -> tuple[Bearing, ...]:
    """How a claim stands to nodes, given the nearest first, and given back those of the greatest concern first."""
    (impressions,) = reader.read([meeting(claim, nodes)])
    return tuple(by_concern(_bearing(claim, *pair) for pair in zip(nodes, impressions, strict=True)))


def meeting(claim: ClaimEvent, nodes: Sequence[Node]) -> Meeting:
    """What the reader is asked of a claim and the nodes that are compared with it, the nearest first."""
    held = tuple(" ".join(node.claim.split()[:HELD_WORDS]) for node in nodes)
    return Meeting(held, claim.event.origin, excerpt(claim.event.text, claim.claim))


def by_concern(bearings: Iterable[Bearing]) -> list[Bearing]:
    """Those that the claim most probably concerns first; ties by the node's id."""
    return sorted(bearings, key=lambda bearing: (-bearing.concern, bearing.node.id))


def excerpt(text: str, claim: str) -> str:
    """The text if the reader takes it whole, else the claim in its surroundings."""
    words = text.split()
    if len(words) <= EXCERPT_WORDS:
        return text
    before = len(text[: max(0, text.find(claim))].split())
    spare = max(0, EXCERPT_WORDS - len(claim.split()))
    start = min(max(0, before - spare // 2), len(words) - EXCERPT_WORDS)
    return " ".join(words[start : start + EXCERPT_WORDS])


def _bearing(claim: ClaimEvent, node: Node, one: Impression) -> Bearing:
    relations = {str(name): share for name, share in one.judgement.relations.items()}
    nli = {str(name): share for name, share in one.judgement.nli.items()}
    similarity = float(np.dot(node.vector, claim.vector))
    return Bearing(node, similarity, relations, nli, one.reading, one.authentic, one.concern)


def _units(row: int, event: Event) -> list[_Unit]:
    text = event.text.strip()
    if event.origin == Origin.USER and text and len(text.split()) <= WHOLE_WORDS:
        return [_Unit(row, text, 0.0)]
    return [_Unit(row, text[one.start : one.end], one.start / len(text)) for one in windows(text)]


def _cues(text: str, unit: _Unit, probabilities: Sequence[float]) -> tuple[float, ...]:
    """`probabilities` of the text's sentences, the unit's first."""
    words = max(1, len(text.split()))
    return (
        probabilities[0],
        max(probabilities[1:], default=0.0),
        float(np.mean(probabilities)),
        unit.place,
        len(unit.text) / max(1, len(text)),
        float(np.log(len(probabilities))),
        float(np.log(words)),
        *(min(1.0, len(pattern.findall(text)) / words) for pattern in _COUNTED.values()),
    )
