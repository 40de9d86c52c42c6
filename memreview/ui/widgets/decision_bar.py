"""The buttons that decide what is shown, in one row or in two, each with its key."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QWidget

from memreview.review.values import Verb
from memreview.ui.text import name_for_reader
from memreview.ui.theme import colours, primary


class DecisionBar(QFrame):
    """The keys are only shown on the buttons; the commands that have them are the panel's. `main` is what Enter
    means, if it means one of them."""

    decided = Signal(object)

    def __init__(self, verbs: Sequence[Verb], main: Verb | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[Verb, QPushButton] = {}
        self._count = len(verbs)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 8, 16, 8)
        self._grid.setColumnStretch(self._count, 1)
        for verb in verbs:
            button = QPushButton()
            button.clicked.connect(lambda _checked=False, verb=verb: self.decided.emit(verb))
            self.buttons[verb] = button
        if main is not None:
            primary(self.buttons[main])
        self._keys: Mapping[Verb, str] = {}
        self._columns = 0
        self._arrange(self._count)

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.setPen(QColor(colours(self.palette()).line))
        painter.drawLine(self.rect().topLeft(), self.rect().topRight())

    def minimumSizeHint(self) -> QSize:
        """Wide enough for half of the buttons side by side."""
        return QSize(self._width_of(self._half), super().minimumSizeHint().height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    @property
    def _half(self) -> int:
        return (self._count + 1) // 2

    def _width_of(self, columns: int) -> int:
        widths = [button.sizeHint().width() for button in self.buttons.values()]
        margins = self._grid.contentsMargins()
        columns_width = sum(max(widths[column::columns]) for column in range(min(columns, len(widths))))
        return columns_width + self._grid.spacing() * (columns + 1) + margins.left() + margins.right()

    def _fit(self) -> None:
        self._arrange(self._count if self.width() >= self._width_of(self._count) else self._half)
        self.updateGeometry()

    def _arrange(self, columns: int) -> None:
        if columns != self._columns:
            self._columns = columns
            for number, button in enumerate(self.buttons.values()):
                self._grid.addWidget(button, number // columns, number % columns)

    def show_keys(self, keys: Mapping[Verb, str]) -> None:
        """`keys` are texts as the platform writes them; only the first of several is shown."""
        self._keys = keys

    def say(self, words: Mapping[Verb, tuple[str, str]], enabled: Container[Verb]) -> None:
        """The word on each button and its tip."""
        for verb, button in self.buttons.items():
            word, tip = words[verb]
            key = self._keys.get(verb, "").split(",")[0]
            button.setText(f"{word}   {key}" if key else word)
            button.setToolTip(tip)
            name_for_reader(button, word, tip)
            button.setEnabled(verb in enabled)
        self._fit()
