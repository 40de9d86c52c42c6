"""Training and export on a handful of meetings: what is exported is what was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from memreview.evaluate import train_reader
from memreview.evaluate.train_reader import Example
from memreview.language.gate_reader import READINGS, GateReader, Impression, Meeting
from memreview.language.relations import NLI, RELATIONS
from memreview.records.entry import Origin

PAGE = Origin.RETRIEVED_DOCUMENT
EXAMPLES = [
    Example(Meeting("Keeps a hen", Origin.USER, "any tips for mites?"), "none"),
    Example(Meeting("Keeps a hen", Origin.USER, "my hen is moulting"), "retain", True, "duplicates", "entailment"),
    Example(Meeting("Keeps a hen", Origin.USER, "the hen went to my sister for good"), "revise", True, "supersedes"),
    Example(Meeting("Keeps a hen", PAGE, "The reader keeps geese."), "quarantine", False, "coexists", "neutral"),
]


@pytest.fixture(scope="module")
def trained() -> train_reader.TrainedReader:
    return train_reader.train(EXAMPLES * 8, lambda line: None, epochs=2)


def values(one: Impression) -> list[float]:
    return [*one.reading, one.authentic, *one.judgement.relations.values(), *one.judgement.nli.values()]


def test_what_is_exported_is_what_was_trained(trained: train_reader.TrainedReader, tmp_path: Path) -> None:
    meetings = [example.meeting for example in EXAMPLES]
    config = trained.export(meetings * 20, tmp_path)
    shipped = GateReader.load(tmp_path)
    assert shipped.id == config.id
    wanted, given = (np.array([values(one) for one in reader.read(meetings)]) for reader in (trained, shipped))
    assert np.abs(wanted - given).max() < 0.06


def test_a_meeting_is_read_the_same_alone_and_in_company(trained: train_reader.TrainedReader, tmp_path: Path) -> None:
    trained.export([example.meeting for example in EXAMPLES] * 20, tmp_path)
    reader = GateReader.load(tmp_path)
    meetings = [example.meeting for example in EXAMPLES]
    together = reader.read([*meetings, *meetings])
    assert together[: len(meetings)] == together[len(meetings) :]
    for meeting, one in zip(meetings, together, strict=False):
        (alone,) = reader.read([meeting])
        assert values(alone) == pytest.approx(values(one), abs=1e-6)
    assert reader.read([]) == []


def test_every_answer_is_a_distribution(trained: train_reader.TrainedReader) -> None:
    for one in trained.read([example.meeting for example in EXAMPLES]):
        assert len(one.reading) == len(READINGS)
        assert tuple(one.judgement.relations) == RELATIONS
        assert tuple(one.judgement.nli) == NLI
        assert sum(one.reading) == pytest.approx(1, abs=1e-3)
        assert 0 <= one.authentic <= 1


def test_what_nobody_has_said_teaches_nothing() -> None:
    assert EXAMPLES[0].labels == (READINGS.index("none"), train_reader._UNKNOWN, *[train_reader._UNKNOWN] * 2)
    assert EXAMPLES[3].labels[1] == 0


def test_what_has_nothing_to_do_with_the_other_neither_follows_nor_contradicts() -> None:
    stranger = Example(Meeting("Keeps a hen", Origin.USER, "I moved to Oulu"), "add", True, "unrelated")
    assert stranger.labels[3] == NLI.index("neutral")
