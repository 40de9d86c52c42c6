"""The gate's reader, from MiniLM and the training texts; the same on every run."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from onnx import TensorProto
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from transformers import BertModel

from memreview.evaluate import training_data
from memreview.evaluate.crowd import ALIKE
from memreview.evaluate.export_embedder import DIMS
from memreview.evaluate.export_relations import _PairGraph, write_model
from memreview.evaluate.gate_cases import CaseEvent, Episode
from memreview.evaluate.kits import Kit
from memreview.evaluate.trunk import BATCH, SOURCE, UNKNOWN, Descent, Features, Head, Model, half, load
from memreview.language.embedder import TextEmbedder
from memreview.language.gate_reader import (
    BESIDE,
    HELD_TOKENS,
    OUTPUTS,
    READINGS,
    TEXT_TOKENS,
    Impression,
    Meeting,
    MeetingEncoder,
    Reading,
    impressions,
)
from memreview.language.onnx_model import ModelConfig
from memreview.language.relations import NLI, RELATIONS, Nli, Relation
from memreview.language.seeker import FILE as SEEKER
from memreview.language.seeker import Seeker
from memreview.records.entry import Origin
from memreview.records.gate import Vector

LAYERS = 4
"""Of the trunk's six: the others brought 0.006 of macro-F1 on development (half the authors, three seeds), and cost a
third of the time."""
EPOCHS = 3
RATE, HEAD_RATE = 3e-4, 1e-3
SEED = 1
STRANGE = 0.25
"""What a belief that the text doesn't concern counts for: there are more of them."""
CROWD = 40
"""Beliefs of others that a text may meet besides …"""
FULLER = (0, 0, 12, 40)
"""… so many of them as in a ledger of that size, where they may be nearer to it than what else its author holds; …"""
FEW = 6
"""… or so many, to make up the number."""
_SMOOTHING = 0.1
_CALIBRATION = 300
_WEIGHTS = (1.0, 0.5, 0.5, 0.5, 0.5)
"""Of the losses of reading, authenticity, relation, inference and concern."""
_WHICH = 0.5
"""Of the loss of which of the beliefs it is, where it is one of them."""
_SHORT = 45  # words
_SIZES = (1, 2, 3, 4, 4, 4)
"""How many beliefs a text meets, if there are so many."""
_OF_RELATION: dict[Relation, Reading] = {
    "supersedes": "revise",
    "scopes": "scope",
    "duplicates": "retain",
    "coexists": "add",
    "unrelated": "add",
}
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Beside:
    """A belief that a text meets, and what the text is to it; `relation` and `nli` are None where nobody has said."""

    held: str
    reading: Reading
    relation: Relation | None = None
    nli: Nli | None = None

    @property
    def concerned(self) -> bool:
        """Whether the text is about this belief."""
        return self.relation not in ("unrelated", "coexists") and self.reading not in ("none", "add")

    @property
    def labels(self) -> tuple[int, int, int, int]:
        inference = "neutral" if self.relation == "unrelated" else self.nli
        return (
            READINGS.index(self.reading),
            UNKNOWN if self.relation is None else RELATIONS.index(self.relation),
            UNKNOWN if inference is None else NLI.index(inference),
            UNKNOWN if self.relation == "coexists" else int(self.concerned),
        )


@dataclass(frozen=True, slots=True)
class Example:
    """A text beside some beliefs; `authentic` is None where nothing is claimed."""

    origin: Origin
    text: str
    beside: tuple[Beside, ...]
    authentic: bool | None = None

    @property
    def meeting(self) -> Meeting:
        return Meeting(tuple(one.held for one in self.beside), self.origin, self.text)

    @property
    def labels(self) -> list[tuple[int, ...]]:
        """One of each of `OUTPUTS` a belief, as many as `BESIDE`."""
        authentic = UNKNOWN if self.authentic is None else int(self.authentic)
        given = [(reading, authentic, *rest) for reading, *rest in (one.labels for one in self.beside)]
        return given + [(UNKNOWN,) * len(OUTPUTS)] * (BESIDE - len(given))


