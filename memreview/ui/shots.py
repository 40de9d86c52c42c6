"""Pictures of every place and dialog: `python -m memreview.ui.shots docs/screenshots --full HOME`.

Each picture is a real window over a real profile, the bundled sample's, an empty one or a full one, drawn off screen:
light, dark, at 100 % and 200 %. `python -m memreview.evaluate.screenshots` makes the full profile first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from memreview.review.profile import Profile
from memreview.ui.panels import PLACES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QDialog, QWidget

    from memreview.ui.window import MainWindow

WIDTH, HEIGHT = 1280, 800
SETTLE_S = 0.3


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m memreview.ui.shots", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--home", type=Path, help="a profile of your own in place of the sample's")
    parser.add_argument("--full", type=Path, help="a profile with very much in it, for pictures of that too")
    parser.add_argument("--only", default="", help="only pictures whose name holds this")
    parser.add_argument("--scale", type=int, choices=(1, 2), help=argparse.SUPPRESS)
    asked = parser.parse_args(argv)
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.scale:
        return _take(asked)
    with tempfile.TemporaryDirectory() as folder:
        home = asked.home or _sample(Path(folder) / "sample")
        for scale in (1, 2):
            _in_child(asked, home, scale)
    return 0


def _in_child(asked: argparse.Namespace, home: Path, scale: int) -> None:
    """Qt reads the scale once, when it starts, so each scale has a process of its own."""
    command = [sys.executable, "-m", "memreview.ui.shots", str(asked.out), "--home", str(home), "--scale", str(scale)]
    command += ["--only", asked.only, *(["--full", str(asked.full)] if asked.full else [])]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(scale)}
    subprocess.run(command, check=True, env=environment)


def _sample(home: Path) -> Path:
    from memreview.review import jobs

    profile = Profile.open(home)
    try:
        jobs.sample(profile, {"audit": True}, lambda _stage, _done, _total: None)
    finally:
        profile.close()
    return home


def _take(asked: argparse.Namespace) -> int:
    from memreview.ui.app import application, make_window

    app = application()
    with tempfile.TemporaryDirectory() as empty:
        states = {"empty": Path(empty), "": asked.home, "full": asked.full}
        for state, folder in states.items():
            if folder is None:
                continue
            profile = Profile.open(folder)
            window = make_window(app, profile)
            window.resize(WIDTH, HEIGHT)
            window.show()
            for scheme in ("light", "dark") if asked.scale == 1 else ("light",):
                window.context.theme.choose(scheme)
                marks = [scheme, *([state] if state else []), *(["200"] if asked.scale == 2 else [])]
                for name, widget in _scenes(app, window, state):
                    file = "-".join([name, *marks]) + ".png"
                    if asked.only in file:
                        _settle(app, window)
                        widget.grab().save(str(asked.out / file))
            window.close()
            profile.close()
    return 0


def _scenes(app: QApplication, window: MainWindow, state: str) -> Iterator[tuple[str, QWidget]]:
    """The window at each place; with something in it, the dialogs too."""
    for place in PLACES:
        if place.key == "welcome" and state != "empty":
            continue
        window.show_place(place.key)
        yield place.key, window
    if not state:
        for name, dialog in _dialogs(window):
            dialog.show()
            yield name, dialog
            dialog.close()


def _dialogs(window: MainWindow) -> Iterator[tuple[str, QDialog]]:
    from memreview.review import queue
    from memreview.review.values import Decision, Verb
    from memreview.ui.dialogs.bulk import BulkDialog
    from memreview.ui.dialogs.decide import ScopeDialog
    from memreview.ui.dialogs.export import ExportDialog
    from memreview.ui.dialogs.keys import KeysDialog
    from memreview.ui.dialogs.palette import PaletteDialog
    from memreview.ui.dialogs.tell import TellDialog

    context = window.context
    ids = queue.ids(context.profile)
    window.show_place("inbox")
    yield "palette", PaletteDialog(window)
    yield "keys", KeysDialog(context.commands, window)
    yield "export", ExportDialog(context, window)
    yield "tell", TellDialog(context, window)
    yield from _claim_dialogs(window)
    if ids:
        claim = queue.items(context.profile, ids[:1])[0].new_claim
        yield "limit", ScopeDialog(claim, window)
        yield "bulk", BulkDialog(context, ids, Decision(verb=Verb.APPROVE), window)


def _claim_dialogs(window: MainWindow) -> Iterator[tuple[str, QDialog]]:
    """About the first claim that is held back, and the first memory that has a life to show."""
    from memreview.review import decisions, memories, quarantine, why
    from memreview.ui.dialogs.release import ReleaseDialog
    from memreview.ui.dialogs.situation import SituationDialog
    from memreview.ui.dialogs.why import WhyDialog

    profile = window.context.profile
    for memory_id in memories.ids(profile, "")[:1]:
        yield "why", WhyDialog(why.of_memory(profile, memory_id), window)
    for claim_id in quarantine.ids(profile)[:1]:
        case = quarantine.case(profile, claim_id)
        yield "release", ReleaseDialog(case, lambda decision: decisions.preview(profile, decision), window)
        yield "life", WhyDialog(why.of_node(profile, claim_id), window)
    yield "situation", SituationDialog("the trip to Porto", "It is remembered for this.", window)


def _settle(app: QApplication, window: MainWindow) -> None:
    """Let everything asked for arrive, timers of a moment included."""
    end = monotonic() + SETTLE_S
    while monotonic() < end or not window.context.queries.idle:
        app.processEvents()
    app.processEvents()  # what the last answer changed is laid out in a turn of its own


if __name__ == "__main__":
    sys.exit(main())
