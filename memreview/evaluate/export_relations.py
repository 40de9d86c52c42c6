"""Writes a trained relation model as one int8 ONNX graph, its tokenizer and its `config.json`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeVar

import msgspec
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from memreview.evaluate.export_embedder import _CONTRIB, _FLOOR, DIMS, Array, _Encoder
from memreview.language.onnx_model import CONFIG, GRAPH, TOKENIZER, ModelConfig, sha256
from memreview.language.relations import INPUTS, OUTPUTS, Pair, PairEncoder

C = TypeVar("C", bound=ModelConfig)

MAX_TOKENS = 96
"""Of one statement; what is longer is cut."""
PLACES = 2 * MAX_TOKENS + 8
BLOCK = 32  # neighbouring numbers of a word's row that share a scale


def four_bits(words: Array) -> tuple[Array, Array]:
    """(packed, scales): each row in blocks of 32, a number a half byte from 1 to 15 that means -7 to 7 times the
    block's float16 scale. The high half bytes hold the first half of the row."""
    blocks = words.reshape(len(words), -1, BLOCK)
    scales = np.maximum(np.abs(blocks).max(axis=2, keepdims=True) / 7, 1e-6).astype(np.float16)
    halves = (np.rint(blocks / scales.astype(np.float32)).clip(-7, 7) + 8).astype(np.uint8).reshape(len(words), 2, -1)
    return halves[:, 0] << 4 | halves[:, 1], scales[..., 0]


def from_four_bits(packed: Array, scales: Array) -> Array:
    halves = np.concatenate([packed >> 4, packed & 15], axis=1).astype(np.float32) - 8
    blocks = halves.reshape(len(packed), -1, BLOCK) * scales.astype(np.float32)[..., None]
    table: Array = blocks.reshape(len(packed), -1)
    return table


def export_relations(
    weights: Mapping[str, Array], tokenizer: Tokenizer, calibration: Sequence[Pair], target: Path, source: str
) -> ModelConfig:
    """`weights` are a `CrossEncoder`'s; `calibration` shows which channels are large."""
    rows = PairEncoder(tokenizer).encode(calibration)
    return write_model(_PairGraph, weights, tokenizer, rows, target, source, ModelConfig)


def write_model(
    graph: type[_PairGraph],
    weights: Mapping[str, Array],
    tokenizer: Tokenizer,
    calibration: Sequence[tuple[list[int], list[int]]],
    target: Path,
    source: str,
    described: Callable[..., C],
    beside: Mapping[str, bytes] = MappingProxyType({}),
) -> C:
    """Any model of token ids and types in one graph; `calibration` are both, of texts that show which channels are
    large. `described` makes the `config.json` of what every model has; `beside` are further files of it."""
    target.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(target / TOKENIZER), pretty=False)
    ranges = _activation_ranges(graph, weights, calibration)
    (target / GRAPH).write_bytes(graph(dict(weights), ranges).model().SerializeToString(deterministic=True))
    for name, body in beside.items():
        (target / name).write_bytes(body)
    digests = {name: sha256(target / name) for name in (GRAPH, TOKENIZER, *beside)}
    config = described(
        id=f"{graph.title.replace('_', '-')}-{hashlib.sha256(''.join(digests.values()).encode()).hexdigest()[:8]}",
        sha256=digests,
        source=source,
        licence="Apache-2.0",
    )
    (target / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config)) + b"\n")
    return config


def _activation_ranges(
    graph: type[_PairGraph], weights: Mapping[str, Array], rows: Sequence[tuple[list[int], list[int]]]
) -> dict[str, Array]:
    """Largest magnitude of each channel that enters a quantized product."""
    encoder = graph(dict(weights), None)
    model, sites = encoder.model(), encoder.smoothed
    model.graph.output.extend(helper.make_tensor_value_info(site, TensorProto.FLOAT, None) for site in sites)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = {site: np.full(DIMS, _FLOOR, np.float32) for site in sites}
    for encoded in rows:
        inputs = {name: np.array([row], np.int64) for name, row in zip(INPUTS, encoded, strict=True)}
        for site, values in zip(sites, session.run(sites, inputs), strict=True):
            ranges[site] = np.maximum(ranges[site], np.abs(values).max(axis=0))
    return ranges


