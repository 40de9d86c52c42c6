"""The catalogue tells a whole file from a missing and a damaged one, and how far llama.cpp is."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import time
from pathlib import Path
from typing import Any

import pytest

from memreview.language.model_files import (
    CATALOGUE,
    EMBEDDER,
    TRAINED,
    FileState,
    ModelFile,
    RuntimeState,
    catalogue,
    embedder_folder,
    llama_build_state,
)
from memreview.language.onnx_model import CONFIG

CONTENT = b"weights" * 1000


@pytest.fixture
def known() -> ModelFile:
    digest = hashlib.sha256(CONTENT).hexdigest()
    return ModelFile("a/model.bin", "tests", digest, len(CONTENT), "Apache-2.0", "nowhere")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "model.bin").write_bytes(CONTENT)
    return tmp_path


def test_a_whole_file(known: ModelFile, folder: Path) -> None:
    assert known.status(folder=folder).state is FileState.PRESENT
    assert known.status(folder=folder, verify=True).state is FileState.VERIFIED
    assert known.status(folder=folder, verify=True).usable


def test_a_missing_file(known: ModelFile, tmp_path: Path) -> None:
    status = known.status(folder=tmp_path)
    assert (status.state, status.usable) == (FileState.MISSING, False)
    assert "model.bin is missing" in status.reason


def test_a_short_file_is_seen_without_reading_it(known: ModelFile, folder: Path) -> None:
    known.path(folder).write_bytes(CONTENT[:-1])
    assert known.status(folder=folder).state is FileState.DAMAGED


def test_a_changed_file_is_seen_by_its_checksum_also_after_it_was_whole(known: ModelFile, folder: Path) -> None:
    assert known.status(folder=folder, verify=True).usable
    known.path(folder).write_bytes(CONTENT[:-1] + b"X")
    assert known.status(folder=folder).usable
    status = known.status(folder=folder, verify=True)
    assert (status.state, status.usable) == (FileState.DAMAGED, False)


def test_the_shipped_files_are_the_ones_in_the_catalogue() -> None:
    config = json.loads((embedder_folder() / CONFIG).read_bytes())
    shipped = [file for file in CATALOGUE if file.name.startswith(EMBEDDER)]
    assert {file.path().name: file.sha256 for file in shipped} == config["sha256"]
    assert all(file.status(verify=True).state is FileState.VERIFIED for file in shipped)
    assert all(not file.optional for file in shipped)


def test_every_file_says_what_it_is_for_and_where_it_is_from() -> None:
    for file in catalogue():
        assert file.purpose
        assert file.licence
        assert file.source
        assert len(file.sha256) == 64


def test_what_we_trained_is_there_and_whole() -> None:
    trained = [file for file in catalogue() if file.name.partition("/")[0] in TRAINED]
    assert {file.name.partition("/")[0] for file in trained} == set(TRAINED)
    assert all(file.status(verify=True).state is FileState.VERIFIED for file in trained)


def test_a_missing_folder_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("memreview.language.model_files.MODELS", tmp_path)
    missing = [file for file in catalogue() if file.name == "claims/config.json"]
    assert [file.status(folder=tmp_path).state for file in missing] == [FileState.MISSING]


INSTALLED = importlib.util.find_spec("llama_cpp") is not None


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"state": "building", "step": "compiling", "updated_at": time.time() + 3600}, RuntimeState.BUILDING),
        ({"state": "building", "updated_at": 0}, RuntimeState.FAILED),
        ({"state": "failed", "reason": "no compiler"}, RuntimeState.FAILED),
        (None, RuntimeState.ABSENT),
        ({}, RuntimeState.ABSENT),
    ],
)
def test_how_far_llama_cpp_is(tmp_path: Path, told: dict[str, Any] | None, expected: RuntimeState) -> None:
    if told is not None:
        (tmp_path / "llama-build.json").write_text(json.dumps(told))
    if INSTALLED and expected is not RuntimeState.BUILDING:
        expected = RuntimeState.READY
    assert llama_build_state(tmp_path).state is expected


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"started_at": null}', b"\xff"])
def test_a_torn_state_file_is_no_state(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "llama-build.json").write_bytes(content)
    assert llama_build_state(tmp_path).state in (RuntimeState.READY, RuntimeState.ABSENT)
