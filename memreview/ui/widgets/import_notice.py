"""What an import has to say: stopped and what was kept, or failed and why, with what to do about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.labels import Label


class ImportNotice(QWidget):
    """`resume_wanted()` and `discard_wanted()` are for a stopped import."""

    resume_wanted = Signal()
    discard_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = Label(role="warn", selectable=True)
        name_for_reader(self.text, tr("About the import"))
        self.resume = QPushButton(tr("Resume"))
        self.resume.clicked.connect(self.resume_wanted)
        self.discard = QPushButton(tr("Discard what was read"))
        self.discard.clicked.connect(self.discard_wanted)
        self.copy = QPushButton(tr("Copy the message"))
        self.copy.clicked.connect(lambda: QApplication.clipboard().setText(self.text.text()))
        self.dismiss = QPushButton(tr("Close"))
        self.dismiss.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.setAlignment(Qt.AlignmentFlag.AlignLeft)
        for button in (self.resume, self.discard, self.copy, self.dismiss):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        layout.addLayout(row)
        self.hide()

    def say_stopped(self, text: str) -> None:
        self._say(text, stopped=True)

    def say_failed(self, text: str) -> None:
        """Several files may fail: each message stays until the notice is closed."""
        shown = self.text.text() if self.isVisible() and not self.copy.isHidden() else ""
        self._say("\n\n".join(part for part in (shown, text) if part), stopped=False)

    def _say(self, text: str, *, stopped: bool) -> None:
        self.text.setText(text)
        self.resume.setVisible(stopped)
        self.discard.setVisible(stopped)
        self.copy.setVisible(not stopped)
        self.dismiss.setVisible(not stopped)
        self.show()
