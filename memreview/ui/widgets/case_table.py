"""The view of the case list: a table of one column with rows of one height, which stays quick with 10,000 rows."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from memreview.ui.models.case_delegate import CaseDelegate, row_height

LEAST_CHARS = 26


class CaseTable(QTableView):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(CaseDelegate(self))
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._fit_rows()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * LEAST_CHARS, 4 * row_height(self.fontMetrics()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_rows()

    def moveCursor(self, action: QTableView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Home and End go to the first and the last case, as in a list."""
        model = self.model()
        rows = range(model.rowCount())
        ends = {QTableView.CursorAction.MoveHome: rows, QTableView.CursorAction.MoveEnd: reversed(rows)}
        for row in ends.get(action, ()):
            index = model.index(row, 0)
            if index.flags() & Qt.ItemFlag.ItemIsEnabled:
                return index
        return super().moveCursor(action, modifiers)

    def _fit_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(row_height(self.fontMetrics()))
