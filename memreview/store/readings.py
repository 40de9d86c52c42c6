"""What the claim encoder made of texts, kept so that nothing is read twice: a cache by text and model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from memreview.store.database import Database
from memreview.store.vectors import digest

T = TypeVar("T")


class Readings(Generic[T]):
    """Values of one msgspec type, by text. `empty` is what is kept as "" because most texts give it."""

    def __init__(self, database: Database, model: str, kind: type[T], empty: Callable[[T], bool]) -> None:
        self._database, self._model, self._empty = database, model, empty
        self._decoder = msgspec.json.Decoder(kind)

    def ensure(self, texts: Sequence[str], read: Callable[[list[str]], Sequence[T]]) -> list[T | None]:
        """One a text, in their order, None for an empty one; what was not read yet is read and kept."""
        keys = [digest(text) for text in texts]
        held = self._held(keys)
        absent = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        found = dict(zip(absent, read(list(absent.values())), strict=True)) if absent else {}
        bodies = {key: "" if self._empty(one) else msgspec.json.encode(one).decode() for key, one in found.items()}
        with self._database.transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO readings VALUES (?, ?, ?)",
                [(key, self._model, body) for key, body in bodies.items()],
            )
        held |= bodies
        return [self._decoder.decode(held[key]) if held[key] else None for key in keys]

    def _held(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        sql = "SELECT digest, body FROM readings WHERE model = ? AND digest IN ($values)"
        return {row["digest"]: row["body"] for row in self._database.among(sql, keys, (self._model,))}
