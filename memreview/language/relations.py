"""How a newer statement bears on an older one of the same person, and whether it follows from it.

One cross-encoder reads both statements and the time between them (see `models/relations/`). It needs ONNX Runtime and
`tokenizers` only, both imported when a model is loaded.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.language.embedder import ModelUnavailable
from memreview.resources import MODELS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Relation = Literal["supersedes", "scopes", "duplicates", "coexists", "unrelated"]
Nli = Literal["entailment", "neutral", "contradiction"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
NLI: tuple[Nli, ...] = get_args(Nli)

CONFIG = "config.json"
GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
INPUTS = ["input_ids", "token_type_ids"]

GAPS = ((1.0, "same day:"), (30.0, "days later:"), (365.0, "months later:"), (float("inf"), "years later:"))
"""What is read before the newer statement: the words of the first row whose days exceed the gap."""

_MAX_CHARS = 2_000  # far beyond the limit of tokens; keeps a pasted book away from the tokenizer
_BLOCK = 4096  # pairs sorted by length at a time
_BATCH_TOKENS = 1024
_THREADS = min(4, os.cpu_count() or 1)
_SURROGATE = re.compile("[\ud800-\udfff]")

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


class RelationConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`."""

    id: str
    sha256: dict[str, str]
    source: str
    licence: str


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
        clean = [_SURROGATE.sub("\ufffd", text[:_MAX_CHARS]) for text in texts]
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
        config = _config(folder)
        for name in (GRAPH, TOKENIZER):
            _check(folder / name, config.sha256.get(name, ""))
        from tokenizers import Tokenizer

        return cls(config.id, Tokenizer.from_file(str(folder / TOKENIZER)), _session(folder / GRAPH))

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """One judgement a pair, in their order. Equal pairs are computed once."""
        row_of = {pair: row for row, pair in enumerate(dict.fromkeys(pairs))}
        distinct = list(row_of)
        judged: list[Judgement] = []
        for start in range(0, len(distinct), _BLOCK):
            judged += self._judge(distinct[start : start + _BLOCK])
        return [judged[row_of[pair]] for pair in pairs]

    def _judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        encoded = self._encoder.encode(pairs)
        batches = _batches([len(ids) for ids, _ in encoded])
        relations = np.empty((len(pairs), len(RELATIONS)), np.float32)
        nli = np.empty((len(pairs), len(NLI)), np.float32)
        inputs = [np.array([encoded[row] for row in batch], np.int64) for batch in batches]
        with ThreadPoolExecutor(_THREADS) as pool:
            for batch, (of_relations, of_nli) in zip(batches, pool.map(self._run, inputs), strict=True):
                relations[batch], nli[batch] = of_relations, of_nli
        return [
            Judgement(dict(zip(RELATIONS, one, strict=True)), dict(zip(NLI, other, strict=True)))
            for one, other in zip(relations.tolist(), nli.tolist(), strict=True)
        ]

    def _run(self, batch: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """`batch`: (pairs, 2, tokens), ids and types."""
        found: list[NDArray[np.float32]] = self._session.run(
            ["relations", "nli"], dict(zip(INPUTS, batch.transpose(1, 0, 2), strict=True))
        )
        return found


def relations_folder() -> Path:
    return MODELS / "relations"


def _config(folder: Path) -> RelationConfig:
    try:
        return msgspec.json.decode((folder / CONFIG).read_bytes(), type=RelationConfig)
    except FileNotFoundError as error:
        raise ModelUnavailable(f"The relation model is missing: there is no {CONFIG} in “{folder.name}”.") from error
    except (OSError, msgspec.DecodeError) as error:
        raise ModelUnavailable(f"The relation model can't be read: {CONFIG} in “{folder.name}” is damaged.") from error


def _check(file: Path, digest: str) -> None:
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise ModelUnavailable(
            f"The relation model is missing: there is no {file.name} in “{file.parent.name}”."
        ) from error
    except OSError as error:
        raise ModelUnavailable(f"The relation model can't be read: {file.name} in “{file.parent.name}”.") from error
    if found != digest:
        raise ModelUnavailable(
            f"The relation model is damaged: {file.name} in “{file.parent.name}” has another checksum."
        )


def _session(graph: Path) -> InferenceSession:
    """One thread a run: several runs at once use the cores better than one run that splits each product."""
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # The graph is fused by hand as far as that is quicker; the extended level would fuse more.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except (errors.Fail, errors.InvalidGraph, errors.InvalidProtobuf, errors.NotImplemented) as error:
        raise ModelUnavailable(
            f"The relation model in “{graph.parent.name}” can't be run by this ONNX Runtime."
        ) from error
    if [one.name for one in session.get_inputs()] != INPUTS:
        raise ModelUnavailable(f"The model in “{graph.parent.name}” is no relation model that this program knows.")
    return session


def _batches(lengths: list[int]) -> list[list[int]]:
    """Rows of one length each, so that nothing is padded; longest first, so that the threads end together."""
    groups: dict[int, list[int]] = defaultdict(list)
    for row, length in enumerate(lengths):
        groups[length].append(row)
    batches = []
    for length, rows in sorted(groups.items(), reverse=True):
        size = max(1, _BATCH_TOKENS // length)
        batches += [rows[start : start + size] for start in range(0, len(rows), size)]
    return batches
