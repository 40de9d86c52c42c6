"""All that authors wrote, as the models learn from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

from memreview.evaluate import train_reader, training_data
from memreview.evaluate.crowd import crowded
from memreview.evaluate.episodes import generate, plain
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.gate_cases import Episode
from memreview.evaluate.kits import Kit, read_kits
from memreview.evaluate.train_reader import Said
from memreview.evaluate.unrelated_pairs import strangers
from memreview.evaluate.written import WrittenEpisode, read_written
from memreview.language.embedder import TextEmbedder

DEVELOPED = 5
"""One topic in so many is kept for a gate's development."""

Record = Kit | WrittenEpisode | training_data.Pair | training_data.Utterance
T = TypeVar("T", Kit, WrittenEpisode, training_data.Pair, training_data.Utterance)


@dataclass(frozen=True, slots=True)
class Texts:
    """What some authors wrote."""

    kits: list[Kit]
    written: list[WrittenEpisode]
    pairs: list[training_data.Pair]
    utterances: list[training_data.Utterance]

    @classmethod
    def of(cls, voices: Sequence[str], without: Set[str] = frozenset()) -> Texts:
        """`without` topics that are kept for a test."""
        folders = [TRAINING / voice for voice in voices]

        def free(records: Iterable[T]) -> list[T]:
            return [one for one in records if topic_of(one) not in without]

        return cls(
            free(kit for folder in folders for kit in read_kits(folder)),
            free(one for folder in folders for one in read_written(folder)),
            free(pair for folder in folders for pair in training_data.read_pairs(folder)),
            free(one for folder in folders for one in training_data.read_utterances(folder)),
        )

    @property
    def topics(self) -> set[str]:
        every: list[Record] = [*self.kits, *self.written, *self.pairs, *self.utterances]
        return {topic_of(one) for one in every}

    def said(self, embedder: TextEmbedder) -> list[Said]:
        """What a reader learns from them. The embedder finds statements that have nothing to do with each other."""
        held = sorted({pair.older.text for pair in self.pairs})
        return [
            *train_reader.of_kits(self.kits, train_reader.SEED),
            *train_reader.of_episodes([one.episode() for one in self.written], train_reader.SEED),
            *train_reader.of_pairs(self.pairs, strangers(self.pairs, embedder)),
            *train_reader.of_utterances(self.utterances, held, train_reader.SEED),
        ]

    def part(self, *, development: bool) -> Texts:
        """For the training of a gate, or for its development on other topics. What is held besides is the same."""

        def kept(records: Iterable[T]) -> list[T]:
            return [one for one in records if (crc32(topic_of(one).encode()) % DEVELOPED == 0) == development]

        return Texts(kept(self.kits), kept(self.written), self.pairs, kept(self.utterances))

    def __str__(self) -> str:
        every: list[Record] = [*self.kits, *self.written, *self.pairs, *self.utterances]
        return (
            f"{len(self.kits)} kits, {len(self.written)} whole episodes, {len(self.pairs):,} pairs and "
            f"{len(self.utterances):,} messages by {', '.join(sorted({one.author for one in every}))}"
        )

    def episodes(self, users: int, seed: int, crowd: int, embedder: TextEmbedder) -> list[Episode]:
        """Put together, written whole, and plain messages; in each more is held than they concern, often."""
        held = sorted({pair.older.text for pair in self.pairs})
        return [
            *generate(self.kits, users, seed, crowd),
            *crowded([one.episode() for one in self.written], train_reader.FULLER, embedder, seed),
            *plain(self.utterances, held, seed, crowd),
        ]


def topic_of(record: Record) -> str:
    return record.topic.casefold().replace(" ", "-")


def halves(voices: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of the authors of each kind of text."""

    def wrote(voice: str) -> tuple[bool, bool, str]:
        return any((TRAINING / voice).glob("kits*")), any((TRAINING / voice).glob("episodes*")), voice

    order = sorted(voices, key=wrote)
    return order[::2], order[1::2]
