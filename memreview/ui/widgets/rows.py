"""Rows with room and columns measured in characters, at any size of the text, in lists, trees and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QTableView,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
)

ROOM = 1.7
View = TypeVar("View", bound=QAbstractItemView)


class _Roomy(QStyledItemDelegate):
    def sizeHint(self, option, index) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), int(option.fontMetrics.height() * ROOM)))


class _Fit(QObject):
    """Measures again when the text gets another size."""

    def __init__(self, view: QAbstractItemView, widths: Mapping[int, int]) -> None:
        super().__init__(view)
        self._view, self._widths = view, widths
        self.measure()
        view.installEventFilter(self)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.FontChange:
            self.measure()
        return False

    def measure(self) -> None:
        view, metrics = self._view, self._view.fontMetrics()
        if isinstance(view, QTableView):
            # A table asks its rows for their height only to fit them, which takes a minute for 100,000.
            view.verticalHeader().setDefaultSectionSize(int(metrics.height() * ROOM))
        if isinstance(view, QTableView | QTreeView):
            for column, characters in self._widths.items():
                view.setColumnWidth(column, metrics.averageCharWidth() * characters)


def roomy(view: View, widths: Mapping[int, int] | None = None) -> View:
    """`widths` in characters, by column; the others are the header's business."""
    if isinstance(view, QTableView):
        view.verticalHeader().hide()
        view.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        view.horizontalHeader().setHighlightSections(False)
    else:
        view.setItemDelegate(_Roomy(view))
    if isinstance(view, QTreeView):
        view.setAllColumnsShowFocus(True)
    _Fit(view, widths or {})
    return view


def items(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    """The top items, in order."""
    return [item for item in map(tree.topLevelItem, range(tree.topLevelItemCount())) if item is not None]
