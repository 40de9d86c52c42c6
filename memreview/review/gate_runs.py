"""A profile's history through the gate: what is new of it, in time order, kept in steps that can be undone.

Entries of live imports are the events; memory records, as imported, join the claim that they repeat, else they stand as
nodes of their own from the time at which they were written.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from operator import itemgetter
from sqlite3 import Row
from typing import Any

import numpy as np

from memreview.language import state_schema
from memreview.language.onnx_model import ModelUnavailable
from memreview.language.relations import Pair
from memreview.ledger import POLICY, Change, Ledger
from memreview.ledger.index import Index
from memreview.ledger.rules import with_status
from memreview.records.entry import DAY, Origin
from memreview.records.gate import GLOBAL_SCOPE, ClaimEvent, Event, Layer, Node, Vector
from memreview.review import beliefs, sources
from memreview.review.asking import Asked, Asking
from memreview.review.gating import BLOCK, Models, Outcome, Replay, read_ahead
from memreview.review.profile import Profile
from memreview.review.provenance import source_of
from memreview.review.sources import Passage
from memreview.review.values import Cancelled, GateSummary, Progress
from memreview.store import conversations, journal, memories, vectors
from memreview.store import ledger as stored
from memreview.store.journal import Action
from memreview.store.ledger import Run

STEP = 2_000
"""Items that are read and kept together; a run that is stopped keeps what it read."""
AS_IMPORTED = 0.9
"""Confidence of a memory that nothing in the history says."""
SAYS = 0.5
"""From this probability of duplicate or entailment on a memory is taken to repeat a claim …"""
NEAR = 0.35
"""… among those of at least this cosine."""
COMPARED = 4
_STANDING = {"active": 2, "superseded": 1}
_ClaimAndNext = tuple[ClaimEvent | None, ClaimEvent | None]


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to read: an entry or a memory. `time` orders; without `dated` it is a guess."""

    key: str
    time: int
    dated: bool
    session: str

    @property
    def is_memory(self) -> bool:
        return self.key.startswith("m")

    @property
    def number(self) -> int:
        return int(self.key[1:])


@dataclass(frozen=True, slots=True)
class _Block:
    """Items that are read together, the events among them, and which source's block keeps one out."""

    items: Sequence[_Item]
    events: Mapping[str, Event]
    blocked: Mapping[str, int]


@dataclass(slots=True)
class _Kept:
    """What a step has to keep."""

    read: list[str] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    links: list[tuple[str, int]] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    """From the second node to the first go the memories that are tied to it."""
    found_in: dict[str, int] = field(default_factory=dict)


def run(profile: Profile, progress: Progress, models: Models | None = None) -> GateSummary:
    """Read what is new, with the shipped models unless others are given. Raises `Cancelled`: what was read stays, and
    the next run goes on after it."""
    started = time.monotonic()
    if not _pending(profile):
        return GateSummary()
    try:
        models = models or Models.load(profile.embedder())
    except ModelUnavailable as error:
        return GateSummary(reason=str(error))
    reader, items = _Reader(profile, models), _pending(profile)  # in this order: what changes from here on is noticed
    counts: Counter[str] = Counter()
    done = 0

    def show(read: int) -> None:
        progress("gate", done + read, done + len(items))

    while items:
        kept, stopped = _Kept(), None
        try:
            reader.read(items[:STEP], kept, show)
        except Cancelled as cancelled:
            stopped = cancelled
        try:
            counts += reader.keep(kept)
            done, items = done + len(kept.read), items[len(kept.read) :]
        except _Overtaken:
            reader, items = _Reader(profile, models), _pending(profile)
        if stopped is not None:
            raise stopped
    return GateSummary(
        events=counts["events"],
        claims=counts["claims"],
        actions={name.removeprefix("action."): n for name, n in counts.items() if name.startswith("action.")},
        questions=counts["questions"],
        quarantined=counts["quarantined"],
        seconds=time.monotonic() - started,
    )


def _pending(profile: Profile) -> list[_Item]:
    """In time order; memories after the entries of their moment, those of unknown time after everything."""
    entries = [
        _Item(f"e{row['id']}", row["time"], row["own_time"] is not None, f"{row['conversation_id']}.{row['session']}")
        for row in stored.unread_entries(profile.database)
    ]
    first = min((item.time for item in entries), default=0)
    found = stored.unread_memories(profile.database)
    memories = [
        _Item(f"m{row['id']}", first if row["created_at"] is None else row["created_at"], False, "") for row in found
    ]
    unknown = {f"m{row['id']}" for row in found if row["created_at"] is None}
    # The sort is stable: entries of one time stay in the order of their conversation.
    return sorted([*entries, *memories], key=lambda item: (item.key in unknown, item.time))


