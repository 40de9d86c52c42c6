"""The rows of a bulk preview: tick, before, after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from memreview.review.values import Decision, QueueItem, Verb
from memreview.ui.text import day, isolated, line, tr

PAGE = 64
Role = Qt.ItemDataRole
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class BulkTableModel(QAbstractTableModel):
    ticked = Signal()

    def __init__(
        self,
        ids: Sequence[int],
        decision: Decision,
        fetch: Callable[[Sequence[int]], list[QueueItem]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._ids = list(ids)
        self._off: set[int] = set()
        self._decision = decision
        self._fetch = fetch
        self._cache: dict[int, QueueItem] = {}

    def chosen(self) -> tuple[int, ...]:
        return tuple(id for id in self._ids if id not in self._off)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role != Role.DisplayRole:
            return None
        return (tr("Now"), tr("Then"))[section] if orientation == Qt.Orientation.Horizontal else section + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        id = self._ids[index.row()]
        if role == Role.CheckStateRole and index.column() == 0:
            return Qt.CheckState.Unchecked if id in self._off else Qt.CheckState.Checked
        if role not in (Role.DisplayRole, Role.ToolTipRole, Role.AccessibleTextRole):
            return None
        item = self._item(index.row())
        if item is None:
            return tr("no longer there")
        text = item.old_text if index.column() == 0 else self._after(item)
        return line(text) if role == Role.ToolTipRole else isolated(text)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        id = self._ids[index.row()]
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._off.discard(id)
        else:
            self._off.add(id)
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True

    def _item(self, row: int) -> QueueItem | None:
        if self._ids[row] not in self._cache:
            first = row // PAGE * PAGE
            self._cache |= {item.id: item for item in self._fetch(self._ids[first : first + PAGE])}
        return self._cache.get(self._ids[row])

    def _after(self, item: QueueItem) -> str:
        verb = self._decision.verb
        if verb is Verb.APPROVE:
            return item.new_claim
        return {
            Verb.REJECT: tr("stays as it is"),
            Verb.SCOPE: tr("both stay; the new one is limited"),
            Verb.DELETE: tr("forgotten"),
            Verb.SNOOZE: tr("asked again on %1").replace("%1", day(self._decision.until)),
        }[verb]
