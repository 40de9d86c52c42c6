"""Benches of the window, each in a process of its own: start to answering, and the longest stall in a session."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from memreview.evaluate import generate
from memreview.evaluate.measure import Measurement

RUNS = 5


def startup(*, full: bool) -> list[Measurement]:
    """From the start of the process to a window that answers, with 10,000 memories; the median of some runs. The
    baseline is an empty Qt window."""
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        generate.profile_of(Path(folder), 10_000).close()
        ours = sorted(_probe("startup", folder)["seconds"] for _ in range(RUNS))
        plain = sorted(_probe("empty", folder)["seconds"] for _ in range(RUNS))
        loaded = _probe("startup", folder)["heavy"]
    return [
        Measurement.at_most(
            "start to a window that answers, 10,000 memories", ours[RUNS // 2], "s", budget=1.0,
            baseline=plain[RUNS // 2], note="baseline: an empty Qt window",
        ),
        Measurement.at_most("torch, ONNX Runtime, FAISS, llama.cpp modules loaded by it", len(loaded), "", budget=0),
    ]  # fmt: skip


def session(*, full: bool) -> list[Measurement]:
    """The longest time for which the window did not answer in a scripted session; `full`: 100,000 memories."""
    count = 100_000 if full else 10_000
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        generate.profile_of(Path(folder), count).close()
        found = _probe("session", folder)
    return [
        Measurement.at_most(
            f"longest stall in a session, {count:,} memories", found["longest_ms"], "ms", budget=50,
            note=f"while: {found['during']}",
        )
    ]  # fmt: skip


def _probe(what: str, home: str) -> dict[str, Any]:
    # As a person has it: the program's own modules are compiled before it is started a second time.
    compileall.compile_dir(str(Path(__file__).parents[1]), quiet=1)
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    environment["MEMREVIEW_STARTED"] = str(time.time())
    command = [sys.executable, "-m", "memreview.ui.probe", what, home]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured
