"""Writes a trained claim encoder as one int8 ONNX graph, its tokenizer and its `config.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from memreview.evaluate.export_embedder import _CONTRIB, Array
from memreview.evaluate.export_relations import _PairGraph, write_model
from memreview.language.claims import INPUTS, OUTPUTS, ClaimConfig, TextReader


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
    encoded = TextReader(tokenizer).encode(calibration, [True] * len(calibration))
    described = partial(ClaimConfig, threshold=threshold, slots=tuple(slots))
    return write_model(_ClaimGraph, weights, tokenizer, [row[:2] for row in encoded], target, source, described)


@dataclass
class _ClaimGraph(_PairGraph):
    """ids and types (batch, tokens) → logits of labels and slots (batch, …) and of the tags (batch, tokens, 2)."""

    title: ClassVar[str] = "claims"

    def model(self) -> onnx.ModelProto:
        hidden = self._embeddings()
        for layer in self.layers:
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
            self.title,
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
