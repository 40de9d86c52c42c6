"""Whatever lies in a profile can be read by its owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memreview.ui import crash


@pytest.mark.skipif(os.name != "posix", reason="no other system has these modes")
def test_nobody_else_can_read_what_is_in_a_profile(sample: Path) -> None:
    crash.write(sample, "a report\n")
    held = [sample, *sample.rglob("*")]
    assert {path.name for path in held} >= {"memreview.sqlite", "import.lock", "cache", "windows.json", "backups"}
    opened = {path.name: oct(mode) for path in held if (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077}
    assert opened == {}
