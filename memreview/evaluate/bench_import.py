"""Bench: importing a ChatGPT export, against json.load + executemany on the same file in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from memreview.evaluate import generate
from memreview.evaluate.measure import Measurement

# Each runs in a process of its own, so that its memory is its own.
_OURS = """
import json, resource, sys, time
from pathlib import Path
from memreview.review import importing
from memreview.review.profile import Profile
profile = Profile.open(Path(sys.argv[2]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
stages = {}
def progress(stage, done, total):
    stages.setdefault(stage, [time.perf_counter(), 0.0])[1] = time.perf_counter()
started = time.perf_counter()
importing.import_path(profile, Path(sys.argv[1]), progress=progress)
words = stages["words"][1] - stages["reading"][1]
rows = profile.database.value("SELECT count(*) FROM entries")
print(json.dumps({"seconds": stages["reading"][1] - started, "total": time.perf_counter() - started, "words": words,
    "rows": rows, "mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}))
"""
_PLAIN = """
import json, resource, sqlite3, sys, time
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.perf_counter()
with open(sys.argv[1], encoding="utf-8") as stream:
    conversations = json.load(stream)
database = sqlite3.connect(sys.argv[2])
database.execute("CREATE TABLE m (id TEXT, conversation TEXT, role TEXT, at REAL, text TEXT)")
rows = [(node["id"], c["id"], node["message"]["author"]["role"], node["message"]["create_time"],
         node["message"]["content"]["parts"][0])
        for c in conversations for node in c["mapping"].values() if node["message"]]
database.executemany("INSERT INTO m VALUES (?, ?, ?, ?, ?)", rows)
database.commit()
print(json.dumps({"seconds": time.perf_counter() - started, "rows": len(rows),
    "mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}))
"""


def run(*, full: bool) -> list[Measurement]:
    """`full`: 100,000 conversations, about 1 GB; else a twentieth of it."""
    with tempfile.TemporaryDirectory(prefix="memreview-bench-") as folder:
        path = Path(folder) / "conversations.json"
        generate.chatgpt_export(path, 100_000 if full else 5_000)
        ours = _measure(_OURS, path, Path(folder) / "profile")
        plain = _measure(_PLAIN, path, Path(folder) / "plain.sqlite")
        size = os.path.getsize(path) / 2**20
    rate, plain_rate = ours["rows"] / ours["seconds"], plain["rows"] / plain["seconds"]
    return [
        Measurement.at_least(f"import, {size:,.0f} MiB", rate, "messages/s", budget=20_000, baseline=plain_rate),
        Measurement.at_least(
            "keyword index after it", ours["rows"] / max(ours["words"], 1e-9), "rows/s", budget=20_000
        ),
        Measurement.at_most("memory added by it", ours["mib"], "MiB", budget=300, baseline=plain["mib"]),
    ]


def _measure(script: str, *arguments: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured
