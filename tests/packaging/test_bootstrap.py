"""What set-up would do, and that it does nothing, quickly, where all is there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import bootstrap
import pytest
from console import CommandError, Progress, SetupError, last_activity, run
from environment import ROOT, Environment
from language_model import Build


def titles(goal: str) -> list[str]:
    environment = Environment(Path("nowhere"))
    return [step.title for step in bootstrap.plan(environment, goal, Build(environment))]


def test_nothing_stands_between_the_demo_and_its_report_but_packages() -> None:
    assert titles("demo") == [
        "Making .venv",
        "Installing packages",
        "Checking Qt's libraries",
    ]


def test_the_tests_compile_llama_cpp_while_packages_come() -> None:
    order = titles("test")
    assert order.index("Starting to compile llama.cpp") < order.index("Installing packages")
    assert order[-1] == "Compiling llama.cpp"


def test_steps_that_are_done_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def plan(*_: object) -> list[bootstrap.Step]:
        return [
            bootstrap.Step(name, "a moment", lambda there=there: there, lambda _, name=name: done.append(name))
            for name, there in (("first", True), ("second", False), ("third", False))
        ]

    monkeypatch.setattr(bootstrap, "plan", plan)
    environment = Environment(tmp_path)
    bootstrap.set_up(environment, "demo", Build(environment))
    assert done == ["second", "third"]
    assert "[1/2] second (usually a moment)" in capsys.readouterr().out


def test_a_failing_command_ends_with_what_it_said(tmp_path: Path) -> None:
    log = tmp_path / "log"
    talk = "print('no space left'); raise SystemExit(3)"
    with pytest.raises(CommandError, match="This command failed") as caught:
        run([sys.executable, "-c", talk], log, lambda _: None)
    assert "no space left" in caught.value.output
    assert isinstance(caught.value, SetupError)


@pytest.mark.parametrize(
    ("output", "activity"),
    [
        ("Collecting numpy==2.4.6\n  WARNING: a host is ignored\n", "Collecting numpy==2.4.6"),
        ("  [12/132] c++ -O3 -c a.cpp\n   warning: unused\n", "12 of 132 files compiled"),
        ("nothing to see\n", ""),
    ],
)
def test_the_log_tells_what_a_command_is_at(tmp_path: Path, output: str, activity: str) -> None:
    (tmp_path / "log").write_text(output)
    assert last_activity(tmp_path / "log") == activity


def test_progress_says_when_a_step_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SetupError), Progress("[1/1] A step", "a moment"):
        raise SetupError
    assert "[1/1] A step: stopped after 0:00" in capsys.readouterr().out


def test_all_set_up_is_seen_in_under_five_seconds() -> None:
    environment = Environment()
    build = Build(environment)
    if not all(step.is_done() for step in bootstrap.plan(environment, "test", build)):
        pytest.skip("this environment was not set up by bootstrap.py")
    look = (
        "import bootstrap, environment, language_model; here = environment.Environment();"
        "bootstrap.set_up(here, 'test', language_model.Build(here))"
    )
    before = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", look],
        env={**os.environ, "PYTHONPATH": str(ROOT / "packaging")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert time.monotonic() - before < 5
    assert done.stdout.startswith("All is set up (")


@pytest.mark.parametrize("arguments", [[], ["deploy"]])
def test_another_goal_is_a_usage_error(arguments: list[str]) -> None:
    script = [sys.executable, str(ROOT / "packaging/bootstrap.py"), *arguments]
    assert subprocess.run(script, capture_output=True, check=False).returncode == 2
