from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("torchdiffeq")

from memreview.evaluate import kits, train_gate, train_reader, training_data, written
from memreview.evaluate.episodes import plain
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.gate_attack import OPERATORS, Wording
from memreview.evaluate.gate_cases import Episode
from memreview.evaluate.gate_rows import Rows
from memreview.evaluate.gate_training import logits_of, temperature_of, train
from memreview.evaluate.texts import Texts, halves, topic_of
from memreview.evaluate.train_gate import QUERY_RATE, Job, Material, fit, fit_all, threshold_of
from memreview.evaluate.train_reader import Beside
from memreview.evaluate.training_data import TEST_VOICE
from memreview.gate.features import NAMES, kept_columns
from memreview.gate.model import Kind
from memreview.language.embedder import TextEmbedder, load_embedder
from memreview.language.gate_reader import READINGS
from memreview.language.model_files import embedder_folder
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


def test_the_sides_share_no_author_and_no_topic_with_the_test() -> None:
    voices = training_data.voices(TRAINING)
    one, other = halves(voices)
    assert sorted([*one, *other]) == voices
    assert TEST_VOICE not in voices
    test = Texts.of([TEST_VOICE])
    for side in (one, other):
        texts = Texts.of(side, test.topics)
        assert texts.kits
        assert texts.written
        assert {kit.author for kit in texts.kits} <= set(side)
        assert not texts.topics & test.topics


def test_development_has_topics_of_its_own() -> None:
    texts = Texts.of(["formal", "office"])
    parts = [texts.part(development=of) for of in (False, True)]
    topics = [{topic_of(one) for one in (*part.kits, *part.written)} for part in parts]
    assert all(topics)
    assert not topics[0] & topics[1]
    assert sum(len(part.kits) for part in parts) == len(texts.kits)


def test_a_text_is_read_beside_what_it_concerns_and_beside_what_that_replaced() -> None:
    (episode,) = [one.episode() for one in written.read_written(TRAINING / "office") if one.id == "office-e-009"]
    said = train_reader.of_episodes([episode], 1)
    assert [one.text for one in said] == [event.text for event in episode.events]
    held = {node.node_id: node.claim for node in episode.profile}
    for event, one in zip(episode.events, said, strict=True):
        beside = {belief.held: belief for belief in one.own}
        assert one.authentic == event.label.authentic
        target = event.label.target_node_id
        if target in held:
            assert beside[held[target]].reading == event.action
        if not event.label.has_claim:
            assert {(belief.reading, belief.relation) for belief in one.own} == {("none", "unrelated")}
    again = {belief.held: belief for belief in said[5].own}
    assert episode.events[5].label.target_node_id == "e3"
    assert (again[held["n1"]].reading, again[held["n1"]].relation) == ("revise", "supersedes")
    assert {belief.relation for belief in again.values()} >= {"supersedes", "duplicates"}


def test_what_is_told_and_its_exception_are_no_strangers() -> None:
    episodes = [one.episode() for one in written.read_written(TRAINING / "office")]
    for episode in episodes:
        root = {node.node_id: node.node_id for node in episode.profile}
        events = {event.event_id: event for event in episode.events}
        for event in episode.events:
            target = event.label.target_node_id
            root[event.event_id] = root.get(target or "", event.event_id)
        for event, said in zip(episode.events, train_reader.of_episodes([episode], 1), strict=True):
            kin = [name for name in root if root[name] == root[event.event_id]]
            claims = {node.claim for node in episode.profile if node.node_id in kin}
            claims |= {text for name in kin if name in events for text in (events[name].text, events[name].label.claim)}
            assert not claims & {belief.held for belief in said.own if belief.relation == "unrelated"}


