"""Where a memory comes from that nothing said so far explains: a passage of the turn in which it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memreview.language.embedder import TextEmbedder
from memreview.language.relations import Pair, RelationModel
from memreview.language.sentences import windows
from memreview.records import Origin
from memreview.store import ledger as stored
from memreview.store.database import Database

SAYS, NEAR = 0.4, 0.55
"""From this probability of duplicate or entailment on, or from this cosine, a passage says what a memory of its own
turn says. Of the 38 memories of the sample with a turn, three have such a passage in what others wrote, and all three
are planted; the next passage there has 0.01 and 0.36."""
PASSAGES = 60
_MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of an entry. `text` may be unescaped where the entry is JSON."""

    entry_id: int
    origin: Origin
    text: str
    whole: str
    actor: str
    url: str


def in_turn(
    database: Database, memory_id: int, memory: str, model: RelationModel, embedder: TextEmbedder
) -> Passage | None:
    """The passage that best says what the memory says, among the person's message that it is filed under and what was
    read between that and its writing."""
    found = [
        Passage(row["id"], Origin(row["origin"]), text, row["text"], row["actor"], row["url"])
        for row in stored.turn(database, memory_id)
        for text in _passages(row["text"])
    ][:PASSAGES]
    if not found:
        return None
    judged = model.judge([Pair(passage.text, memory, 0.0) for passage in found])
    *vectors, wanted = embedder.encode([*(passage.text for passage in found), memory])
    scores = [
        max(one.relations["duplicates"] / SAYS, one.nli["entailment"] / SAYS, float(vector @ wanted) / NEAR)
        for one, vector in zip(judged, vectors, strict=True)
    ]
    best = max(range(len(found)), key=scores.__getitem__)
    return found[best] if scores[best] >= 1 else None


def _passages(text: str) -> Iterator[str]:
    """Its sentences; of a tool's JSON the texts in it."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from (leaf for leaf in _leaves(json.loads(text)) if len(leaf.split()) >= _MIN_WORDS)
            return
        except (ValueError, RecursionError):
            pass
    yield from (text[window.start : window.end] for window in windows(text))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)
