"""`memreview models` as a script uses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreview.cli import main
from tests.language.llm_server import knowing, serving


def run(capsys: pytest.CaptureFixture[str], home: Path, *arguments: str, status: int = 0) -> Any:
    assert main(["--home", str(home), "--json", "models", *arguments]) == status
    out = capsys.readouterr()
    return json.loads(out.out) if status == 0 else out.err


def test_files_are_listed_without_a_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, tmp_path / "nowhere")
    assert told["language_model"] is None
    assert len(told["files"]) >= 3
    assert not (tmp_path / "nowhere").exists()


def test_a_server_is_chosen_tried_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(knowing) as told:
        status = run(capsys, tmp_path, "use", told.url, "--model", "m")
        assert {"task": "rewrite", "by": "model", "reason": "", "right": 6, "cases": 6} in status["jobs"]
        assert run(capsys, tmp_path)["language_model"] == status
        assert run(capsys, tmp_path, "probe")["jobs"] == status["jobs"]
    assert main(["--home", str(tmp_path), "models"]) == 0
    shown = capsys.readouterr().out
    assert "leave memreview for this server" in shown
    assert main(["--home", str(tmp_path), "doctor"]) in (0, 1)
    assert f"m at {told.url}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("use", "https://192.0.2.1/v1"), "Add --elsewhere"),
        (("use", "ftp://localhost"), "not the address"),
        (("use", "nowhere.gguf"), "can't be read"),
        (("use",), "models use MODEL"),
        (("probe", "bundled"), "models use MODEL"),
        (("use", "http://127.0.0.1:9/v1"), "can't be reached"),
    ],
)
def test_what_can_not_be_used_is_one_line_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    error = run(capsys, tmp_path, *arguments, status=1)
    assert words in error
    assert len(error.strip().splitlines()) == 1
    assert main(["--home", str(tmp_path), "models", "use", "off"]) == 0
