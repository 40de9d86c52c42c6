"""Candidates that the relation model infers: what a later statement rules out without naming it, in the same slot or
through a slot that depends on it (CUPMem's typed state; STALE's implicit and propagated changes)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from memreview.audit.lifecycle.cues import ended, happened
from memreview.audit.lifecycle.grammar import KIN, stems
from memreview.audit.lifecycle.ground import Anchor, Ground, Told
from memreview.audit.lifecycle.slots import harm_of
from memreview.audit.lifecycle.space import nearest
from memreview.audit.lifecycle.wording import denied, key
from memreview.language import state_schema
from memreview.language.claims import Hypothesis
from memreview.language.relations import Judgement, Pair
from memreview.records.entry import DAY
from memreview.records.transition import Quotation, Transition, TransitionKind

NEAREST, OF_SLOT = 6, 3
"""Memories that a statement is held against because they are near, and of each slot that hangs on the statement's; all
of these if it has overturned something already."""
LEAST_COSINE = 0.2
"""Of what is near. What hangs on another slot may have no word and no topic in common."""
MEANT = 0.5
"""Least confidence that a statement claims something and means it."""
PROBABILITY = 0.97
"""Least probability of *supersedes*. High, for nearly all pairs of a profile have nothing to do with each other."""
LINKED, FOUND = 0.7, 0.6
"""Confidence in a sure inference, if the store names the words that the memory rests on, or they were found; below that
in what was told in so many words."""
SHARED, ALIKE = 0.5, 0.6
"""Least share of a memory's words, or else likeness, of the words that it is taken to rest on."""
_LONGEST = 40  # words of a statement that the relation model was taught on
_WORD = re.compile(r"[\w'’-]+")
_PERSON = re.compile(rf"\b(?:(?!I\b)[A-Z][\w'’]+|(?i:{KIN}))\b")
_ACTS = ("sincere", "temporary", "other_person")


class Reader(Protocol):
    """The language models, as the audit asks them."""

    def own(self, texts: Sequence[str]) -> list[Hypothesis | None]:
        """What sentences of the person's own claim; None where nothing is claimed."""

    def noted(self, texts: Sequence[str]) -> list[Hypothesis | None]:
        """What memories claim."""

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """How the newer statement of each pair bears on the older one."""


@dataclass(frozen=True, slots=True)
class _Bearing:
    """A statement held against a memory. `via` is the slot of the statement if the memory's slot depends on it."""

    memory: int
    told: Told
    via: str


def inferred(ground: Ground, reader: Reader, found: Sequence[Transition]) -> Iterator[Transition]:
    """One for each memory that nothing in `found` overturns, by the statement that most probably does."""
    taken = {transition.old_memory_id for transition in found if transition.kind is not TransitionKind.DUPLICATE}
    changed = {transition.new_quote.entry_id for transition in found if transition.new_quote is not None}
    bearings = [
        bearing for bearing in _bearings(ground, reader, changed) if ground.memories[bearing.memory].id not in taken
    ]
    judged = reader.judge([_pair(ground, bearing) for bearing in bearings])
    best: dict[int, tuple[float, _Bearing]] = {}
    for bearing, judgement in zip(bearings, judged, strict=True):
        if bearing.told.statement.entry_id in changed and not bearing.via:
            continue  # its news is another memory's; this one would have to hang on that
        probability = judgement.relations["supersedes"]
        if probability >= PROBABILITY and probability > best.get(bearing.memory, (0.0, bearing))[0]:
            best[bearing.memory] = probability, bearing
    for probability, bearing in best.values():
        transition = _transition(ground, bearing, probability, bearing.told.statement.entry_id in changed)
        if transition is not None:
            yield transition


def _bearings(ground: Ground, reader: Reader, changed: Collection[int]) -> Iterator[_Bearing]:
    """`changed` are entries that overturn something already: what they say is meant."""
    windows = [window for window in ground.audited_windows if ground.own[window].at is not None and ground.told(window)]
    said = reader.own([ground.own[window].text for window in windows])
    claimed = [
        (window, hypothesis)
        for window, hypothesis in zip(windows, said, strict=True)
        if hypothesis and (_meant(hypothesis) or ground.own[window].entry_id in changed)
    ]
    texts = [memory.text for memory in ground.memories]
    memories = [place for place, text in enumerate(texts) if not (ended(text) or happened(text))]
    if not claimed or not memories:
        return
    by_slot = _by_slot(ground, reader, memories)
    near = nearest(ground.space.windows[[window for window, _ in claimed]], ground.space.memories[memories], NEAREST)
    for (window, hypothesis), places in zip(claimed, near.tolist(), strict=True):
        told = _telling(ground, window, hypothesis)
        met = {
            memories[place]: "" for place in places if ground.space.likeness(memories[place], window) >= LEAST_COSINE
        }
        proven = ground.own[window].entry_id in changed
        met |= _dependent(ground, window, by_slot, hypothesis, None if proven else OF_SLOT)
        for memory, via in met.items():
            if (
                _later(ground, memory, told)
                and _same_person(ground, memory, told, hypothesis)
                and ground.is_new(memory, window)
            ):
                yield _Bearing(memory, told, via)


def _meant(hypothesis: Hypothesis) -> bool:
    return hypothesis.speech_act in _ACTS and hypothesis.confidence >= MEANT


