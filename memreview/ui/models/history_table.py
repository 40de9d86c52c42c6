"""The steps of the history, newest first, loaded as the person scrolls down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from memreview.review.values import Step
from memreview.review.words import ACTORS, STEP_STATES
from memreview.ui.text import line, moment, tr

BATCH = 200
BATCHES_AT_ONCE = 20
STEP_ROLE = Qt.ItemDataRole.UserRole + 1
WHEN, WHAT, WHO, CHANGES, STATE = range(5)

Index = QModelIndex | QPersistentModelIndex
Load = Callable[[int | None, int], Sequence[Step]]
_ROOT = QModelIndex()


def by_whom(step: Step) -> str:
    return tr(ACTORS[step.actor])


def state_words(step: Step) -> str:
    return tr(STEP_STATES[step.state])


class HistoryTableModel(QAbstractTableModel):
    """`load(before, limit)` gives steps older than the id `before`. `actor` is "" for all, person or program."""

    def __init__(self, load: Load, parent=None) -> None:
        super().__init__(parent)
        self._load = load
        self._steps: list[Step] = []
        self._oldest: int | None = None
        self._ended = False
        self._actor = ""

    def reload(self, actor: str | None = None) -> None:
        """Read anew from the newest step; `actor` changes whose steps are shown."""
        self._actor = self._actor if actor is None else actor
        self.beginResetModel()
        self._steps, self._oldest, self._ended = [], None, False
        self._steps = self._next_batch()
        self.endResetModel()

    def position(self, step_id: int) -> int | None:
        return next((n for n, step in enumerate(self._steps) if step.id == step_id), None)

    def later(self, step: Step) -> int:
        """How many steps that still stand came after this one, of those that have been loaded."""
        return sum(1 for other in self._steps if other.id > step.id and other.state == "done")

    # -- Qt's side ----------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._steps)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else STATE + 1

    def canFetchMore(self, parent: Index) -> bool:
        return not parent.isValid() and not self._ended

    def fetchMore(self, parent: Index) -> None:
        if more := self._next_batch():
            first = len(self._steps)
            self.beginInsertRows(QModelIndex(), first, first + len(more) - 1)
            self._steps += more
            self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        step = self._steps[index.row()]
        if role == STEP_ROLE:
            return step
        if role == Qt.ItemDataRole.DisplayRole:
            return _shown(step, index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == WHEN:
            return ". ".join(part for part in (_shown(step, column) for column in range(STATE + 1)) if part)
        if role == Qt.ItemDataRole.ForegroundRole and step.state != "done":
            return QApplication.palette().placeholderText()
        if role == Qt.ItemDataRole.FontRole and step.state != "done" and index.column() == WHAT:
            font = QFont()
            font.setStrikeOut(True)
            return font
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        titles = (tr("When"), tr("What"), tr("By"), tr("Changes"), tr("State"))
        return titles[section] if 0 <= section < len(titles) else None

    def _next_batch(self) -> list[Step]:
        """The next steps of the chosen actor: where they are rare, several batches are read to find some."""
        found: list[Step] = []
        for _ in range(BATCHES_AT_ONCE):
            batch = self._load(self._oldest, BATCH)
            self._ended = len(batch) < BATCH
            if batch:
                self._oldest = batch[-1].id
            found += [step for step in batch if self._actor in ("", step.actor)]
            if self._ended or len(found) >= BATCH:
                break
        return found


def _shown(step: Step, column: int) -> str:
    if column == WHEN:
        return moment(step.at)
    if column == WHAT:
        return line(step.label, 300)
    if column == WHO:
        return by_whom(step)
    if column == CHANGES:
        return QLocale().toString(step.changes) if step.changes and step.verb != "import" else ""
    return state_words(step)
