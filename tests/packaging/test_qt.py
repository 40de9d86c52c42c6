"""Qt 6.12.0's Python binding loses a reference to None on each call that returns nothing; ours must not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6
import pytest
import qt_libraries
from environment import Environment

# In a process of its own, with nothing else that could count up or down meanwhile.
_COUNT = """
import sys
from PySide6.QtCore import QObject
thing = QObject()
thing.setObjectName("warm")
before = sys.getrefcount(None)
for _ in range(1000):
    thing.setObjectName("name")
print(sys.getrefcount(None) - before)
"""


def test_calls_without_a_result_keep_none_alive() -> None:
    counted = subprocess.run([sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True)
    assert abs(int(counted.stdout)) < 100
    assert PySide6.__version__ != "6.12.0"


def test_a_library_that_qt_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(qt_libraries, "_LOAD", "import ctypes; ctypes.CDLL('libnothere.so.7')")
    environment = Environment(tmp_path)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    assert qt_libraries.missing_library(environment) == "libnothere.so.7"
