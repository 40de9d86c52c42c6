"""What a decision still needs to know: where and until when it holds, the words, or when to ask again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QDate, QPoint
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDateEdit,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QRadioButton,
    QWidget,
)

from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import LABEL_LIMIT, date_pattern, date_text, end_of_day, line, name_for_reader, plain, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.scope_choice import QUICK


class ScopeDialog(Dialog):
    """`scope` and `until` (UTC microseconds or None) are the answer; at least one of them is given."""

    def __init__(self, claim: str, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Where does it hold?"),
            tr("Both stay: the new one counts only where you say, the old one everywhere else."),
            tr("Limit it"),
            parent,
        )
        self.scope = ""
        self.until: int | None = None
        self.choices = QButtonGroup(self)
        self.work = self._choice(tr("At &work"))
        self.private = self._choice(tr("In &private life"))
        self.project = self._choice(tr("In one pro&ject or place:"))
        self.anywhere = self._choice(tr("&Everywhere, but only for a time"))
        self.project_name = QLineEdit()
        self.project_name.setPlaceholderText(tr("its name"))
        self.project_name.textEdited.connect(lambda: self.project.setChecked(True))
        name_for_reader(self.project_name, tr("Name of the project or place"))
        self.limited = QCheckBox(tr("&Until"))
        self.date = _date_field(QDate.currentDate().addMonths(1), QDate.currentDate())
        self.date.dateChanged.connect(lambda: self.limited.setChecked(True))
        name_for_reader(self.date, tr("The last day on which it holds"))
        row = QHBoxLayout()
        row.addWidget(self.project)
        row.addWidget(self.project_name, 1)
        time_row = QHBoxLayout()
        time_row.addWidget(self.limited)
        time_row.addWidget(self.date)
        time_row.addStretch(1)
        self.body.addWidget(Label(line(claim, 400), role="heading"))
        self.body.addWidget(self.work)
        self.body.addWidget(self.private)
        self.body.addLayout(row)
        self.body.addWidget(self.anywhere)
        self.body.addLayout(time_row)
        self.problem = Label(role="warn")
        self.problem.hide()
        self.body.addWidget(self.problem)
        self.anywhere.toggled.connect(lambda on: self.limited.setChecked(True) if on else None)
        self.work.setChecked(True)
        self.widen(70)

    def accept(self) -> None:
        until = end_of_day(self.date.date()) if self.limited.isChecked() else None
        name = " ".join(self.project_name.text().split())
        scope = {0: QUICK[0], 1: QUICK[1], 2: name}.get(self.choices.checkedId(), "")
        if self.project.isChecked() and not name:
            self._complain(tr("Give the project or place a name."))
        elif not scope and until is None:
            self._complain(tr("Say until when."))
        else:
            self.scope, self.until = scope, until
            super().accept()

    def _choice(self, text: str) -> QRadioButton:
        button = QRadioButton(text)
        self.choices.addButton(button, len(self.choices.buttons()))
        return button

    def _complain(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.show()


class TextDialog(Dialog):
    """One text to edit; `answer` is the new one. What it is now stands above, to compare."""

    def __init__(self, title: str, before: str, text: str, action: str, parent: QWidget | None = None) -> None:
        super().__init__(title, "", action, parent)
        self.answer = text
        self.edit = QPlainTextEdit()
        # The field holds the raw text, so that saving it unchanged changes nothing; it can't render markup.
        self.edit.setPlainText(text)
        self.edit.setTabChangesFocus(True)
        name_for_reader(self.edit, tr("The wording"))
        if before:
            self.body.addWidget(Label(tr("Now: %1").replace("%1", plain(before, LABEL_LIMIT)), role="muted"))
        self.body.addWidget(self.edit, 1)
        self.edit.textChanged.connect(self._check)
        self.edit.selectAll()
        self.edit.setFocus()
        self.widen(80, 14)

    def accept(self) -> None:
        self.answer = self.edit.toPlainText().strip()
        super().accept()

    def _check(self) -> None:
        if self.accept_button is not None:
            self.accept_button.setEnabled(bool(self.edit.toPlainText().strip()))


class DateDialog(Dialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Ask me again on"), "", tr("Put off"), parent)
        self.date = _date_field(QDate.currentDate().addDays(14), QDate.currentDate().addDays(1))
        name_for_reader(self.date, tr("Date"))
        self.body.addWidget(self.date)


def snooze_menu(parent: QWidget, chosen: Callable[[int], None]) -> QMenu:
    """Tomorrow, next week, next month or a date; `chosen(until)` gets the start of that day in UTC microseconds."""
    today = QDate.currentDate()
    menu = QMenu(parent)
    for words, date in (
        (tr("&Tomorrow"), today.addDays(1)),
        (tr("Next &week"), today.addDays(8 - today.dayOfWeek())),
        (tr("Next &month"), QDate(today.year(), today.month(), 1).addMonths(1)),
    ):
        action = menu.addAction(f"{words}  ({date_text(date)})")
        action.triggered.connect(lambda _checked=False, date=date: chosen(_start(date)))

    def pick() -> None:
        dialog = DateDialog(parent)
        if dialog.exec():
            chosen(_start(dialog.date.date()))

    menu.addSeparator()
    menu.addAction(tr("On a &date …")).triggered.connect(pick)
    return menu


def popup_over(menu: QMenu, anchor: QWidget) -> None:
    height = menu.sizeHint().height()
    menu.popup(anchor.mapToGlobal(QPoint(0, -height)))


def _date_field(date: QDate, first: QDate) -> QDateEdit:
    field = QDateEdit(date)
    field.setCalendarPopup(True)
    field.setDisplayFormat(date_pattern())
    field.setMinimumDate(first)
    return field


def _start(date: QDate) -> int:
    return end_of_day(date.addDays(-1)) + 1
