"""Training and export on a handful of meetings: what is exported is what was trained."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from memreview.evaluate import train_reader
from memreview.evaluate.train_reader import Beside, Example, Said
from memreview.evaluate.trunk import UNKNOWN
from memreview.language.embedder import load_embedder
from memreview.language.gate_reader import BESIDE, READINGS, GateReader, Impression, Meeting, Reading
from memreview.language.model_files import embedder_folder
from memreview.language.onnx_model import ModelUnavailable
from memreview.language.relations import NLI, RELATIONS
from memreview.language.seeker import FILE, Seeker
from memreview.records.entry import Origin

PAGE = Origin.RETRIEVED_DOCUMENT
HEN, OSLO = "Keeps a hen", "Lives in Oslo"
EXAMPLES = [
    Example(Origin.USER, "any tips for mites?", (Beside(HEN, "none"),)),
    Example(
        Origin.USER,
        "my hen is moulting",
        (Beside(HEN, "retain", "duplicates", "entailment"), Beside(OSLO, "add", "unrelated")),
        True,
    ),
    Example(
        Origin.USER,
        "the hen went to my sister for good",
        (Beside(HEN, "revise", "supersedes"), Beside(OSLO, "add", "unrelated"), Beside("Is vegan", "add")),
        True,
    ),
    Example(PAGE, "The reader keeps geese.", (Beside(HEN, "quarantine", "coexists", "neutral"),) * BESIDE, False),
]
AS_IT_IS = Seeker(np.zeros((384, 384), np.float32))


@pytest.fixture(scope="module")
def trained() -> train_reader.TrainedReader:
    return train_reader.train(EXAMPLES * 8, lambda line: None, epochs=2)


def values(read: Sequence[tuple[Impression, ...]]) -> np.ndarray:
    return np.array(
        [
            [*one.reading, one.authentic, one.concern, *one.judgement.relations.values(), *one.judgement.nli.values()]
            for impressions in read
            for one in impressions
        ]
    )


def test_what_is_exported_is_what_was_trained(trained: train_reader.TrainedReader, tmp_path: Path) -> None:
    meetings = [example.meeting for example in EXAMPLES]
    config = trained.export(meetings * 20, AS_IT_IS, tmp_path)
    shipped = GateReader.load(tmp_path)
    assert shipped.id == config.id
    read = shipped.read(meetings)
    assert [len(impressions) for impressions in read] == [1, 2, 3, BESIDE]
    assert np.abs(values(trained.read(meetings)) - values(read)).max() < 0.06


def test_a_meeting_is_read_the_same_alone_and_in_company(trained: train_reader.TrainedReader, tmp_path: Path) -> None:
    trained.export([example.meeting for example in EXAMPLES] * 20, AS_IT_IS, tmp_path)
    reader = GateReader.load(tmp_path)
    meetings = [example.meeting for example in EXAMPLES]
    together = reader.read([*meetings, *meetings])
    assert together[: len(meetings)] == together[len(meetings) :]
    for meeting, one in zip(meetings, together, strict=False):
        assert values(reader.read([meeting])) == pytest.approx(values([one]), abs=1e-6)
    assert reader.read([]) == []


def test_where_to_look_comes_with_the_reader_and_is_checked(
    trained: train_reader.TrainedReader, tmp_path: Path
) -> None:
    meetings = [example.meeting for example in EXAMPLES] * 20
    seekers = [Seeker(np.full((384, 384), value, np.float32)) for value in (0.0, 0.5)]
    names = {trained.export(meetings, seeker, tmp_path / str(place)).id for place, seeker in enumerate(seekers)}
    assert len(names) == 2
    vector = np.eye(384, dtype=np.float32)[0]
    shipped = GateReader.load(tmp_path / "1").seeker.query(vector)
    np.testing.assert_array_equal(shipped, seekers[1].query(vector))
    assert np.linalg.norm(shipped) == pytest.approx(1)
    (tmp_path / "1" / FILE).write_bytes(seekers[0].to_bytes())
    with pytest.raises(ModelUnavailable, match="checksum"):
        GateReader.load(tmp_path / "1")


def test_a_text_and_beliefs_of_any_length_are_read(trained: train_reader.TrainedReader, tmp_path: Path) -> None:
    trained.export([example.meeting for example in EXAMPLES] * 20, AS_IT_IS, tmp_path)
    ((*found,),) = GateReader.load(tmp_path).read([Meeting(("hen " * 900,) * BESIDE, PAGE, "geese " * 900)])
    assert len(found) == BESIDE
    assert all(sum(one.reading) == pytest.approx(1, abs=1e-3) for one in found)


def test_every_answer_is_a_distribution(trained: train_reader.TrainedReader) -> None:
    for one in chain(*trained.read([example.meeting for example in EXAMPLES])):
        assert len(one.reading) == len(READINGS)
        assert tuple(one.judgement.relations) == RELATIONS
        assert tuple(one.judgement.nli) == NLI
        assert sum(one.reading) == pytest.approx(1, abs=1e-3)
        assert 0 <= one.authentic <= 1


def test_what_nobody_has_said_teaches_nothing() -> None:
    first, *rest = EXAMPLES[0].labels
    assert first == (READINGS.index("none"), *[UNKNOWN] * 3, 0)
    assert rest == [(UNKNOWN,) * 5] * (BESIDE - 1)
    assert {labels[1] for labels in EXAMPLES[3].labels} == {0}


def test_a_text_is_about_a_belief_that_it_repeats_doubts_narrows_or_ends() -> None:
    readings: tuple[Reading, ...] = ("retain", "ask", "scope", "revise", "quarantine")
    assert {Beside(HEN, reading).labels[3] for reading in readings} == {1}
    assert [Beside(HEN, reading).labels[3] for reading in ("none", "add")] == [0, 0]
    assert Beside(HEN, "retain", "unrelated").labels[3] == 0
    assert Beside(HEN, "add", "coexists").labels[3] == UNKNOWN


def test_of_the_beliefs_that_a_text_meets_it_learns_which_one_is_meant() -> None:
    concerned = torch.tensor([[1, 0, UNKNOWN, UNKNOWN], [0, 0, 0, 0]])
    odds = (torch.tensor([[one, 0.0, 9.0, 9.0], [5.0, 1.0, 0.0, 0.0]]) for one in (-1.0, 0.0, 1.0))
    losses = [float(train_reader._which(one, concerned)) for one in odds]
    assert losses[0] > losses[1] > losses[2]
    assert losses[1] == pytest.approx(math.log(2))
    assert train_reader._which(torch.zeros((1, 4)), concerned[1:]) == 0


def test_what_has_nothing_to_do_with_the_other_neither_follows_nor_contradicts() -> None:
    assert Beside(HEN, "add", "unrelated").labels[2] == NLI.index("neutral")


def test_a_text_meets_what_it_concerns_and_the_nearest_of_the_rest_the_nearest_first() -> None:
    embedder = load_embedder(embedder_folder())
    crowd = ("Works in a mine", "Keeps three hens", "Is left-handed", "Sings in a choir", "Paints eggs")
    own = (Beside("Has a farm with a barn", "add", "unrelated"), Beside(OSLO, "revise", "supersedes"))
    said = Said(Origin.USER, "my hens lay an egg a day each", own, crowd, "add", True)
    met = [train_reader.meet([said] * 200, embedder, AS_IT_IS, seed) for seed in range(2)]
    assert met[0] == train_reader.meet([said] * 200, embedder, AS_IT_IS, 0)
    sizes = {len(one.beside) for one in met[0]}
    assert sizes == set(range(1, BESIDE + 1))
    meant = Counter(belief.held for one in chain(*met) for belief in one.beside if len(one.beside) == 2)
    assert meant["Has a farm with a barn"] > max(meant[other] for other in crowd) > 0, (
        "another's may be nearer, if many are held"
    )
    for one in chain(*met):
        beliefs = [belief.held for belief in one.beside]
        assert OSLO in beliefs
        assert "Keeps three hens" not in beliefs, "another's hens may well be these"
        cosines = embedder.encode(beliefs) @ embedder.encode([one.text])[0]
        assert list(cosines) == sorted(cosines, reverse=True)
