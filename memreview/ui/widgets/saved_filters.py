"""The saved filters at the side, each with how many memories it finds now."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Label

QUERY = Qt.ItemDataRole.UserRole + 1
NAME = Qt.ItemDataRole.UserRole + 2
BUILT_IN = (
    ("All memories", ""),
    ("Has open cases", "is:pending"),
    ("No source found", "-is:anchored"),
    ("Replaced", "is:superseded"),
    ("Deleted", "is:deleted"),
    ("Stayed deleted", "is:stayed-deleted"),
    ("No longer in the export", "is:gone"),
)


class SavedFilters(QWidget):
    """`chosen(query)` on a click or Enter, `forget_wanted(name)` for one the person saved."""

    chosen = Signal(str)
    forget_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QListWidget()
        name_for_reader(self.list, tr("Saved filters"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        self._forget = QAction(tr("Remove this filter"), self.list)
        self._forget.setShortcut("Delete")
        self._forget.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self._forget.triggered.connect(self._on_forget)
        self.list.addAction(self._forget)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.currentItemChanged.connect(lambda item, _: self._forget.setEnabled(bool(item and item.data(NAME))))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Label(tr("Filters"), role="heading"))
        layout.addWidget(self.list, 1)

    def show_filters(self, saved: Sequence[tuple[str, str]]) -> None:
        self.list.clear()
        for name, query in BUILT_IN:
            self._add(tr(name), query, "")
        for name, query in saved:
            self._add(line(name, 80), query, name)

    def queries(self) -> list[str]:
        return [self.list.item(n).data(QUERY) for n in range(self.list.count())]

    def set_count(self, query: str, count: int) -> None:
        for item in self._items(query):
            item.setText(f"{item.data(Qt.ItemDataRole.UserRole)}  {QLocale().toString(count)}")

    def mark(self, query: str) -> None:
        """Show which filter is the one in use, if any is."""
        found = self._items(query.strip())
        self.list.setCurrentItem(found[0] if found else None)

    def _items(self, query: str) -> list[QListWidgetItem]:
        every = (self.list.item(n) for n in range(self.list.count()))
        return [item for item in every if item.data(QUERY) == query]

    def _add(self, shown: str, query: str, name: str) -> None:
        item = QListWidgetItem(shown, self.list)
        item.setData(Qt.ItemDataRole.UserRole, shown)
        item.setData(QUERY, query)
        item.setData(NAME, name)
        item.setToolTip("" if not query else tr("Filter: %1").replace("%1", line(query, 200).replace("<", "‹")))

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(QUERY))

    def _on_forget(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.data(NAME):
            self.forget_wanted.emit(item.data(NAME))
