from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("torchdiffeq")

from memreview.evaluate import kits, train_reader
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.gate_attack import OPERATORS, Wording
from memreview.evaluate.gate_rows import Rows
from memreview.evaluate.gate_training import logits_of, temperature_of, train
from memreview.evaluate.train_gate import QUERY_RATE, halves, split, threshold_of
from memreview.gate.features import NAMES, kept_columns
from memreview.gate.model import Kind
from memreview.language.gate_reader import READINGS
from memreview.records.gate import ACTIONS

ASK = ACTIONS.index("ask")


def rows(users: int, seed: int) -> list[Rows]:
    """An action that one column tells, but for the third event, which repeats the first one's."""
    order = np.random.default_rng(seed)
    found = []
    for user in range(users):
        actions = order.integers(len(ACTIONS), size=3)
        actions[2] = actions[0]
        features = np.zeros((3, len(NAMES)), np.float32)
        features[:, :20] = order.normal(scale=0.1, size=(3, 20))
        features[[0, 1], actions[:2]] += 3
        gaps = np.array([0, 0.1, 0.2], np.float32)
        found.append(Rows(f"u{user}", features, gaps, actions, np.ones(3, np.float32), np.arange(3)))
    return found


def test_the_parts_share_no_topic_and_no_kit() -> None:
    parts = split(kits.parse(TRAINING)[0])
    topics = [{kit.topic for kit in part} for part in (parts.train, parts.development, parts.test)]
    assert not topics[0] & topics[1]
    assert not (topics[0] | topics[1]) & topics[2]
    assert {kit.author for kit in parts.test} <= {"unseen"}
    one, other = halves(parts.train)
    assert sorted(kit.id for kit in (*one, *other)) == sorted(kit.id for kit in parts.train)


def test_the_reader_learns_every_reading_and_whose_words_they_are() -> None:
    examples = train_reader.of_kits(kits.read_kits(TRAINING / "formal"), 1)
    assert {example.reading for example in examples} == set(READINGS)
    assert all((example.authentic is None) == (example.reading == "none") for example in examples)
    planted = [example for example in examples if example.authentic is False]
    assert all(example.reading == "quarantine" for example in planted)
    assert {example.meeting.origin for example in planted} >= {"user", "retrieved_document"}


@pytest.mark.parametrize(("kind", "least"), [("ode", 0.6), ("gru", 0.6), ("logistic", 0.4)])
def test_each_kind_learns_what_is_there_to_learn(kind: Kind, least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memreview.evaluate.gate_training.EPOCHS", 16)
    gate = train(kind, rows(256, 0), rows(64, 1), 0, kept_columns(()), lambda line: None)
    logits, truth = logits_of(gate, rows(64, 2))
    assert (logits.argmax(1) == truth).mean() > least


def test_columns_that_are_dropped_teach_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memreview.evaluate.gate_training.EPOCHS", 3)
    kept = kept_columns(NAMES[: len(ACTIONS)])
    gate = train("logistic", rows(64, 0), rows(64, 1), 0, kept, lambda line: None)
    logits, truth = logits_of(gate, rows(64, 2))
    assert (logits.argmax(1) == truth).mean() < 0.35


def test_the_temperature_undoes_overconfidence() -> None:
    order = np.random.default_rng(0)
    logits = order.normal(size=(4_000, 6))
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    truth = np.array([order.choice(6, p=row) for row in shares])
    assert temperature_of(3 * logits, truth) == pytest.approx(3, rel=0.1)


def test_questions_stay_within_their_share() -> None:
    order = np.random.default_rng(1)
    shares = order.dirichlet(np.ones(6), size=600)
    truth = np.full(600, ASK)
    eta, _ = threshold_of(shares, truth, 2_400)
    entropy = -(shares * np.log(shares)).sum(1)
    asked = (entropy > eta) | (shares.argmax(1) == ASK)
    assert 0 < asked.sum() <= QUERY_RATE * 2_400


def test_rewording_keeps_what_is_planted() -> None:
    wording = Wording(("First of all.", "THIS reader prefers tea: always.", "Last of all."), 1)
    order = random.Random(0)
    for _ in range(200):
        operator = order.choice(OPERATORS)
        changed = operator(wording, order)
        assert "tea" in changed.sentences[changed.planted]
        assert changed.text
