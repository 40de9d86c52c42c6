"""The command line as a person and a script use it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memreview.cli import main, program
from tests.review.builders import profile_with_cases

Run = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    profile_with_cases(folder).close()
    return folder


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on the profile with `--json`; gives the decoded value."""

    def command(*arguments: str, status: int = 0) -> Any:
        assert main(["--home", str(home), "--json", *arguments]) == status
        return json.loads(capsys.readouterr().out)

    return command


def test_queue_and_case(run: Run) -> None:
    assert run("queue")[0]["new_claim"] == "Lives in Porto"
    assert run("queue", "1")["old_context"]["entries"][0]["origin"] == "user"


def test_decide_undo_redo_history(run: Run) -> None:
    assert run("decide", "approve", "1", "--preview")["counts"]["memories superseded"] == 1
    assert run("decide", "approve", "1")["label"] == "Approve 1 case"
    assert [case["id"] for case in run("queue")] == [2]
    assert run("undo")["verb"] == "approve"
    assert run("redo")["verb"] == "approve"
    assert run("redo") is None
    assert [step["verb"] for step in run("history")] == ["approve", "audit", "import"]


def test_memories_search_report(run: Run) -> None:
    assert run("memories", "walnuts")["count"] == 2
    hits = run("search", "porto", "--words-only")
    assert {hit["target"] for hit in hits} <= {"memory", "entry"}
    assert run("report")["counts"]["pending"] == 2


def test_export_and_tell(run: Run, tmp_path: Path) -> None:
    run("decide", "approve", "1")
    written = run("export", "json", str(tmp_path / "out.json"))
    assert written["memories"] == 4
    assert written["not_carried"]
    assert "Porto" in (tmp_path / "out.json").read_text()
    assert run("tell", "chatgpt") == []  # what mem0 holds is none of ChatGPT's business
    assert "Porto" in run("tell", "chatgpt", "--all-sources")[0]
    assert main(["--home", "nowhere", "export", "json", str(tmp_path / "out.json")]) == 1


def test_doctor_backs_up_and_restores(run: Run, home: Path) -> None:
    assert all(finding["ok"] for finding in run("doctor") if not finding["name"].startswith("model"))
    made = Path(run("doctor", "--back-up")["path"])
    told = {finding["name"]: finding["detail"] for finding in run("doctor")}
    assert (told["profile folder"], told["backups"]) == (str(home), made.name)
    run("decide", "delete", "--memory", "4")
    assert run("memories", "is:deleted")["count"] == 1
    run("doctor", "--restore")
    assert run("memories", "is:deleted")["count"] == 0


def test_text_for_people(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["queue"], ["queue", "1"], ["history"], ["memories"], ["report"], ["models"], ["doctor"]):
        assert main(["--home", str(home), *arguments]) == 0, arguments
        out = capsys.readouterr().out
        assert out.strip()
        assert "\x1b" not in out
    assert main(["report", "--home", str(home)]) == 0  # the option may stand behind the command too
    assert "Lives in Lisbon" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["queue", "99"],
        ["decide", "approve", "99"],
        ["decide", "approve"],
        ["decide", "scope", "1"],
        ["decide", "snooze", "1", "--until", "soon"],
        ["memories", "is:purple"],
        ["import", "nowhere.zip"],
        ["export", "mem0", "/nowhere/at/all.json"],
        ["doctor", "--restore", "none.sqlite"],
        ["undo", "77"],
        ["bench", "nothing"],
    ],
)
def test_bad_input_is_one_line_and_status_1(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    status = main(["--home", str(home), *arguments])
    captured = capsys.readouterr()
    assert status == 1
    assert len(captured.err.strip().splitlines()) == 1
    assert captured.err.startswith("memreview: ")


def test_usage_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["decide", "obliterate", "1"])
    assert stopped.value.code == 2
    capsys.readouterr()


