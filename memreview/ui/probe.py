"""Measures the window from inside, for `memreview bench`: `python -m memreview.ui.probe startup|empty|session HOME`.

Prints one JSON line. `MEMREVIEW_STARTED` is the Unix time at which the caller started this process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget

if TYPE_CHECKING:
    from memreview.ui.window import MainWindow

HEAVY = ("torch", "onnxruntime", "faiss", "llama_cpp", "sentence_transformers")
TICK_MS = 2
SETTLE_S = 0.6


def main(what: str, home: str) -> None:
    started = float(os.environ.get("MEMREVIEW_STARTED", time.time()))
    if what == "empty":
        app = QApplication([])
        window = QWidget()
        window.show()
        app.processEvents()
        print(json.dumps({"seconds": time.time() - started}))
        return
    from memreview.review.profile import Profile
    from memreview.ui.app import application, make_window

    app = application()
    profile = Profile.open(Path(home))
    window = make_window(app, profile)
    window.resize(1280, 800)
    window.show()
    try:
        if what == "startup":
            _until(lambda: window.counts.memories > 0)
            found = {"seconds": time.time() - started, "heavy": [name for name in HEAVY if name in sys.modules]}
        else:
            found = _session(window)
        print(json.dumps(found))
    finally:
        window.context.close()
        profile.close()


def _session(window: MainWindow) -> dict[str, object]:
    """What a person does in a minute, with a clock in the event loop: its longest silence is the longest stall."""
    watch = _Watch()
    places = (
        "inbox",
        "transitions",
        "questions",
        "quarantine",
        "memories",
        "history",
        "imports",
        "settings",
        "memories",
    )
    for key in places:
        watch.during(f"opening {key}", partial(window.show_place, key))
    panel = window.panel("memories")
    table = max(panel.findChildren(QTableView), key=lambda view: view.model().rowCount() if view.model() else 0)
    bar = table.verticalScrollBar()
    for share in (0.5, 1.0, 0.25, 0.75, 0.0):
        watch.during("scrolling", partial(bar.setValue, int(bar.maximum() * share)))
    for row in (0, 1, 2, 50):
        watch.during("choosing a memory", partial(table.setCurrentIndex, table.model().index(row, 0)))
    for column in (0, 3):
        watch.during("sorting", partial(table.sortByColumn, column, Qt.SortOrder.AscendingOrder))
    field = next(edit for edit in panel.findChildren(QLineEdit) if edit.isVisible())
    for letter in "porto choir":
        watch.during("typing a filter", partial(QTest.keyClicks, field, letter), settle=0.15)
    watch.during("clearing the filter", field.clear)
    watch.during("selecting all", table.selectAll)
    return {"longest_ms": watch.longest * 1000, "during": watch.where}


class _Watch:
    """The longest time between two turns of the event loop, and what was going on."""

    def __init__(self) -> None:
        self.longest, self.where = 0.0, ""
        self._doing = ""
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def during(self, doing: str, act: Callable[[], object], settle: float = SETTLE_S) -> None:
        self._tick()
        self._doing = doing
        act()
        end = time.perf_counter() + settle
        _until(lambda: time.perf_counter() >= end)

    def _tick(self) -> None:
        now = time.perf_counter()
        if now - self._last > self.longest:
            self.longest, self.where = now - self._last, self._doing
        self._last = now


def _until(done: Callable[[], bool], limit: float = 30.0) -> None:
    end = time.perf_counter() + limit
    while not done() and time.perf_counter() < end:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)


if __name__ == "__main__":
    main(*sys.argv[1:3])
