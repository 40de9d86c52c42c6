"""What is told of an import, also long after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memreview.cli import imported
from memreview.review import history, importing
from memreview.review.profile import Profile
from memreview.review.values import ImportSummary
from memreview.store import journal


def bring(profile: Profile, path: Path) -> ImportSummary:
    """A file that is no list, so that there is a warning and how to take it back."""
    path.write_text(f"I went to the market of {path.stem}.\nIt rained.\n")
    return importing.import_path(profile, path, progress=lambda *_: None)[0]


def undone_by(told: list[str]) -> int:
    return int(told[-1].rpartition("memreview undo ")[2])


@pytest.mark.parametrize("between", [0, 250])
def test_an_import_is_taken_back_by_its_own_step_whatever_came_after(tmp_path: Path, between: int) -> None:
    profile = Profile.open(tmp_path / "home")
    first = bring(profile, tmp_path / "porto.txt")
    for _ in range(between):
        with journal.action(profile.database, "audit", "program"):
            pass
    second = bring(profile, tmp_path / "lisbon.txt")
    for summary, name in ((second, "lisbon.txt"), (first, "porto.txt")):
        undone = history.undo(profile, undone_by(imported.lines(profile, [summary], "memreview")))
        assert undone is not None
        assert undone.label == f"Import {name}"
        assert journal.import_step(profile.database, summary.import_id) is None
    profile.close()
