"""`memreview train gate`: the reader and the gate, from the kits; the same on every run.

The reader that gives a training episode its features has not seen that episode's kits: each half of them is read by a
reader that learned from the other half. The shipped reader learned from both.
"""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from memreview.evaluate import episodes, gate_card, train_reader, training_data
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.eval_gate import WITH_ODE, WITHOUT_ODE, WITHOUT_PROVENANCE, Bench, GateReport, measure
from memreview.evaluate.gate_attack import attacked
from memreview.evaluate.gate_cases import Episode
from memreview.evaluate.gate_rows import Languages, Rows, rows_of
from memreview.evaluate.gate_training import Trained, logits_of, temperature_of, train
from memreview.evaluate.kits import Kit, read_kits
from memreview.evaluate.metrics import macro_f1
from memreview.evaluate.training_data import TEST_VOICE
from memreview.gate.features import PROVENANCE, kept_columns
from memreview.gate.model import CONFIG, WEIGHTS, Gate, Kind, gate_folder
from memreview.language.gate_reader import GateReader, reader_folder
from memreview.records.gate import ACTIONS

KINDS: tuple[Kind, ...] = ("ode", "gru", "logistic")
SEEDS = (0, 1, 2)
USERS = {"train": 216, "development": 96, "test": 96}
"""Five episodes each; D-PrefGuard trains on 288 users."""
CROWD = 12
"""Further claims that are held in a training episode, at most: a real ledger is fuller than an episode's."""
DEVELOPED = 5
"""One topic in so many is kept for development."""
QUERY_RATE = 1 / 12
"""Of all events, at most."""
PAIRS = 3_000
"""Training pairs that the reader learns from beside the kits."""
ATTACKED = 48
"""Test episodes that the attacker gets."""
_ASK = ACTIONS.index("ask")
_SOURCE = "resources/training/*/kits-*.jsonl"

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Split:
    train: list[Kit]
    development: list[Kit]
    test: list[Kit]


@dataclass(frozen=True, slots=True)
class Material:
    """Rows of the three parts, and the number of all events of the development episodes."""

    train: list[Rows]
    development: list[Rows]
    events: int
    test: list[Episode]


def split(kits: Sequence[Kit]) -> Split:
    """Disjoint by topic and so by wording and attack; the test voice is another author's, whose topics no one else
    has here."""
    test = [kit for kit in kits if kit.author == TEST_VOICE]
    theirs = {kit.topic for kit in test}
    rest = [kit for kit in kits if kit.author != TEST_VOICE and kit.topic not in theirs]
    developed = [kit for kit in rest if crc32(kit.topic.encode()) % DEVELOPED == 0]
    return Split([kit for kit in rest if kit not in developed], developed, test)


def halves(kits: Sequence[Kit]) -> tuple[list[Kit], list[Kit]]:
    """Of each author."""
    order = sorted(kits, key=lambda kit: (kit.author, crc32(kit.id.encode())))
    return order[::2], order[1::2]


def train_readers(parts: Split, folder: Path, say: Say) -> tuple[Path, Path]:
    """The shipped reader into its place, and the two of the halves under `folder`. Returns the latter."""
    pairs = _pairs(parts)
    one, other = halves(parts.train)
    folders = folder / "one", folder / "other"
    for kits, target in ((other, folders[0]), (one, folders[1]), (parts.train, reader_folder())):
        examples = [*train_reader.of_kits(kits, train_reader.SEED), *train_reader.of_pairs(pairs)]
        reader = train_reader.train(examples, say)
        meetings = [example.meeting for example in examples]
        reader.export(random.Random(train_reader.SEED).sample(meetings, len(meetings)), target)
    return folders


def material(parts: Split, readers: tuple[Path, Path], say: Say) -> Material:
    languages = Languages.load()
    rows: list[Rows] = []
    for number, (kits, folder) in enumerate(zip(halves(parts.train), readers, strict=True)):
        theirs = replace(languages, reader=GateReader.load(folder))
        rows += rows_of(episodes.generate(kits, USERS["train"] // 2, seed=1 + number, crowd=CROWD), theirs)
    development = episodes.generate(parts.development, USERS["development"], seed=3)
    events = sum(len(episode.events) for episode in development)
    developed = rows_of(development, languages)
    say(f"{len(rows):,} training and {len(developed):,} development episodes read")
    test = episodes.generate(parts.test, USERS["test"], seed=4) if parts.test else []
    return Material(rows, developed, events, test)


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
    parts = split(read_kits(TRAINING))
    with tempfile.TemporaryDirectory() as folder:
        data = material(parts, train_readers(parts, Path(folder), say), say)
    return finish(parts, data, say)


def finish(parts: Split, data: Material, say: Say) -> GateReport:
    """All that comes after the texts are read."""
    found = {(kind, seed): fit(kind, seed, data, say) for kind in KINDS for seed in SEEDS}
    mean = {kind: float(np.mean([found[kind, seed][1] for seed in SEEDS])) for kind in KINDS}
    best = max(KINDS, key=mean.__getitem__)
    chosen = {kind: max((found[kind, seed] for seed in SEEDS), key=lambda one: one[1])[0] for kind in KINDS}
    ship(chosen[best], gate_folder())
    other: Kind = "gru" if best == "ode" else "ode"
    ship(chosen[other], gate_folder() / (WITHOUT_ODE if best == "ode" else WITH_ODE))
    ship(fit(best, 0, data, say, PROVENANCE)[0], gate_folder() / WITHOUT_PROVENANCE)
    languages = Languages.load()
    gate = Gate.load(gate_folder())
    bench = Bench(data.test, languages)
    report = bench.report(bench.system(gate), f"resources/training/{TEST_VOICE}", 0, [])
    measured = gate_card.Measured(
        config=gate.config,
        report=report,
        each={key: measure(bench.system(one.gate()), 0) for key, (one, _) in found.items()},
        developed=mean,
        attack=attacked(data.test, languages, gate, limit=ATTACKED),
        train=parts.train,
        development=parts.development,
        test=parts.test,
    )
    (gate_folder() / "README.md").write_text(gate_card.card(measured), "utf-8")
    (reader_folder() / "README.md").write_text(gate_card.reader_card(languages.reader.id, parts.train), "utf-8")
    return report


def _pairs(parts: Split) -> list[training_data.Pair]:
    """Of the training voices, on topics that are in no other part."""
    kept = {kit.topic for kit in (*parts.development, *parts.test)}
    pairs = [
        pair
        for voice in sorted(path.name for path in TRAINING.iterdir() if path.is_dir() and path.name != TEST_VOICE)
        for pair in training_data.read_pairs(TRAINING / voice)
        if pair.topic not in kept
    ]
    return random.Random(train_reader.SEED).sample(pairs, min(PAIRS, len(pairs)))


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(1, keepdims=True)
    return shares
