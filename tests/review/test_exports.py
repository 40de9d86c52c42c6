"""The way back, from imported file to corrected file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from memreview.exporters import ExportFailed
from memreview.resources import sample_files
from memreview.review import decisions, exports, importing, memories
from memreview.review.profile import Profile
from memreview.review.values import Decision, Verb


def by_name(name: str) -> Path:
    return next(path for path in sample_files() if path.name == name)


@pytest.fixture
def stores(tmp_path: Path) -> Any:
    made = Profile.open(tmp_path / "home")
    for name in ("mem0.json", "mcp-memory.jsonl"):
        importing.import_path(made, by_name(name), progress=lambda *args: None)
    yield made
    made.close()


@pytest.mark.parametrize(("format", "name"), [("mem0", "mem0.json"), ("mcp", "mcp-memory.jsonl")])
def test_an_undecided_store_goes_back_as_it_came(stores: Profile, tmp_path: Path, format: str, name: str) -> None:
    exports.export(stores, format, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == by_name(name).read_bytes()


def test_an_edit_and_a_deletion_reach_the_store_and_nothing_else_changes(stores: Profile, tmp_path: Path) -> None:
    ids = memories.ids(stores, "source:mem0", descending=False)
    first, second = memories.rows(stores, ids[:2])
    decisions.decide(stores, Decision(verb=Verb.EDIT, memories=(first.id,), text="Something else entirely"))
    decisions.decide(stores, Decision(verb=Verb.DELETE, memories=(second.id,)))
    exports.export(stores, "mem0", tmp_path / "back.json")
    before = {item["memory"]: item for item in json.loads(by_name("mem0.json").read_text())["results"]}
    after = {item["memory"]: item for item in json.loads((tmp_path / "back.json").read_text())["results"]}
    assert set(before) - set(after) == {first.text, second.text}
    assert set(after) - set(before) == {"Something else entirely"}
    assert all(after[text] == before[text] for text in set(before) & set(after))


@pytest.mark.parametrize("format", ["json", "csv", "markdown"])
def test_lists_hold_every_memory(stores: Profile, tmp_path: Path, format: str) -> None:
    assert exports.export(stores, format, tmp_path / "list") == len(memories.ids(stores, "is:active"))
    assert exports.losses(stores, format)


def test_an_assistant_is_told_what_was_decided_about_its_own_memories_and_nothing_else(tmp_path: Path) -> None:
    profile = Profile.open(tmp_path / "home")
    for path in sample_files():
        importing.import_path(profile, path, progress=lambda *args: None)
    assert exports.tell(profile, "chatgpt") == []
    chosen = {name: memories.rows(profile, memories.ids(profile, f"source:{name}"))[0] for name in ("chatgpt", "mem0")}
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=tuple(row.id for row in chosen.values())))
    (part,) = exports.tell(profile, "chatgpt")
    assert chosen["chatgpt"].text in part
    assert chosen["mem0"].text not in part
    assert len(part.splitlines()) == 2
    assert exports.tell(profile, "claude") == []
    assert chosen["mem0"].text in exports.tell(profile, "claude", all_sources=True)[0]
    profile.close()


def test_what_was_forgotten_stands_in_no_list(stores: Profile, tmp_path: Path) -> None:
    memory = memories.rows(stores, memories.ids(stores))[0]
    decisions.decide(stores, Decision(verb=Verb.DELETE, memories=(memory.id,)))
    for format in ("json", "csv", "markdown"):
        exports.export(stores, format, tmp_path / format)
        assert memory.text not in (tmp_path / format).read_text("utf-8")
        assert (tmp_path / format).stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_what_can_not_be_written_is_told(stores: Profile, tmp_path: Path) -> None:
    with pytest.raises(ExportFailed):
        exports.export(stores, "letta", tmp_path / "x")
    with pytest.raises(ExportFailed):
        exports.export(stores, "json", tmp_path / "no" / "such" / "folder")
    assert list(tmp_path.glob("*.part")) == []
