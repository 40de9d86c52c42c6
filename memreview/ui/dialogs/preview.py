"""What a step would change, before it is done: counts of all, and the first rows with before and after."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from memreview.review.values import Preview, RowChange
from memreview.ui.dialogs.base import Dialog
from memreview.ui.gate_words import EVERYWHERE, layer_words
from memreview.ui.models.memory_words import status
from memreview.ui.text import day, line, name_for_reader, plural, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy

TIMES = frozenset({"valid_until", "snoozed_until", "updated_at", "finished_at"})
UNSEEN = frozenset({"superseded_by", "new_memory_id", "old_memory_id", "replaced_by", "decided", "answer", "topic"})
COUNTED = ("memories", "cases", "imports", "beliefs", "questions", "sources")
NOUNS = {"beliefs": "claims"}
ONE = {"memories": "memory", "cases": "case", "imports": "import", "claims": "claim", "questions": "question",
       "sources": "source"}  # fmt: skip
STATES = {"active": "in use", "superseded": "replaced", "quarantined": "held back", "evicted": "left out",
          "open": "put off", "blocked added": "left out from now on"}  # fmt: skip


class PreviewDialog(Dialog):
    def __init__(self, preview: Preview, title: str, action: str, parent: QWidget | None = None) -> None:
        super().__init__(title, tr("It is one step in the history, and can be undone there."), action, parent)
        self.counts = Label(count_words(preview), role="heading")
        name_for_reader(self.counts, tr("What changes in all"))
        self.body.addWidget(self.counts)
        rows = _rows(preview)
        self.table = _table(rows)
        self.body.addWidget(self.table, 1)
        if (left := sum(_seen(preview).values()) - len(rows)) > 0:
            self.body.addWidget(Label(plural(left, "%n more change is not listed.", "%n more changes are not listed.")))
        self.widen(110, 26)


def confirm(parent: QWidget | None, preview: Preview, *, title: str, action: str) -> bool:
    return bool(PreviewDialog(preview, title, action, parent).exec())


def count_words(preview: Preview) -> str:
    """The kinds of changes that a person counts in; tombstones and links are how it is done."""
    told = [kind_words(kind, count) for kind, count in _seen(preview).items()]
    return tr("In all: %1").replace("%1", ", ".join(told)) if told else tr("Nothing changes.")


def kind_words(kind: str, count: int) -> str:
    """ "1 claim in use", for a kind of change such as "beliefs active"."""
    noun, state = kind.split(" ", 1)
    noun = NOUNS.get(noun, noun)
    return plural(count, f"%n {ONE[noun]} {STATES.get(state, state)}", f"%n {noun} {STATES.get(state, state)}")


def _seen(preview: Preview) -> dict[str, int]:
    return {kind: n for kind, n in preview.counts.items() if kind.startswith(COUNTED) and kind != "beliefs changed"}


def _rows(preview: Preview) -> list[RowChange]:
    """Without those of which nothing can be seen."""
    return [
        change for change in preview.changes if not change.before or not change.after or len(set(sides(change))) > 1
    ]


def _table(rows: list[RowChange]) -> QTableWidget:
    table = roomy(QTableWidget(len(rows), 3), {1: 28, 2: 28})
    table.setShowGrid(False)
    name_for_reader(table, tr("What changes, row by row"))
    table.setHorizontalHeaderLabels([tr("What"), tr("Before"), tr("After")])
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for position, change in enumerate(rows):
        before, after = sides(change)
        for column, text in enumerate((line(change.title, 200), before, after)):
            table.setItem(position, column, QTableWidgetItem(text))
    return table


def sides(change: RowChange) -> tuple[str, str]:
    """(before, after) of what a person sees of the row."""
    names = [name for name in {**change.before, **change.after} if name not in UNSEEN]
    if not change.before:
        return tr("(not there)"), tr("added")
    if not change.after:
        return tr("there"), tr("removed")
    return _side(change.before, names), _side(change.after, names)


def _side(values: dict, names: list[str]) -> str:
    shown = [_value(name, values[name]) for name in names if name in values]
    return ", ".join(text for text in shown if text) or tr("(as it was)")


def _value(name: str, value: object) -> str:
    if name in TIMES:
        return tr("until %1").replace("%1", day(value)) if isinstance(value, int) else tr("no end")
    if name == "stayed_deleted":
        return tr("stayed deleted") if value else ""
    if name == "status":
        return status(str(value))
    if name == "scope":
        return tr("everywhere") if value in ("", EVERYWHERE) else line(str(value), 80)
    if name == "layer":
        return layer_words(str(value))[0]
    return line(str(value), 200)
