"""Slow reads off the UI thread: one QThread that opens its own profile and answers questions with plain values.

A newer question with the same key replaces the older one; what the older finds is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from memreview.store.errors import StoreError

if TYPE_CHECKING:
    from memreview.review.profile import Profile


@dataclass(frozen=True)
class _Waiting:
    ticket: int
    answer: Callable[[Any], None]
    owner: QObject


class _Reader(QObject):
    """Lives in the query thread. `latest` is read and written as one dict operation, which the GIL keeps whole."""

    answered = Signal(str, int, object)
    failed = Signal(str, int, str, str)

    def __init__(self, home: Path, latest: dict[str, int]) -> None:
        super().__init__()
        self._home = home
        self._latest = latest
        self._profile: Profile | None = None

    @Slot(str, int, object)
    def read(self, key: str, ticket: int, question: Callable[[Profile], Any]) -> None:
        if self._latest.get(key) != ticket:
            return
        try:
            result = question(self._open())
        except StoreError as error:
            self.failed.emit(key, ticket, str(error), error.advice)
        except (ValueError, LookupError) as error:
            self.failed.emit(key, ticket, str(error), "")
        else:
            self.answered.emit(key, ticket, result)

    @Slot()
    def close(self) -> None:
        if self._profile is not None:
            self._profile.close()
            self._profile = None

    def _open(self) -> Profile:
        if self._profile is None:
            from memreview.review.profile import Profile

            self._profile = Profile.open(self._home)
        return self._profile


class Queries(QObject):
    """The face of the query thread in the main thread. `failed(message, advice)` tells what the world did to a read."""

    failed = Signal(str, str)
    _asked = Signal(str, int, object)
    _closing = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._latest: dict[str, int] = {}
        self._waiting: dict[str, _Waiting] = {}
        self._ticket = 0
        self._closed = False
        self._thread = QThread()
        self._thread.setObjectName("queries")
        self._reader = _Reader(home, self._latest)
        self._reader.moveToThread(self._thread)
        self._asked.connect(self._reader.read)
        self._closing.connect(self._reader.close, Qt.ConnectionType.BlockingQueuedConnection)
        self._reader.answered.connect(self._on_answered)
        self._reader.failed.connect(self._on_failed)

    def ask(self, key: str, question: Callable[[Profile], Any], answer: Callable[[Any], None], owner: QObject) -> None:
        """Questions that come after `close` are dropped: the window is going."""
        if self._closed:
            return
        if not self._thread.isRunning():
            self._thread.start()
        self._ticket += 1
        self._latest[key] = self._ticket
        self._waiting[key] = _Waiting(self._ticket, answer, owner)
        self._asked.emit(key, self._ticket, question)

    def cancel(self, key: str) -> None:
        self._latest.pop(key, None)
        self._waiting.pop(key, None)

    @property
    def idle(self) -> bool:
        """Nothing that was asked is still to be answered."""
        return not self._waiting

    @property
    def running(self) -> bool:
        return self._thread.isRunning()

    def close(self) -> None:
        """End the thread; safe to call twice."""
        self._closed = True
        self._waiting.clear()
        self._latest.clear()
        if self._thread.isRunning():
            self._closing.emit()
            self._thread.quit()
            self._thread.wait()

    @Slot(str, int, object)
    def _on_answered(self, key: str, ticket: int, result: Any) -> None:
        if (waiting := self._take(key, ticket)) is not None and shiboken6.isValid(waiting.owner):
            waiting.answer(result)

    @Slot(str, int, str, str)
    def _on_failed(self, key: str, ticket: int, message: str, advice: str) -> None:
        if self._take(key, ticket) is not None:
            self.failed.emit(message, advice)

    def _take(self, key: str, ticket: int) -> _Waiting | None:
        waiting = self._waiting.get(key)
        if waiting is None or waiting.ticket != ticket:
            return None
        return self._waiting.pop(key)
