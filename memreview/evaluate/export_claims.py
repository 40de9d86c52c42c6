"""Writes a trained claim encoder as one int8 ONNX graph, its tokenizer and its `config.json`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from memreview.evaluate.export_embedder import _CONTRIB, _FLOOR, DIMS, LAYERS, Array, _smoothed_sites
from memreview.evaluate.export_relations import _PairGraph
from memreview.language.claims import INPUTS, OUTPUTS, ClaimConfig, TextReader
from memreview.language.onnx_model import CONFIG, GRAPH, TOKENIZER, sha256


def export_claims(
    weights: Mapping[str, Array],
    tokenizer: Tokenizer,
    calibration: Sequence[str],
    target: Path,
    *,
    threshold: float,
    slots: Sequence[str],
    source: str,
) -> ClaimConfig:
    """`weights` are a `ClaimEncoder`'s; `calibration` shows which channels are large."""
    target.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(target / TOKENIZER), pretty=False)
    ranges = _activation_ranges(weights, TextReader(tokenizer), calibration)
    (target / GRAPH).write_bytes(_ClaimGraph(dict(weights), ranges).model().SerializeToString(deterministic=True))
    digests = {name: sha256(target / name) for name in (GRAPH, TOKENIZER)}
    config = ClaimConfig(
        id=f"claims-{hashlib.sha256(''.join(digests.values()).encode()).hexdigest()[:8]}",
        threshold=threshold,
        slots=tuple(slots),
        sha256=digests,
        source=source,
        licence="Apache-2.0",
    )
    (target / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config)) + b"\n")
    return config


def _activation_ranges(
    weights: Mapping[str, Array], reader: TextReader, calibration: Sequence[str]
) -> dict[str, Array]:
    """Largest magnitude of each channel that enters a quantized product."""
    model = _ClaimGraph(dict(weights), None).model()
    sites = list(_smoothed_sites())
    model.graph.output.extend(helper.make_tensor_value_info(site, TensorProto.FLOAT, None) for site in sites)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = {site: np.full(DIMS, _FLOOR, np.float32) for site in sites}
    for row in reader.encode(calibration, [True] * len(calibration)):
        inputs = {name: np.array([values], np.int64) for name, values in zip(INPUTS, row[:2], strict=True)}
        for site, values in zip(sites, session.run(sites, inputs), strict=True):
            ranges[site] = np.maximum(ranges[site], np.abs(values).max(axis=0))
    return ranges


@dataclass
class _ClaimGraph(_PairGraph):
    """ids and types (batch, tokens) → logits of labels and slots (batch, …) and of the tags (batch, tokens, 2)."""

    def model(self) -> onnx.ModelProto:
        hidden = self._embeddings()
        for layer in range(LAYERS):
            hidden = self._layer(layer, hidden)
        tokens = self._node("Reshape", [hidden, "shape"], "tokens")
        self._product(tokens, "tags", "tags")
        claim = self._claim(tokens)
        wide = self._linear(self._features_of(tokens, claim), ["wide"], "wide", then="BiasGelu")
        self._product(wide, "labels", "labels")
        near = self._node("MatMul", [claim, self._constant("near", self.weights["near.weight"].T)], "nearness")
        self._node("Add", [self._product(wide, "slots", "slots.wide"), near], "slots")
        shapes: tuple[list[str | int | None], ...] = (["batch", None], ["batch", None], ["batch", "tokens", 2])
        graph = helper.make_graph(
            self.nodes,
            "claims",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in zip(OUTPUTS, shapes, strict=True)
            ],
            list(self.constants.values()),
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _claim(self, tokens: str) -> str:
        """Mean of the tokens, each by its probability of being in the claim's span."""
        first, second = self._constant("zero", np.array([0])), self._constant("axis", np.array([1]))
        tag = self._node("Slice", ["tags", first, second, self._constant("third", np.array([2]))], "claim_tags")
        weights = self._node("Sigmoid", [tag], "claim_weights")
        turned = self._node("Transpose", [weights], "claim_row", perm=[0, 2, 1])
        summed = self._node("Reshape", [self._node("MatMul", [turned, tokens], "claim_sums"), "flat"], "claim_sum")
        total = self._node("ReduceSum", [weights, second], "claim_total", keepdims=1)
        in_rows = self._constant("in_rows", np.array([-1, 1]))
        return self._node("Div", [summed, self._node("Reshape", [total, in_rows], "claim_count")], "claim_mean")

    def _features_of(self, tokens: str, claim: str) -> str:
        """As in `ClaimEncoder.forward`: the first token, the mean of all, the mean of the claim."""
        start, second = self._constant("zero", np.array([0])), self._constant("axis", np.array([1]))
        first = self._node("Reshape", [self._node("Slice", [tokens, start, second, second], "first"), "flat"], "cls")
        mean = self._node("ReduceMean", [tokens, second], "mean", keepdims=0)
        return self._node("Concat", [first, mean, claim], "features", axis=-1)

    def _product(self, entering: str, name: str, out: str) -> str:
        """A head's linear layer, in float32."""
        weight = self._constant(f"{name}.weight", self.weights[f"{name}.weight"].T)
        bias = self._constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self._node("Add", [self._node("MatMul", [entering, weight], f"{out}.product"), bias], out)