@dataclass
class _PairGraph(_Encoder):
    """ids and types (batch, tokens) → probabilities of each of `outputs` (batch, classes)."""

    title: ClassVar[str] = "relations"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS
    places: ClassVar[int] = PLACES
    shape: ClassVar[tuple[str | None, ...]] = ("batch", None)

    def model(self) -> onnx.ModelProto:
        hidden = self._embeddings()
        for layer in self.layers:
            hidden = self._layer(layer, hidden)
        features = self._features(self._node("Reshape", [hidden, "shape"], "tokens"))
        for name in self.outputs:
            self._head(name, features)
        graph = helper.make_graph(
            self.nodes,
            self.title,
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shape) for name in self.outputs],
            list(self.constants.values()),
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _embeddings(self) -> str:
        """Words + positions + token types, normalized, as (batch × tokens, 384); the words' rows are four bits."""
        packed, scales = four_bits(self.weights["embeddings.word_embeddings.weight"])
        rows = self._node("Gather", [self._constant("words", packed), "input_ids"], "word_rows")
        high = self._node("BitShift", [rows, self._constant("four", np.uint8(4))], "high", direction="RIGHT")
        low = self._node("BitwiseAnd", [rows, self._constant("fifteen", np.uint8(15))], "low")
        halves = self._node("Concat", [high, low], "halves", axis=-1)
        floats = self._node("Cast", [halves], "half_floats", to=TensorProto.FLOAT)
        signed = self._node("Sub", [floats, self._constant("eight", np.float32(8))], "signed")
        in_blocks = self._constant("in_blocks", np.array([0, 0, DIMS // BLOCK, BLOCK]))
        blocks = self._node("Reshape", [signed, in_blocks], "blocks")
        steps = self._node("Gather", [self._constant("word_scales", scales[..., None]), "input_ids"], "row_scales")
        steps = self._node("Cast", [steps], "row_steps", to=TensorProto.FLOAT)
        words = self._node("Reshape", [self._node("Mul", [blocks, steps], "scaled"), "as_tokens"], "word_vectors")
        self._constant("as_tokens", np.array([0, 0, DIMS]))
        positions = self._constant("positions", self.weights["embeddings.position_embeddings.weight"][: self.places])
        length = self._node("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._constant("zero", np.array([0]))
        places = self._node("Slice", [positions, zero, length, zero], "places")
        kinds = self._constant("kinds", self.weights["embeddings.token_type_embeddings.weight"])
        kinds = self._node("Gather", [kinds, "token_type_ids"], "kind_rows")
        placed = self._node("Add", [words, places], "placed")
        summed = self._node("Add", [placed, kinds], "embedded")
        sizes = self._node("Shape", ["input_ids"], "batch_shape")
        self._node("Concat", [sizes, self._constant("dims", np.array([DIMS]))], "shape", axis=0)
        flat = self._node("Reshape", [summed, self._constant("flat", np.array([-1, DIMS]))], "embedded_flat")
        return self._norm(flat, "embeddings.LayerNorm", "hidden.0")

    def _features(self, tokens: str) -> str:
        """As `CrossEncoder.features`: the first token, the means of both statements, their difference and product."""
        newer = self._node("Cast", ["token_type_ids"], "newer_tokens", to=TensorProto.FLOAT)
        older = self._node("Sub", [self._constant("one", np.float32(1)), newer], "older_tokens")
        means = [self._mean(tokens, mask, name) for mask, name in ((older, "older"), (newer, "newer"))]
        start, second = self._constant("zero", np.array([0])), self._constant("first", np.array([1]))
        first = self._node("Slice", [tokens, start, second, second], "first_token")
        first = self._node("Reshape", [first, "flat"], "first_flat")
        difference = self._node("Abs", [self._node("Sub", means, "change")], "difference")
        product = self._node("Mul", means, "product")
        return self._node("Concat", [first, *means, difference, product], "features", axis=-1)

    def _mean(self, tokens: str, mask: str, name: str) -> str:
        last = self._constant("last", np.array([-1]))
        weights = self._node("Unsqueeze", [mask, self._constant("first", np.array([1]))], f"{name}.mask")
        summed = self._node("Reshape", [self._node("MatMul", [weights, tokens], f"{name}.sums"), "flat"], f"{name}.sum")
        return self._node("Div", [summed, self._node("ReduceSum", [mask, last], f"{name}.count")], f"{name}.mean")

    def _head(self, name: str, features: str) -> None:
        wide = self._linear(features, [f"{name}.wide"], f"{name}.wide", then="BiasGelu")
        weight = self._constant(f"{name}.narrow.weight", self.weights[f"{name}.narrow.weight"].T)
        bias = self._constant(f"{name}.narrow.bias", self.weights[f"{name}.narrow.bias"])
        logits = self._node("Add", [self._node("MatMul", [wide, weight], f"{name}.logits"), bias], f"{name}.biased")
        self._give(name, logits)

    def _give(self, name: str, logits: str) -> None:
        self._node("Softmax", [logits], name, axis=-1)
