"""Where something holds, as a choice: everywhere, at work, in private life, or in one project or place."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QRadioButton, QVBoxLayout, QWidget

from memreview.ui.gate_words import EVERYWHERE
from memreview.ui.text import name_for_reader, tr

QUICK = ("work", "private")


class ScopeChoice(QWidget):
    """`scope` is EVERYWHERE or words, "" while the place has no name yet. `changed` when it is another."""

    changed = Signal()

    def __init__(self, everywhere: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self.everywhere = self._choice(tr("&Everywhere"))
        self.everywhere.setVisible(everywhere)
        self.work = self._choice(tr("At &work"))
        self.private = self._choice(tr("In &private life"))
        self.place = self._choice(tr("In one pro&ject, place or situation:"))
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("its name"))
        name_for_reader(self.name, tr("Name of the project, place or situation"))
        named = QHBoxLayout()
        named.addWidget(self.place)
        named.addWidget(self.name, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for button in (self.everywhere, self.work, self.private):
            column.addWidget(button)
        column.addLayout(named)
        (self.everywhere if everywhere else self.work).setChecked(True)
        self.name.textEdited.connect(lambda: self.place.setChecked(True))
        self.name.textChanged.connect(self.changed)
        self._group.buttonToggled.connect(lambda _button, on: self.changed.emit() if on else None)

    @property
    def scope(self) -> str:
        if self.everywhere.isChecked():
            return EVERYWHERE
        if self.place.isChecked():
            return " ".join(self.name.text().split())
        return QUICK[0] if self.work.isChecked() else QUICK[1]

    def suggest(self, scope: str) -> None:
        """Start with this one."""
        known = {EVERYWHERE: self.everywhere, QUICK[0]: self.work, QUICK[1]: self.private}
        if scope in known:
            known[scope].setChecked(True)
        elif scope:
            self.place.setChecked(True)
            self.name.setText(scope)

    def focus_chosen(self) -> None:
        chosen = self._group.checkedButton() or self.everywhere
        (self.name if chosen is self.place else chosen).setFocus()

    def _choice(self, text: str) -> QRadioButton:
        button = QRadioButton(text)
        self._group.addButton(button)
        return button
