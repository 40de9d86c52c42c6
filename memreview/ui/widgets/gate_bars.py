"""What the gate thought of a claim: six labelled bars, and below them how unsure it was against when it asks."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLocale, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from memreview.review.values import GateReading
from memreview.review.words import ACTIONS
from memreview.ui.gate_words import action_words, unsure_words
from memreview.ui.text import name_for_reader, tr
from memreview.ui.theme import colours
from memreview.ui.widgets.labels import Label

ROW = 1.45
"""Height of a bar's row in text heights."""


@dataclass(frozen=True)
class Bar:
    """`share` of the full width, and where there is a `limit`, a line there in place of the number."""

    words: str
    share: float
    limit: float | None = None


class GateBars(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shares, self.doubt = _Bars(), _Bars()
        self.unsure = Label(role="muted")
        told = Label(tr("How probable the check found each way of taking it:"), role="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        widgets: tuple[QWidget, ...] = (told, self.shares, self.doubt, self.unsure)
        for widget in widgets:
            column.addWidget(widget)

    def show_reading(self, reading: GateReading) -> None:
        shares = [Bar(action_words(action), reading.probabilities.get(action, 0.0)) for action in ACTIONS]
        taken = list(ACTIONS).index(reading.action) if reading.action in ACTIONS else -1
        self.shares.show_bars(shares, taken)
        name_for_reader(
            self.shares,
            tr("What the check made of it: %1").replace("%1", action_words(reading.action)),
            ", ".join(f"{bar.words} {_percent(bar.share)}" for bar in shares),
        )
        # The whole width is twice the limit, so that the mark stands in the middle.
        self.doubt.show_bars([Bar(tr("how unsure"), min(1.0, reading.entropy / reading.eta / 2), limit=0.5)])
        self.unsure.setText(unsure_words(reading))
        name_for_reader(self.doubt, tr("How unsure the check was"), self.unsure.text())


class _Bars(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Bar] = []
        self._strong = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(self, rows: list[Bar], strong: int = -1) -> None:
        """`strong` is the row that is set apart."""
        self._rows, self._strong = rows, strong
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 48, int(metrics.height() * ROW * max(1, len(self._rows))))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 26, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        # The bars of both charts begin and end on one line.
        named = [*map(action_words, ACTIONS), tr("how unsure")]
        left = max(QFontMetrics(bold).horizontalAdvance(words) for words in named) + self.fontMetrics().height() * 0.6
        height = int(self.fontMetrics().height() * ROW)
        for number, bar in enumerate(self._rows):
            strong = number == self._strong
            painter.setFont(bold if strong else self.font())
            self._paint_bar(painter, QRectF(0, number * height, self.width(), height), left, bar, strong)

    def _paint_bar(self, painter: QPainter, row: QRectF, left: float, bar: Bar, strong: bool) -> None:
        shown = colours(self.palette())
        unit = self.fontMetrics().height()
        thick, end = unit * 0.55, painter.fontMetrics().horizontalAdvance("100 %") + unit * 0.6
        track = QRectF(left, row.center().y() - thick / 2, max(1.0, row.width() - left - end), thick)
        painter.setPen(QColor(shown.text))
        painter.drawText(row, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, bar.words)
        if bar.limit is None:
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(row, flags, _percent(bar.share))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shown.line))
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(QColor(shown.accent if strong or bar.limit is not None else shown.muted))
        painter.drawRoundedRect(QRectF(track.left(), track.top(), max(2.0, track.width() * bar.share), thick), 3, 3)
        if bar.limit is not None:
            at = track.left() + track.width() * bar.limit
            painter.fillRect(QRectF(at - 1, row.top() + 1, 2, row.height() - 2), QColor(shown.text))


def _percent(share: float) -> str:
    return tr("%1 %").replace("%1", QLocale().toString(round(share * 100)))
