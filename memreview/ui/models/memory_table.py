"""The table of memories: a list of ids, and rows that are fetched in pages when they are drawn.

The model asks for rows with `rows_wanted` and is given them with `put_rows`; whoever owns the profile answers. So a
hundred thousand memories cost a list of integers, and pages that are only scrolled past are never fetched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QFont

from memreview.review.values import MemoryRow
from memreview.ui.models import memory_words as words
from memreview.ui.text import day, plain, tr

PAGE = 100
KEPT_PAGES = 60
PAGES_AT_ONCE = 3
ID_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_ROLE = Qt.ItemDataRole.UserRole + 2

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True)
class Column:
    """`sort` is the name that `memories.ids` sorts by, "" where it can't; `width` is in characters."""

    title: str
    text: Callable[[MemoryRow], str]
    sort: str
    width: int


COLUMNS: tuple[Column, ...] = (
    Column("Memory", lambda row: words.one_line(row.text), "text", 48),
    Column("Where it stands", words.standing, "status", 22),
    Column("Source", words.source, "source", 12),
    Column("Since", lambda row: day(row.created_at), "created", 16),
    Column("Holds", words.holds, "scope", 14),
    Column("Cases", lambda row: str(row.pending or ""), "", 7),
)
TEXT, STANDING, SOURCE, SINCE, SCOPE, PENDING = range(len(COLUMNS))


class MemoryTableModel(QAbstractTableModel):
    """`rows_wanted(ids)`: rows in view are not here. `sort_wanted(name, descending)`: a header was clicked, and the
    ids have to come anew from the database in that order."""

    rows_wanted = Signal(list)
    sort_wanted = Signal(str, bool)

    def __init__(self, parent=None) -> None:
        super().__init__(parent)
        self._ids: list[int] = []
        self._positions: dict[int, int] = {}
        self._rows: dict[int, MemoryRow] = {}
        self._fresh: OrderedDict[int, None] = OrderedDict()
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._asked: set[int] = set()
        self._notes: Mapping[int, str] = {}
        self._ask_soon = QTimer(self, singleShot=True, interval=0)
        self._ask_soon.timeout.connect(self._ask)

    @property
    def ids(self) -> Sequence[int]:
        return self._ids

    def set_ids(self, ids: Sequence[int], notes: Mapping[int, str] | None = None) -> None:
        """Show these memories in this order; `notes` by id are shown before the text ("by meaning")."""
        self._notes = notes or {}
        if ids != self._ids:
            self.beginResetModel()
            self._ids = list(ids)
            self._positions = {}
            if len(self._rows) > KEPT_PAGES * PAGE:
                self._rows = {}
            self.endResetModel()
        self.refresh()

    def refresh(self) -> None:
        """The rows in view are fetched again; what is held is shown until they are here."""
        self._fresh.clear()
        self._asked.clear()
        if self._ids:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._ids) - 1, len(COLUMNS) - 1))

    def put_rows(self, rows: Sequence[MemoryRow]) -> None:
        """The answer to `rows_wanted`; what is no longer in the list is dropped."""
        pages: dict[int, list[int]] = {}
        for row in rows:
            if (position := self.position(row.id)) is not None:
                self._rows[row.id] = row
                pages.setdefault(position // PAGE, []).append(position)
        for page, positions in pages.items():
            self._asked.discard(page)
            self._fresh[page] = None
            self.dataChanged.emit(self.index(min(positions), 0), self.index(max(positions), len(COLUMNS) - 1))
        while len(self._fresh) > KEPT_PAGES:
            oldest, _ = self._fresh.popitem(last=False)
            for memory_id in self._page_ids(oldest):
                self._rows.pop(memory_id, None)

    def position(self, memory_id: int) -> int | None:
        if not self._positions:
            self._positions = {memory: position for position, memory in enumerate(self._ids)}
        return self._positions.get(memory_id)

    def id_at(self, position: int) -> int | None:
        return self._ids[position] if 0 <= position < len(self._ids) else None

    # -- Qt's side ----------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        memory_id = self._ids[index.row()]
        if role == ID_ROLE:
            return memory_id
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == PENDING:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role not in _ROW_ROLES:
            return None
        row = self._row(index.row(), memory_id)
        if role == ROW_ROLE:
            return row
        if row is None:
            return "…" if role == Qt.ItemDataRole.DisplayRole and index.column() == TEXT else None
        return self._shown(row, index.column(), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section].title) if 0 <= section < len(COLUMNS) else None
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(COLUMNS) and COLUMNS[column].sort:
            self.sort_wanted.emit(COLUMNS[column].sort, order == Qt.SortOrder.DescendingOrder)

    # -- rows ---------------------------------------------------------------------------------------------------

    def _shown(self, row: MemoryRow, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.FontRole:
            return _struck_out() if row.status in words.NO_LONGER and column == TEXT else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return words.tooltip(row) if column == TEXT else None
        if role == Qt.ItemDataRole.AccessibleTextRole and column == TEXT:
            return f"{plain(row.text, 2_000)}. {words.standing(row)}. {words.source(row)}"
        text = COLUMNS[column].text(row)
        note = self._notes.get(row.id) if column == TEXT else None
        return f"[{note}] {text}" if note else text

    def _row(self, position: int, memory_id: int) -> MemoryRow | None:
        page = position // PAGE
        if page not in self._fresh and page not in self._asked:
            self._wanted[page] = None
            self._wanted.move_to_end(page)
            if not self._ask_soon.isActive():
                self._ask_soon.start()
        return self._rows.get(memory_id)

    def _ask(self) -> None:
        """Only the pages that were drawn last: the others have been scrolled past."""
        pages = list(self._wanted)[-PAGES_AT_ONCE:]
        self._wanted.clear()
        self._asked.update(pages)
        if ids := [memory_id for page in pages for memory_id in self._page_ids(page)]:
            self.rows_wanted.emit(ids)

    def _page_ids(self, page: int) -> Sequence[int]:
        return self._ids[page * PAGE : (page + 1) * PAGE]


@cache
def _struck_out() -> QFont:
    font = QFont()
    font.setStrikeOut(True)
    return font


_ROW_ROLES = frozenset(
    {
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
        Qt.ItemDataRole.FontRole,
        ROW_ROLE,
    }
)