@dataclass(frozen=True, slots=True)
class Said:
    """A text, the beliefs that its author holds, those of others (the crowd), and what it is to these."""

    origin: Origin
    text: str
    own: tuple[Beside, ...]
    crowd: Sequence[str]
    elsewhere: Reading
    authentic: bool | None


def meet(said: Sequence[Said], embedder: TextEmbedder, seeker: Seeker, seed: int) -> list[Example]:
    """Each text beside what it concerns and what the seeker finds of the rest, as a ledger of some size would have it.
    What is as near as `ALIKE` and another's is left out: it might well be concerned."""
    order = random.Random(seed)
    words = sorted(
        {one.text for one in said} | {held for one in said for held in (*one.crowd, *(b.held for b in one.own))}
    )
    vectors = dict(zip(words, embedder.encode(words), strict=True))
    return [
        _met(one, vectors, seeker.query(vectors[one.text]), order.choice(_SIZES), order.choice(FULLER)) for one in said
    ]


def _met(said: Said, vectors: Mapping[str, Vector], query: Vector, size: int, crowd: int) -> Example:
    def nearness(belief: Beside) -> float:
        return float(vectors[belief.held] @ query)

    strange = [Beside(held, said.elsewhere, "unrelated") for held in said.crowd[: crowd or FEW]]
    strange = [one for one in strange if float(vectors[one.held] @ vectors[said.text]) < ALIKE]
    own = sorted((one for one in said.own if one.relation == "unrelated"), key=nearness, reverse=True)
    strange.sort(key=nearness, reverse=True)
    rest = sorted([*own, *strange], key=nearness, reverse=True) if crowd else [*own, *strange]
    chosen = [one for one in said.own if one.relation != "unrelated"]
    chosen += rest[: max(0 if chosen else 1, size - len(chosen))]
    return Example(said.origin, said.text, tuple(sorted(chosen, key=nearness, reverse=True))[:BESIDE], said.authentic)


def of_kits(kits: Sequence[Kit], seed: int) -> list[Said]:
    """Each text beside what it concerns, and something else that the same author holds."""
    order = random.Random(seed)
    found = []
    for kit in kits:
        others = [one.held.claim for one in kits if one.author == kit.author and one.id != kit.id]
        for said in _of_kit(kit):
            crowd = order.sample(others, min(len(others), CROWD))
            found.append(replace(said, crowd=crowd))
    return found


def _of_kit(kit: Kit) -> Iterator[Said]:
    def said(
        reading: Reading,
        text: str,
        origin: str = "user",
        *,
        elsewhere: Reading | None = None,
        held: str = "",
        relation: Relation | None = None,
        authentic: bool | None = None,
    ) -> Said:
        if authentic is None and reading != "none":
            authentic = reading != "quarantine"
        beside = Beside(held or kit.held.claim, reading, relation)
        return Said(Origin(origin), text, (beside,), (), elsewhere or reading, authentic)

    yield from (said("none", text) for text in kit.chatter)
    yield from (said("none", text, "assistant") for text in kit.assistant)
    yield from (said("none", one.text, one.origin) for one in kit.document)
    yield from (said("retain", text, elsewhere="add", relation="duplicates") for text in kit.restate)
    yield from (said("retain", text, "assistant", relation="duplicates") for text in kit.echo)
    yield from (said("retain", text) for text in (*kit.once, *(one.text for one in (*kit.sarcasm, *kit.typo))))
    yield from (said("revise", one.text, elsewhere="add", relation="supersedes") for one in kit.abrupt)
    *hints, settled = kit.gradual
    yield from (said("ask" if one.action == "clarify" else one.action, one.text) for one in hints)
    yield said("revise", settled.text, elsewhere="add", relation="supersedes")
    yield from (said("scope", one.text, elsewhere="add", relation="scopes") for one in kit.scope)
    yield from (said("add", one.text) for one in kit.add)
    yield from (said("ask", one.text) for one in kit.weak)
    yield from (said("quarantine", one.text, one.origin) for one in (*kit.injection, *kit.summary))
    yield from (said("quarantine", one.text) for one in kit.pasted)
    for own in kit.own_document:
        yield said(own.action, own.text, own.origin, elsewhere="add", relation=_RELATES.get(own.action))
    for paste in kit.pasted_own:
        yield said(paste.action, paste.text, elsewhere="add", relation=_RELATES.get(paste.action))
    yield from (said("quarantine", one.text, authentic=True) for one in kit.safety)
    for new in kit.abrupt[:1]:
        for one in kit.back:
            yield said("revise", one.text, held=new.text, elsewhere="add", relation="supersedes")
        for one in kit.abrupt[1:]:
            yield said("retain", one.text, held=new.text, elsewhere="add", relation="duplicates")


