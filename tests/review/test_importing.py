"""From a dropped file to stored rows: cancel and resume, bad files, importing again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from memreview.evaluate import generate
from memreview.importers.contract import ImportFailed
from memreview.resources import sample_files
from memreview.review import history, importing, imports, memories, search
from memreview.review.profile import Profile
from memreview.review.values import Cancelled
from memreview.store import backup, integrity
from memreview.store.errors import StoreBusy


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Profile]:
    made = Profile.open(tmp_path / "home")
    yield made
    made.close()


def quiet(stage: str, done: int, total: int) -> None:
    pass


def live_entries(profile: Profile) -> int:
    return int(profile.database.value("SELECT count(*) FROM live_entries"))


def mem0_file(path: Path, items: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"results": items}), encoding="utf-8")
    return path


def item(n: int, text: str) -> dict[str, Any]:
    return {
        "id": f"id-{n}", "memory": text, "hash": "0" * 32, "metadata": None, "created_at": "2025-06-01T02:10:11+00:00",
        "updated_at": None, "user_id": "ines",
    }  # fmt: skip


def test_the_sample_comes_in_and_coming_again_adds_nothing(empty: Profile) -> None:
    first = [row for path in sample_files() for row in importing.import_path(empty, path, progress=quiet)]
    assert {row.provider for row in first} == {"chatgpt", "claude", "mem0", "mcp"}
    assert all(row.state == "done" for row in first)
    entries, ids = live_entries(empty), memories.ids(empty)
    again = [row for path in sample_files() for row in importing.import_path(empty, path, progress=quiet)]
    assert live_entries(empty) == entries
    assert memories.ids(empty) == ids
    assert sum(row.counts.get("entries.new", 0) + row.counts.get("memories.new", 0) for row in again) == 0
    assert all(finding[1] == "" for finding in integrity.check(empty.database))


def test_cancel_keeps_what_was_read_aside_and_the_next_import_goes_on(empty: Profile, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    messages = generate.chatgpt_export(export, 1_500)
    seen: list[int] = []

    def cancel_after_two(stage: str, done: int, total: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        importing.import_path(empty, export, progress=cancel_after_two)
    stopped = imports.list(empty)[0]
    assert stopped.state == "stopped"
    assert 0 < stopped.counts["conversations"] < 1_500
    assert live_entries(empty) == 0
    resumed: list[int] = []
    importing.import_path(empty, export, progress=lambda stage, done, total: resumed.append(done))
    assert resumed[0] > seen[0]
    assert live_entries(empty) == messages
    assert [row.state for row in imports.list(empty)] == ["done"]


def test_a_cancelled_import_can_be_discarded(empty: Profile, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    generate.chatgpt_export(export, 1_500)

    def cancel(stage: str, done: int, total: int) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        importing.import_path(empty, export, progress=cancel)
    imports.discard(empty, imports.list(empty)[0].import_id)
    assert imports.list(empty) == []
    assert empty.database.value("SELECT count(*) FROM entries") == 0


def test_a_truncated_file_stores_nothing(empty: Profile, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    generate.chatgpt_export(export, 1_500)
    export.write_bytes(export.read_bytes()[:-100])
    with pytest.raises(ImportFailed) as failed:
        importing.import_path(empty, export, progress=quiet)
    assert "conversations.json" in str(failed.value)
    assert imports.list(empty) == []
    assert empty.database.value("SELECT count(*) FROM entries") == 0


def test_what_came_in_before_the_person_stopped_can_be_found(empty: Profile, tmp_path: Path) -> None:
    exports = tmp_path / "exports"
    exports.mkdir()
    generate.chatgpt_export(exports / "conversations.json", 3)
    mem0_file(exports / "mem0.json", [item(1, "Keeps bees")])

    def stop_at_the_second(stage: str, done: int, total: int) -> None:
        if imports.list(empty) and imports.list(empty)[-1].state == "done":
            raise Cancelled

    with pytest.raises(Cancelled):
        importing.import_path(empty, exports, progress=stop_at_the_second)
    text = empty.database.value("SELECT text FROM live_entries ORDER BY id LIMIT 1")
    assert search.search(empty, max(text.split(), key=len))


def test_one_broken_record_is_listed_with_its_position(empty: Profile, tmp_path: Path) -> None:
    export = tmp_path / "conversations.json"
    generate.chatgpt_export(export, 3)
    conversations = json.loads(export.read_text())
    conversations[1] = {"mapping": 7, "title": "broken"}
    export.write_text(json.dumps(conversations))
    (row,) = importing.import_path(empty, export, progress=quiet)
    assert row.counts["conversations"] == 2
    broken = [note for note in row.notes if note[0] == "broken"]
    assert len(broken) == 1
    assert "conversations.json" in broken[0][1]


def test_a_newer_export_says_what_is_new_changed_known_and_gone(empty: Profile, tmp_path: Path) -> None:
    importing.import_path(
        empty, mem0_file(tmp_path / "a.json", [item(n, f"memory {n}") for n in range(5)]), progress=quiet
    )
    newer = [item(0, "memory 0"), item(1, "memory one"), item(2, "memory 2"), item(9, "memory 9")]
    (row,) = importing.import_path(empty, mem0_file(tmp_path / "b.json", newer), progress=quiet)
    counts = row.counts
    assert (counts["memories.new"], counts["memories.changed"], counts["memories.known"], counts["memories.gone"]) == (
        1, 1, 2, 2,
    )  # fmt: skip


def test_the_step_of_an_import_is_found_whatever_the_clock_said(empty: Profile, tmp_path: Path) -> None:
    rows = [
        importing.import_path(empty, mem0_file(tmp_path / f"{n}.json", [item(n, f"memory {n}")]), progress=quiet)[0]
        for n in range(2)
    ]
    first, second = reversed(history.steps(empty))
    empty.database.execute("UPDATE journal SET at = at - 10000000 * id")
    found = [history.of_import(empty, row.import_id) for row in rows]
    assert [step and step.id for step in found] == [first.id, second.id]
    history.undo(empty, first.id)
    assert history.of_import(empty, rows[0].import_id) is None


def test_a_second_import_at_the_same_time_is_refused(empty: Profile, tmp_path: Path) -> None:
    with FileLock(empty.home / importing.LOCK), pytest.raises(StoreBusy) as busy:
        importing.import_path(empty, mem0_file(tmp_path / "a.json", [item(1, "x")]), progress=quiet)
    assert busy.value.advice


def test_a_backup_is_made_before_a_later_import(empty: Profile, tmp_path: Path) -> None:
    importing.import_path(empty, mem0_file(tmp_path / "a.json", [item(1, "x")]), progress=quiet)
    assert backup.backups(empty.home) == []
    importing.import_path(empty, mem0_file(tmp_path / "b.json", [item(2, "y")]), progress=quiet)
    assert [made.reason for made in backup.backups(empty.home)] == ["before-import"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("empty.zip", b""),
        ("no.json", b"{"),
        ("unknown.json", b'{"colour": "red"}'),
        ("text.zip", b"PK\x03\x04 but then nothing"),
        ("deep.json", b"[" * 1_000_000),
        ("wrong.json", '[{"mapping": {}}]'.encode("utf-16-le")),
        ("binary.bin", bytes(range(256)) * 100),
    ],
)
def test_what_is_no_export_is_told_and_nothing_is_stored(
    empty: Profile, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ImportFailed) as failed:
        importing.import_path(empty, tmp_path / name, progress=quiet)
    assert name in str(failed.value)
    assert imports.list(empty) == []


def test_a_missing_file(empty: Profile, tmp_path: Path) -> None:
    with pytest.raises(ImportFailed):
        importing.import_path(empty, tmp_path / "nowhere.zip", progress=quiet)