def test_no_profile_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path / "none"), "report"]) == 1
    assert "Import an export first" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_import_of_a_pasted_list(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Keeps bees\nIs allergic to walnuts\n")))
    assert main(["--home", str(tmp_path), "--json", "import", "-", "--no-audit"]) == 0
    assert json.loads(capsys.readouterr().out)["imports"][0]["counts"]["memories.new"] == 2


def test_hostile_text_can_not_disturb_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "Keeps \x1b[2J\x1b]0;owned\x07 bees \u202egnp.exe"
    (tmp_path / "m.json").write_text(json.dumps([{"id": "1", "memory": hostile, "hash": "0" * 32}]))
    assert main(["--home", str(tmp_path / "h"), "import", str(tmp_path / "m.json"), "--no-audit"]) == 0
    assert main(["--home", str(tmp_path / "h"), "memories"]) == 0
    out = capsys.readouterr().out
    assert "Keeps" in out
    assert not set(out) & set("\x1b\x07\u202e")


def test_a_piped_list_in_another_encoding_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("likes café\n".encode("cp1252"))))
    assert main(["--home", str(tmp_path), "import", "-"]) == 1
    assert "UTF-8" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
def test_a_full_disk_is_told_in_one_line() -> None:
    command = f"{sys.executable} -m memreview models > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "memreview: No space left on device. What was done stays.\n"


# -- decisions in words ---------------------------------------------------------------------------------------------


def called(home: Path) -> str:
    return program.command(Namespace(home=home))


def shown(capsys: pytest.CaptureFixture[str], home: Path, *arguments: str, status: int = 0) -> str:
    assert main(["--home", str(home), *arguments]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["edit", "--memory", "4", "--text", "Keeps ten bees"], "Edited: “Keeps bees” → “Keeps ten bees”."),
        (["forget", "--memory", "4"], "Forgotten: “Keeps bees”."),
        (["approve", "1"], "Replaced: “Lives in Lisbon” → “Lives in Porto”."),
        (["reject", "1"], "Kept: “Lives in Lisbon”; “Lives in Porto” is not proposed again."),
        (["later", "1", "--until", "2099-12-31"], "Put off until 2099-12-31: “Lives in Lisbon” → “Lives in Porto”."),
        (["limit", "--memory", "4", "--scope", "at work"], "Limited: “Keeps bees” holds only at work."),
    ],
)
def test_decide_says_what_it_changed(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    told = shown(capsys, home, "decide", *arguments).splitlines()
    assert told == [line, f"Step 3; this takes it back: {called(home)} undo"]


def test_many_decided_things_are_told_shortly(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(json.dumps([{"id": str(n), "memory": f"Fact {n}"} for n in range(14)]))
    shown(capsys, tmp_path / "h", "import", str(tmp_path / "m.json"), "--no-audit")
    wanted = [part for number in range(1, 15) for part in ("--memory", str(number))]
    told = shown(capsys, tmp_path / "h", "decide", "forget", *wanted).splitlines()
    assert len(told) == 7
    assert told[5] == "and 9 more"


def test_a_preview_lists_each_case_and_counts_in_plain_words(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(capsys, home, "decide", "approve", "1", "2", "--preview")
    assert "“Lives in Lisbon” → “Lives in Porto”" in told
    assert "“Is allergic to walnuts” → “Allergic to walnuts, carries a pen”" in told
    assert "In all: 1 memory is added, 2 memories no longer count" in told
    assert "superseded" not in told
    assert "others" not in told


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["decide", "snooze", "1"], "Say until when, for example --until 2026-12-31."),
        (["decide", "scope", "1"], '--scope "at work"'),
        (["decide", "edit", "--memory", "4"], "--text"),
        (["decide", "answer", "--question", "1"], "--answer"),
        (["queue", "999"], "There is no case 999."),
        (["decide", "approve", "999"], "There is no case 999."),
    ],
)
def test_an_error_says_how(home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    assert line in shown(capsys, home, *arguments, status=1)


def test_no_profile_names_the_folder_and_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = shown(capsys, tmp_path / "none", "queue", status=1)
    assert f"There is no profile in {tmp_path / 'none'} yet. Import an export first: memreview import FILE" in told


def test_the_hint_after_the_demo_can_be_typed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", ["/there/bin/memreview", "demo"])
    assert program._started_as() == "/there/bin/memreview"
    monkeypatch.setattr("sys.argv", ["/there/memreview/__main__.py", "demo"])
    assert program._started_as() == f"{sys.executable} -m memreview"
