"""What the plots share: a plot that only shows, made as soon as pyqtgraph is there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from memreview.ui import slow_imports
from memreview.ui.theme import colours

LOOK_EVERY_MS = 30


class Plot(QWidget):
    """Subclass with `fill` and `draw`; call `redraw` when there is something new. `column` has the plot on top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot: Any = None
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self._waiting = QTimer(self, interval=LOOK_EVERY_MS)
        self._waiting.timeout.connect(self._make_when_ready)

    def fill(self, plot: Any) -> None:
        """Put into a new plot what is moved later."""
        raise NotImplementedError

    def draw(self, plot: Any) -> None:
        """Show what there is now, in the colours of now."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Now, or when the plot is there: it is made in a turn of its own, for that takes as long as all the rest."""
        if self.plot is None:
            self._waiting.start()
            return
        _dress(self.plot, self)
        self.draw(self.plot)

    def _make_when_ready(self) -> None:
        if slow_imports.are_done():
            self._waiting.stop()
            self.plot = _quiet_plot()
            self.fill(self.plot)
            self.column.insertWidget(0, self.plot)
            self.redraw()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self.plot is not None:
            self.redraw()


def _quiet_plot() -> Any:
    """A plot that is looked at and not worked with."""
    import pyqtgraph

    plot = pyqtgraph.PlotWidget()
    plot.setMenuEnabled(False)
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    plot.setFrameShape(plot.Shape.NoFrame)
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.viewport().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return plot


def _dress(plot: Any, like: QWidget) -> None:
    shown = colours(like.palette())
    plot.setBackground(QColor(shown.card))
    for axis in (plot.getAxis("left"), plot.getAxis("bottom")):
        axis.setTextPen(like.palette().color(QPalette.ColorRole.Text))
        axis.setPen(QColor(shown.line))
        axis.setStyle(tickFont=like.font())
