"""The list of what waits: ids first, rows in pages when drawn, two headings that are rows like any other.

The ids come with those of the first group first: the proven cases, or the claims that an assistant remembers already.
The heading rows have the height of the others, so that all rows are alike and the view needn't ask ten thousand times:
with 10,000 rows QListView takes 80 ms to lay itself out after each decision, QTableView with a fixed height 3 ms.
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
from memreview.ui.text import day, provider_name, tr

PAGE = 64
Role = Qt.ItemDataRole
ROW = Role.UserRole + 1
HEADING = Role.UserRole + 2
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True)
class Row:
    """What is painted of an item, and what a screen reader says."""

    first: str
    second: str
    date: str
    spoken: str


@dataclass(frozen=True)
class Heading:
    title: str
    text: str
    count: int


@dataclass(frozen=True)
class Look:
    """How one kind of item is listed. `leads` tells whether it belongs to the first group, `group` the heading over
    the first or the second and the line that explains it."""

    row: Callable[[Any], Row]
    leads: Callable[[Any], bool]
    group: Callable[[bool], tuple[str, str]]


def case_row(item: QueueItem) -> Row:
    change, second = change_words(item), f"{kind_words(item.kind)} · {provider_name(item.provider)}"
    date = day(item.new_at) if item.new_at is not None else tr("no date")
    return Row(change, second, date, f"{change}, {second}, {day(item.new_at)}, {proof_words(item)}")


CASES = Look(
    row=case_row,
    leads=lambda item: item.authorization is not Authorization.STATED,
    group=lambda leading: group_words(Authorization.VERIFIED if leading else Authorization.STATED),
)


class CaseListModel(QAbstractListModel):
    """`fetch` gives the items of some ids; it runs on the UI thread, 64 ids at a time."""

    def __init__(
        self, fetch: Callable[[Sequence[int]], list[Any]], parent: QObject | None = None, look: Look = CASES
    ) -> None:
        super().__init__(parent)
        self._fetch = fetch
        self._look = look
        self._ids: list[int] = []
        self._leading = 0
        self._cache: dict[int, Any] = {}

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
        self._leading = bisect_left(range(len(ids)), True, key=self._is_after)
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
        if not index.isValid() or role not in (ROW, HEADING, Role.DisplayRole, Role.AccessibleTextRole):
            return None
        at = self._position(index.row())
        if at is None:
            heading = self._heading(index.row())
            return heading if role == HEADING else None if role == ROW else heading.title
        item = self._item(at)
        if role == HEADING or item is None:
            return None
        row = self._look.row(item)
        return row if role == ROW else row.spoken if role == Role.AccessibleTextRole else row.first

    # -- positions --------------------------------------------------------------------------------------------------

    def _headings_above(self, at: int) -> int:
        if at < 0:
            return 0
        return 1 if at < self._leading or self._leading == 0 else 2

    def _position(self, row: int) -> int | None:
        """Where in `ids` a row is: heading, first group …, heading, second … (a heading only over something)."""
        if row <= 0 or (self._leading and row == self._leading + 1):
            return None
        at = row - (2 if self._leading and row > self._leading + 1 else 1)
        return at if at < len(self._ids) else None

    def _heading(self, row: int) -> Heading:
        leading = row == 0 and self._leading > 0
        return Heading(*self._look.group(leading), self._leading if leading else len(self._ids) - self._leading)

    # -- rows -------------------------------------------------------------------------------------------------------

    def _item(self, at: int) -> Any:
        """None for one that has gone since the ids were read; the next refresh drops it."""
        id = self._ids[at]
        if id not in self._cache:
            first = at // PAGE * PAGE
            self._cache |= {item.id: item for item in self._fetch(self._ids[first : first + PAGE])}
        return self._cache.get(id)

    def _is_after(self, at: int) -> bool:
        """Read one row and no page: the search for the boundary touches fourteen of ten thousand."""
        id = self._ids[at]
        if id not in self._cache:
            self._cache |= {item.id: item for item in self._fetch([id])}
        return id in self._cache and not self._look.leads(self._cache[id])
