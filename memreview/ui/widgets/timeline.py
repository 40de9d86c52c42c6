"""The slot's values over time: one row a value, a dot where it was said.

pyqtgraph is imported on a thread of its own when the first plot is wanted: that takes 0.2 s, and the window goes on.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from threading import Event, Thread

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from memreview.review.values import TimelinePoint
from memreview.ui.text import day, line, name_for_reader, tr
from memreview.ui.theme import colours
from memreview.ui.widgets.labels import Label

ROWS = 8
LABEL_CHARS = 28
LABELS_ACROSS = 6
"""Dates that fit side by side under the plot."""
LOOK_EVERY_MS = 30

_imported = Event()
_importing = Event()


def _import() -> None:
    # A collection that ran here would free Qt objects of the window off its thread, which crashes.
    gc.disable()
    try:
        import pyqtgraph  # noqa: F401
    finally:
        gc.enable()
    _imported.set()


def plots_are_ready() -> bool:
    """True once pyqtgraph is imported; the first call begins it."""
    if not _importing.is_set():
        _importing.set()
        Thread(target=_import, name="import pyqtgraph", daemon=True).start()
    return _imported.is_set()


class Timeline(QWidget):
    """Points without a time are told in words below the plot, since they have no place on it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[TimelinePoint, ...] = ()
        self._plot = None
        self._waiting = QTimer(self, interval=LOOK_EVERY_MS)
        self._waiting.timeout.connect(self._draw_when_ready)
        self.note = Label(role="muted")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.note)

    def show_points(self, points: Sequence[TimelinePoint]) -> None:
        self._points = tuple(points)
        dated = [point for point in points if point.at is not None]
        undated = sorted({line(point.value, LABEL_CHARS) for point in points if point.at is None})
        self.note.setText(tr("At an unknown time: %1").replace("%1", ", ".join(undated)) if undated else "")
        self.note.setVisible(bool(undated))
        told = "; ".join(f"{day(point.at)}: {line(point.value, 80)}" for point in dated[:50])
        name_for_reader(self, tr("Values over time"), told)
        if dated or self._plot is not None:
            self._draw_when_ready()

    def _draw_when_ready(self) -> None:
        if plots_are_ready():
            self._waiting.stop()
            self._draw([point for point in self._points if point.at is not None])
        elif not self._waiting.isActive():
            self._waiting.start()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._plot is not None:
            self.show_points(self._points)

    def _draw(self, points: list[TimelinePoint]) -> None:
        import pyqtgraph

        plot = self._made()
        shown = colours(self.palette())
        text = self.palette().color(QPalette.ColorRole.Text)
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
        left, bottom = plot.getAxis("left"), plot.getAxis("bottom")
        left.setTicks([[(index, line(value, LABEL_CHARS)) for value, index in rows.items()]])
        for axis in (left, bottom):
            axis.setTextPen(text)
            axis.setPen(QColor(shown.line))
            axis.setStyle(tickFont=self.font())
        plot.setBackground(QColor(shown.card))
        plot.setYRange(-0.6, max(1, len(rows)) - 0.4, padding=0)
        self._set_times([point.at / 1e6 for point in points if point.at is not None])
        row = self.fontMetrics().height()
        plot.setFixedHeight(int(row * (max(2, len(rows)) * 1.6 + 2.6)))

    def _set_times(self, seconds: list[float]) -> None:
        """The axis is labelled where something was said, as far as the labels have room."""
        if not seconds:
            return
        first, last = min(seconds), max(seconds)
        margin = max(86_400 * 10, (last - first) * 0.12)
        plot = self._made()
        plot.setXRange(first - margin, last + margin, padding=0)
        room = (last - first + 2 * margin) / LABELS_ACROSS
        ticks: list[tuple[float, str]] = []
        for at in sorted(set(seconds)):
            if not ticks or at - ticks[-1][0] >= room:
                ticks.append((at, day(int(at * 1e6))))
        plot.getAxis("bottom").setTicks([ticks])

    def _made(self):
        if self._plot is None:
            import pyqtgraph

            plot = pyqtgraph.PlotWidget()
            plot.setMenuEnabled(False)
            plot.setMouseEnabled(x=False, y=False)
            plot.hideButtons()
            plot.setFrameShape(plot.Shape.NoFrame)
            plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            plot.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
            plot.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._dots = pyqtgraph.ScatterPlotItem(size=11, pen=None)
            plot.addItem(self._dots)
            self._column.insertWidget(0, plot)
            self._plot = plot
        return self._plot
