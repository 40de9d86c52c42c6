"""A text for the assistant itself: it updates, limits and forgets what was decided here."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QComboBox, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QWidget

from memreview.review import exports
from memreview.ui.context import AppContext
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import name_for_reader, provider_name, tr
from memreview.ui.theme import primary
from memreview.ui.widgets.labels import Label

ASSISTANTS = ("chatgpt", "claude", "gemini")


class TellDialog(Dialog):
    """Long texts come in parts that the assistant takes one after the other."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Tell my assistant"),
            tr("Paste this text into a new chat. It names only what you decided here, and nothing else."),
            parent=parent,
        )
        self._context = context
        self._parts: list[str] = []
        self._part = 0
        self.assistant = QComboBox()
        for name in ASSISTANTS:
            self.assistant.addItem({"gemini": "Gemini"}.get(name, provider_name(name)), name)
        label = QLabel(tr("&Assistant:"))
        label.setBuddy(self.assistant)
        self.text_view = QPlainTextEdit()
        self.text_view.setReadOnly(True)
        self.text_view.setTabChangesFocus(True)
        name_for_reader(self.text_view, tr("The text to paste"))
        self.where = Label(role="muted", wrap=False)
        self.previous = QPushButton(tr("Previous part"))
        self.next = QPushButton(tr("Next part"))
        self.copy = primary(QPushButton(tr("Copy")))
        self.copy.setEnabled(False)
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(label)
        top.addWidget(self.assistant)
        top.addStretch(1)
        for widget in (self.previous, self.next, self.where):
            bottom.addWidget(widget)
        bottom.addStretch(1)
        bottom.addWidget(self.copy)
        self.body.addLayout(top)
        self.body.addWidget(self.text_view, 1)
        self.body.addLayout(bottom)
        self.assistant.currentIndexChanged.connect(self._ask)
        self.previous.clicked.connect(lambda: self._show(self._part - 1))
        self.next.clicked.connect(lambda: self._show(self._part + 1))
        self.copy.clicked.connect(self._on_copy)
        self.widen(100, 28)
        self._ask()

    def _ask(self) -> None:
        name = self.assistant.currentData()
        self._context.ask("tell", lambda profile: exports.tell(profile, name), self._show_parts, self)

    def _show_parts(self, parts: list[str]) -> None:
        self._parts = parts
        self._show(0)

    def _show(self, part: int) -> None:
        self._part = part
        many = len(self._parts) > 1
        # The raw text: what is copied must be what is shown.
        self.text_view.setPlainText(
            self._parts[part] if self._parts else tr("Nothing was decided yet, so there is nothing to tell.")
        )
        self.copy.setEnabled(bool(self._parts))
        self.copy.setText(tr("Copy this part") if many else tr("Copy"))
        for button in (self.previous, self.next):
            button.setVisible(many)
        self.previous.setEnabled(part > 0)
        self.next.setEnabled(part + 1 < len(self._parts))
        place = tr("Part %1 of %2: send it, wait for the answer, then the next.")
        self.where.setText(place.replace("%1", str(part + 1)).replace("%2", str(len(self._parts))) if many else "")

    def _on_copy(self) -> None:
        QApplication.clipboard().setText(self._parts[self._part])
        self._context.toast(tr("Copied"))
        self.where.setText(tr("Copied. Paste it into a new chat."))
