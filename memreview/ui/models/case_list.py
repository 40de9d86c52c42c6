"""The list of cases: ids first, rows in pages when drawn, two headings that are rows like any other.

The ids come with the proven cases first. The heading rows have the height of a case, so that all rows are alike and
the view needn't ask ten thousand times: with 10,000 rows QListView takes 80 ms to lay itself out after each decision,
QTableView with a fixed height 3 ms.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from memreview.records import Authorization
from memreview.review.values import QueueItem
from memreview.ui.case_words import change_words, group_words, kind_words, proof_words
from memreview.ui.text import day, provider_name

PAGE = 64
Role = Qt.ItemDataRole
ITEM = Role.UserRole + 1
HEADING = Role.UserRole + 2
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True)
class Heading:
    authorization: Authorization
    count: int


class CaseListModel(QAbstractListModel):
    """`fetch` gives the QueueItems of some ids; it runs on the UI thread, 64 ids at a time."""

    def __init__(self, fetch: Callable[[Sequence[int]], list[QueueItem]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self._ids: list[int] = []
        self._proven = 0
        self._cache: dict[int, QueueItem] = {}

    @property
    def ids(self) -> list[int]:
        return self._ids

    def set_ids(self, ids: list[int]) -> None:
        """Show these, and read their rows anew. The same ids again keep selection and scroll position."""
        if ids == self._ids:
            self._cache = {}
            if ids:
                self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))
            return
        self.beginResetModel()
        self._ids = list(ids)
        self._cache = {}
        self._proven = bisect_left(range(len(ids)), True, key=self._is_unproven)
        self.endResetModel()

    def row_of(self, id: int) -> int:
        """The row of a case, -1 if it isn't here."""
        try:
            at = self._ids.index(id)
        except ValueError:
            return -1
        return at + self._headings_above(at)

    def id_at(self, row: int) -> int | None:
        """The case of a row; None for a heading or beyond the end."""
        at = self._position(row)
        return None if at is None else self._ids[at]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids) + self._headings_above(len(self._ids) - 1)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.id_at(index.row()) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or role not in (ITEM, HEADING, Role.DisplayRole, Role.AccessibleTextRole):
            return None
        at = self._position(index.row())
        if at is None:
            heading = self._heading(index.row())
            return heading if role == HEADING else None if role == ITEM else group_words(heading.authorization)[0]
        item = self._item(at)
        if role == ITEM or item is None:
            return item if role == ITEM else None
        if role == HEADING:
            return None
        return spoken(item) if role == Role.AccessibleTextRole else change_words(item)

    # -- positions --------------------------------------------------------------------------------------------------

    def _headings_above(self, at: int) -> int:
        if at < 0:
            return 0
        return 1 if at < self._proven or self._proven == 0 else 2

    def _position(self, row: int) -> int | None:
        """Where in `ids` a row is: heading, proven …, heading, unproven … (a heading only over something)."""
        if row <= 0 or (self._proven and row == self._proven + 1):
            return None
        at = row - (2 if self._proven and row > self._proven + 1 else 1)
        return at if at < len(self._ids) else None

    def _heading(self, row: int) -> Heading:
        if row == 0 and self._proven:
            return Heading(Authorization.VERIFIED, self._proven)
        return Heading(Authorization.STATED, len(self._ids) - self._proven)

    # -- rows -------------------------------------------------------------------------------------------------------

    def _item(self, at: int) -> QueueItem | None:
        """None for a case that has gone since the ids were read; the next refresh drops it."""
        id = self._ids[at]
        if id not in self._cache:
            first = at // PAGE * PAGE
            self._cache |= {item.id: item for item in self._fetch(self._ids[first : first + PAGE])}
        return self._cache.get(id)

    def _is_unproven(self, at: int) -> bool:
        """Read one row and no page: the search for the boundary touches fourteen of ten thousand."""
        id = self._ids[at]
        if id not in self._cache:
            self._cache |= {item.id: item for item in self._fetch([id])}
        return id in self._cache and self._cache[id].authorization is Authorization.STATED


def second_line(item: QueueItem) -> str:
    return f"{kind_words(item.kind)} · {provider_name(item.provider)}"


def spoken(item: QueueItem) -> str:
    """What a screen reader says for a row."""
    return f"{change_words(item)}, {second_line(item)}, {day(item.new_at)}, {proof_words(item)}"
