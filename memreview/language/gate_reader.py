"""What a text does to each of the beliefs that it comes near to, and how it relates to them, read from all at once.

One cross-encoder (see `models/gate_reader/`), trained on what the gate must tell apart and on pairs of statements. It
needs ONNX Runtime and `tokenizers` only, both imported when a model is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from memreview.language import onnx_model
from memreview.language.onnx_model import ModelConfig
from memreview.language.relations import NLI, RELATIONS, Judgement
from memreview.language.seeker import Seeker
from memreview.records.entry import Origin
from memreview.resources import MODELS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Reading = Literal["none", "retain", "add", "scope", "revise", "quarantine", "ask"]
READINGS: tuple[Reading, ...] = get_args(Reading)
INPUTS = ("input_ids", "token_type_ids")
OUTPUTS = ("reading", "authentic", "relations", "nli", "concern")
BESIDE = 4
"""Beliefs that a text is read beside, at most."""
HELD_TOKENS, TEXT_TOKENS = 32, 150
"""Of each belief and of the text; what is longer is cut."""

_MAX_CHARS = 4_000
_SPEAKER = {
    Origin.USER: "me:",
    Origin.ASSISTANT: "assistant:",
    Origin.TOOL_OUTPUT: "tool:",
    Origin.RETRIEVED_DOCUMENT: "page:",
    Origin.SHARED_FILE: "file:",
}

Floats = NDArray[np.float32]
Encoded = tuple[list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Meeting:
    """A text of some origin, and the claims of up to `BESIDE` nodes that are held, the nearest first."""

    held: tuple[str, ...]
    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class Impression:
    """Of a text beside one belief: the probability of each of `READINGS`, that the person means and authored what is
    claimed, how the text relates to the belief, as the relation model says it of two statements, and the probability
    that it is this belief that the text is about."""

    reading: tuple[float, ...]
    authentic: float
    judgement: Judgement
    concern: float


class Reader(Protocol):
    """What gives impressions: `GateReader`, or something that asks one."""

    @property
    def seeker(self) -> Seeker:
        """Finds what a text is to be read beside."""
        ...

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        """An impression a belief."""
        ...


class MeetingEncoder:
    """Meetings as the model reads them: [CLS] speaker: text [SEP] belief [SEP] belief [SEP] …, with token type 0 up to
    the first [SEP], 1 from there to the second, and so on."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """The tokenizer adds no special tokens."""
        self._tokenizer = tokenizer
        tokenizer.no_truncation()
        self._cls, self._sep = tokenizer.encode("").ids
        tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text
        self._speakers = {origin: self._of([words])[0] for origin, words in _SPEAKER.items()}

    def encode(self, meetings: Sequence[Meeting]) -> list[Encoded]:
        """(token ids, token types) of each."""
        said = self._of([one.text for one in meetings])
        held = iter(self._of([belief for one in meetings for belief in one.held]))
        encoded = []
        for one, text in zip(meetings, said, strict=True):
            parts = [[self._cls, *self._speakers[one.origin], *text[:TEXT_TOKENS], self._sep]]
            parts += [[*next(held)[:HELD_TOKENS], self._sep] for _ in one.held]
            encoded.append((list(chain(*parts)), [kind for kind, part in enumerate(parts) for _ in part]))
        return encoded

    def _of(self, texts: Sequence[str]) -> list[list[int]]:
        clean = [onnx_model.clean(text, _MAX_CHARS) for text in texts]
        return [found.ids for found in self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)]


class GateReader:
    """A folder with `model.onnx`, `tokenizer.json`, `seeker.safetensors` and `config.json`. A meeting is read the same
    alone and in company. May be used from several threads."""

    def __init__(self, name: str, tokenizer: Tokenizer, session: InferenceSession, seeker: Seeker) -> None:
        self.id = name
        self.seeker = seeker
        self._encoder = MeetingEncoder(tokenizer)
        self._session = session

    @classmethod
    def load(cls, folder: Path) -> GateReader:
        """Raises `ModelUnavailable`."""
        found = onnx_model.load(folder, ModelConfig, "gate's reader", INPUTS, OUTPUTS)
        return cls(found.config.id, found.tokenizer, found.session, Seeker.load(folder))

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        """Equal meetings are computed once."""
        distinct = list(dict.fromkeys(meetings))
        outputs = onnx_model.run_by_length(self._session, self._encoder.encode(distinct), OUTPUTS, INPUTS)
        found = {one: impressions(one, *values) for one, values in zip(distinct, outputs, strict=True)}
        return [found[one] for one in meetings]


def impressions(meeting: Meeting, *outputs: Floats) -> tuple[Impression, ...]:
    """From the model's probabilities, each of shape (`BESIDE`, classes)."""
    return tuple(_impression(*rows) for rows in islice(zip(*outputs, strict=True), len(meeting.held)))


def _impression(reading: Floats, authentic: Floats, relations: Floats, nli: Floats, concern: Floats) -> Impression:
    judgement = Judgement(
        dict(zip(RELATIONS, relations.tolist(), strict=True)), dict(zip(NLI, nli.tolist(), strict=True))
    )
    return Impression(tuple(reading.tolist()), float(authentic[1]), judgement, float(concern[1]))


def reader_folder() -> Path:
    return MODELS / "gate_reader"
