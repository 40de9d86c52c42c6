"""The stamp that lets a second set-up do nothing, and the lock that keeps two from mixing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from environment import ROOT, Environment, exclusive


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    (tmp_path / "packaging").mkdir()
    (tmp_path / ".venv").mkdir()
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "packaging/constraints.txt").write_text("llama_cpp_python==0.3.36\n")
    (tmp_path / ".venv/pyvenv.cfg").write_text("version = 3.11.7\n")
    return Environment(tmp_path)


def test_a_stamp_holds_for_its_goal_alone(environment: Environment) -> None:
    environment.stamp("demo")
    assert environment.is_stamped("demo")
    assert not environment.is_stamped("test")


@pytest.mark.parametrize("file", ["pyproject.toml", "packaging/constraints.txt", ".venv/pyvenv.cfg"])
def test_a_stamp_falls_with_what_it_was_made_from(environment: Environment, file: str) -> None:
    environment.stamp("demo")
    with (environment.root / file).open("a") as stream:
        stream.write("changed\n")
    assert not environment.is_stamped("demo")


def test_a_stamp_falls_with_its_checkout(environment: Environment, tmp_path: Path) -> None:
    environment.stamp("demo")
    moved = environment.root.rename(tmp_path.with_name("moved"))
    assert not Environment(moved).is_stamped("demo")


@pytest.mark.parametrize("content", [None, "", '{"demo": "7'])
def test_a_missing_or_broken_stamp_is_no_stamp(environment: Environment, content: str | None) -> None:
    if content is not None:
        (environment.folder / "bootstrap.json").write_text(content)
    assert not environment.is_stamped("demo")


def test_no_environment_is_no_stamp(tmp_path: Path) -> None:
    assert not Environment(tmp_path).exists()
    assert not Environment(tmp_path).is_stamped("demo")


def test_a_package_counts_in_its_pinned_version_alone(environment: Environment) -> None:
    site = environment.folder / ("Lib/site-packages" if sys.platform == "win32" else "lib/python3.11/site-packages")
    (site / "llama_cpp_python-0.3.35.dist-info").mkdir(parents=True)
    assert not environment.installed("llama_cpp_python")
    (site / "llama_cpp_python-0.3.36.dist-info").mkdir()
    assert environment.installed("llama_cpp_python")


def test_a_lock_goes_with_the_process_that_held_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    hold = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "packaging")!r})
from environment import exclusive
from pathlib import Path
with exclusive(Path({str(lock)!r}), print):
    print("held", flush=True)
    time.sleep(60)
"""
    holder = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waits: list[str] = []

    def kill(activity: str) -> None:
        waits.append(activity)
        holder.kill()

    with exclusive(lock, kill):
        pass
    holder.communicate()
    assert waits == ["waiting for another set-up to end"]
