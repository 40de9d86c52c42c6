"""A life as a timeline from top to bottom: what was said, what was decided, and what came of it, each at its time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from memreview.review.values import LifeLine
from memreview.review.words import LIFE
from memreview.ui.text import line as cut
from memreview.ui.text import moment, name_for_reader, plural, tr
from memreview.ui.theme import Colours, colours
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.page import Column

SHOWN = 150
CHARS = 240


def kind_words(kind: str) -> str:
    return tr(LIFE[kind])


def _colour(kind: str, of: Colours) -> str:
    return {
        "held": of.removed,
        "corroborated": of.added,
        "decided": of.accent,
        "said": of.text,
        "stored": of.text,
    }.get(kind, of.muted)


class LifeView(QScrollArea):
    """`opened(target, id)`: an entry or a step that a line is about."""

    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        name_for_reader(self, tr("What happened, oldest first"))

    def show_lines(self, lines: Sequence[LifeLine]) -> None:
        page = Column()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 12, 0)
        column.setSpacing(0)
        if (earlier := len(lines) - SHOWN) > 0:
            column.addWidget(
                Label(plural(earlier, "%n earlier line is left out", "%n earlier lines are left out"), role="muted")
            )
        shown = lines[-SHOWN:]
        read: set[int | None] = set()
        for number, line in enumerate(shown):
            row = LifeRow(line, first=number == 0, last=number == len(shown) - 1, chat=line.entry_id not in read)
            read.add(line.entry_id)
            row.opened.connect(self.opened)
            column.addWidget(row)
        column.addStretch(1)
        self.setWidget(page)


class LifeRow(QWidget):
    opened = Signal(str, object)

    def __init__(self, line: LifeLine, *, first: bool, last: bool, chat: bool, parent: QWidget | None = None) -> None:
        """`chat`: with a button that opens its entry, if it has one."""
        super().__init__(parent)
        undone = tr(" (undone)") if line.undone else ""
        head = Label(f"{kind_words(line.kind)}{undone}", role="heading")
        when = Label(moment(line.at) if line.at is not None else tr("at an unknown time"), role="muted")
        text = Label(cut(line.text, CHARS), selectable=True)
        told = QVBoxLayout()
        told.setContentsMargins(0, 6, 0, 10)
        told.setSpacing(2)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(head)
        top.addWidget(when, 1)
        told.addLayout(top)
        told.addWidget(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(_Mark(line.kind, first, last))
        row.addLayout(told, 1)
        for target, id, words in (
            ("entry", line.entry_id if chat else None, tr("Open the chat")),
            ("step", line.step if line.kind == "decided" else None, tr("Show the step")),
        ):
            if id is not None:
                button = QPushButton(words)
                name_for_reader(button, f"{words}: {kind_words(line.kind)}, {when.text()}")
                button.clicked.connect(lambda _=False, target=target, id=id: self.opened.emit(target, id))
                row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        name_for_reader(self, f"{when.text()}: {head.text()}", text.text())


class _Mark(QWidget):
    """A dot on a line that goes on to the next row."""

    def __init__(self, kind: str, first: bool, last: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind, self._first, self._last = kind, first, last
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        unit = self.fontMetrics().height()
        return QSize(int(unit * 1.6), unit)

    def paintEvent(self, event) -> None:
        of = colours(self.palette())
        unit = self.fontMetrics().height()
        middle = QPointF(self.width() / 2, 6 + unit / 2)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(of.edge), 1.5))
        if not self._first:
            painter.drawLine(QPointF(middle.x(), 0), middle)
        if not self._last:
            painter.drawLine(middle, QPointF(middle.x(), self.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(_colour(self._kind, of)))
        painter.drawEllipse(middle, unit * 0.3, unit * 0.3)
