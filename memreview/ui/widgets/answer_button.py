"""One answer as a large button: its number, which is its key, what it says, and below that what it changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader
from memreview.ui.widgets.labels import Label


class AnswerButton(QPushButton):
    def __init__(self, key: str, words: str, effects: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        number = Label(key, role="heading", wrap=False)
        told = QVBoxLayout()
        told.setSpacing(2)
        for label in (Label(words, role="heading"), Label(effects, role="muted")):
            told.addWidget(label)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(14)
        row.addWidget(number, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(told, 1)
        for part in self.findChildren(Label):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            part.setForegroundRole(QPalette.ColorRole.WindowText)  # within a button it would be the button's own
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        name_for_reader(self, words, effects)

    # A button measures its own text, which is empty; its layout knows better.

    def sizeHint(self) -> QSize:
        return self._measured().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._measured().minimumSize()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._measured().totalHeightForWidth(width)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def _measured(self):
        layout = self.layout()
        assert layout is not None
        return layout
