"""What is printed for a person: whole texts in a pipe, lines that fit a terminal, plain words, and what to do next."""

from __future__ import annotations

import io
import re
import shlex
from argparse import Namespace
from pathlib import Path

import pytest

from memreview.cli import deciding, main, program
from memreview.cli.output import Table, progress_line
from memreview.review import decisions, node_decisions, report
from memreview.review.profile import Profile
from memreview.review.words import KINDS
from memreview.ui.case_words import kind_words

LONG = "Keeps bees, and " * 40 + "a cat"
IDENTIFIERS = re.compile(
    r"\b(same_subject|explicit|implicit|propagated|superseded|quarantined|chatgpt(?!-export)|user|entry|program|done|entropy)\b"
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(capsys: pytest.CaptureFixture[str], home: Path, *arguments: str, status: int = 0) -> str:
    assert main(["--home", str(home), *arguments]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


# -- tables ---------------------------------------------------------------------------------------------------------


def table() -> Table:
    made = Table("id", "old", "new", "since")
    made.add(1, LONG, LONG, "2026-01-01")
    made.add(2, "short", "shorter", "2026-01-02")
    return made


def test_no_text_is_cut_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = str(table()).splitlines()
    assert lines[1].count(LONG) == 2
    assert "…" not in lines[1]
    assert len(lines[2]) < 150  # the long text does not widen every other line


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout", Terminal())
    lines = str(table()).splitlines()
    assert max(map(len, lines)) <= columns
    assert max(map(len, lines)) > columns - 5
    assert lines[1].endswith("2026-01-01")


def test_what_is_printed_into_a_pipe_is_whole(capsys: pytest.CaptureFixture[str], demo: Path) -> None:
    for arguments in (
        ["queue"],
        ["memories"],
        ["history"],
        ["report"],
        ["search", "swim", "--words-only"],
        ["why", "2"],
    ):
        assert not [line for line in printed(capsys, demo, *arguments).splitlines() if line.endswith(("…", "…”"))]


# -- words ----------------------------------------------------------------------------------------------------------


def test_cases_are_called_as_in_the_window(capsys: pytest.CaptureFixture[str], demo: Path) -> None:
    assert {kind: kind_words(kind) for kind in KINDS} == KINDS
    for shown in (printed(capsys, demo, "queue", "--limit", "99"), printed(capsys, demo, "report", "--all")):
        assert {words for words in KINDS.values() if words in shown} == set(KINDS.values())


def test_no_name_of_our_own_is_shown(capsys: pytest.CaptureFixture[str], demo: Path) -> None:
    claim = printed(capsys, demo, "quarantine").splitlines()[1].split()[0]
    printed(capsys, demo, "decide", "approve", "1")
    printed(capsys, demo, "undo")
    for arguments in (
        ["queue"],
        ["queue", "1"],
        ["quarantine"],
        ["quarantine", claim],
        ["why", "3"],
        ["history"],
        ["memories"],
        ["report"],
        ["search", "swim", "--words-only"],
    ):
        assert not IDENTIFIERS.findall(printed(capsys, demo, *arguments)), arguments


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [
        (["queue", "9999"], "case 9999. This lists what there is: PROGRAM queue"),
        (["quarantine", "9999"], "claim 9999. This lists what there is: PROGRAM quarantine"),
        (["questions", "9999"], "question 9999. This lists what there is: PROGRAM questions"),
        (["why", "9999"], "memory 9999. This lists what there is: PROGRAM memories"),
        (["why", "--claim", "9999"], "claim 9999. This lists what there is: PROGRAM quarantine"),
        (["decide", "approve", "9999"], "case 9999. This lists what there is: PROGRAM queue"),
        (["decide", "forget", "--memory", "9999"], "memory 9999. This lists what there is: PROGRAM memories"),
    ],
)
def test_an_unknown_number_is_told_with_what_lists_them(
    capsys: pytest.CaptureFixture[str], sample: Path, arguments: list[str], listed: str
) -> None:
    expected = listed.replace("PROGRAM", program.command(Namespace(home=sample)))
    assert printed(capsys, sample, *arguments, status=1) == f"memreview: There is no {expected}\n"


def test_a_decision_that_is_for_something_else_is_told_with_those_that_are_not(
    capsys: pytest.CaptureFixture[str], sample: Path
) -> None:
    told = printed(capsys, sample, "decide", "approve", "--memory", "1", status=1)
    assert told == "memreview: “approve” is not for a memory. There is: edit, limit, forget, restore.\n"


# -- decide --help --------------------------------------------------------------------------------------------------


def test_the_help_names_what_can_be_decided(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["decide", "--help"])
    shown = capsys.readouterr().out
    assert "a case      NUMBER         listed by `memreview queue`" in shown
    assert "approve, reject, edit, limit, forget, later, restore" in shown
    assert "a question  --question ID  listed by `memreview questions`" in shown


def test_the_table_of_decisions_is_what_the_program_takes() -> None:
    assert set(deciding.CASE.verbs) == set(decisions._ON_CASE)
    assert set(deciding.MEMORY.verbs) == set(decisions._ON_MEMORY)
    assert set(deciding.CLAIM.verbs) == set(node_decisions._ON_NODE)
    assert set(deciding.MEANS) == {verb for thing in deciding.THINGS for verb in thing.verbs}


def test_the_examples_of_the_help_work_on_the_demo(capsys: pytest.CaptureFixture[str], demo: Path) -> None:
    with pytest.raises(SystemExit):
        main(["decide", "--help"])
    examples = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  memreview decide")]
    assert len(examples) == 3
    for example in examples:
        assert "Step" in printed(capsys, demo, *shlex.split(example)[1:])


# -- import ---------------------------------------------------------------------------------------------------------


def test_an_import_says_what_it_brought_and_what_to_type_next(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "list.md").write_text("- Keeps bees\n- Lives in Porto\n")
    home = tmp_path / "a home"
    first = printed(capsys, home, "import", str(tmp_path / "list.md"), "--no-audit").splitlines()
    assert first[-2] == "This import: 2 new memories."
    assert first[-1].startswith("Next: ")
    assert first[-1].endswith(f" --home {shlex.quote(str(home))} audit")
    assert not re.search(r"\b0 ", "\n".join(first))
    again = printed(capsys, home, "import", str(tmp_path / "list.md")).splitlines()
    assert again[-2:] == ["Nothing new.", again[-1]]
    assert again[-1].endswith(" memories")
    assert "  list.md: 2 known already" in again
    assert not re.search(r"\b0 ", "\n".join(again))


def test_the_next_command_shows_what_waits(capsys: pytest.CaptureFixture[str], demo: Path) -> None:
    last = printed(capsys, demo, "audit").splitlines()[-1]
    assert last.endswith(f" --home {demo} queue")


def test_lines_that_are_no_list_are_warned_of_and_can_be_taken_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "diary.txt").write_text("I went to the market.\nIt rained.\n")
    (tmp_path / "list.md").write_text("- Keeps bees\n")
    home = tmp_path / "home"
    paths = [str(tmp_path / "diary.txt"), str(tmp_path / "list.md")]
    shown = printed(capsys, home, "import", *paths, "--no-audit")
    warned = re.search(r"Warning: diary.txt: .*each of its lines \(2\) was taken as one memory\.\n(.*)\n", shown)
    assert warned is not None
    assert "list.md: it is" not in shown
    undo = warned[1].partition("If that is not what you want: ")[2]
    assert "Undone: Import diary.txt" in printed(capsys, home, *shlex.split(undo[undo.index("undo") :]))
    assert "Warning" not in printed(capsys, home, "import", paths[1], "--no-audit")


def test_progress_is_counted_on_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "list.md").write_text("- Keeps bees\n- Lives in Porto\n")
    assert main(["--home", str(tmp_path / "h"), "import", str(tmp_path / "list.md")]) == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    with progress_line() as progress:
        progress("meaning", 1_200, 1_200)
        progress("reading", 5_500_000, 5_500_000)
        progress("comparing", 100, 100)
    lines = re.sub("\x1b\\[K", "", terminal.getvalue()).split("\r")
    assert lines == ["", "Reading for meaning 1,200 of 1,200", "Reading 5.5 of 5.5 MB", "Comparing 100 %", ""]


def test_the_report_leaves_out_what_there_is_none_of(tmp_path: Path) -> None:
    profile = Profile.open(tmp_path)
    assert report.text(profile).splitlines()[0] == "No memories."
    assert not re.search(r"\b0\b", report.text(profile))
    profile.close()
