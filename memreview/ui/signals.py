"""Ctrl-C in the terminal and SIGTERM as news in Qt's event loop, so that the window ends as if it was closed."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier

ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def heard(end: Callable[[], object]) -> Iterator[None]:
    """While it lasts, these signals call `end` from the event loop, or when that starts. For the main thread."""
    # Python runs a handler only once Qt hands control back to it, which an idle window never does; the byte that
    # `set_wakeup_fd` writes wakes the loop at once. A socket: Windows takes no pipe here.
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    before = {number: signal.signal(number, lambda *_: None) for number in ENDING}

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def hear() -> None:
        if set(reader.recv(256)) & set(ENDING):
            give_back()  # a second one ends what does not end by itself
            end()

    notifier.activated.connect(hear)
    woken = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        give_back()
        notifier.setEnabled(False)
        reader.close()
        writer.close()
