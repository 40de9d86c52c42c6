"""Sets everything up, then runs the demo or the tests: `python packaging/bootstrap.py demo|test`.

Needs nothing but Python. It can be interrupted and run again; what is there is not done again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import qt_libraries
import torch_source
from console import CommandError, Progress, SetupError, Show
from environment import ROOT, Environment, exclusive
from language_model import Build

_EXTRAS = {"demo": "desktop", "test": "desktop,test,train"}
_PACKAGES_TAKE = {"demo": "1–3 min", "test": "2–5 min"}
# The report comes first; an open window does not hold the compiling up for longer than this.
_REPORT_TAKES_AT_MOST_S = 120
_NICENESS = 15


@dataclass(frozen=True)
class Step:
    title: str
    usual: str
    is_done: Callable[[], bool]
    run: Callable[[Show], None]


def plan(environment: Environment, goal: str, build: Build) -> list[Step]:
    """All steps of a goal, in order; llama.cpp is compiled while the rest of the tests' packages come."""
    venv = Step("Making .venv", "10 s", environment.exists, environment.create)
    packages = Step(
        "Installing packages",
        _PACKAGES_TAKE[goal],
        lambda: environment.is_stamped(goal),
        lambda show: install_packages(environment, goal, show),
    )
    qt = Step(
        "Checking Qt's libraries",
        "5 s, 20 s to install them",
        lambda: environment.is_stamped("qt"),
        lambda show: find_qt_libraries(environment, goal, show),
    )
    if goal == "demo":
        return [venv, packages, qt]
    start = Step("Starting to compile llama.cpp", "a moment", build.is_ready, lambda _: build.start())
    wait = Step("Compiling llama.cpp", "3–12 min, once", build.is_ready, build.wait)
    return [venv, start, packages, qt, wait]


def set_up(environment: Environment, goal: str, build: Build) -> None:
    began = time.monotonic()
    pending = [step for step in plan(environment, goal, build) if not step.is_done()]
    try:
        for number, step in enumerate(pending, start=1):
            with Progress(f"[{number}/{len(pending)}] {step.title}", step.usual) as progress:
                step.run(progress.show)
    finally:
        build.stop()
    print(f"All is set up ({time.monotonic() - began:.1f} s).", flush=True)


def install_packages(environment: Environment, goal: str, show: Show) -> None:
    build = torch_source.cpu_arguments(environment) if goal == "test" else []
    this = ["--editable", f"{environment.root}[{_EXTRAS[goal]}]"]
    pins = ["--constraint", str(environment.constraints)]
    with exclusive(environment.folder / "packages.lock", show):
        environment.pip("install", *build, *pins, *this, log=environment.log, show=show)
    environment.stamp("demo")
    environment.stamp(goal)


def find_qt_libraries(environment: Environment, goal: str, show: Show) -> None:
    """The demo goes on without a window, and looks for the libraries again next time."""
    try:
        qt_libraries.ensure(environment, show)
    except SetupError as error:
        if goal == "test":
            raise
        print(f"\n\n{error}\n\nUntil then the demo prints its report and opens no window.")
    else:
        environment.stamp("qt")


def run_demo(environment: Environment, build: Build) -> int:
    """Runs the demo, and starts what takes long only after its report."""
    shown = dict(os.environ)
    if not environment.is_stamped("qt"):
        for display in ("DISPLAY", "WAYLAND_DISPLAY"):
            shown.pop(display, None)
    demo = subprocess.Popen([environment.script("memreview"), "demo"], env=shown)
    with contextlib.suppress(subprocess.TimeoutExpired):
        demo.wait(_REPORT_TAKES_AT_MOST_S)
    if demo.returncode in (None, 0) and not build.is_ready():
        build.start(niceness=_NICENESS)
        print(
            "\nThe local language model is being set up in the background (usually 5 to 15 minutes, once). "
            "Settings shows how far it is.",
            flush=True,
        )
    return demo.wait()


def run_tests(environment: Environment) -> int:
    """Runs the checks, then the tests, whose closing line comes last if all went well."""
    python = str(environment.python)
    checks = {
        "ruff": [python, "-m", "ruff", "check"],
        "mypy": [python, "-m", "mypy"],
        "lint-imports": [str(environment.script("lint-imports"))],
    }
    failed = [name for name, command in checks.items() if call(name, command)]
    pytest = [python, "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]
    if call("pytest", pytest):
        failed.append("pytest")
    if failed:
        print(f"Failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def call(name: str, command: Sequence[str]) -> int:
    print(f"\n== {name}", flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description="Set memreview up, then run its demo or its tests.")
    parser.add_argument("goal", choices=("demo", "test"))
    goal = parser.parse_args().goal
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs an older one should read why it can't be
        print(f"memreview needs Python 3.11 or newer; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 1
    environment = Environment()
    build = Build(environment)
    try:
        set_up(environment, goal, build)
        return run_demo(environment, build) if goal == "demo" else run_tests(environment)
    except SetupError as error:
        if isinstance(error, CommandError):
            print(f"\n{error.output}", file=sys.stderr)
        print(f"\n{error}\nWhen that is mended, the same command goes on from here.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. What is done stays done; the same command goes on from here.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
