"""The saved filters at the side, each with how many memories it finds now."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import items, roomy

QUERY = Qt.ItemDataRole.UserRole
NAME = Qt.ItemDataRole.UserRole + 1
BUILT_IN = (
    ("All memories", ""),
    ("Open cases", "is:pending"),
    ("No source found", "-is:anchored"),
    ("Replaced", "is:superseded"),
    ("Deleted", "is:deleted"),
    ("Stayed deleted", "is:stayed-deleted"),
    ("Not in the export", "is:gone"),
)


class SavedFilters(QWidget):
    """`chosen(query)` on a click or Enter, `forget_wanted(name)` for one the person saved."""

    chosen = Signal(str)
    forget_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = roomy(QTreeWidget())
        name_for_reader(self.list, tr("Saved filters"))
        self.list.setHeaderHidden(True)
        self.list.setColumnCount(2)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        # A dozen rows: fitting the column to them is nothing.
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        self._forget = QAction(tr("Remove this filter"), self.list)
        self._forget.setShortcut("Delete")
        self._forget.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._forget.triggered.connect(self._on_forget)
        self.list.addAction(self._forget)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.currentItemChanged.connect(lambda item, _: self._forget.setEnabled(bool(item and item.data(0, NAME))))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Label(tr("Filters"), role="heading"))
        layout.addWidget(self.list, 1)

    def show_filters(self, saved: Sequence[tuple[str, str]]) -> None:
        counts = {item.data(0, QUERY): item.text(1) for item in self._every()}
        self.list.clear()
        for name, query in BUILT_IN:
            self._add(tr(name), query, "", counts.get(query, ""))
        for name, query in saved:
            self._add(line(name, 80), query, name, counts.get(query, ""))

    def queries(self) -> list[str]:
        return [item.data(0, QUERY) for item in self._every()]

    def set_count(self, query: str, count: int) -> None:
        for item in self._every():
            if item.data(0, QUERY) == query:
                item.setText(1, QLocale().toString(count))

    def mark(self, query: str) -> None:
        """Show which filter is the one in use, if any is."""
        self.list.clearSelection()
        for item in self._every():
            if item.data(0, QUERY) == query.strip():
                self.list.setCurrentItem(item)
                break

    def _every(self) -> list[QTreeWidgetItem]:
        return items(self.list)

    def _add(self, shown: str, query: str, name: str, count: str) -> None:
        item = QTreeWidgetItem(self.list, [shown, count])
        item.setData(0, QUERY, query)
        item.setData(0, NAME, name)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _choose(self, item: QTreeWidgetItem) -> None:
        self.chosen.emit(item.data(0, QUERY))

    def _on_forget(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.data(0, NAME):
            self.forget_wanted.emit(item.data(0, NAME))
