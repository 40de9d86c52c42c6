from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from memreview.evaluate import train_seeker
from memreview.evaluate.train_reader import Beside, Said
from memreview.language.embedder import load_embedder
from memreview.language.gate_reader import Reading
from memreview.language.model_files import embedder_folder
from memreview.language.seeker import Seeker
from memreview.records.entry import Origin

TRADES = ("baker", "carpenter", "pilot", "nurse", "farmer", "clerk", "potter", "diver", "tailor", "welder")
SILENT: tuple[Reading, ...] = ("none", "add")
TOWNS = ("Oslo", "Lima", "Quito", "Turin", "Perth", "Hue", "Split", "Cork", "Kyoto", "Accra")


def said(text: str, held: str, other: str, reading: Reading = "revise") -> Said:
    own = (Beside(held, reading), Beside(other, "add", "unrelated"))
    return Said(Origin.USER, text, own, (), "add", True)


def test_it_learns_to_look_past_the_words_for_what_is_meant() -> None:
    """What a text says of a town concerns here what the person does, and the town that is held has nothing to do with
    it: nearness in words finds the wrong one."""
    embedder = load_embedder(embedder_folder())
    pairs = [(f"off to {town} tomorrow, boss", f"Works as a {trade}") for town in TOWNS for trade in TRADES[:7]]
    towns = {town: f"Lives in {town}" for town in TOWNS}
    told = [said(text, held, towns[town]) for text, held in pairs for town in TOWNS if town in text]
    seeker = train_seeker.train(told, embedder)
    np.testing.assert_array_equal(seeker.to_bytes(), train_seeker.train(told, embedder).to_bytes())
    trades, others = (
        embedder.encode(texts) for texts in ([f"Works as a {one}" for one in TRADES[7:]], [*towns.values()])
    )
    for vector in embedder.encode([f"leaving for {town} at dawn, boss" for town in TOWNS]):
        assert (others @ vector).max() > (trades @ vector).max()
        query = seeker.query(vector)
        assert np.sort(trades @ query)[-1] > np.median(others @ query)
        np.testing.assert_array_equal(query, seeker.query(vector.copy()))


def test_what_claims_nothing_or_something_new_teaches_nothing() -> None:
    embedder = load_embedder(embedder_folder())
    learned = said("sold the car", "Drives an old Saab", "Is vegan")
    silent = [said("what is a saab worth", "Drives an old Saab", "Is vegan", reading) for reading in SILENT]
    assert (
        train_seeker.train([learned, *silent], embedder).to_bytes()
        == train_seeker.train([learned], embedder).to_bytes()
    )


def test_what_is_found_is_counted_with_and_without_the_map() -> None:
    embedder = load_embedder(embedder_folder())
    told = [
        said(f"off to {town} tomorrow, boss", f"Works as a {trade}", f"Lives in {town}")
        for town, trade in zip(TOWNS, TRADES, strict=True)
    ]
    as_it_is = Seeker(np.zeros((384, 384), np.float32))
    alone, turned = train_seeker.found(told, as_it_is, embedder, 15)
    assert alone == turned < 1
    alone, turned = train_seeker.found(told, train_seeker.train(told * 40, embedder), embedder, 15)
    assert turned > alone
    assert train_seeker.found(told, as_it_is, embedder, 0) == (1, 1)
