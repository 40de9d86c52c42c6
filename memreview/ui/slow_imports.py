"""What takes long to import, imported on a thread of its own while the window goes on.

Whoever needs one of these imports it within a function: on the query thread after `wait`, on the main thread once
something read there has come back.
"""

from __future__ import annotations

from importlib import import_module
from threading import Event, Thread

SLOW = (*(f"memreview.review.{name}" for name in ("questions", "quarantine", "why", "node_decisions")), "pyqtgraph")

_done = Event()
_begun = Event()


def _import() -> None:
    for name in SLOW:
        import_module(name)
    _done.set()


def are_done() -> bool:
    """True once all are imported; the first call begins it."""
    if not _begun.is_set():
        _begun.set()
        Thread(target=_import, name="slow imports", daemon=True).start()
    return _done.is_set()


def wait() -> None:
    """Until all are imported. Not on the main thread."""
    if not are_done():
        _done.wait()
