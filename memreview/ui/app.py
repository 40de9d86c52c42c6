"""Starts the window: application, colours, one window a profile, and what to say when the profile can't be opened."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QApplication

from memreview.review import settings
from memreview.review.profile import Profile, home_folder
from memreview.store.errors import StoreError
from memreview.ui import crash, signals
from memreview.ui.commands import Commands
from memreview.ui.context import AppContext
from memreview.ui.dialogs.messages import tell, tell_crash
from memreview.ui.tasks import Queries
from memreview.ui.text import tr
from memreview.ui.theme import Theme
from memreview.ui.window import MainWindow
from memreview.ui.worker import WorkerClient

LOCK = "window.lock"


def main(home: Path | None = None, argv: Sequence[str] = ()) -> int:
    """Show the window until it is closed or a signal ends it; 0, or 1 where the profile can't be opened (a dialog has
    said why)."""
    app = application(argv)
    with signals.heard(app.exit):  # ends every loop, also that of an open dialog, and asks nothing
        return _run(app, home or home_folder())


def _run(app: QApplication, folder: Path) -> int:
    try:
        profile = Profile.open(folder)
    except StoreError as error:
        Theme(app)
        return _refuse(folder, error)
    lock = QLockFile(str(folder / LOCK))
    lock.setStaleLockTime(0)
    if not lock.tryLock(0):
        Theme(app)
        profile.close()
        tell(None, *_locked_words(lock))
        return 1
    with suppress(OSError):  # a file system without modes
        os.chmod(folder / LOCK, 0o600)
    window = make_window(app, profile)
    crash.install(folder, lambda path, text: tell_crash(window, path, text))
    window.show()
    try:
        return app.exec()
    finally:
        window.put_away()
        window.context.profile.close()  # not `profile`: a restore puts another one in its place
        lock.unlock()


def _locked_words(lock: QLockFile) -> tuple[str, str]:
    if lock.error() == QLockFile.LockError.LockFailedError:
        return (
            tr("This profile is already open in another window."),
            tr("Go to that window, or choose another profile folder with --home."),
        )
    return (
        tr("The profile folder can't be written."),
        tr("Make it writable, or choose another profile folder with --home."),
    )


def application(argv: Sequence[str] = ()) -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication([sys.argv[0], *argv])
    app.setApplicationName("memreview")
    app.setApplicationDisplayName("memreview")
    app.setDesktopFileName("memreview")
    return app


def make_window(app: QApplication, profile: Profile) -> MainWindow:
    """The window over an open profile, not shown yet. Whoever makes it closes it, which ends its threads."""
    theme = Theme(app, settings.get(profile, "appearance"), settings.get(profile, "text_percent"))
    context = AppContext(
        profile=profile,
        worker=WorkerClient(profile.home),
        queries=Queries(profile.home),
        commands=Commands(rebound=settings.get(profile, "keys")),
        theme=theme,
    )
    return MainWindow(context)


def _refuse(folder: Path, error: StoreError) -> int:
    from memreview.ui.dialogs.restore import offer_restore

    if offer_restore(folder, error):
        tell(None, tr("The backup was restored."), tr("Start memreview again."))
    return 1
