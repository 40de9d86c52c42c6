"""A model that we ship: a folder with `config.json`, `tokenizer.json` and `model.onnx`, checked before it is run.

ONNX Runtime and `tokenizers` are imported when a model is loaded: importing this module costs nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

# Nothing here may reach the network: a model that is not on the disk is missing.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

CONFIG = "config.json"
GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
THREADS = min(4, os.cpu_count() or 1)
_BATCH_TOKENS = 1024  # fits the second-level cache, and ends within 0.1 s when cancelled
_SURROGATE = re.compile("[\ud800-\udfff]")


class ModelUnavailable(Exception):
    """A model can't be used; the message is one sentence for the person."""


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json`; `id` names the model and its weights."""

    id: str
    sha256: dict[str, str]
    source: str
    licence: str


C = TypeVar("C", bound=ModelConfig)


@dataclass(frozen=True, slots=True)
class Loaded(Generic[C]):
    config: C
    tokenizer: Tokenizer
    session: InferenceSession


def load(folder: Path, kind: type[C], title: str, inputs: Sequence[str], outputs: Sequence[str]) -> Loaded[C]:
    """`title` names the model in a sentence ("embedder"). Raises `ModelUnavailable`."""
    config = _config(folder, kind, title)
    for name in dict.fromkeys([GRAPH, TOKENIZER, *config.sha256]):
        _check(folder / name, config.sha256.get(name, ""), title)
    from tokenizers import Tokenizer

    session = _session(folder / GRAPH, title)
    names = [[one.name for one in ends] for ends in (session.get_inputs(), session.get_outputs())]
    if names != [list(inputs), list(outputs)]:
        raise ModelUnavailable(f"The model in “{folder.name}” is no {title} that this program knows.")
    return Loaded(config, Tokenizer.from_file(str(folder / TOKENIZER)), session)


def clean(text: str, longest: int) -> str:
    """What the tokenizer can take: no lone surrogates, and not a whole pasted book."""
    return _SURROGATE.sub("\ufffd", text[:longest])


def run_by_length(
    session: InferenceSession, rows: Sequence[Any], outputs: Sequence[str], inputs: Sequence[str]
) -> list[list[NDArray[np.float32]]]:
    """The outputs of each row, in their order. A row is as many lists of token numbers as there are inputs, all of one
    length; rows of one length go together, so that nothing is padded and each row's result is the same in company."""
    found: list[list[NDArray[np.float32]]] = [[] for _ in rows]
    batches = batches_by_length([len(row[0]) for row in rows])

    def run(batch: list[int]) -> list[NDArray[np.float32]]:
        values = np.array([rows[row] for row in batch], np.int64).transpose(1, 0, 2)
        given: list[NDArray[np.float32]] = session.run(list(outputs), dict(zip(inputs, values, strict=True)))
        return given

    def keep(results: Iterable[list[NDArray[np.float32]]]) -> None:
        for batch, values in zip(batches, results, strict=True):
            for place, row in enumerate(batch):
                found[row] = [one[place] for one in values]

    if len(batches) == 1:  # an event of a history: to start threads would take a tenth as long
        keep(map(run, batches))
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            keep(pool.map(run, batches))
    return found


def batches_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """Rows of one length each, so that nothing is padded; longest first, so that the threads end together."""
    groups: dict[int, list[int]] = defaultdict(list)
    for row, length in enumerate(lengths):
        groups[length].append(row)
    batches = []
    for length, rows in sorted(groups.items(), reverse=True):
        size = max(1, _BATCH_TOKENS // length)
        batches += [rows[start : start + size] for start in range(0, len(rows), size)]
    return batches


def sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _config(folder: Path, kind: type[C], title: str) -> C:
    try:
        return msgspec.json.decode((folder / CONFIG).read_bytes(), type=kind)
    except FileNotFoundError as error:
        raise ModelUnavailable(f"The {title} is missing: there is no {CONFIG} in “{folder.name}”.") from error
    except (OSError, msgspec.DecodeError) as error:
        raise ModelUnavailable(f"The {title} can't be read: {CONFIG} in “{folder.name}” is damaged.") from error


def _check(file: Path, digest: str, title: str) -> None:
    try:
        found = sha256(file)
    except FileNotFoundError as error:
        raise ModelUnavailable(f"The {title} is missing: there is no {file.name} in “{file.parent.name}”.") from error
    except OSError as error:
        raise ModelUnavailable(f"The {title} can't be read: {file.name} in “{file.parent.name}”.") from error
    if found != digest:
        raise ModelUnavailable(f"The {title} is damaged: {file.name} in “{file.parent.name}” has another checksum.")


def _session(graph: Path, title: str) -> InferenceSession:
    """One thread a run: several runs at once use the cores better than one run that splits each product."""
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # The graph is fused by hand as far as that is quicker; the extended level would fuse more.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except (errors.Fail, errors.InvalidGraph, errors.InvalidProtobuf, errors.NotImplemented) as error:
        raise ModelUnavailable(f"The {title} in “{graph.parent.name}” can't be run by this ONNX Runtime.") from error
