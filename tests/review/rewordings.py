"""The labelled pairs of notes, and the fit of `memreview.review.rewording.WEIGHTS` to those of the `dev` topics."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memreview.language.embedder import TextEmbedder
from memreview.language.relations import RelationModel
from memreview.review import rewording

DATA = Path(__file__).parent / "data" / "rewordings.jsonl"
NEAREST = 3
RIDGE = 0.3

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """`kind` is same or different; `label` says how far a rewording goes, or in what a look-alike differs."""

    kind: str
    split: str
    memory: str
    other: str
    label: str

    @property
    def same(self) -> bool:
        return self.kind == "same"


def pairs(split: str | None = None) -> list[Pair]:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    found = [Pair(r["kind"], r["split"], r["memory"], r["other"], r.get("strength") or r["why"]) for r in rows]
    return [pair for pair in found if split in (None, pair.split)]


def fit(embedder: TextEmbedder, model: RelationModel | None = None) -> Array:
    """Newton's method on the pairs of `dev` and, as unrelated ones, each wording with the nearest other memories; with
    what a relation model says of them, if there is one."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    for one, other, cosine, same in _labelled(embedder):
        if (found := rewording.features(one, other, cosine)) is not None:
            judged = rewording.judged_features(model.judge(rewording.both_ways(one, other))) if model else []
            rows.append(found + judged)
            labels.append(same)
    x, y = np.array(rows), np.array(labels, dtype=float)
    ridge = np.full(x.shape[1], RIDGE)
    ridge[0] = 0.001
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        curvature = (x * (p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        weights -= np.linalg.solve(curvature, x.T @ (p - y) + ridge * weights)
    return weights


def _labelled(embedder: TextEmbedder) -> list[tuple[str, str, float, bool]]:
    dev = pairs("dev")
    memories = [pair.memory for pair in dev if pair.same]
    cosines = _vectors(embedder, [pair.other for pair in dev]) @ _vectors(embedder, memories).T
    found = []
    for pair, row in zip(dev, cosines, strict=True):
        own = memories.index(pair.memory)
        found.append((pair.memory, pair.other, float(row[own]), pair.same))
        others = [int(n) for n in np.argsort(-row) if n != own][:NEAREST]
        found += [(memories[n], pair.other, float(row[n]), False) for n in others]
    return found


def _vectors(embedder: TextEmbedder, texts: list[str]) -> NDArray[np.float32]:
    return embedder.encode([rewording.claim(text) for text in texts])


def cosines(embedder: TextEmbedder, chosen: list[Pair], *, plain: bool = False) -> list[float]:
    """Of memory and other text: of their claims, or, `plain`, of the texts as they are."""
    texts = [pair.memory for pair in chosen] + [pair.other for pair in chosen]
    vectors = embedder.encode(texts) if plain else _vectors(embedder, texts)
    left, right = np.split(vectors, 2)
    return [float(value) for value in (left * right).sum(axis=1)]


def wilson(hits: int, total: int) -> tuple[float, float, float]:
    """A share with its 95 % interval."""
    z, share = 1.959964, hits / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return share, centre - half, centre + half
