"""History: every step, the person's and the automatic ones, and taking back one of them or all back to a point."""

from __future__ import annotations

from collections.abc import Set

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
)

from memreview.review import history
from memreview.review.values import Step
from memreview.ui.commands import Command
from memreview.ui.context import HISTORY, IMPORTS
from memreview.ui.dialogs.preview import confirm
from memreview.ui.models.history_table import CHANGES, STATE, STEP_ROLE, WHAT, WHEN, WHO, HistoryTableModel
from memreview.ui.panel import Panel
from memreview.ui.taking_back import TAKEN_BACK, undo_step, undone_words
from memreview.ui.text import line, moment, name_for_reader, tr
from memreview.ui.widgets.empty import EmptyState
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy

_ACTORS = (("", "All steps"), ("person", "Mine"), ("program", "Automatic"))


class HistoryPanel(Panel):
    title = "History"
    icon = "history"
    concerns = frozenset({HISTORY, IMPORTS})

    def __init__(self, context, parent=None) -> None:
        super().__init__(context, parent)
        self.model = HistoryTableModel(
            lambda before, limit: history.steps(self.context.profile, before=before, limit=limit), self
        )
        self._build()

    def _build(self) -> None:
        title = Label(tr("History"), role="title")
        self.actor = QComboBox()
        name_for_reader(self.actor, tr("Whose steps are shown"))
        for key, words in _ACTORS:
            self.actor.addItem(tr(words), key)
        self.actor.currentIndexChanged.connect(lambda _: self._reload(self.actor.currentData()))
        top = QHBoxLayout()
        top.addWidget(title, 1)
        top.addWidget(self.actor)
        self.table = self._make_table()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.empty = EmptyState(
            tr("Nothing has been done yet"),
            tr(
                "Each decision, import and automatic change is listed here, and each can be taken back, also next week."
            ),
        )
        self.pages.addWidget(self.empty)
        self.told = Label()
        name_for_reader(self.told, tr("The chosen step"))
        self.undo_one = QPushButton(tr("Undo this step"))
        self.undo_one.clicked.connect(self._undo)
        self.redo_one = QPushButton(tr("Redo it"))
        self.redo_one.clicked.connect(self._redo)
        self.undo_back = QPushButton(tr("Undo all steps after it…"))
        self.undo_back.clicked.connect(self._back_to)
        bottom = QHBoxLayout()
        bottom.addWidget(self.told, 1)
        for button in (self.undo_one, self.redo_one, self.undo_back):
            bottom.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.pages, 1)
        layout.addLayout(bottom)

    def _make_table(self) -> QTableView:
        table = QTableView()
        name_for_reader(table, tr("Steps, newest first"))
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setTabKeyNavigation(False)
        header = roomy(table, {WHEN: 21, WHO: 15, CHANGES: 11, STATE: 15}).horizontalHeader()
        header.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        table.selectionModel().currentRowChanged.connect(lambda *_: self._show_step())
        return table

    # -- the panel ----------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        self._reload(None)

    def commands(self) -> list[Command]:
        group = tr("History")
        return [
            Command("history.next", tr("Next step"), lambda: self._move(1), ("J",), group=group),
            Command("history.previous", tr("Previous step"), lambda: self._move(-1), ("K",), group=group),
            Command("history.undo", tr("Undo this step"), self._undo, ("Delete",), self._why_not_undo, group),
            Command(
                "history.back", tr("Undo all steps after this one"), self._back_to, ("B",), self._why_not_back, group
            ),
        ]

    def open(self, id: int) -> None:
        while (position := self.model.position(id)) is None and self.model.canFetchMore(QModelIndex()):
            self.model.fetchMore(QModelIndex())
        if position is not None:
            self.table.selectRow(position)
            self.table.scrollTo(self.model.index(position, 0))

    def focus_first(self) -> None:
        self.table.setFocus()

    def current(self) -> Step | None:
        index = self.table.currentIndex()
        return index.data(STEP_ROLE) if index.isValid() else None

    def _reload(self, actor: str | None) -> None:
        kept = self.current()
        self.model.reload(actor)
        self.pages.setCurrentWidget(self.table if self.model.rowCount() else self.empty)
        if kept is not None:
            self.open(kept.id)
        if not self.table.currentIndex().isValid() and self.model.rowCount():
            self.table.selectRow(0)
        self._show_step()

    def _move(self, by: int) -> None:
        row = min(max(self.table.currentIndex().row() + by, 0), self.model.rowCount() - 1)
        self.table.selectRow(row)

    def _show_step(self) -> None:
        step = self.current()
        self.told.setText(f"{moment(step.at)}: {line(step.label, 300)}" if step else "")
        self.undo_one.setEnabled(not self._why_not_undo())
        self.undo_one.setToolTip(self._why_not_undo())
        self.undo_back.setEnabled(not self._why_not_back())
        self.undo_back.setToolTip(self._why_not_back())
        _, redo = history.peek(self.context.profile)
        self.redo_one.setVisible(step is not None and redo is not None and redo.id == step.id)

    # -- taking back --------------------------------------------------------------------------------------------

    def _why_not_undo(self) -> str:
        step = self.current()
        if step is None:
            return tr("Choose a step first.")
        return "" if step.state == "done" else tr("This step has been undone already.")

    def _why_not_back(self) -> str:
        step = self.current()
        if step is None:
            return tr("Choose a step first.")
        return "" if self.model.later(step) else tr("No later step stands.")

    def _undo(self) -> None:
        step = self.current()
        if step is not None and not self._why_not_undo() and undo_step(self, self.context, step):
            self.open(step.id)

    def _redo(self) -> None:
        if (step := self.context.redo()) is not None:
            self.open(step.id)

    def _back_to(self) -> None:
        step = self.current()
        if step is None or self._why_not_back():
            return
        preview = self.context.guard(lambda: history.preview_back_to(self.context.profile, step.id))
        if preview is None or not confirm(
            self,
            preview,
            title=tr("Undo all steps after “%1”").replace("%1", line(step.label, 80)),
            action=tr("Undo them"),
        ):
            return
        undone = self.context.guard(lambda: history.back_to(self.context.profile, step.id))
        if undone:
            self.context.check_again(undone)
            self.context.tell_changed(TAKEN_BACK)
            self.context.toast(undone_words(undone))
            self.open(step.id)
