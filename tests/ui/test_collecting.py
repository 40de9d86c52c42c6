"""Widgets in a cycle must go on the main thread, whichever thread allocates."""

from __future__ import annotations

import gc
import threading

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from memreview.ui.collecting import Collector


class _Watched(QLabel):
    """Notes the thread that it goes on. Part of a cycle, as a widget is whose slot is a function that names it."""

    def __init__(self, gone: list[int]) -> None:
        super().__init__()
        self.gone = gone
        self.itself = self

    def __del__(self) -> None:
        self.gone.append(threading.get_ident())


def _allocate(_profile: object = None) -> int:
    return len([[number] for number in range(200_000)])  # far beyond any threshold


def test_what_the_query_thread_allocates_frees_no_widget_there(open_window, qtbot):
    window = open_window()
    gone: list[int] = []
    _Watched(gone)
    read: list[int] = []
    window.context.ask("k", _allocate, read.append, QObject(window))
    qtbot.waitUntil(lambda: bool(read) and bool(gone))
    assert gone == [threading.get_ident()]


def test_collection_is_automatic_again_after_the_window(open_window):
    window = open_window()
    assert not gc.isenabled()
    gone: list[int] = []
    _Watched(gone)
    window.context.close()
    assert gone == [threading.get_ident()]
    assert gc.isenabled()


def test_the_old_are_collected_less_often_than_the_young(qapp, monkeypatch):
    collected: list[int] = []
    collector = Collector()
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    for counts in ((10, 0, 0), (701, 3, 10), (701, 11, 10), (3, 11, 11)):
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        collector._collect()
    assert collected == [0, 1, 2]
    collector.stop()
