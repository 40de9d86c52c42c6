"""A note over the bottom of the window that names what was done and offers Undo. It goes by itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Card, Label

SHOWN_MS = 6_000
WIDTH_CHARS = 36


class Toast(Card):
    undone = Signal()

    def __init__(self, parent: QWidget, left: Callable[[], int] = lambda: 0) -> None:
        """`left` tells where the panels begin."""
        super().__init__(parent=parent)
        self._within = parent
        self._left = left
        self.label = Label()
        self.undo = QPushButton(tr("Undo"))
        self.undo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.undo.clicked.connect(self._on_undo)
        row = QHBoxLayout()
        row.addWidget(self.label)
        row.addWidget(self.undo)
        self.body.addLayout(row)
        self.body.setContentsMargins(14, 8, 8, 8)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(self, text: str, undo: bool) -> None:
        shown = line(text, 200)
        metrics = self.label.fontMetrics()
        self.label.setText(shown)
        width = min(metrics.horizontalAdvance(shown) + 4, metrics.averageCharWidth() * WIDTH_CHARS)
        self.label.setFixedSize(width, self.label.heightForWidth(width))
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
        """At the bottom left, beside the rail: the buttons that decide are at the right and stay free."""
        self.move(self._left() + 10, self._within.height() - self.height() - 12)

    def _on_undo(self) -> None:
        self.hide()
        self.undone.emit()
