"""A note over the bottom of the window that names what was done and offers Undo. It goes by itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Label

SHOWN_MS = 6_000


class Toast(QFrame):
    undone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.label = Label(wrap=False)
        self.undo = QPushButton(tr("Undo"))
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.undo.clicked.connect(self._on_undo)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 8, 8, 8)
        layout.addWidget(self.label)
        layout.addWidget(self.undo)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(self, text: str, undo: bool) -> None:
        shown = line(text, 160)
        width = max(200, self.parentWidget().width() - 260)
        self.label.setText(self.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, width))
        self.undo.setVisible(undo)
        name_for_reader(self, shown)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        area = self.parentWidget().rect()
        self.move((area.width() - self.width()) // 2, area.height() - self.height() - 18)

    def _on_undo(self) -> None:
        self.hide()
        self.undone.emit()
