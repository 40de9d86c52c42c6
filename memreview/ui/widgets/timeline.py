"""The slot's values over time: one row a value, a dot where it was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from memreview.review.values import TimelinePoint
from memreview.ui.text import day, line, name_for_reader, tr
from memreview.ui.theme import colours
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.plots import Plot

ROWS = 8
LABEL_CHARS = 28
LABELS_ACROSS = 6
"""Dates that fit side by side under the plot."""


class Timeline(Plot):
    """Points without a time are told in words below the plot, since they have no place on it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[TimelinePoint, ...] = ()
        self.note = Label(role="muted")
        self.column.addWidget(self.note)

    def show_points(self, points: Sequence[TimelinePoint]) -> None:
        self._points = tuple(points)
        dated = [point for point in points if point.at is not None]
        undated = sorted({line(point.value, LABEL_CHARS) for point in points if point.at is None})
        self.note.setText(tr("At an unknown time: %1").replace("%1", ", ".join(undated)) if undated else "")
        self.note.setVisible(bool(undated))
        told = "; ".join(f"{day(point.at)}: {line(point.value, 80)}" for point in dated[:50])
        name_for_reader(self, tr("Values over time"), told)
        if dated or self.plot is not None:
            self.redraw()

    def fill(self, plot: Any) -> None:
        import pyqtgraph

        self._dots = pyqtgraph.ScatterPlotItem(size=11, pen=None)
        plot.addItem(self._dots)

    def draw(self, plot: Any) -> None:
        import pyqtgraph

        shown = colours(self.palette())
        points = [point for point in self._points if point.at is not None]
        values = list(dict.fromkeys(point.value for point in reversed(points)))[:ROWS]
        rows = {value: index for index, value in enumerate(values)}
        look = {"old": (shown.removed, "x"), "new": (shown.added, "o"), "other": (shown.muted, "s")}
        brushes = {side: pyqtgraph.mkBrush(colour) for side, (colour, _) in look.items()}
        here = [point for point in points if point.value in rows]
        self._dots.setData(
            x=[(point.at or 0) / 1e6 for point in here],
            y=[rows[point.value] for point in here],
            symbol=[look[point.side][1] for point in here],
            brush=[brushes[point.side] for point in here],
        )
        plot.getAxis("left").setTicks([[(index, line(value, LABEL_CHARS)) for value, index in rows.items()]])
        plot.setYRange(-0.6, max(1, len(rows)) - 0.4, padding=0)
        self._set_times(plot, [point.at / 1e6 for point in points if point.at is not None])
        row = self.fontMetrics().height()
        plot.setFixedHeight(int(row * (max(2, len(rows)) * 1.6 + 2.6)))

    @staticmethod
    def _set_times(plot: Any, seconds: list[float]) -> None:
        """The axis is labelled where something was said, as far as the labels have room."""
        if not seconds:
            return
        first, last = min(seconds), max(seconds)
        margin = max(86_400 * 10, (last - first) * 0.12)
        plot.setXRange(first - margin, last + margin, padding=0)
        room = (last - first + 2 * margin) / LABELS_ACROSS
        ticks: list[tuple[float, str]] = []
        for at in sorted(set(seconds)):
            if not ticks or at - ticks[-1][0] >= room:
                ticks.append((at, day(int(at * 1e6))))
        plot.getAxis("bottom").setTicks([ticks])
