"""How a newer statement bears on an older one of the same person, and whether it follows from it.

One cross-encoder reads both statements and the time between them (see `models/relations/`). It needs ONNX Runtime and
`tokenizers` only, both imported when a model is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from memreview.language import onnx_model
from memreview.language.onnx_model import ModelConfig
from memreview.resources import MODELS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Relation = Literal["supersedes", "scopes", "duplicates", "coexists", "unrelated"]
Nli = Literal["entailment", "neutral", "contradiction"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
NLI: tuple[Nli, ...] = get_args(Nli)

INPUTS = ("input_ids", "token_type_ids")
OUTPUTS = ("relations", "nli")

GAPS = ((1.0, "same day:"), (30.0, "days later:"), (365.0, "months later:"), (float("inf"), "years later:"))
"""What is read before the newer statement: the words of the first row whose days exceed the gap."""

_MAX_CHARS = 2_000  # far beyond the limit of tokens; keeps a pasted book away from the tokenizer
_BLOCK = 4096  # pairs sorted by length at a time

Ids = list[int]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements; `gap_days` lie between them, None if a time is unknown."""

    older: str
    newer: str
    gap_days: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """Probabilities, each kind summing to 1: what the newer statement does to the older one, and whether it would
    follow from the older one at the same moment."""

    relations: Mapping[Relation, float]
    nli: Mapping[Nli, float]

    @property
    def relation(self) -> Relation:
        """The most probable one."""
        return max(RELATIONS, key=self.relations.__getitem__)


class PairEncoder:
    """Pairs as the model reads them: [CLS] older [SEP] gap newer [SEP], with token type 1 after the first [SEP]."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """The tokenizer adds no special tokens and truncates each statement."""
        self._tokenizer = tokenizer
        self._cls, self._sep = tokenizer.encode("").ids
        tokenizer.encode_special_tokens = True  # "[SEP]" in a statement is text
        self._gaps = {words: self._of([words])[words] for _, words in GAPS}

    def encode(self, pairs: Sequence[Pair]) -> list[tuple[Ids, Ids]]:
        """(token ids, token types) of each pair."""
        found = self._of({text for pair in pairs for text in (pair.older, pair.newer)})
        encoded = []
        for pair in pairs:
            older = [self._cls, *found[pair.older], self._sep]
            newer = [*self._gap(pair.gap_days), *found[pair.newer], self._sep]
            encoded.append((older + newer, [0] * len(older) + [1] * len(newer)))
        return encoded

    def _gap(self, days: float | None) -> Ids:
        return [] if days is None else self._gaps[next(words for below, words in GAPS if days < below)]

    def _of(self, texts: Iterable[str]) -> dict[str, Ids]:
        texts = list(texts)
        clean = [onnx_model.clean(text, _MAX_CHARS) for text in texts]
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return {text: found.ids for text, found in zip(texts, encodings, strict=True)}


class RelationModel:
    """A folder with `model.onnx`, `tokenizer.json` and `config.json`. A pair is judged the same alone and in company.
    May be used from several threads."""

    def __init__(self, name: str, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self.id = name
        self._encoder = PairEncoder(tokenizer)
        self._session = session

    @classmethod
    def load(cls, folder: Path) -> RelationModel:
        """Raises `ModelUnavailable`."""
        found = onnx_model.load(folder, ModelConfig, "relation model", INPUTS, OUTPUTS)
        return cls(found.config.id, found.tokenizer, found.session)

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in their order. Equal pairs are computed once."""
        row_of = {pair: row for row, pair in enumerate(dict.fromkeys(pairs))}
        distinct = list(row_of)
        judged: list[Judgement] = []
        for start in range(0, len(distinct), _BLOCK):
            judged += self._judge(distinct[start : start + _BLOCK])
        return [judged[row_of[pair]] for pair in pairs]

    def _judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        found = onnx_model.run_by_length(self._session, self._encoder.encode(pairs), OUTPUTS, INPUTS)
        return [
            Judgement(dict(zip(RELATIONS, one.tolist(), strict=True)), dict(zip(NLI, other.tolist(), strict=True)))
            for one, other in found
        ]


def relations_folder() -> Path:
    return MODELS / "relations"
