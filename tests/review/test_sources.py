"""Which source an export belongs to, when one file names the account and another doesn't."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memreview.evaluate import generate
from memreview.review import importing
from memreview.review.profile import Profile


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Profile]:
    made = Profile.open(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    path = tmp_path / "conversations.json"
    generate.chatgpt_export(path, 3)
    return path


def zipped(loose: Path, account: str) -> Path:
    path = loose.with_name(f"{account}.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(loose, "conversations.json")
        archive.writestr("user.json", json.dumps({"id": account, "email": "a@example.org", "chatgpt_plus_user": False}))
    return path


def take(profile: Profile, path: Path) -> int:
    (row,) = importing.import_path(profile, path, progress=lambda *args: None)
    return row.counts.get("entries.new", 0)


def sources(profile: Profile) -> list[str]:
    return [row[0] for row in profile.database.execute("SELECT account FROM sources ORDER BY id")]


def test_a_loose_file_after_the_zip_is_the_same_account(empty: Profile, loose: Path) -> None:
    assert take(empty, zipped(loose, "user-ines")) > 0
    assert take(empty, loose) == 0
    assert sources(empty) == ["user-ines"]


def test_the_zip_after_a_loose_file_names_its_source(empty: Profile, loose: Path) -> None:
    assert take(empty, loose) > 0
    assert take(empty, zipped(loose, "user-ines")) == 0
    assert sources(empty) == ["user-ines"]


def test_two_accounts_are_two_sources(empty: Profile, loose: Path, tmp_path: Path) -> None:
    take(empty, zipped(loose, "user-ines"))
    assert take(empty, zipped(loose, "user-joao")) > 0
    assert sources(empty) == ["user-ines", "user-joao"]


def test_two_unnamed_stores_do_not_drop_each_others_memories(empty: Profile, tmp_path: Path) -> None:
    for name in ("one", "two"):
        line = {"type": "entity", "name": name, "entityType": "person", "observations": [f"Likes {name}"]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line))
        take(empty, tmp_path / f"{name}.jsonl")
    assert empty.database.value("SELECT count(*) FROM live_memories WHERE native_state = 'gone'") == 0
    assert len(sources(empty)) == 2
