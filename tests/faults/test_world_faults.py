"""What the world does: odd folders, locked and damaged files, hostile texts."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.audit.lifecycle.claims import claims
from memreview.audit.lifecycle.stance import sentences
from memreview.cli import main
from memreview.exporters import ExportFailed
from memreview.importers.generic_csv import NeedsMapping
from memreview.importers.times import moment
from memreview.review import doctor, exports, importing, memories
from memreview.review.profile import Profile
from memreview.store import backup, integrity
from memreview.store.database import FILE_NAME
from memreview.store.errors import StoreBusy
from tests.review.builders import profile_with_cases


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def profile(home: Path) -> Iterator[Profile]:
    made = profile_with_cases(home)
    yield made
    made.close()


@pytest.fixture
def empty(home: Path) -> Iterator[Profile]:
    made = Profile.open(home)
    yield made
    made.close()


def quiet(stage: str, done: int, total: int) -> None:
    pass


@pytest.mark.parametrize("name", ["a#b", "100%25", "what is this"])
def test_a_backup_is_restored_whatever_the_folder_is_called(tmp_path: Path, name: str) -> None:
    home = tmp_path / name
    opened = profile_with_cases(home)
    count = memories.count(opened)
    made = backup.back_up(opened.database, reason="by-hand")
    assert doctor.difference(opened, made.path)["memories"] == (count, count)
    opened.close()
    doctor.restore(home, made.path)
    opened = Profile.open(home)
    assert memories.count(opened) == count
    opened.close()


def test_a_restore_is_refused_while_the_profile_is_open(profile: Profile, home: Path) -> None:
    backup.back_up(profile.database, reason="by-hand")
    assert main(["--home", str(home), "doctor", "--restore"]) == 1


def test_an_export_does_not_replace_the_profile(profile: Profile, home: Path) -> None:
    with pytest.raises(ExportFailed):
        exports.export(profile, "csv", home / FILE_NAME)
    assert memories.count(profile) == 4


@pytest.mark.parametrize("page", range(2, 30, 3))
def test_doctor_tells_of_a_damaged_file_without_a_traceback(profile: Profile, home: Path, page: int) -> None:
    profile.close()
    content = bytearray((home / FILE_NAME).read_bytes())
    content[page * 4096 : page * 4096 + 21] = b"garbagegarbagegarbage"
    (home / FILE_NAME).write_bytes(content)
    assert main(["--home", str(home), "doctor"]) == 1


def test_doctor_does_not_call_a_locked_index_damaged(profile: Profile) -> None:
    other = sqlite3.connect(profile.database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    profile.database.execute("PRAGMA busy_timeout = 10")
    with pytest.raises(StoreBusy):
        integrity.check(profile.database)
    other.close()


@pytest.mark.parametrize("word", ["a", "é", " ", "changed ", "x went up "])
def test_an_endless_sentence_is_read_in_no_time(word: str) -> None:
    started = time.process_time()
    for sentence in sentences("My key is " + word * 50_000 + "."):
        claims(sentence, noted=True)
    assert time.process_time() - started < 3


def test_a_list_that_begins_with_a_very_long_memory_is_known(empty: Profile, tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    items = [
        {"id": str(n), "memory": text, "hash": "0", "user_id": "i"} for n, text in enumerate(["x " * 150_000, "y"])
    ]
    path.write_text(json.dumps(items))
    assert importing.import_path(empty, path, progress=quiet)[0].provider == "mem0"


def test_a_table_with_the_separator_line_of_excel(empty: Profile, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("sep=;\nmemory;created\nLikes tea;2025-01-02\n")
    try:
        importing.import_path(empty, path, progress=quiet)
    except NeedsMapping:
        pytest.fail("asks for columns")


def test_a_date_that_may_be_either_of_two_days_is_not_certain() -> None:
    assert moment("25/11/2025").us == moment("2025-11-25").us
    assert moment("11/25/2025").us == moment("2025-11-25").us
    assert not moment("03/04/2025").known


@pytest.mark.parametrize("command", [["undo", "9" * 20], ["queue", "9" * 20], ["history", "--limit", "9" * 20]])
def test_a_number_that_no_row_can_have_is_bad_input(profile: Profile, home: Path, command: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--home", str(home), *command])
    assert stopped.value.code == 2


def test_an_empty_path_is_not_the_present_folder(
    empty: Profile, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "list.md").write_text("- Likes tea\n- Likes coffee\n")
    monkeypatch.chdir(tmp_path / "here")
    assert main(["--home", str(home), "import", "--no-audit", ""]) != 0


@pytest.mark.skipif(os.name == "nt", reason="Windows names are text")
def test_an_export_to_a_name_that_is_no_utf8_succeeds(profile: Profile, home: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "out\udcff.json")
    assert main(["--home", str(home), "--json", "export", "json", path]) == 0


def test_a_foreign_lock_file_is_told_in_words(profile: Profile, home: Path, tmp_path: Path) -> None:
    (home / importing.LOCK).unlink(missing_ok=True)
    (home / importing.LOCK).mkdir()
    (tmp_path / "list.md").write_text("- Likes tea\n- Likes coffee\n")
    assert main(["--home", str(home), "import", "--no-audit", str(tmp_path / "list.md")]) == 1


def test_doctor_says_why_there_is_no_search_by_meaning(
    profile: Profile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.onnx").write_bytes(b"not a model")
    monkeypatch.setenv("MEMREVIEW_EMBEDDER", str(tmp_path / "model"))
    finding = next(finding for finding in doctor.check(profile) if finding.name == "meaning index")
    assert not finding.ok