class _Reader:
    """The ledger, the gate's belief and the open questions of a profile as its history goes by."""

    def __init__(self, profile: Profile, models: Models) -> None:
        self._database = database = profile.database
        self._models = models
        self._stamp = stored.stamp(database)
        ledger = beliefs.load(database, self._vectors)
        last = stored.last_run(database)
        asking = Asking(_asked(row, ledger) for row in stored.open_questions(database))
        same = last is not None and last.model == models.gate.config.id
        self._replay = Replay(
            ledger,
            models,
            state=models.gate.restore(last.state) if last and same else None,
            at=last.at if last else None,
            events=last.events if last else 0,
            asked=last.asked if last else 0,
            asking=asking,
        )
        self._heard, self._noted = Index(), Index()
        for node in ledger:
            self._hear(node)
        self._blocked = stored.blocked(database)

    def read(self, items: Sequence[_Item], kept: _Kept, progress: Callable[[int], None]) -> None:
        blocks = (self._block(items[start : start + BLOCK]) for start in range(0, len(items), BLOCK))
        with closing(read_ahead(blocks, lambda block: self._replay.read(list(block.events.values())))) as ahead:
            for block, claims in ahead:
                pairs = zip(claims, self._replay.expect(claims), strict=True)
                self._decide(block, dict(zip(block.events, pairs, strict=True)), kept, progress)

    def keep(self, kept: _Kept) -> Counter[str]:
        """Write it all in one step. Raises `_Overtaken`, and nothing is written, where the person, or another run,
        changed the ledger meanwhile."""
        database, counts = self._database, _counts(kept)
        with journal.action(database, "gate", "program", events=counts["events"]) as act:
            if stored.stamp(database) != self._stamp:
                raise _Overtaken
            stored.forget_undone(database)
            nodes = {change.node.id: change.node for change in kept.changes if change.node is not None}
            beliefs.keep(database, act, kept.changes)
            self._keep_vectors(nodes.values())
            for key, memory_id in kept.links:
                act.insert("node_memories", node_id=stored.number(database, key), memory_id=memory_id)
                beliefs.follow(database, act, self._replay.ledger.node(key), memory_id)
            for key, noted in kept.moved:
                self._move_memories(act, key, noted)
            counts["questions"] = self._keep_questions(act)
            for outcome in kept.outcomes:
                self._keep_decision(act, outcome, kept.found_in)
            act.note(**{name: n for name, n in counts.items() if "." not in name})
            stored.put_run(database, act, self._run(), kept.read)
            self._stamp = stored.stamp(database)
        return counts

    def _move_memories(self, act: Action, key: str, noted: str) -> None:
        numbers = [stored.number(self._database, one) for one in (key, noted)]
        for memory_id in stored.memories_of(self._database, numbers)[numbers[1]]:
            act.insert("node_memories", node_id=numbers[0], memory_id=memory_id)
            beliefs.follow(self._database, act, self._replay.ledger.node(key), memory_id)

    # -- reading ------------------------------------------------------------------------------------------------------

    def _block(self, items: Sequence[_Item]) -> _Block:
        entries = conversations.entries(self._database, [item.number for item in items if not item.is_memory])
        rows = {item: row for item in items if not item.is_memory and (row := entries.get(item.number)) is not None}
        blocked = {item.key: block for item, row in rows.items() if (block := self._block_of(row)) is not None}
        events = {
            item.key: Event(item.key, item.session, item.time, Origin(row["origin"]), row["text"], item.dated)
            for item, row in rows.items()
            if item.key not in blocked
        }
        return _Block(items, events, blocked)

    def _decide(
        self, block: _Block, claims: Mapping[str, _ClaimAndNext], kept: _Kept, progress: Callable[[int], None]
    ) -> None:
        held = memories.rows(self._database, [item.number for item in block.items if item.is_memory])
        texts = [row["text"] for row in held.values()]
        by_id = dict(zip(held, self._vectors(texts), strict=True))
        for item in block.items:
            if item.is_memory:
                self._remember(item, held[item.number], by_id[item.number], kept)
            elif item.key in block.events:
                self._take(self._replay.step(block.events[item.key], *claims[item.key]), kept)
            block_id = block.blocked.get(item.key)
            kept.read.append(item.key if block_id is None else f"b{block_id}:{item.number}")
            progress(len(kept.read))  # may stop here: what is read is whole

    def _take(self, outcome: Outcome, kept: _Kept) -> None:
        kept.outcomes.append(outcome)
        kept.changes += outcome.changes
        for change in outcome.changes:
            if change.node is not None:
                self._hear(change.node)
        if outcome.claim is not None and outcome.event.id in self._replay.ledger:
            self._take_along(self._replay.ledger.node(outcome.event.id), kept)

    def _take_along(self, node: Node, kept: _Kept) -> None:
        """Memories of which nobody had said what they say, until another than the person did: they are that claim's,
        as if they had been read after it."""
        if node.status != "quarantined" or Origin.USER in node.origins or node.origins == (Origin.ASSISTANT,):
            return
        for key in self._alike(self._noted, node.claim, node.vector, node.written_at):
            noted = self._replay.ledger.node(key)
            change = Change(node.written_at, "superseded", with_status(noted, "superseded"), event=node.id)
            self._replay.ledger.commit([change])
            kept.changes.append(change)
            self._noted.put(key, noted.vector, False)
            kept.moved.append((node.id, key))

    def _remember(self, item: _Item, row: Row, vector: Vector, kept: _Kept) -> None:
        """Tie a memory to the claim that it repeats, or write it as it was imported."""
        node = self._said(row["text"], vector, item.time)
        if node is None:
            models = self._models
            passage = sources.in_turn(self._database, item.number, row["text"], models.relations, models.embedder)
            node = self._found(item, passage, kept) or self._write(_imported(item, row, vector), kept)
            if passage is not None and node.status == "active" and self._distrusts(item, passage, kept):
                node = self._write(replace(node, status="quarantined", origins=(passage.origin,)), kept)
        kept.links.append((node.id, item.number))

    def _write(self, node: Node, kept: _Kept) -> Node:
        change = Change(node.written_at, "held" if node.status == "quarantined" else "written", node)
        self._replay.ledger.commit([change])
        kept.changes.append(change)
        self._hear(node)
        return node

    def _found(self, item: _Item, passage: Passage | None, kept: _Kept) -> Node | None:
        """The node that the gate makes of the passage of the memory's own turn that says it, if another wrote that:
        what an assistant wrote down from a document is a claim of that document. None where it makes none."""
        if passage is None:
            return None
        if passage.origin is Origin.USER:
            return self._pasted(f"e{passage.entry_id}")
        event = Event(item.key, item.session, item.time, passage.origin, passage.whole, item.dated)
        claim = self._replay.read([replace(event, text=passage.text)], least=0.0)[0]
        if claim is None:
            return None
        outcome = self._replay.step(event, replace(claim, event=event))
        self._take(outcome, kept)
        kept.found_in[item.key] = passage.entry_id
        taken_in = (change.node for change in outcome.changes if change.node and item.key in change.node.events)
        return next((self._replay.ledger.node(node.id) for node in taken_in), None)

    def _distrusts(self, item: _Item, passage: Passage, kept: _Kept) -> bool:
        """Whether a memory waits that was written down from what another wrote, though the gate holds nothing back: of
        that source the person wants nothing, or what the gate takes for nothing new may well be planted."""
        if (passage.origin, source_of(passage.origin, passage.actor, passage.url)) in self._blocked:
            return True
        last = kept.outcomes[-1] if kept.outcomes else None
        verdict = last.verdict if last is not None and last.event.id == item.key else None
        return verdict is not None and verdict.probabilities["quarantine"] >= POLICY.suspicion

    def _said(self, text: str, vector: Vector, at: int) -> Node | None:
        """The claim in the history that a memory repeats: one that counts, or did, before one that is held back."""
        alike = self._alike(self._heard, text, vector, at)
        nodes = [(self._replay.ledger.node(key), sure) for key, sure in alike.items()]
        likely = [(_STANDING.get(node.status, 0), sure, node) for node, sure in nodes]
        return max(likely, key=itemgetter(0, 1))[2] if likely else None

    def _alike(self, index: Index, text: str, vector: Vector, at: int) -> dict[str, float]:
        """The nodes of an index that say what a text says, each with how probable that is."""
        cosines = index.cosines(vector)
        near = [key for key in index.nearest(vector, COMPARED) if cosines[key] >= NEAR]
        nodes = [self._replay.ledger.node(key) for key in near]
        pairs = [Pair(node.claim, text, max(0, at - node.written_at) / DAY) for node in nodes]
        judged = self._models.relations.judge(pairs) if pairs else []
        says = {
            key: max(one.relations["duplicates"], one.nli["entailment"]) for key, one in zip(near, judged, strict=True)
        }
        return {key: sure for key, sure in says.items() if sure >= SAYS}

    def _pasted(self, key: str) -> Node | None:
        """What was held back of the message that a memory was written from: then its other sentences are no better."""
        node = self._replay.ledger.node(key) if key in self._replay.ledger else None
        waits = node is not None and node.status in ("quarantined", "evicted")
        return node if node and waits and node.confidence < POLICY.least_authenticity else None

    def _hear(self, node: Node) -> None:
        """What was said in the history is looked through for a memory's source, without what the assistant said, who
        repeats what it remembers."""
        if node.id.startswith("e") and node.origins != (Origin.ASSISTANT,):
            self._heard.put(node.id, node.vector, node.status != "deleted")
        elif node.id.startswith("m"):
            self._noted.put(node.id, node.vector, node.status == "active" and not node.origins)

    def _block_of(self, row: Row) -> int | None:
        return self._blocked.get((row["origin"], source_of(row["origin"], row["actor"], row["url"])))

    def _vectors(self, texts: list[str]) -> list[Vector]:
        embedder = self._models.embedder
        return list(vectors.ensure(self._database, embedder.id, embedder.dims, texts, embedder.encode))

    # -- keeping ------------------------------------------------------------------------------------------------------

    def _keep_vectors(self, nodes: Iterable[Node]) -> None:
        found = {node.claim: node.vector for node in nodes}
        if found:
            vectors.put(self._database, self._models.embedder.id, list(found), np.stack(list(found.values())))

    def _keep_questions(self, act: Action) -> int:
        """How many are new."""
        new = 0
        for asked in self._replay.asking.questions:
            if asked.id is None:
                new += 1
                asked.id = act.insert(
                    "questions", topic=asked.topic, status="open", target=asked.target, session=asked.session,
                    asked_at=asked.at,
                )  # fmt: skip
            for key in asked.claims:
                act.update("nodes", stored.number(self._database, key), question_id=asked.id)
            asked.claims.clear()
        return new

    def _keep_decision(self, act: Action, outcome: Outcome, found_in: Mapping[str, int]) -> None:
        claim, verdict = outcome.claim, outcome.verdict
        silent = verdict is None or (verdict.action == "retain" and not outcome.changes)
        if claim is None or verdict is None or (silent and claim.event.id not in found_in):
            return
        start = outcome.event.text.find(claim.claim)
        body: dict[str, Any] = {
            "probabilities": verdict.probabilities,
            "entropy": verdict.entropy,
            "eta": self._models.gate.config.eta,
            "authenticity": verdict.authenticity,
            "quoted": claim.speech_act == "quoted",
        }
        if start >= 0:
            body |= {"start": start, "end": start + len(claim.claim)}
        if claim.event.id in found_in:
            body["entry"] = found_in[claim.event.id]
        stored.put_decision(self._database, act, claim.event.id, claim.event.at, verdict.action, verdict.target, body)

    def _run(self) -> Run:
        replay = self._replay
        return Run(self._models.gate.config.id, replay.state.to_bytes(), replay.at, replay.events, replay.asked)


