"""Both products named OpenMemory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from memreview.importers import ImportFailed, open_exports
from memreview.importers.times import moment
from memreview.records import NativeState, NoteKind
from tests.importers.builders_stores import (
    UTC,
    bundles,
    memories,
    notes,
    openmemory_backup,
    openmemory_zip,
    texts,
    write,
)


def test_each_state_and_deleted_rows_are_not_live(tmp_path: Path) -> None:
    found = memories(openmemory_zip(tmp_path / "memories_export_ines.zip"))
    assert {native_id: record.state for native_id, record in found.items()} == {
        "m-1": NativeState.ACTIVE,
        "m-2": NativeState.PAUSED,
        "m-3": NativeState.ARCHIVED,
        "m-4": NativeState.DELETED,
    }
    assert found["m-4"].text == "Owns a goat"
    assert found["m-1"].created == moment(UTC)
    assert found["m-1"].raw["app"] == "claude"


def test_the_packed_lines_beside_the_backup_are_not_read_again(tmp_path: Path) -> None:
    (export,) = open_exports(openmemory_zip(tmp_path / "b.zip"))
    assert (export.format, export.source.account, export.name) == ("openmemory", "ines", "b.zip")
    assert export.exported == moment(UTC)
    assert "Again" not in texts(tmp_path / "b.zip")


def test_categories_by_either_list_and_without_a_name(tmp_path: Path) -> None:
    found = memories(write(tmp_path / "memories.json", openmemory_backup()))
    assert found["m-1"].categories == ("hobbies",)
    assert found["m-2"].categories == ("hobbies",)


def test_deletions_of_the_status_history_are_changes(tmp_path: Path) -> None:
    (bundle,) = bundles(write(tmp_path / "memories.json", openmemory_backup()))
    assert [(change.event, change.old_text, change.at) for change in bundle.changes] == [
        ("DELETE", "Owns a goat", moment(UTC))
    ]
    assert bundle.memories_complete
    assert [note.kind for note in bundle.notes] == [NoteKind.GUESSED]


@pytest.mark.parametrize("part", [{"from_date": 1751364000}, {"to_date": 1751364000}, {"app_id_filter": "app-1"}])
def test_a_backup_of_a_part_is_not_the_whole(tmp_path: Path, part: dict[str, object]) -> None:
    path = write(tmp_path / "memories.json", openmemory_backup(**part))
    assert not bundles(path)[0].memories_complete
    assert NoteKind.WARNING in [note.kind for note in notes(path)]


def test_packed_lines_alone(tmp_path: Path) -> None:
    lines = b'{"id":"m-1","content":"Keeps bees","state":"deleted","app":"claude","categories":["hobbies"]}\n'
    (record,) = memories(write(tmp_path / "memories.jsonl.gz", gzip.compress(lines))).values()
    assert (record.text, record.state, record.categories) == ("Keeps bees", NativeState.DELETED, ("hobbies",))


def test_damaged_packed_lines(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="damaged"):
        open_exports(write(tmp_path / "memories.jsonl.gz", gzip.compress(b'{"id":"1"}' * 50)[:-12]))


def test_caviraoss_lines(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "uid": "ines", "content": "Keeps bees", "tags": ["hobby"], "metadata": {}, "created_at": 0},
        {"id": "b", "uid": "ines", "content": "Nurse", "tags": [], "created_at": 1751364000123, "embedding": [1]},
    ]  # fmt: skip
    path = write(tmp_path / "dump.jsonl", "\n".join(map(json.dumps, rows)) + "\nnot JSON\n")
    (export,) = open_exports(path)
    assert (export.format, export.source.account) == ("openmemory-cavira", "ines")
    bees, nurse = memories(path).values()
    assert not bees.created.known
    assert bees.categories == ("hobby",)
    assert nurse.created == moment(1751364000123)
    assert "embedding" not in nurse.raw
    assert [note.where for note in notes(path)] == ["dump.jsonl, line 3"]
