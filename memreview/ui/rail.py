"""The left rail: the places, each with its icon and, where something waits, a count."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QModelIndex, QPersistentModelIndex, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QIcon, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from memreview.ui.icons import icon
from memreview.ui.panels import Place
from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.theme import colours

BADGE = Qt.ItemDataRole.UserRole + 1
KEY = Qt.ItemDataRole.UserRole + 2


class Rail(QListView):
    chosen = Signal(str)

    def __init__(self, places: tuple[Place, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setViewportMargins(0, 6, 0, 0)
        self._places = [place for place in places if place.in_rail]
        self._items = QStandardItemModel(self)
        for place in self._places:
            item = QStandardItem(icon(place.icon), tr(place.title))
            item.setEditable(False)
            item.setData(place.key, KEY)
            self._items.appendRow(item)
        self.setModel(self._items)
        self.setItemDelegate(_Delegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.selectionModel().currentChanged.connect(lambda now, _before: self.chosen.emit(now.data(KEY) or ""))
        name_for_reader(self, tr("Places"))
        self.refresh_look()

    def set_current(self, key: str) -> None:
        """Show where we are without saying `chosen`; a place outside the rail clears it."""
        for row, place in enumerate(self._places):
            if place.key == key:
                self.setCurrentIndex(self._items.index(row, 0))
                return
        self.selectionModel().clear()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt makes the first row current when there is none; coming here alone must not lead anywhere."""
        with QSignalBlocker(self.selectionModel()):
            super().focusInEvent(event)

    def set_badges(self, counts: dict[str, int]) -> None:
        for row, place in enumerate(self._places):
            n = counts.get(place.key, 0)
            item = self._items.item(row)
            item.setData(n, BADGE)
            waiting = ", " + plural(n, "%n waiting", "%n waiting") if n else ""
            item.setData(tr(place.title) + waiting, Qt.ItemDataRole.AccessibleTextRole)

    def refresh_look(self) -> None:
        """After a change of theme."""
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Base, QColor(colours(palette).rail))
        self.setPalette(palette)
        for row, place in enumerate(self._places):
            self._items.item(row).setIcon(icon(place.icon))

    def sizeHint(self) -> QSize:
        widest = max(self.fontMetrics().horizontalAdvance(tr(place.title)) for place in self._places)
        badge = self.fontMetrics().horizontalAdvance("00,000")
        return QSize(widest + badge + int(self.fontMetrics().height() * 4.6), 200)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, int(option.fontMetrics.height() * 2.1))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        palette: QPalette = option.palette
        unit = option.fontMetrics.height()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(6, 2, -6, -2)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(box, 6, 6)
        if focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 5, 5)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.WindowText
        image: QIcon = index.data(Qt.ItemDataRole.DecorationRole)
        mode = QIcon.Mode.Selected if chosen else QIcon.Mode.Normal
        side = int(unit * 1.2)
        square = QRect(box.left() + unit // 2, box.center().y() - side // 2, side, side)
        image.paint(painter, square, Qt.AlignmentFlag.AlignCenter, mode)
        painter.setPen(palette.color(role))
        words = box.adjusted(int(unit * 2), 0, -unit // 2, 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(words, flags, index.data(Qt.ItemDataRole.DisplayRole))
        if n := index.data(BADGE):
            self._badge(painter, option, box, n, chosen)
        painter.restore()

    def _badge(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect, n: int, chosen: bool) -> None:
        text = QLocale().toString(n)
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        height = int(option.fontMetrics.height() * 1.25)
        width = max(height, option.fontMetrics.horizontalAdvance(text) + height // 2 + 4)
        pill = QRect(box.right() - width - 6, box.center().y() - height // 2, width, height)
        shown = colours(option.palette)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(option.palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setPen(shown.text)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
