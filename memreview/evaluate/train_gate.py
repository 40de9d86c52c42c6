"""`memreview train gate`: the reader and the gate, from the training texts; the same on every run.

The authors are parted in two. What a gate learns from a text is what a reader makes of it that learned from the other
half of the authors: so it learns how far to trust a reader on people that the reader has not met. The shipped reader
learned from all. The claim encoder is one for both; it has seen the plain messages, but no kit and no whole episode.
"""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from memreview.evaluate import gate_card, train_reader, train_seeker, training_data
from memreview.evaluate.episodes import generate
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.eval_gate import WITH_ODE, WITHOUT_ODE, WITHOUT_PROVENANCE, Bench, GateReport, measure
from memreview.evaluate.gate_attack import attacked
from memreview.evaluate.gate_rows import Languages, Rows, rows_of
from memreview.evaluate.gate_training import Trained, logits_of, temperature_of, train
from memreview.evaluate.metrics import macro_f1
from memreview.evaluate.texts import Texts, halves
from memreview.evaluate.training_data import TEST_VOICE
from memreview.gate.features import PROVENANCE, kept_columns
from memreview.gate.model import CONFIG, WEIGHTS, Gate, Kind, gate_folder
from memreview.language.embedder import load_embedder
from memreview.language.gate_reader import GateReader, reader_folder
from memreview.language.model_files import embedder_folder
from memreview.records.gate import ACTIONS

KINDS: tuple[Kind, ...] = ("ode", "gru", "logistic")
SEEDS = (0, 1, 2)
USERS = {"train": 216, "development": 96, "test": 96}
"""Five episodes each; D-PrefGuard trains on 288 users."""
CROWD = 12
"""Further claims that are held in an episode of training or development, at most: a real ledger is fuller."""
QUERY_RATE = 1 / 12
"""Of all events, at most."""
ATTACKED = 48
"""Test episodes that the attacker gets."""
_ASK = ACTIONS.index("ask")
_SOURCE = "resources/training"

Say = Callable[[str], object]
Job = tuple[Kind, int, tuple[str, ...]]
"""A kind, a seed, and the prefixes of the features that count as nothing."""


@dataclass(frozen=True, slots=True)
class Material:
    """Rows of the gate's training and development, and the number of all events of the latter."""

    train: list[Rows]
    development: list[Rows]
    events: int


def train_readers(sides: Sequence[Texts], every: Texts, folder: Path, say: Say) -> list[Path]:
    """The shipped reader into its place, and one of each side under `folder`, two at a time. Returns the latter."""
    folders = [folder / str(side) for side in range(len(sides))]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for name in pool.map(_train_reader, [every, *sides], [reader_folder(), *folders]):
            say(f"{name} is trained")
    return folders


def _train_reader(texts: Texts, target: Path) -> str:
    def say(line: str) -> None:
        print(f"{target.name}: {line}", flush=True)

    embedder = load_embedder(embedder_folder())
    said = texts.said(embedder)
    seeker = train_seeker.train(said, embedder)
    examples = train_reader.meet(said, embedder, seeker, train_reader.SEED)
    meetings = [example.meeting for example in examples]
    random.Random(train_reader.SEED).shuffle(meetings)
    return train_reader.train(examples, say).export(meetings, seeker, target).id


def material(sides: Sequence[Texts], readers: Sequence[Path], say: Say) -> Material:
    """Each side as the other side's reader reads it, two at a time."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        first, second = pool.map(_read_side, sides, reversed(readers), range(1, len(sides) + 1))
    data = Material(first.train + second.train, first.development + second.development, first.events + second.events)
    say(f"{len(data.train):,} training and {len(data.development):,} development episodes read")
    return data


def _read_side(side: Texts, reader: Path, seed: int) -> Material:
    languages = replace(Languages.load(), reader=GateReader.load(reader))
    learned = side.part(development=False).episodes(USERS["train"] // 2, seed, CROWD, languages.embedder)
    kept = side.part(development=True).episodes(USERS["development"] // 2, seed, CROWD, languages.embedder)
    events = sum(len(episode.events) for episode in kept)
    return Material(rows_of(learned, languages), rows_of(kept, languages), events)


def fit_all(jobs: Sequence[Job], data: Material) -> dict[Job, tuple[Trained, float]]:
    """`fit` of each, two at a time in the order given."""
    with ProcessPoolExecutor(2, get_context("spawn"), initializer=_hold, initargs=(data,)) as pool:
        return dict(zip(jobs, pool.map(_fit_job, jobs), strict=True))


_held: list[Material] = []
"""A process's own, sent once and not with each job."""


