"""Which column of a list holds what, with the first rows to look at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Label

FIELDS = (
    ("text", "Text of the memory", ("text", "memory", "content", "note", "fact")),
    ("created", "When it was saved", ("created", "date", "time", "when")),
    ("native_id", "Its id", ("id", "key", "uuid")),
    ("scope", "Where it holds", ("scope", "project", "context")),
    ("category", "Category", ("category", "tag", "type", "kind")),
)
ROWS_SHOWN = 20
Mapping = dict[str, str | None]


def guess(columns: Sequence[str], hints: Sequence[str], taken: Sequence[str]) -> int:
    """The column whose name is, or else holds, one of the hints; -1 where none does."""
    free = {n: name.casefold() for n, name in enumerate(columns) if name not in taken}
    for fits in (lambda name, hint: name == hint, lambda name, hint: hint in name):
        for hint in hints:
            for n, name in free.items():
                if fits(name, hint):
                    return n
    return -1


class MappingDialog(Dialog):
    def __init__(
        self, file_name: str, columns: Sequence[str], rows: Sequence[Sequence[str]], parent: QWidget | None = None
    ) -> None:
        told = tr("“%1” is a list, but its columns don't say what they hold.").replace("%1", line(file_name, 120))
        super().__init__(tr("Which column holds what?"), told, tr("Import"), parent)
        self.columns = list(columns)
        self.choices: dict[str, QComboBox] = {}
        form = QFormLayout()
        taken: list[str] = []
        for field, words, hints in FIELDS:
            box = self._choice(tr(words), required=field == "text")
            found = guess(self.columns, hints, taken)
            if found >= 0:
                taken.append(self.columns[found])
            box.setCurrentIndex(max(0, found + (0 if field == "text" else 1)))
            box.currentIndexChanged.connect(lambda _: self._show_titles())
            form.addRow(tr(words), box)
            self.choices[field] = box
        self.preview = self._table(rows)
        self.body.addLayout(form)
        self.body.addWidget(Label(tr("The first rows"), role="heading"))
        self.body.addWidget(self.preview, 1)
        self.widen(100, 30)
        self._show_titles()

    def mapping(self) -> Mapping:
        return {field: box.currentData() for field, box in self.choices.items()}

    def _choice(self, words: str, *, required: bool) -> QComboBox:
        box = QComboBox()
        name_for_reader(box, words)
        if not required:
            box.addItem(tr("(none)"), None)
        for name in self.columns:
            box.addItem(line(name, 60) or tr("(no name)"), name)
        return box

    def _table(self, rows: Sequence[Sequence[str]]) -> QTableWidget:
        shown = rows[:ROWS_SHOWN]
        table = QTableWidget(len(shown), len(self.columns))
        name_for_reader(table, tr("The first rows"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for y, row in enumerate(shown):
            for x, value in enumerate(row[: len(self.columns)]):
                table.setItem(y, x, QTableWidgetItem(line(str(value), 200)))
        for x in range(len(self.columns)):
            table.setColumnWidth(x, table.fontMetrics().averageCharWidth() * 34)
        return table

    def _show_titles(self) -> None:
        """Each column's name, and what it is taken for."""
        used = {box.currentData(): tr(words) for (field, words, _) in FIELDS for box in [self.choices[field]]}
        for x, name in enumerate(self.columns):
            shown = line(name, 40)
            self.preview.setHorizontalHeaderItem(
                x, QTableWidgetItem(f"{shown} → {used[name]}" if name in used else shown)
            )


def ask_mapping(
    parent: QWidget | None, file_name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> Mapping | None:
    dialog = MappingDialog(file_name, columns, rows, parent)
    return dialog.mapping() if dialog.exec() else None