class _Overtaken(Exception):
    """The ledger was changed while a step was read."""


def _counts(kept: _Kept) -> Counter[str]:
    memories = sum(key.startswith("m") for key in kept.read)
    messages = sum(key.startswith("e") for key in kept.read)
    counts: Counter[str] = Counter(events=len(kept.outcomes), messages=messages, memories=memories)
    for outcome in kept.outcomes:
        if outcome.verdict is not None:
            counts["claims"] += 1
            counts[f"action.{outcome.verdict.action}"] += 1
        counts["quarantined"] += any(
            change.why == "held" and change.node is not None and change.node.id == outcome.event.id
            for change in outcome.changes
        )
    return counts


def _asked(row: Row, ledger: Ledger) -> Asked:
    lead = ledger.node(row["lead"])
    return Asked(row["topic"], row["target"], row["session"], row["asked_at"], lead.vector, row["id"])


def _imported(item: _Item, row: Row, vector: Vector) -> Node:
    """A memory as the assistant had it; what it rests on is not known."""
    return Node(
        id=item.key,
        claim=row["text"],
        layer=_layer(row["slot"]),
        scope=row["scope"] or GLOBAL_SCOPE,
        status="active",
        written_at=item.time,
        corroborated_at=item.time,
        confidence=AS_IMPORTED,
        slot=row["slot"] or None,
        origins=(),
        events=(item.key,),
        corroborations=0,
        revised_at=None,
        vector=vector,
    )


def _layer(slot: str) -> Layer:
    schema = state_schema.load()
    return schema.slot(slot).timescale if slot in schema else "stable"
