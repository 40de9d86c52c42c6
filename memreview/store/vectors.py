"""Embeddings: float16 blobs in SQLite are the truth, keyed by text and model; the FAISS file is a cache of them.

The index knows what it was built from (model, watermark, count). Missing, short, damaged or of another model, it is
built again; ids of windows that went away are dropped when results are joined.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import faiss
import msgspec
import numpy as np
import numpy.typing as npt

from memreview.store.database import Database

FloatArray = npt.NDArray[np.float32]
Encode = Callable[[Sequence[str]], FloatArray]
BATCH = 20_000


class Window(msgspec.Struct, frozen=True):
    """A stretch of an entry's or a memory's text that has one embedding."""

    id: int
    entry_id: int | None
    memory_id: int | None
    start: int
    end: int


def digest(text: str) -> bytes:
    """The key under which a text's vector is kept: nothing is embedded twice."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def missing(database: Database, model: str, texts: Iterable[str]) -> list[str]:
    """Those of `texts`, each once, that have no vector of this model yet."""
    distinct = {digest(text): text for text in texts}
    sql = "SELECT digest FROM vectors WHERE model = ? AND digest IN ($values)"
    held = {row[0] for row in database.among(sql, distinct, (model,))}
    return [text for key, text in distinct.items() if key not in held]


def put(database: Database, model: str, texts: Sequence[str], vectors: FloatArray) -> None:
    """Keep vectors of shape (n, dims), L2-normalized, as float16."""
    rows = [
        (digest(text), model, vector.astype(np.float16).tobytes()) for text, vector in zip(texts, vectors, strict=True)
    ]
    with database.transaction():
        database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)", rows)


def get(database: Database, model: str, texts: Sequence[str], dims: int) -> FloatArray:
    """Vectors of shape (n, dims); a row of zeros where there is none."""
    result = np.zeros((len(texts), dims), dtype=np.float32)
    places: dict[bytes, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(digest(text), []).append(place)
    sql = "SELECT digest, vector FROM vectors WHERE model = ? AND digest IN ($values)"
    for key, blob in database.among(sql, places, (model,)):
        result[places[key]] = np.frombuffer(blob, dtype=np.float16)
    return result


def ensure(database: Database, model: str, dims: int, texts: Sequence[str], encode: Encode) -> FloatArray:
    """Vectors of shape (n, dims); what has none yet is encoded and kept."""
    if absent := missing(database, model, texts):
        put(database, model, absent, encode(absent))
    return get(database, model, texts, dims)


class VectorIndex:
    """Nearest windows by cosine. `refresh` brings it up to the database; `search` never looks at the database."""

    def __init__(self, folder: Path, model: str, dims: int) -> None:
        self.model, self.dims = model, dims
        self.path = folder / "windows.faiss"
        self.upto = 0  # the last window id that is in the index
        self._index = self._load()

    def refresh(self, database: Database) -> int:
        """Add the windows that came since; returns how many. Rebuilds where the cache can't be trusted."""
        held = database.value(
            """SELECT count(*) FROM windows w JOIN vectors v ON v.digest = w.digest
               WHERE v.model = ? AND w.id <= ?""",
            (self.model, self.upto),
        )
        if held > self._index.ntotal:
            self._index, self.upto = self._empty(), 0
        added = 0
        while True:
            rows = database.all(
                """SELECT w.id, v.vector FROM windows w JOIN vectors v ON v.digest = w.digest AND v.model = ?
                   WHERE w.id > ? ORDER BY w.id LIMIT ?""",
                (self.model, self.upto, BATCH),
            )
            if not rows:
                break
            matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=np.float16)
            ids = np.array([row["id"] for row in rows], dtype=np.int64)
            self._index.add_with_ids(matrix.reshape(len(rows), self.dims).astype(np.float32), ids)
            self.upto = int(ids[-1])
            added += len(rows)
        if added:
            self.save()
        return added

    def search(self, query: FloatArray, k: int) -> list[tuple[int, float]]:
        """(window id, cosine), best first, for one query of shape (dims,)."""
        if self._index.ntotal == 0:
            return []
        faiss.omp_set_num_threads(1)  # two threads on two busy cores were 3-11 times slower
        scores, ids = self._index.search(query.reshape(1, self.dims).astype(np.float32), k)
        return [(int(i), float(score)) for i, score in zip(ids[0], scores[0], strict=True) if i >= 0]

    def neighbours(self, queries: FloatArray, k: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
        """Window ids and cosines of shape (n, k) for many queries at once; -1 where there are fewer than k."""
        faiss.omp_set_num_threads(max(1, os.cpu_count() or 1))
        scores, ids = self._index.search(queries.astype(np.float32), k)
        return ids, scores

    @property
    def size(self) -> int:
        return int(self._index.ntotal)

    def save(self) -> None:
        """Written aside and moved into place, the identity last: a torn write is noticed and rebuilt."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = self.path.with_suffix(".tmp")
        self._identity.unlink(missing_ok=True)
        temporary.touch(mode=0o600)
        faiss.write_index(self._index, str(temporary))
        os.replace(temporary, self.path)
        size = self.path.stat().st_size
        self._identity.touch(mode=0o600)
        self._identity.write_text(json.dumps({"model": self.model, "upto": self.upto, "bytes": size}))

    @property
    def _identity(self) -> Path:
        return self.path.with_suffix(".json")

    def _load(self) -> faiss.Index:
        try:
            identity = json.loads(self._identity.read_text())
            if identity["model"] != self.model or identity["bytes"] != self.path.stat().st_size:
                return self._empty()
            index = faiss.read_index(str(self.path))
            if index.d != self.dims:
                return self._empty()
            self.upto = int(identity["upto"])
            return index
        except (
            OSError,
            ValueError,
            KeyError,
            RuntimeError,
        ):  # RuntimeError is FAISS's own word for a damaged file
            return self._empty()

    def _empty(self) -> faiss.Index:
        # float16 like the blobs: half the memory to read, which is what a flat search waits for.
        flat = faiss.IndexScalarQuantizer(self.dims, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        return faiss.IndexIDMap2(flat)


def windows(database: Database, ids: Sequence[int]) -> dict[int, Window]:
    """The live windows among `ids`."""
    sql = """SELECT w.id, w.entry_id, w.memory_id, w.start, w.end FROM windows w WHERE w.id IN ($values)
             AND (EXISTS (SELECT 1 FROM live_entries e WHERE e.id = w.entry_id)
                  OR EXISTS (SELECT 1 FROM live_memories m WHERE m.id = w.memory_id))"""
    return {row["id"]: Window(*row) for row in database.among(sql, ids)}
