"""The table of memories: which are chosen, and keeping the place when the list changes under it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelectionModel, QItemSelectionRange, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from memreview.ui.models.memory_table import (
    COLUMNS,
    ID_ROLE,
    PENDING,
    SCOPE,
    SINCE,
    SOURCE,
    STANDING,
    TEXT,
    MemoryTableModel,
)
from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.rows import roomy

TEXT_AT_LEAST = 36  # in characters
BY_NEED = (STANDING, SINCE, SOURCE, SCOPE, PENDING)


class MemoryView(QTableView):
    """`entered()` when Enter is pressed on a row, or it is double-clicked."""

    entered = Signal()

    def __init__(self, model: MemoryTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        name_for_reader(self, tr("Memories"))
        self._kept: tuple[int | None, int] = (None, 0)
        self.memories = model
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(False)
        self._lay_out()
        self.doubleClicked.connect(lambda _: self.entered.emit())

    def _lay_out(self) -> None:
        widths = {number: column.width for number, column in enumerate(COLUMNS) if number != TEXT}
        roomy(self, widths).verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        # A header asks of each column whether all its rows are selected, which takes 0.8 s for 100,000 of them.
        header.setSelectionModel(QItemSelectionModel(self.model(), header))
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._make_room()

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Where there is little room, the text keeps it and the other columns go, the least needed first."""
        left = self.viewport().width() // self.fontMetrics().averageCharWidth() - TEXT_AT_LEAST
        for number in BY_NEED:
            left -= COLUMNS[number].width
            self.setColumnHidden(number, left < 0)

    def show_sort(self, name: str, descending: bool) -> None:
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        for number, column in enumerate(COLUMNS):
            if column.sort == name:
                self.horizontalHeader().setSortIndicator(number, order)

    # -- the chosen ones ----------------------------------------------------------------------------------------

    def current_id(self) -> int | None:
        index = self.currentIndex()
        return index.data(ID_ROLE) if index.isValid() else None

    def chosen_ids(self) -> list[int]:
        """From the selected stretches: asking each of 100,000 rows would take a second."""
        ids = self.memories.ids
        stretches = sorted((part.top(), part.bottom()) for part in self._stretches())
        return list(dict.fromkeys(one for top, bottom in stretches for one in ids[top : bottom + 1]))

    def chosen_count(self) -> int:
        return sum(part.height() for part in self._stretches())

    def _stretches(self) -> list[QItemSelectionRange]:
        selection = self.selectionModel().selection()
        return [selection.at(n) for n in range(selection.count())]

    def step(self, by: int) -> None:
        self.go(self.currentIndex().row() + by)

    def go(self, row: int) -> None:
        if last := self.model().rowCount():
            index = self.model().index(min(max(row, 0), last - 1), TEXT)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
            self.scrollTo(index)

    # -- keeping the place --------------------------------------------------------------------------------------

    def keep_place(self) -> None:
        """Before the list changes; `find_place` after it goes to the same memory, or to the one now in its place."""
        if (kept := self.current_id()) is not None:
            self._kept = kept, self.currentIndex().row()

    def find_place(self) -> None:
        if self.currentIndex().isValid():
            return
        memory_id, row = self._kept
        found = None if memory_id is None else self.memories.position(memory_id)
        self.go(row if found is None else found)

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered.emit()
        else:
            super().keyPressEvent(event)