def _hold(data: Material) -> None:
    _held.append(data)


def _fit_job(job: Job) -> tuple[Trained, float]:
    return fit(*job[:2], _held[0], lambda line: print(line, flush=True), job[2])


def fit(kind: Kind, seed: int, data: Material, say: Say, dropped: Sequence[str] = ()) -> tuple[Trained, float]:
    """A gate whose temperature and η are chosen on the development rows, and its macro-F1 there."""
    gate = train(kind, data.train, data.development, seed, kept_columns(dropped), say)
    logits, truth = logits_of(gate, data.development)
    temperature = temperature_of(logits, truth)
    eta, score = threshold_of(_softmax(logits / temperature), truth, data.events)
    say(f"{kind} {seed}: temperature {temperature}, η {eta}, development macro-F1 {score:.3f}")
    return Trained(kind, seed, gate.weights(), temperature, eta), score


def threshold_of(shares: NDArray[np.float64], truth: NDArray[np.int64], events: int) -> tuple[float, float]:
    """η of the best macro-F1 among those with questions at `QUERY_RATE` of all events or fewer. Events that don't
    reach the gate are rightly retained, or wrongly, whatever it is."""
    entropy = -(shares * np.log(np.maximum(shares, 1e-12))).sum(1)
    best = (float("inf"), -1.0)
    for eta in (*np.round(np.arange(0.4, 1.8, 0.02), 2).tolist(), 9.0):
        given = np.where(entropy > eta, _ASK, shares.argmax(1))
        score = macro_f1(truth, given, len(ACTIONS))
        if (given == _ASK).sum() <= QUERY_RATE * events and score > best[1]:
            best = (eta, score)
    return best


def ship(trained: Trained, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = save(trained.weights)
    digest = hashlib.sha256(data).hexdigest()
    (folder / WEIGHTS).write_bytes(data)
    config = trained.config(name=f"gate-{digest[:8]}", sha256=digest, source=_SOURCE)
    (folder / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config)) + b"\n")


def main(say: Say = print) -> GateReport:
    """Train the readers and the gates, ship the kind that is best on the development episodes, measure it on the test
    voice, write the card."""
    test = Texts.of([TEST_VOICE])
    voices = training_data.voices(TRAINING)
    sides = [Texts.of(half, test.topics) for half in halves(voices)]
    every = Texts.of(voices, test.topics)
    with tempfile.TemporaryDirectory() as folder:
        data = material(sides, train_readers(sides, every, Path(folder), say), say)
    return finish(every, test, data, say)


def finish(every: Texts, test: Texts, data: Material, say: Say) -> GateReport:
    """All that comes after the texts are read."""
    found = fit_all([(kind, seed, ()) for kind in KINDS for seed in SEEDS], data)
    mean = {kind: float(np.mean([found[kind, seed, ()][1] for seed in SEEDS])) for kind in KINDS}
    best = max(KINDS, key=mean.__getitem__)
    chosen = {kind: max((found[kind, seed, ()] for seed in SEEDS), key=lambda one: one[1])[0] for kind in KINDS}
    ship(chosen[best], gate_folder())
    other: Kind = "gru" if best == "ode" else "ode"
    ship(chosen[other], gate_folder() / (WITHOUT_ODE if best == "ode" else WITH_ODE))
    ship(fit(best, 0, data, say, PROVENANCE)[0], gate_folder() / WITHOUT_PROVENANCE)
    languages = Languages.load()
    gate = Gate.load(gate_folder())
    put_together, written = (
        Bench(found, languages)
        for found in (generate(test.kits, USERS["test"], seed=4), [one.episode() for one in test.written])
    )
    report = written.report(written.system(gate), f"resources/training/{TEST_VOICE}", 0, [])
    measured = gate_card.Measured(
        config=gate.config,
        report=report,
        put_together=put_together.report(put_together.system(gate), report.file, 0, []),
        each={(kind, seed): measure(written.system(one.gate()), 0) for (kind, seed, _), (one, _) in found.items()},
        developed=mean,
        attack=attacked([*written.episodes, *put_together.episodes], languages, gate, limit=ATTACKED),
        train=every,
        test=test,
    )
    (gate_folder() / "README.md").write_text(gate_card.card(measured), "utf-8")
    (reader_folder() / "README.md").write_text(
        gate_card.reader_card(GateReader.load(reader_folder()).id, every), "utf-8"
    )
    return report


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(1, keepdims=True)
    return shares
