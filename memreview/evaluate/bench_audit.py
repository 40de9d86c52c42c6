"""Bench: the first audit of 10,000 user turns with the bundled embedder, and a later one of 100 new turns."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from memreview.evaluate import generate
from memreview.evaluate.measure import Measurement
from memreview.review import audits
from memreview.review.profile import Profile

MEMORIES = 2_000


def run(*, full: bool) -> list[Measurement]:
    """`full`: 10,000 turns; else 2,000. The budgets hold for the full size."""
    turns = 10_000 if full else 2_000
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        profile = generate.profile_of(Path(folder), MEMORIES, turns=turns)
        first = _seconds(profile, whole=True)
        generate.more_turns(profile, 100)
        later = _seconds(profile, whole=False)
        profile.close()
    return [
        Measurement.at_most(f"first audit, {turns:,} user turns", first, "s", budget=180),
        Measurement.at_most("audit of 100 new turns after it", later, "s", budget=3, baseline=first),
    ]


def _seconds(profile: Profile, *, whole: bool) -> float:
    started = time.perf_counter()
    audits.run(profile, lambda stage, done, total: None, full=whole)
    return time.perf_counter() - started
