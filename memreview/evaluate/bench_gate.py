"""Bench: histories through the gate at import, a later event, and one event without its claim being read."""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from pathlib import Path

from memreview.evaluate import generate
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.measure import Measurement
from memreview.evaluate.written import read_written
from memreview.language.onnx_model import ModelUnavailable
from memreview.records import Origin
from memreview.records.gate import Event
from memreview.review import beliefs, gate_runs
from memreview.review.gating import Models, Replay
from memreview.review.profile import Profile

MEMORIES = 200
_ALONE = 300


def run(*, full: bool) -> list[Measurement]:
    """`full`: 10,000 events; else 1,000, whose time counts tenfold against the budget. Empty where there is no gate."""
    events = 10_000 if full else 1_000
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        profile = generate.profile_of(Path(folder) / "written", MEMORIES)
        try:
            models = Models.load(profile.embedder())
        except ModelUnavailable:
            return []
        said = ((one.origin, one.text) for episode in read_written(TRAINING) for one in episode.events)
        generate.conversation_of(profile, list(itertools.islice(said, events)))
        first = _seconds(profile, models)
        profile.close()
        profile = generate.profile_of(Path(folder) / "claims", MEMORIES, turns=events)
        claims = _seconds(profile, models)
        generate.more_turns(profile, 1)
        later = _seconds(profile, models)
        alone = _alone(profile, models)
        profile.close()
    budget = 60 * events / 10_000
    return [
        Measurement.at_most(f"whole histories through the gate, {events:,} events", first, "s", budget=budget),
        Measurement.at_most(f"{events:,} claims of thirty words", claims, "s"),
        Measurement.at_most("one new event after them", later, "s", budget=1),
        Measurement.at_most("reader, gate and ledger, one event (median)", alone, "ms", budget=5),
    ]


def _seconds(profile: Profile, models: Models) -> float:
    started = time.perf_counter()
    gate_runs.run(profile, lambda stage, done, total: None, models)
    return time.perf_counter() - started


def _alone(profile: Profile, models: Models) -> float:
    """Milliseconds from a claim that was read to a ledger that knows it."""
    rows = profile.database.all("SELECT id, at, text FROM live_entries WHERE origin = 'user' LIMIT ?", (_ALONE,))
    events = [Event(f"x{row['id']}", "bench", row["at"] or 0, Origin.USER, row["text"]) for row in rows]
    replay = Replay(beliefs.load(profile.database, models.embedder.encode), models)
    taken = []
    for event, claim in zip(events, replay.read(events), strict=True):
        if claim is not None:
            started = time.perf_counter()
            replay.step(event, claim)
            taken.append(1e3 * (time.perf_counter() - started))
    return statistics.median(taken) if taken else 0.0
