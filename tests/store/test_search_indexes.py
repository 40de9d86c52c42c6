"""Keyword and vector indexes: caches that can be lost at any moment without losing anything."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from memreview.store import integrity, keywords, vectors, windows
from memreview.store.database import Database
from memreview.store.vectors import VectorIndex
from tests.store.builders import chat, kept, said, store_of, take_in

DIMS = 8


def unit(*texts: str) -> np.ndarray:
    rows = np.array([np.random.default_rng(sum(text.encode())).normal(size=DIMS) for text in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def fill(database: Database, count: int = 5) -> list[str]:
    """Memories with windows and made-up vectors: the index doesn't care what a vector means."""
    texts = [f"memory number {n}" for n in range(count)]
    take_in(database, store_of(*(kept(text, text) for text in texts)))
    windows.cover_memories(database)
    vectors.put(database, "m", texts, unit(*texts))
    return texts


def test_words_are_found_in_memories_and_entries(database: Database) -> None:
    take_in(database, chat("c", said("m1", "I keep bees in Porto")), store_of(kept("a", "Keeps bees")))
    assert keywords.index_entries(database) == 1
    assert [row_id for row_id, _ in keywords.search(database, "bees", "entries")] == [1]
    assert [row_id for row_id, _ in keywords.search(database, "bee", "memories")] == [1]
    assert [row_id for row_id, _ in keywords.search(database, "bees wombat", "memories")] == [1]


@pytest.mark.parametrize(
    "typed", ['"', "bees OR", "NEAR(", "a:b", "-bees", "*", "' ; DROP TABLE memories", "\0", "ﬀ 𝄞", "()"]
)
def test_what_a_person_types_is_never_syntax(database: Database, typed: str) -> None:
    take_in(database, store_of(kept("a", "Keeps bees")))
    keywords.search(database, typed, "memories")
    keywords.search(database, f"{typed} bees", "memories")


def test_the_entry_index_goes_on_after_an_interruption(database: Database) -> None:
    take_in(database, chat("c", *(said(f"m{n}", f"word{n}") for n in range(keywords.BATCH + 10))))

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        keywords.index_entries(database, stop)
    assert keywords.index_entries(database) == 10
    assert all(not problem for _, problem, _ in integrity.check(database))


def test_a_vector_comes_back_as_float16_can_hold_it(database: Database) -> None:
    texts = fill(database)
    assert np.allclose(vectors.get(database, "m", texts, DIMS), unit(*texts), atol=1e-3)
    assert vectors.missing(database, "m", [*texts, "new", "new"]) == ["new"]
    assert vectors.missing(database, "other model", texts) == texts


def test_the_nearest_window_is_found(database: Database, tmp_path: Path) -> None:
    texts = fill(database)
    index = VectorIndex(tmp_path, "m", DIMS)
    assert index.refresh(database) == len(texts)
    window_id, score = index.search(unit(texts[3])[0], 1)[0]
    assert vectors.windows(database, [window_id])[window_id].memory_id == 4
    assert score == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize("harm", ["missing", "short", "garbage", "other model", "no identity"])
def test_a_lost_index_is_rebuilt(database: Database, tmp_path: Path, harm: str) -> None:
    texts = fill(database)
    VectorIndex(tmp_path, "m", DIMS).refresh(database)
    path, identity = tmp_path / "windows.faiss", tmp_path / "windows.json"
    match harm:
        case "missing":
            path.unlink()
        case "short":
            path.write_bytes(path.read_bytes()[:-7])
        case "garbage":
            path.write_bytes(b"x" * path.stat().st_size)
        case "other model":
            identity.write_text(identity.read_text().replace('"m"', '"n"'))
        case "no identity":
            identity.unlink()
    index = VectorIndex(tmp_path, "m", DIMS)
    assert index.refresh(database) == len(texts)
    assert index.size == len(texts)


def test_an_edited_memory_gets_a_new_window_and_the_old_one_is_not_found(database: Database, tmp_path: Path) -> None:
    texts = fill(database)
    index = VectorIndex(tmp_path, "m", DIMS)
    index.refresh(database)
    old_window = index.search(unit(texts[0])[0], 1)[0][0]
    database.execute("UPDATE memories SET text = 'something else' WHERE id = 1")
    assert windows.cover_memories(database) == 1
    assert vectors.windows(database, [old_window]) == {}


def test_own_messages_are_cut_once_also_those_of_an_import_that_was_finished_later(database: Database) -> None:
    from memreview.store import ingest
    from tests.store.builders import start

    slow = ingest.add(database, start(database, name="slow"), [chat("c1", said("m1", "slow one"))])
    take_in(database, chat("c2", said("m1", "quick one"), said("m2", "")), name="quick")
    assert windows.cut(database, lambda text: [(0, len(text))] if text else []) == 2
    ingest.finish(database, slow, meaning=str, buried=lambda records: [])
    assert windows.cut(database, lambda text: [(0, len(text))] if text else []) == 1
    assert {row["text"] for row in windows.entries(database)} == {"slow one", "quick one"}
    assert len(windows.statements(database)) == 2


def test_a_message_with_thousands_of_sentences_is_held_once(database: Database) -> None:
    text = "I keep bees. " * 2000
    take_in(database, chat("c", said("m1", text)))
    windows.cut(database, lambda text: [(at, at + 12) for at in range(0, len(text), 13)])
    tracemalloc.start()
    try:
        assert len(windows.entries(database)) == 1
        assert len(windows.statements(database)) == 2000
        assert tracemalloc.get_traced_memory()[1] < 100 * len(text)
    finally:
        tracemalloc.stop()
