"""Paints what waits in two lines, what it says with its date, then kind and source; and the headings between."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from memreview.ui.models.case_list import HEADING, ROW, Heading, Index, Row
from memreview.ui.text import tr
from memreview.ui.theme import colours

MARGIN_X, MARGIN_Y = 12, 6


class CaseDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, row_height(option.fontMetrics))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        if (heading := index.data(HEADING)) is not None:
            self._paint_heading(painter, option, heading)
        else:
            self._paint_row(painter, option, index.data(ROW))
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, heading: Heading) -> None:
        shown = colours(option.palette)
        painter.fillRect(option.rect, QColor(shown.alternate))
        top, bottom = _lines(option.rect)
        _draw(
            painter,
            top,
            f"{heading.title} ({QLocale().toString(heading.count)})",
            QColor(shown.text),
            _bold(option.font),
        )
        _draw(painter, bottom, heading.text, QColor(shown.muted), option.font)

    def _paint_row(self, painter: QPainter, option: QStyleOptionViewItem, row: Row | None) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole
        if chosen:
            painter.fillRect(option.rect, option.palette.color(role.Highlight))
        shown = colours(option.palette)
        top, bottom = _lines(option.rect)
        text = option.palette.color(role.HighlightedText if chosen else role.Text)
        muted = text if chosen else QColor(shown.muted)
        if row is None:
            _draw(painter, top, tr("no longer there"), muted, option.font)
            return
        width = QFontMetrics(option.font).horizontalAdvance(row.date)
        _draw(painter, top.adjusted(0, 0, -width - 10, 0), row.first, text, _bold(option.font))
        painter.setFont(option.font)
        painter.setPen(muted)
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, row.date)
        _draw(painter, bottom, row.second, muted, option.font)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(text)
            painter.drawRect(option.rect.adjusted(1, 1, -2, -2))
        elif not chosen:
            painter.setPen(QColor(shown.line))
            painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())


def row_height(metrics: QFontMetrics) -> int:
    return int(2.25 * metrics.height()) + 2 * MARGIN_Y


def _lines(rect: QRect) -> tuple[QRect, QRect]:
    inner = rect.adjusted(MARGIN_X, MARGIN_Y, -MARGIN_X, -MARGIN_Y)
    half = inner.height() // 2
    return inner.adjusted(0, 0, 0, -half), inner.adjusted(0, half, 0, 0)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


def _draw(painter: QPainter, rect: QRect, text: str, colour: QColor, font: QFont) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
