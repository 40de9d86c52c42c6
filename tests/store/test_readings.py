from __future__ import annotations

import msgspec

from memreview.store.database import Database
from memreview.store.readings import Readings


class Said(msgspec.Struct, frozen=True):
    words: int


def test_nothing_is_read_twice_and_an_empty_reading_is_none(database: Database) -> None:
    asked: list[str] = []

    def read(texts: list[str]) -> list[Said]:
        asked.extend(texts)
        return [Said(len(text.split())) for text in texts]

    readings = Readings(database, "counter-1", Said, lambda said: said.words == 0)
    assert readings.ensure(["two words", "", "two words"], read) == [Said(2), None, Said(2)]
    assert readings.ensure(["", "one"], read) == [None, Said(1)]
    assert asked == ["two words", "", "one"]


def test_each_model_reads_for_itself(database: Database) -> None:
    for model, words in (("a", 1), ("b", 2)):
        readings = Readings(database, model, Said, lambda said: False)
        assert readings.ensure(["text"], lambda texts, words=words: [Said(words)]) == [Said(words)]
