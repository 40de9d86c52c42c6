"""`python -m memreview.evaluate.screenshots docs/screenshots`: pictures of every place, with 10,000 items too."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from memreview.evaluate import generate, generate_held

ITEMS = 10_000


def main(arguments: list[str]) -> int:
    """`arguments` go to `memreview.ui.shots`."""
    with tempfile.TemporaryDirectory(prefix="memreview-full-") as folder:
        profile = generate.profile_of(Path(folder), ITEMS)
        generate.pending_cases(profile, ITEMS)
        generate_held.held_back(profile, ITEMS, questions=ITEMS // 100)
        profile.close()
        command = [sys.executable, "-m", "memreview.ui.shots", *arguments, "--full", folder]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