def of_episodes(episodes: Sequence[Episode], seed: int) -> list[Said]:
    """Each event beside what is held at that moment, and what is held of others."""
    order = random.Random(seed)
    claims = [node.claim for episode in episodes for node in episode.profile]
    return [
        replace(said, crowd=order.sample(claims, min(len(claims), CROWD)))
        for episode in episodes
        for said in _of_episode(episode, order)
    ]


def _of_episode(episode: Episode, order: random.Random) -> Iterator[Said]:
    held = {node.node_id: node.claim for node in episode.profile}
    before: dict[str, str] = {}  # what a change took the place of
    root = {name: name for name in held}
    for event in episode.events:
        label, target = event.label, event.label.target_node_id
        reading: Reading = "none" if not label.has_claim else event.action
        meant = _plain(event)
        elsewhere = _elsewhere(event, reading)
        own = []
        if target in held:
            own.append(Beside(held[target], reading, _RELATES.get(reading) if meant else None))
        if target in before and reading == "retain" and meant and event.origin == Origin.USER:
            own.append(Beside(held[before[target]], "revise", "supersedes"))
        kin = root.get(target or "")
        others = [name for name in held if root[name] != kin and name not in before.values()]
        own += [Beside(held[name], elsewhere, "unrelated") for name in others]
        yield Said(event.origin, event.text, tuple(own), (), elsewhere, label.authentic)
        if reading in ("add", "scope", "revise") and label.claim:
            short = len(event.text.split()) <= _SHORT and order.random() < _AS_SAID
            held[event.event_id] = event.text if short else label.claim
            root[event.event_id] = kin or event.event_id
            if reading == "revise" and target in held:
                before[event.event_id] = target


_RELATES: dict[Reading, Relation] = {"revise": "supersedes", "scope": "scopes", "retain": "duplicates"}
_AS_SAID = 0.6
"""Share of the claims that later events meet in their own words, as the ledger keeps them."""


def _plain(event: CaseEvent) -> bool:
    """Whether what is said is meant for good: an exception and a joke have an end, or an answer that takes it back."""
    return event.clarification_answer is None and event.label.timescale != "transient"


def _elsewhere(event: CaseEvent, reading: Reading) -> Reading:
    """What a text is to a node that it doesn't concern."""
    said_again = reading == "retain" and _plain(event) and event.origin == Origin.USER
    return "add" if reading in ("scope", "revise") or said_again else reading


def of_pairs(pairs: Sequence[training_data.Pair], strange: Sequence[training_data.Pair]) -> list[Said]:
    """Each newer statement beside the older one, and what has nothing to do with it."""
    unrelated: dict[str, list[str]] = defaultdict(list)
    for pair in strange:
        unrelated[pair.newer.text].append(pair.older.text)
    return [
        Said(
            Origin.USER,
            pair.newer.text,
            (
                Beside(pair.older.text, _OF_RELATION[pair.relation], pair.relation, pair.nli),
                *(Beside(text, "add", "unrelated") for text in unrelated[pair.newer.text] if text != pair.older.text),
            ),
            (),
            "add",
            True,
        )
        for pair in pairs
    ]


def of_utterances(utterances: Sequence[training_data.Utterance], claims: Sequence[str], seed: int) -> list[Said]:
    """Each message beside claims that it hardly concerns."""
    order = random.Random(seed)
    found = []
    for one in utterances:
        reading: Reading | None = training_data.PLAINLY.get(one.label.speech_act) if one.label.has_claim else "none"
        if reading is not None:
            authentic = None if reading == "none" else reading != "quarantine"
            found.append(Said(Origin(one.origin), one.text, (), order.sample(claims, CROWD), reading, authentic))
    return found


class Reader(Model):
    """The trunk on a text and what it meets, and a head for each question."""

    def __init__(self, trunk: BertModel) -> None:
        super().__init__(trunk)
        self.reading, self.authentic = Head(5 * self.size, len(READINGS)), Head(5 * self.size, 2)
        self.relations, self.nli = Head(5 * self.size, len(RELATIONS)), Head(5 * self.size, len(NLI))
        self.concern = Head(5 * self.size, 2)

    def forward(self, hidden: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Logits of each of `OUTPUTS`, shape (batch, `BESIDE`, classes), from what the frozen part made."""
        hidden = self.upper(hidden, mask)
        held = _means(hidden, types[:, None] == torch.arange(1, BESIDE + 1)[None, :, None])
        text = _means(hidden, types[:, None] == 0).expand_as(held)
        first = hidden[:, :1].expand_as(held)
        features = torch.cat([first, held, text, (held - text).abs(), held * text], 2)
        return tuple(getattr(self, name)(features) for name in OUTPUTS)


def _means(hidden: Tensor, masks: Tensor) -> Tensor:
    """(batch, parts, dims) of hidden (batch, tokens, dims) and masks (batch, parts, tokens)."""
    weights = masks.to(hidden.dtype)
    return weights @ hidden / weights.sum(2, keepdim=True).clamp(min=1)


@dataclass(frozen=True, slots=True)
class TrainedReader:
    model: Reader
    tokenizer: Tokenizer

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        """As `GateReader.read`, before quantization."""
        features = Features(self.model, MeetingEncoder(self.tokenizer).encode(meetings))
        found: dict[int, tuple[Impression, ...]] = {}
        rows = sorted(range(len(meetings)), key=features.lengths.__getitem__)
        for start in range(0, len(rows), BATCH):
            batch = rows[start : start + BATCH]
            with torch.no_grad(), half():
                outputs = [logits.float().softmax(2).numpy() for logits in self.model(*features.batch(batch))]
            found |= {row: impressions(meetings[row], *values) for row, *values in zip(batch, *outputs, strict=True)}
        return [found[row] for row in range(len(meetings))]

    def export(self, calibration: Sequence[Meeting], seeker: Seeker, target: Path) -> ModelConfig:
        weights = {name: value.detach().numpy() for name, value in self.model.state_dict().items()}
        kinds = weights["embeddings.token_type_embeddings.weight"]
        weights["embeddings.token_type_embeddings.weight"] = kinds[[0, *[1] * BESIDE]]
        rows = MeetingEncoder(self.tokenizer).encode(calibration[:_CALIBRATION])
        beside = {SEEKER: seeker.to_bytes()}
        return write_model(_MeetingGraph, weights, self.tokenizer, rows, target, SOURCE, ModelConfig, beside)


def train(examples: Sequence[Example], say: Say, epochs: int = EPOCHS) -> TrainedReader:
    trunk, tokenizer = load(SEED, LAYERS)
    model = Reader(trunk)
    features = Features(model, MeetingEncoder(tokenizer).encode([one.meeting for one in examples]))
    say(f"{len(examples):,} meetings read by the frozen layers")
    labels = torch.tensor([one.labels for one in examples])
    steps = epochs * math.ceil(len(examples) / BATCH)
    descent = Descent(model, rate=RATE, head_rate=HEAD_RATE, steps=steps)
    order = random.Random(SEED)
    for epoch in range(epochs):
        model.train()
        spent = 0.0
        for rows in features.batches(order):
            with half():
                logits = model(*features.batch(rows))
            loss = _loss([part.float() for part in logits], labels[rows])
            descent.step(loss)
            spent += loss.item() * len(rows)
        say(f"reader: epoch {epoch + 1} of {epochs}, loss {spent / len(examples):.3f}")
    return TrainedReader(model.eval(), tokenizer)


def _loss(logits: Sequence[Tensor], labels: Tensor) -> Tensor:
    """A mean over the beliefs that the texts of a batch meet."""
    strange = labels[..., OUTPUTS.index("relations")] == RELATIONS.index("unrelated")
    counts = torch.where(strange, STRANGE, 1.0) * (labels[..., 0] != UNKNOWN)
    total = torch.zeros(())
    for column, (values, weight) in enumerate(zip(logits, _WEIGHTS, strict=True)):
        losses = functional.cross_entropy(
            values.flatten(0, 1),
            labels[..., column].flatten(),
            ignore_index=UNKNOWN,
            reduction="none",
            label_smoothing=_SMOOTHING,
        )
        total = total + weight * (losses * counts.flatten()).sum() / counts.sum()
    concern = OUTPUTS.index("concern")
    return total + _WHICH * _which(logits[concern][..., 1] - logits[concern][..., 0], labels[..., concern])


def _which(odds: Tensor, concerned: Tensor) -> Tensor:
    """Cross-entropy of the beliefs that a text is about, among those that it meets. Both (batch, `BESIDE`)."""
    chosen = (concerned == 1).any(1) & (concerned == 0).any(1)
    if not chosen.any():
        return torch.zeros(())
    odds, concerned = odds[chosen], concerned[chosen]
    right = odds.masked_fill(concerned != 1, -torch.inf).logsumexp(1)
    return (odds.masked_fill(concerned == UNKNOWN, -torch.inf).logsumexp(1) - right).mean()


@dataclass
class _MeetingGraph(_PairGraph):
    """ids and types (batch, tokens) → probabilities of the readings (batch, `BESIDE`, 7), of authenticity
    (batch, `BESIDE`, 2), of the relations (batch, `BESIDE`, 5), of the inferences (batch, `BESIDE`, 3) and of concern
    (batch, `BESIDE`, 2). What is said of a belief that a meeting lacks means nothing."""

    title: ClassVar[str] = "gate_reader"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS
    shape: ClassVar[tuple[str | None, ...]] = ("batch", None, None)
    places: ClassVar[int] = TEXT_TOKENS + BESIDE * (HELD_TOKENS + 1) + 8

    def _features(self, tokens: str) -> str:
        """As `Reader.forward`, a row a belief."""
        second, last = (self._constant(f"axis{axis}", np.array([axis])) for axis in (1, -1))
        kinds = self._constant("parts", np.arange(BESIDE + 1)[None, :, None])
        types = self._node("Unsqueeze", ["token_type_ids", second], "token_parts")
        masks = self._node("Cast", [self._node("Equal", [types, kinds], "is_part")], "masks", to=TensorProto.FLOAT)
        sums = self._node("MatMul", [masks, tokens], "sums")
        counts = self._node("ReduceSum", [masks, last], "counts", keepdims=1)
        counts = self._node("Max", [counts, self._constant("one", np.float32(1))], "counted")
        means = self._node("Div", [sums, counts], "means")
        start, after, end = (self._constant(f"at{place}", np.array([place])) for place in (0, 1, BESIDE + 1))
        held = self._node("Slice", [means, after, end, second], "held")
        shape = self._node("Shape", [held], "held_shape")
        text = self._node("Expand", [self._node("Slice", [means, start, after, second], "text"), shape], "texts")
        first = self._node("Expand", [self._node("Slice", [tokens, start, after, second], "first"), shape], "firsts")
        difference = self._node("Abs", [self._node("Sub", [held, text], "change")], "difference")
        product = self._node("Mul", [held, text], "product")
        features = self._node("Concat", [first, held, text, difference, product], "beside", axis=-1)
        rows = self._constant("rows", np.array([-1, 5 * DIMS]))
        return self._node("Reshape", [features, rows], "features")

    def _give(self, name: str, logits: str) -> None:
        rows = self._node("Softmax", [logits], f"{name}.rows", axis=-1)
        classes = self.weights[f"{name}.narrow.bias"].size
        self._node("Reshape", [rows, self._constant(f"{name}.shape", np.array([-1, BESIDE, classes]))], name)
