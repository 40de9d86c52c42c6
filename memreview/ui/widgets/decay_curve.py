"""How a claim in quarantine fades: its curve down to the line where it leaves, and where it is now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from memreview.review.values import DecayPoint
from memreview.ui.text import day, name_for_reader, tr
from memreview.ui.theme import colours
from memreview.ui.widgets.plots import Plot

ROWS = 7.5
"""Height in text heights."""
HEADROOM = 0.15
"""Above full weight, for the label there."""
MARGIN = 0.1
"""Room for the dates at both ends."""


class DecayCurve(Plot):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[DecayPoint, ...] = ()
        self._floor = self._now = 0.0

    def show_curve(self, points: Sequence[DecayPoint], floor: float, now: float) -> None:
        """`now` in days after the first point."""
        self._points, self._floor, self._now = tuple(points), floor, now
        first, last = points[0], points[-1]
        told = tr("It fades from %1 on and is left out on %2.").replace("%1", day(first.at)).replace("%2", day(last.at))
        name_for_reader(self, tr("How it fades"), told)
        self.redraw()

    def fill(self, plot: Any) -> None:
        import pyqtgraph

        self._limit = pyqtgraph.InfiniteLine(angle=0)
        self._curve = pyqtgraph.PlotDataItem()
        self._dot = pyqtgraph.ScatterPlotItem(size=11, pen=None)
        for item in (self._limit, self._curve, self._dot):
            plot.addItem(item)
        plot.setYRange(0, 1 + HEADROOM, padding=0)

    def draw(self, plot: Any) -> None:
        import pyqtgraph

        if not self._points:
            return
        shown = colours(self.palette())
        days, shares = [point.days for point in self._points], [point.share for point in self._points]
        self._curve.setData(days, shares, pen=pyqtgraph.mkPen(shown.accent, width=2))
        self._limit.setValue(self._floor)
        self._limit.setPen(pyqtgraph.mkPen(QColor(shown.removed), width=1, style=Qt.PenStyle.DashLine))
        self._dot.setData([self._now], [self._share()], brush=pyqtgraph.mkBrush(shown.text))
        plot.setXRange(-days[-1] * MARGIN, days[-1] * (1 + MARGIN), padding=0)
        plot.getAxis("left").setTicks([[(1.0, tr("full weight")), (self._floor, tr("left out"))]])
        plot.getAxis("bottom").setTicks([self._ticks()])
        plot.setFixedHeight(int(self.fontMetrics().height() * ROWS))

    def _share(self) -> float:
        """The curve's height at `now`."""
        after = next((at for at, point in enumerate(self._points) if point.days >= self._now), len(self._points) - 1)
        low, high = self._points[max(0, after - 1)], self._points[after]
        if high.days == low.days:
            return high.share
        part = (self._now - low.days) / (high.days - low.days)
        return low.share + part * (high.share - low.share)

    def _ticks(self) -> list[tuple[float, str]]:
        """Both ends, and now where it has room between them."""
        first, last = self._points[0], self._points[-1]
        ends = [(first.days, day(first.at)), (last.days, day(last.at))]
        between = 0.25 <= (self._now - first.days) / max(1e-9, last.days - first.days) <= 0.75
        return [ends[0], (self._now, tr("now")), ends[1]] if between else ends