def test_a_side_is_read_by_the_other_sides_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    @dataclass(frozen=True)
    class Models:
        reader: str = "shipped"
        embedder: TextEmbedder = field(default_factory=lambda: load_embedder(embedder_folder()))

    def rows_of(episodes: Sequence[Episode], models: Models) -> list[Rows]:
        asked.extend((episode.episode_id.rpartition("-e-")[0], models.reader) for episode in episodes)
        return []

    monkeypatch.setattr(train_gate, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    monkeypatch.setattr(train_gate.Languages, "load", Models)
    monkeypatch.setattr(train_gate, "GateReader", SimpleNamespace(load=lambda folder: folder.name))
    monkeypatch.setattr(train_gate, "rows_of", rows_of)
    sides = [Texts([], written.read_written(TRAINING / voice), [], []) for voice in ("office", "campus")]
    train_gate.material(sides, [Path("of-office"), Path("of-campus")], lambda line: None)
    assert set(asked) == {("office", "of-campus"), ("campus", "of-office")}


def test_plain_messages_concern_nothing_that_is_held() -> None:
    utterances = training_data.read_utterances(TRAINING / "texter")
    episodes = plain(utterances, [f"Claim {number}" for number in range(30)], seed=1, crowd=8)
    temporary = [one for one in utterances if one.label.speech_act == "temporary" and one.label.has_claim]
    assert temporary
    said = {event.text for one in episodes for event in one.events}
    assert said == {one.text for one in utterances} - {one.text for one in temporary}
    assert plain(utterances, [], seed=1, crowd=8)
    assert episodes == plain(utterances, [f"Claim {number}" for number in range(30)], seed=1, crowd=8)
    for event in (event for one in episodes for event in one.events):
        assert event.label.target_node_id is None
        assert event.label.has_claim or event.action == "retain"
        assert event.label.authentic is not False or event.action == "quarantine"


def test_the_reader_learns_every_reading_and_whose_words_they_are() -> None:
    said = train_reader.of_kits(kits.read_kits(TRAINING / "formal"), 1)
    readings = [(one, belief.reading) for one in said for belief in one.own]
    assert {reading for _, reading in readings} == set(READINGS)
    assert all((one.authentic is None) == (reading == "none") for one, reading in readings)
    planted = [one for one in said if one.authentic is False]
    assert {belief.reading for one in planted for belief in one.own} == {"quarantine"}
    assert {one.origin for one in planted} >= {"user", "retrieved_document"}


def test_what_settles_a_gradual_change_revises_what_it_concerns_and_adds_elsewhere() -> None:
    theirs = kits.read_kits(TRAINING / "formal")
    settled = {kit.gradual[-1].text: kit.held.claim for kit in theirs}
    found = [one for one in train_reader.of_kits(theirs, 1) if one.text in settled]
    assert len(found) == len(settled)
    for one in found:
        assert one.own == (Beside(settled[one.text], "revise", "supersedes"),)
        assert one.elsewhere == "add"
        assert one.crowd
        assert settled[one.text] not in one.crowd


@pytest.mark.parametrize(("kind", "least"), [("ode", 0.6), ("gru", 0.6), ("logistic", 0.4)])
def test_each_kind_learns_what_is_there_to_learn(kind: Kind, least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memreview.evaluate.gate_training.EPOCHS", 16)
    gate = train(kind, rows(256, 0), rows(64, 1), 0, kept_columns(()), lambda line: None)
    logits, truth = logits_of(gate, rows(64, 2))
    assert (logits.argmax(1) == truth).mean() > least


def test_fits_side_by_side_are_the_same_as_one_after_the_other() -> None:
    data = Material(rows(64, 0), rows(32, 1), 96)
    jobs: list[Job] = [("logistic", 0, ()), ("logistic", 1, ("origin.",))]
    found = fit_all(jobs, data)
    for kind, seed, dropped in jobs:
        gate, score = fit(kind, seed, data, lambda line: None, dropped)
        theirs, measured = found[kind, seed, dropped]
        assert (theirs.kind, theirs.seed, measured) == (kind, seed, score)
        for name, values in gate.weights.items():
            np.testing.assert_array_equal(theirs.weights[name], values)


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
