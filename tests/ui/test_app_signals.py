"""A signal ends the running window in order: nothing is asked, nothing crashes, and the profile can be opened again."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLockFile

from memreview.review import jobs, settings
from memreview.review.profile import Profile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no other system sends these to a process")
SHOWN = """
import sys; from pathlib import Path
from PySide6.QtCore import QTimer
from memreview.ui import app
def look():
    for window in running.topLevelWidgets():
        if hasattr(window, "context") and window.isVisible():
            looking.stop()
            {then}
def say(*_):
    print("now", flush=True)
running = app.application()
looking = QTimer(interval=50)
looking.timeout.connect(look)
looking.start()
sys.exit(app.main(Path(sys.argv[1])))
"""
IDLE = "window.context.worker.start().readyReadStandardOutput.connect(say)"
IMPORTING = "window.context.worker.submit('sample').progressed.connect(say)"
IN_A_DIALOG = "QTimer.singleShot(200, say); from memreview.ui.dialogs.messages import tell; tell(window, 'A', 'B')"

Start = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def started(home: Path) -> Iterator[Start]:
    """A window of its own process group, as in a terminal; it is there once what it does has begun."""
    running: list[subprocess.Popen[str]] = []

    def start(then: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", SHOWN.replace("{then}", then), str(home)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "then"),
    [
        (signal.SIGINT, IDLE),
        (signal.SIGTERM, IDLE),
        (signal.SIGINT, IMPORTING),
        (signal.SIGTERM, IN_A_DIALOG),
    ],
    ids=["Ctrl-C", "SIGTERM", "Ctrl-C while importing", "SIGTERM in a dialog"],
)
def test_a_signal_ends_the_window_in_order(started: Start, home: Path, number: int, then: str) -> None:
    process = started(then)
    assert stat.S_IMODE((home / "window.lock").stat().st_mode) == 0o600
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # Ctrl-C goes to the worker too
    else:
        process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    said = [line for line in errors.splitlines() if "propagateSizeHints" not in line]  # of the off-screen plugin
    assert (process.returncode, said) == (0, [])
    lock = QLockFile(str(home / "window.lock"))
    assert lock.tryLock(0)
    lock.unlock()
    assert _nobody_left(process.pid)
    profile = Profile.open(home)
    assert settings.get(profile, "window"), "the next window would not be where this one was"
    jobs.backup(profile, {}, lambda *_: None)
    profile.close()


def _nobody_left(group: int) -> bool:
    """The worker ends with the window."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
