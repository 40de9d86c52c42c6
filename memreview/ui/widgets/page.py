"""A column of widgets that scrolls, exactly as high as it needs to be at its width."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader


class Page(QScrollArea):
    """Add to `column`."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inner = Column()
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(16, 14, 16, 14)
        self.column.setSpacing(10)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inner)
        name_for_reader(self, name)


class Column(QWidget):
    """What is in a scrolling area."""

    def minimumSizeHint(self) -> QSize:
        """Its least height is that at its least width, where each text is many lines; the area would keep it always."""
        return QSize(super().minimumSizeHint().width(), 0)
