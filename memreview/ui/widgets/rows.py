"""Rows with room, a line and a half high at any size of the text, in any list, tree or table; and a tree's items."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QSize, Qt
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


def roomy(view: View) -> View:
    if isinstance(view, QTableView):
        # A table's rows are asked for their height only by ResizeToContents, which takes a minute for 100,000.
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(int(view.fontMetrics().height() * ROOM))
        view.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        view.horizontalHeader().setHighlightSections(False)
    else:
        view.setItemDelegate(_Roomy(view))
    if isinstance(view, QTreeView):
        view.setAllColumnsShowFocus(True)
    return view


def items(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    """The top items, in order."""
    return [item for item in map(tree.topLevelItem, range(tree.topLevelItemCount())) if item is not None]
