"""The window: rail, the panel that shows, status line, and the news that reaches every panel."""

from __future__ import annotations

import base64
from collections.abc import Callable, Set
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMessageBox, QStackedWidget, QVBoxLayout, QWidget

from memreview.review import queue, settings
from memreview.review.values import Counts
from memreview.ui import slow_imports
from memreview.ui.context import CASES, EVERYTHING, IMPORTS, MEMORIES, AppContext
from memreview.ui.dialogs.messages import tell
from memreview.ui.gate_words import waiting_words
from memreview.ui.menus import window_commands
from memreview.ui.panel import Panel
from memreview.ui.panels import PLACES, Place, modules
from memreview.ui.rail import Rail
from memreview.ui.text import plural, tr
from memreview.ui.widgets.drop_zone import dropped_paths
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.progress import ProgressStrip
from memreview.ui.widgets.toast import Toast
from memreview.ui.worker import Job

if TYPE_CHECKING:
    from memreview.ui.panels.imports import ImportsPanel

WARM_UP_MS, WARM_STEP_MS = 400, 15
CHANGING_JOBS = frozenset({"import", "paste", "sample", "audit", "gate", "index", "backup"})


class MainWindow(QMainWindow):
    def __init__(self, context: AppContext, places: tuple[Place, ...] = PLACES) -> None:
        super().__init__()
        self.context = context
        self.panels: dict[str, Panel] = {}
        self.counts = Counts()
        self._places = {place.key: place for place in places}
        self._stale: dict[str, set[str]] = {}
        self._build(places)
        window_commands(self)
        self._connect()
        self._restore_geometry()
        self.show_place(self._first_place()).focus_first()
        self._read_counts()
        self._cold: list[Callable[[], object]] = [
            *(partial(import_module, name) for name in modules()),
            *(partial(self.panel, key) for key in self._places),
        ]
        self._away = False
        self._warming = QTimer(self, interval=WARM_UP_MS)
        self._warming.timeout.connect(self._warm_one)
        self._warming.start()

    # -- where we are -----------------------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        """The key of the place that shows."""
        return next((key for key, panel in self.panels.items() if panel is self.stack.currentWidget()), "")

    def panel(self, key: str) -> Panel:
        """The panel of a place, made now if it wasn't yet."""
        if key not in self.panels:
            panel = self._places[key].build(self.context)
            self.panels[key] = panel
            self._stale[key] = set(EVERYTHING)
            self.stack.addWidget(panel)
            panel.windowTitleChanged.connect(self._say_title)
            for action in self.context.commands.add(panel.commands(), scope=key):
                self.addAction(action)
        return self.panels[key]

    def show_place(self, key: str) -> Panel:
        panel = self.panel(key)
        self.stack.setCurrentWidget(panel)
        self.context.commands.set_scope(key)
        self.rail.set_current(key)
        self._refresh(key)
        self._say_title()
        return panel

    def go_to(self, target: str, id: int = 0) -> None:
        """Follow `context.open`."""
        if target in self._places:
            self.show_place(target).focus_first()
        elif target in ("conversation", "entry"):
            from memreview.ui.dialogs.conversation import show_conversation

            show_conversation(self, self.context, target, id)
        else:
            key = next(place.key for place in self._places.values() if target in place.opens)
            self.show_place(key).open(id)

    # -- news -------------------------------------------------------------------------------------------------------

    def hear(self, changed: Set[str]) -> None:
        """Something changed: refresh the panel that shows, remember it for the others."""
        for key, panel in self.panels.items():
            if panel.concerns & changed:
                self._stale[key] |= panel.concerns & changed
        self._refresh(self.current)
        if changed & {CASES, MEMORIES, IMPORTS}:
            self._read_counts()

    def _refresh(self, key: str) -> None:
        if key and self._stale.get(key):
            changed, self._stale[key] = self._stale[key], set()
            self.panels[key].refresh(frozenset(changed))

    def _read_counts(self) -> None:
        self.context.ask("window.counts", queue.counts, self._show_counts, self)

    def _show_counts(self, counts: Counts) -> None:
        self.counts = counts
        badges = {"questions": counts.questions, "quarantine": counts.quarantined}
        self.rail.set_badges({"inbox": counts.pending, "transitions": counts.pending, **badges})
        told = [
            plural(counts.memories, "%n memory", "%n memories"),
            plural(counts.pending, "%n case to review", "%n cases to review"),
            *waiting_words(counts),
        ]
        anything = counts.memories or counts.entries
        self.status.setText(" · ".join(told) if anything else tr("Nothing imported yet"))
        self._say_title()

    def _say_title(self) -> None:
        place = self._places.get(self.current)
        if place is None:
            self.setWindowTitle("memreview")
            return
        # A panel may say more than its place does: Memories names its filter.
        self.setWindowTitle(f"{self.panels[self.current].windowTitle() or tr(place.title)} – memreview")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """An export may be dropped anywhere on the window."""
        paths = dropped_paths(event.mimeData())
        event.acceptProposedAction()
        cast("ImportsPanel", self.show_place("imports")).import_paths(paths)

    def _on_job_started(self, job: Job) -> None:
        if job.name in CHANGING_JOBS:
            self.progress.follow(job)

    def _on_job_ended(self, job: Job) -> None:
        if job.name in CHANGING_JOBS:
            self.context.tell_changed(EVERYTHING)

    def _on_failed(self, message: str, advice: str) -> None:
        tell(self, message, advice)

    # -- building ---------------------------------------------------------------------------------------------------

    def _build(self, places: tuple[Place, ...]) -> None:
        self.rail = Rail(places)
        self.stack = QStackedWidget()
        self.progress = ProgressStrip()
        self.status = Label(role="muted", wrap=False)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.stack, 1)
        right.addWidget(self.progress)
        body = QWidget()
        layout = QHBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail)
        layout.addLayout(right, 1)
        self.setCentralWidget(body)
        self.statusBar().setContentsMargins(8, 0, 0, 0)
        self.statusBar().addWidget(self.status, 1)
        self.toast = Toast(body, left=self.rail.width)
        self.setAcceptDrops(True)
        self.resize(1280, 800)

    def _connect(self) -> None:
        context = self.context
        self.rail.chosen.connect(self._on_rail)
        self.toast.undone.connect(context.undo)
        context.changed.connect(self.hear)
        context.toasted.connect(self.toast.say)
        context.opened.connect(self.go_to)
        context.failed.connect(self._on_failed)
        context.queries.failed.connect(self._on_failed)
        context.commands.refused.connect(context.toast)
        context.worker.started.connect(self._on_job_started)
        context.worker.ended.connect(self._on_job_ended)
        context.worker.crashed.connect(context.toast)
        context.theme.changed.connect(self.rail.refresh_look)

    def _on_rail(self, key: str) -> None:
        if key and key != self.current:
            self.show_place(key)

    def _first_place(self) -> str:
        """The welcome page while there is nothing to show."""
        if "welcome" in self._places and not self.context.profile_has_imports():
            return "welcome"
        return "inbox"

    def _warm_one(self) -> None:
        """After the first paint: the worker and what is slow to import, both on their own; then what else the panels
        need and the panels, one thing a turn, so that no turn takes long."""
        if self._warming.interval() == WARM_UP_MS:
            self.context.worker.start()
            slow_imports.are_done()
            self._warming.setInterval(WARM_STEP_MS)
        elif self._cold:
            self._cold.pop(0)()
        else:
            self._warming.stop()

    def _restore_geometry(self) -> None:
        stored = settings.get(self.context.profile, "window")
        if stored:
            self.restoreGeometry(QByteArray(base64.b64decode(stored)))

    def closeEvent(self, event: QCloseEvent) -> None:
        changing = [job for job in self.context.worker.jobs.values() if job.name in CHANGING_JOBS]
        if changing and not self._may_stop():
            event.ignore()
            return
        self.put_away()
        event.accept()

    def put_away(self) -> None:
        """What a window does before it goes, asked or not; safe to call twice."""
        if self._away:
            return
        self._away = True
        geometry = base64.b64encode(self.saveGeometry().data()).decode()
        self.context.guard(lambda: settings.set(self.context.profile, "window", geometry))
        self._warming.stop()
        self.context.close()

    def _may_stop(self) -> bool:
        answer = QMessageBox.question(
            self,
            tr("Stop and close?"),
            tr("Something is still being read in. Closing stops it; what was done stays, and you can go on later."),
            QMessageBox.StandardButton.Close | QMessageBox.StandardButton.Cancel,
        )
        return answer == QMessageBox.StandardButton.Close
