"""The frame of every dialog: a heading, a sentence, the body, and buttons named after what they do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import tr
from memreview.ui.theme import primary
from memreview.ui.widgets.labels import Label


class Dialog(QDialog):
    """Add to `body`; `accept_button` carries `action`. `answer` is what the caller reads after `exec()`."""

    def __init__(self, title: str, text: str = "", action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        self.title = Label(title, role="title")
        self.text = Label(text, role="muted")
        self.body = QVBoxLayout()
        self.buttons = QDialogButtonBox()
        self.cancel_button = self.buttons.addButton(
            tr("Cancel") if action else tr("Close"), QDialogButtonBox.ButtonRole.RejectRole
        )
        self.accept_button: QPushButton | None = None
        if action:
            self.accept_button = self.buttons.addButton(action, QDialogButtonBox.ButtonRole.AcceptRole)
            primary(self.accept_button)
            self.accept_button.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout.addWidget(self.title)
        layout.addWidget(self.text)
        self.text.setVisible(bool(text))
        layout.addLayout(self.body, 1)
        layout.addWidget(self.buttons)

    def showEvent(self, event: QShowEvent) -> None:
        """The focus starts in the body, not on Cancel, and comes to the buttons last."""
        super().showEvent(event)
        buttons = self.buttons.findChildren(QWidget)
        body = [
            widget
            for widget in self.findChildren(QWidget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget not in buttons
        ]
        held = self.focusWidget()
        if body:
            self.setTabOrder(body[-1], self.accept_button or self.cancel_button)
        if self.accept_button is not None:
            self.setTabOrder(self.accept_button, self.cancel_button)
        if held is None or held in buttons:
            (body[0] if body else self.accept_button or self.cancel_button).setFocus()

    def widen(self, chars: int, lines: int = 0) -> None:
        """A starting size in characters and lines of the font, so that it grows with it."""
        metrics = self.fontMetrics()
        hint = self.sizeHint()
        self.resize(max(hint.width(), metrics.averageCharWidth() * chars), max(hint.height(), metrics.height() * lines))
