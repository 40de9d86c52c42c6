"""What an audit reads: the memories that are held, what people said, and the entries that alone count as
evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memreview.records.entry import Origin

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory that its store still holds. `created` and `updated` are UTC microseconds; `evidence` the ids
    of the entries that the store itself names as its source, best first; `subject` whom or what the
    store files it under, if it says."""

    id: int
    text: str
    source_id: int = 0
    created: int | None = None
    updated: int | None = None
    slot: str = ""
    scope: str = ""
    evidence: tuple[int, ...] = ()
    kind: str = "memory"
    subject: str = ""

    @property
    def written(self) -> int | None:
        """When its present wording dates from."""
        return self.created if self.updated is None else self.updated


@dataclass(frozen=True, slots=True)
class Statement:
    """A window of an entry: `text` is `entry.text[start:end]`, `at` the entry's own time in UTC
    microseconds."""

    window_id: int
    entry_id: int
    conversation_id: int
    at: int | None
    start: int
    end: int
    text: str
    origin: Origin = Origin.USER
    active: bool = True

    @property
    def own(self) -> bool:
        """The person's own words, on the branch of the conversation that they kept."""
        return self.origin is Origin.USER and self.active


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """`at` is in UTC microseconds; `active` is false on an abandoned branch of its conversation."""

    id: int
    conversation_id: int
    text: str
    at: int | None
    origin: Origin = Origin.USER
    active: bool = True


@dataclass(frozen=True, slots=True)
class Since:
    """High-water marks of an earlier audit: only what has a larger id is new."""

    window_id: int = 0
    memory_id: int = 0


class Similarity(Protocol):
    def vectors(self, texts: list[str]) -> Vectors | None:
        """Unit vectors, one row a text; None where there is no embedder."""
