"""Garbage is collected on the main thread alone.

Python collects on whichever thread happens to allocate. On the query thread that would free widgets that are part of a
cycle, and Qt crashes when they go off their own thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 500  # milliseconds


class Collector(QObject):
    """While it lives, instead of the automatic collection, at Python's own thresholds. Made on the main thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()  # what is there already stays: to look through it again and again would hold up the window
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self._collect)
        self._timer.start()

    def stop(self) -> None:
        """Collection is automatic again; what is left goes now, while it is known where. Safe to call twice."""
        if self._timer.isActive():
            self._timer.stop()
            gc.unfreeze()
            gc.collect()
            gc.enable()

    def _collect(self) -> None:
        grown = [count > threshold for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)]
        if any(grown):
            gc.collect(max(generation for generation, full in enumerate(grown) if full))
