"""Search over memories and entries: words at once, meaning where an embedder is there, fused by rank."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict

from memreview.language.sentences import windows
from memreview.review import memories, reading, views
from memreview.review.profile import Profile
from memreview.review.values import Hit
from memreview.store import conversations, keywords, vectors
from memreview.store.memories import MemoryFilter

FUSION = 60
"""Reciprocal rank fusion's constant (Cormack, Clarke, Büttcher, SIGIR 2009)."""
DEPTH = 60
FILTERED = 5
"""How much deeper a filtered search looks."""

LEAST = 0.3
"""Below this cosine nothing is alike: unrelated sentences have 0.0 to 0.2."""

Key = tuple[str, int]


def search(profile: Profile, words: str, *, limit: int = 30, meaning: bool = True) -> list[Hit]:
    """Best first. `meaning=False` keeps to the keyword index and loads no model. Filters as in `memories.parse` are
    for memories; of messages only `slot:` can be asked, and any other leaves them out. Raises `BadFilter`."""
    wanted = memories.parse(words)
    words = wanted.words
    if not words.strip():
        return []
    depth = DEPTH * (FILTERED if wanted.terms else 1)
    ranks: dict[str, dict[Key, float]] = {"words": _by_words(profile, words, depth)}
    spans: dict[Key, tuple[int, int]] = {}
    if meaning:
        ranks["meaning"], spans = _by_meaning(profile, words, depth)
    if wanted.terms:
        kept = _allowed(profile, {key for ranked in ranks.values() for key in ranked}, wanted)
        ranks = {name: {key: ranked[key] for key in ranked if key in kept} for name, ranked in ranks.items()}
    scores: dict[Key, float] = defaultdict(float)
    for ranked in ranks.values():
        for place, key in enumerate(sorted(ranked, key=lambda key: -ranked[key])):
            scores[key] += 1.0 / (FUSION + place)
    best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
    how = {key: "both" if all(key in ranked for ranked in ranks.values()) and meaning else "" for key in best}
    return _hits(
        profile,
        [(key, scores[key], how[key] or ("words" if key in ranks["words"] else "meaning")) for key in best],
        spans,
        words,
    )


def _by_words(profile: Profile, words: str, depth: int) -> dict[Key, float]:
    database = profile.database
    found = {("memory", row_id): score for row_id, score in keywords.search(database, words, "memories", limit=depth)}
    found |= {("entry", row_id): score for row_id, score in keywords.search(database, words, "entries", limit=depth)}
    return found


def _allowed(profile: Profile, keys: set[Key], wanted: MemoryFilter) -> set[Key]:
    filtered = set(memories.ids_of(profile, MemoryFilter(terms=wanted.terms)))
    kept = {key for key in keys if key[0] == "memory" and key[1] in filtered}
    if any(field != "slot" for field, _, _ in wanted.terms):
        return kept
    entries = conversations.entries(profile.database, [row_id for kind, row_id in keys if kind == "entry"])
    own = [row for row in entries.values() if row["origin"] == "user"]
    sentences = [(row["id"], row["text"][window.start : window.end]) for row in own for window in windows(row["text"])]
    claimed = reading.own(profile, [text for _, text in sentences])
    places: dict[int, set[str]] = defaultdict(set)
    for (row_id, _), hypothesis in zip(sentences, claimed, strict=True):
        if hypothesis is not None:
            places[row_id].add(reading.place(hypothesis))
    for row in own:
        if all(
            any(place.startswith(slot) for place in places[row["id"]]) == positive for _, slot, positive in wanted.terms
        ):
            kept.add(("entry", row["id"]))
    return kept


def _by_meaning(profile: Profile, words: str, depth: int) -> tuple[dict[Key, float], dict[Key, tuple[int, int]]]:
    embedder = profile.embedder_or_none()
    if embedder is None:
        return {}, {}
    nearest = profile.index().search(embedder.encode([words])[0], depth)
    live = vectors.windows(profile.database, [window_id for window_id, _ in nearest])
    ranked: dict[Key, float] = {}
    spans: dict[Key, tuple[int, int]] = {}
    for window_id, score in nearest:
        if score < LEAST or (window := live.get(window_id)) is None:
            continue
        key = ("memory", window.memory_id) if window.memory_id is not None else ("entry", window.entry_id or 0)
        if key not in ranked:
            ranked[key], spans[key] = score, (window.start, window.end)
    return ranked, spans


def _hits(
    profile: Profile, best: list[tuple[Key, float, str]], spans: dict[Key, tuple[int, int]], words: str
) -> list[Hit]:
    held = {row.id: row for row in views.rows(profile, [key[1] for key, _, _ in best if key[0] == "memory"])}
    entries = conversations.entries(profile.database, [key[1] for key, _, _ in best if key[0] == "entry"])
    found = []
    for key, score, how in best:
        target, row_id = key
        if target == "memory" and row_id in held:
            row = held[row_id]
            found.append(
                Hit(
                    target=target, id=row_id, text=row.text, start=0, end=len(row.text), score=score, how=how,
                    at=row.created_at, origin="assistant", title=row.source_label, provider=row.provider,
                )
            )  # fmt: skip
        elif target == "entry" and row_id in entries:
            found.append(_entry_hit(entries[row_id], spans.get(key), words, score, how))
    return found


def _entry_hit(row: sqlite3.Row, span: tuple[int, int] | None, words: str, score: float, how: str) -> Hit:
    start, end = span or _first_word(row["text"], words)
    return Hit(
        target="entry", id=row["id"], text=row["text"], start=start, end=end, score=score, how=how, at=row["at"],
        origin=row["origin"], title=row["title"], provider=row["provider"],
    )  # fmt: skip


def _first_word(text: str, words: str) -> tuple[int, int]:
    wanted = [re.escape(word) for word in re.findall(r"\w+", words)]
    match = re.search("|".join(wanted), text, re.IGNORECASE) if wanted else None
    return match.span() if match else (0, 0)
