"""Welcome: three steps, a place to drop the export, and a made-up person to try it with."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from memreview.review.values import AuditSummary
from memreview.ui.commands import Command
from memreview.ui.context import IMPORTS
from memreview.ui.dialogs.paste import ask_list
from memreview.ui.import_run import ImportRun, Task
from memreview.ui.panel import Panel
from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.drop_zone import DropZone
from memreview.ui.widgets.export_help import ExportHelp
from memreview.ui.widgets.labels import Card, Label

STEPS = (
    ("1  Bring it in", "Drop the export of your assistant. Reading it takes a minute or so."),
    ("2  Look at what changed", "See what is out of date: old and new side by side, with the words they come from."),
    ("3  Take it back", "Your corrected memory as a file, or as a short text to paste into the assistant."),
)


class FirstRunPanel(Panel):
    title = "Welcome"
    icon = "welcome"
    concerns = frozenset({IMPORTS})

    def __init__(self, context, parent=None) -> None:
        super().__init__(context, parent)
        self.run = ImportRun.of(context)
        self._trying = False
        self._build()
        self.zone.dropped.connect(self._import)
        self.zone.paste_wanted.connect(self._paste)
        self.sample.clicked.connect(self._try)
        self.run.failed.connect(self._on_failed)
        self.run.finished.connect(self._on_finished)

    def _build(self) -> None:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(32, 24, 32, 24)
        layout.setSpacing(16)
        layout.addWidget(Label(tr("See what your assistant remembers about you, and put it right"), role="title"))
        told = tr("Everything stays on this computer. There is no account, and nothing is sent anywhere.")
        layout.addWidget(Label(told, role="muted"))
        steps = QHBoxLayout()
        for heading, words in STEPS:
            card = Card(tr(heading))
            card.body.addWidget(Label(tr(words)))
            steps.addWidget(card, 1)
        layout.addLayout(steps)
        self.zone = DropZone()
        self.zone.setMinimumHeight(self.fontMetrics().height() * 13)
        layout.addWidget(self.zone)
        layout.addWidget(self._build_sample())
        self.help = ExportHelp()
        layout.addWidget(self.help)
        layout.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(page)
        name_for_reader(scroll, tr("Welcome"))
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)

    def _build_sample(self) -> QWidget:
        self.sample = QPushButton(tr("Try it with a made-up person"))
        self.told = Label(
            tr("Fourteen months of someone who doesn't exist. To throw them away, undo the imports in Imports."),
            role="muted",
        )
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.sample, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.told, 1)
        return whole

    def refresh(self, changed: Set[str]) -> None:
        self.sample.setEnabled(not self.run.busy)

    def commands(self) -> list[Command]:
        title, group = tr("Try it with a made-up person"), tr("Welcome")
        return [Command("welcome.sample", title, self._try, (), self._why_not, group)]

    def focus_first(self) -> None:
        self.zone.choose.setFocus()

    def _why_not(self) -> str:
        return tr("Something is being imported already.") if self.run.busy else ""

    def _import(self, paths: Sequence[Path]) -> None:
        self.context.open("imports")
        self.run.add_paths(paths)

    def _paste(self) -> None:
        if (pasted := ask_list(self)) is not None:
            self.context.open("imports")
            self.run.add_pasted(*pasted)

    def _try(self) -> None:
        if self._why_not():
            return
        self._trying = True
        self.sample.setEnabled(False)
        self.told.setText(tr("Reading the made-up person's exports …"))
        self.run.add_sample(tr("the made-up person"))

    def _on_failed(self, task: Task, error) -> None:
        if self._trying:
            self.told.setText(" ".join(part for part in (error.message, error.advice) if part))

    def _on_finished(self, audit: AuditSummary | None) -> None:
        self.sample.setEnabled(True)
        if self._trying and self.run.summaries:
            self.context.open("inbox")
        self._trying = False
