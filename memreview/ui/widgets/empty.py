"""What a list shows when it has nothing: why, and the one thing to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader
from memreview.ui.theme import primary
from memreview.ui.widgets.labels import Label


class EmptyState(QWidget):
    """A title, a sentence or two, and at most one button; `acted` is its click."""

    acted = Signal()

    def __init__(self, title: str = "", text: str = "", action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = Label(role="title")
        self.text = Label(role="muted")
        self.button = primary(QPushButton())
        self.button.clicked.connect(self.acted)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(label)
        layout.addSpacing(12)
        layout.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(3)
        self.say(title, text, action)

    def say(self, title: str, text: str, action: str = "") -> None:
        self.title.setText(title)
        self.text.setText(text)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        name_for_reader(self, title, text)
