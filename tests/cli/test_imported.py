"""What is told of an import, also long after it."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("number", [1, imported.SHOWN, imported.SHOWN + 2])
def test_what_could_not_be_read_is_named(tmp_path: Path, number: int) -> None:
    """Of many the first, and how many there are; what is whole beside them comes in."""
    whole = {"id": "whole", "title": "Bees", "mapping": {"a": node("a")}, "current_node": "a"}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([whole, *({"id": f"broken {n}", "mapping": [n]} for n in range(number))]))
    profile = Profile.open(tmp_path / "home")
    told = imported.lines(profile, importing.import_path(profile, path, progress=lambda *_: None), "memreview")
    profile.close()
    assert "1 new message" in told[0]
    named = [line for line in told if "conversations.json, item" in line]
    assert len(named) == min(number, imported.SHOWN)
    assert ("  and 2 more" in told) == (number > imported.SHOWN)


def node(name: str) -> dict[str, object]:
    content = {"content_type": "text", "parts": ["I keep bees"]}
    message = {"id": name, "author": {"role": "user"}, "create_time": 1.7e9, "content": content, "metadata": {}}
    return {"id": name, "parent": None, "children": [], "message": message}
