"""Texts as vectors: the shipped int8 ONNX embedder, and any sentence-transformers folder that a person brings instead.

torch is imported for the latter only, and ONNX Runtime when a model is loaded: importing this module costs nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from memreview.language import onnx_model
from memreview.language.onnx_model import ModelConfig, ModelUnavailable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

FloatArray = NDArray[np.float32]
Progress = Callable[[int, int], object]
"""Called with (texts done, texts in all); what it raises ends the work."""
Vectors = Generator[tuple[list[int], FloatArray], None, None]
"""Rows of a list of texts, and their vectors; in any order."""

INPUTS = ("input_ids",)
OUTPUTS = ("embedding",)

_MAX_CHARS = 20_000  # far beyond the encoder's limit of tokens; keeps a pasted book away from the tokenizer
_BLOCK = 4096  # texts tokenized and sorted at a time
_TORCH_TEXTS = 64


class TextEmbedder(Protocol):
    @property
    def id(self) -> str:
        """Names the model and its weights: vectors of two ids must not be compared."""
        ...

    @property
    def dims(self) -> int: ...

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """One row of length 1 a text: (len(texts), dims). Equal texts are computed once."""
        ...


class Embedder:
    """The shipped kind: a folder with `model.onnx`, `tokenizer.json` and `config.json` (see `models/`).

    A text has the same vector alone and in company. May be used from several threads.
    """

    def __init__(self, name: str, dims: int, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self.id = name
        self.dims = dims
        self._tokenizer = tokenizer
        self._session = session

    @classmethod
    def load(cls, folder: Path) -> Embedder:
        """Raises `ModelUnavailable`."""
        found = onnx_model.load(folder, EmbedderConfig, "embedder", INPUTS, OUTPUTS)
        if found.session.get_outputs()[0].shape[-1] != found.config.dims:
            raise ModelUnavailable(f"The model in “{folder.name}” is no embedder that this program knows.")
        return cls(found.config.id, found.config.dims, found.tokenizer, found.session)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        return _each_once(texts, self.dims, self._vectors, progress)

    def _vectors(self, texts: list[str]) -> Vectors:
        pool = ThreadPoolExecutor(onnx_model.THREADS)
        try:
            for start in range(0, len(texts), _BLOCK):
                ids = [found.ids for found in self._tokenizer.encode_batch_fast(texts[start : start + _BLOCK])]
                batches = onnx_model.batches_by_length([len(tokens) for tokens in ids])
                inputs = [np.array([ids[row] for row in batch], np.int64) for batch in batches]
                for batch, vectors in zip(batches, pool.map(self._run, inputs), strict=True):
                    yield [start + row for row in batch], vectors
        finally:
            pool.shutdown(cancel_futures=True)

    def _run(self, ids: NDArray[np.int64]) -> FloatArray:
        vectors: FloatArray = self._session.run(None, {"input_ids": ids})[0]
        return vectors


class SentenceTransformerEmbedder:
    """A sentence-transformers folder of the person's own, run by torch (the extra `memreview[train]`)."""

    def __init__(self, name: str, model: SentenceTransformer) -> None:
        self.id = name
        self.dims = model.get_embedding_dimension() or 0
        self._model = model

    @classmethod
    def load(cls, folder: Path) -> SentenceTransformerEmbedder:
        """Raises `ModelUnavailable`. Code that comes with a model is not run."""
        weights = sorted(file for file in folder.rglob("*") if file.suffix in (".safetensors", ".bin"))
        if not weights or not (folder / "modules.json").is_file():
            raise ModelUnavailable(f"The folder “{folder.name}” holds no sentence-transformers model.")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise ModelUnavailable("Embedders of your own need the extra: pip install 'memreview[train]'.") from error
        try:
            model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelUnavailable(f"The model in “{folder.name}” can't be loaded.") from error
        digests = "".join(onnx_model.sha256(file) for file in weights)
        return cls(f"{folder.name}-{hashlib.sha256(digests.encode()).hexdigest()[:8]}", model)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        return _each_once(texts, self.dims, self._vectors, progress)

    def _vectors(self, texts: list[str]) -> Vectors:
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(order), _TORCH_TEXTS):
            rows = order[start : start + _TORCH_TEXTS]
            chunk = [texts[row] for row in rows]
            yield rows, self._model.encode(chunk, normalize_embeddings=True, show_progress_bar=False)


def load_embedder(folder: Path) -> TextEmbedder:
    """Whichever kind the folder holds. Raises `ModelUnavailable`."""
    if (folder / "modules.json").is_file():
        return SentenceTransformerEmbedder.load(folder)
    return Embedder.load(folder)


class EmbedderConfig(ModelConfig, frozen=True, kw_only=True):
    dims: int
    max_tokens: int


def _each_once(
    texts: Sequence[str], dims: int, compute: Callable[[list[str]], Vectors], progress: Progress | None
) -> FloatArray:
    row_of = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    distinct = [onnx_model.clean(text, _MAX_CHARS) for text in row_of]
    vectors = np.empty((len(distinct), dims), np.float32)
    done = 0
    with contextlib.closing(compute(distinct)) as computed:  # at once, also when `progress` raises
        for rows, found in computed:
            vectors[rows] = found
            done += len(rows)
            if progress:
                progress(done, len(distinct))
    return vectors[[row_of[text] for text in texts]]