def _by_slot(ground: Ground, reader: Reader, memories: Sequence[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for memory, hypothesis in zip(memories, reader.noted([ground.memories[one].text for one in memories]), strict=True):
        for slot in hypothesis.slots if hypothesis else ():
            found[slot].append(memory)
    return found


def _dependent(
    ground: Ground, window: int, by_slot: Mapping[str, Sequence[int]], hypothesis: Hypothesis, most: int | None
) -> dict[int, str]:
    """Memories of the claim's likely slots and of those that depend on them, at most so many likest of each, with the
    slot of the claim."""
    return {
        memory: slot
        for slot in hypothesis.slots
        for target in (slot, *state_schema.load().reach(slot, 1))
        for memory in _likest(ground, window, by_slot.get(target, ()), most)
    }


def _likest(ground: Ground, window: int, memories: Sequence[int], most: int | None) -> list[int]:
    likeness = ground.space.memories[list(memories)] @ ground.space.windows[window]
    return [memories[place] for place in np.argsort(-likeness)[:most].tolist()]


def _telling(ground: Ground, window: int, hypothesis: Hypothesis) -> Told:
    """The sentence of the window in which the claim stands."""
    at = hypothesis.claim_span[0] if hypothesis.claim_span else 0
    told = ground.told(window)
    return next((one for one in told if one.sentence.start <= at < one.sentence.end), told[0])


def _later(ground: Ground, memory: int, told: Told) -> bool:
    written = ground.memories[memory].written
    return written is None or written < (told.statement.at or 0)


def _same_person(ground: Ground, memory: int, told: Told, hypothesis: Hypothesis) -> bool:
    """What is said of somebody else bears on memories that name them, what the person says of themselves on their
    own."""
    if hypothesis.speech_act != "other_person":
        return not ground.of_somebody_else(memory)
    held = ground.memories[memory]
    words = set(_WORD.findall(f"{held.subject} {held.text}".casefold()))
    return any(name.casefold() in words for name in _PERSON.findall(told.sentence.text))


def _pair(ground: Ground, bearing: _Bearing) -> Pair:
    held, statement = ground.memories[bearing.memory], bearing.told.statement
    whole = len(statement.text.split()) <= _LONGEST
    gap = None if held.written is None else ((statement.at or 0) - held.written) / DAY
    return Pair(held.text, statement.text if whole else bearing.told.sentence.text, gap)


def _transition(ground: Ground, bearing: _Bearing, probability: float, propagated: bool) -> Transition | None:
    """None where no words of the person's own are known that the memory rests on: an inference needs both sides."""
    held, told = ground.memories[bearing.memory], bearing.told
    anchor = _anchor(ground, bearing)
    if anchor is None:
        return None
    quote = ground.quote(told)
    via = [f"slot:{bearing.via}"] if bearing.via else []
    return Transition(
        kind=TransitionKind.PROPAGATED if propagated else TransitionKind.IMPLICIT,
        key=key(held.slot, anchor.value, held.text, quote.text),
        old_memory_id=held.id,
        old_value=anchor.value,
        new_value=quote.text,
        new_claim=denied(held.text, anchor.value),
        slot=held.slot,
        old_quote=anchor.quote,
        new_quote=quote,
        path=(f"entry:{anchor.quote.entry_id}", f"memory:{held.id}", *via, f"entry:{quote.entry_id}"),
        confidence=round(probability * (LINKED if anchor.linked else FOUND), 3),
        harm=harm_of(held.slot, f"{held.slot} {held.text}"),
        reasons=(_reason(propagated),),
    )


def _reason(propagated: bool) -> str:
    if propagated:
        return "Something else that you said changed, and this may hang on it."
    return "What you said later seems to rule it out."


def _anchor(ground: Ground, bearing: _Bearing) -> Anchor | None:
    """The likest earlier words of the person's own that the memory may rest on: they share a run of words with it, and
    a good part of all that it says or its meaning."""
    held, at = ground.memories[bearing.memory], bearing.told.statement.at
    wanted = set(stems(held.text))
    for window in ground.earlier_words(bearing.memory, at):
        statement, likeness = ground.own[window], ground.space.likeness(bearing.memory, window)
        known = set(stems(statement.text))
        shared = _run(held.text, known)
        if shared and (len(wanted & known) >= SHARED * len(wanted) or likeness >= ALIKE):
            quote = Quotation(
                entry_id=statement.entry_id,
                text=statement.text,
                start=statement.start,
                end=statement.end,
                at=statement.at,
                origin=statement.origin,
            )
            return Anchor(quote, statement.entry_id in held.evidence, likeness, shared)
    return None


def _run(text: str, known: set[str]) -> str:
    """The longest run of words of the text whose stems are all known; "" of fewer than two such words, unless the text
    has no more."""
    words = [(match.span(), set(stems(match[0]))) for match in _WORD.finditer(text)]
    best, start = (0, 0, 0), 0
    for place, (_, of_word) in enumerate(words):
        if not of_word <= known:
            start = place + 1
            continue
        weight = sum(bool(one) for _, one in words[start : place + 1])
        if weight > best[0]:
            best = weight, start, place
    enough = min(2, sum(bool(one) for _, one in words))
    if best[0] < max(1, enough):
        return ""
    return text[words[best[1]][0][0] : words[best[2]][0][1]]
