"""The command palette: type a few letters of what you want to do, or of what you look for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem
from rapidfuzz import fuzz

from memreview.review import memories
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import isolated, line, name_for_reader, tr
from memreview.ui.theme import colours

if TYPE_CHECKING:
    from memreview.ui.window import MainWindow

COMMANDS_SHOWN, MEMORIES_SHOWN = 12, 8
FOUND = 55
"""The score from which a command counts as meant."""
ENTRY = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class Entry:
    """`command` is a command's id, or `memory` a memory's; `note` is what stands at the right."""

    title: str
    note: str = ""
    command: str = ""
    memory: int = 0
    disabled: str = ""


def score(typed: str, title: str) -> float:
    """0 to 100: how well the letters fit, and more where the title begins with them."""
    typed, title = typed.strip().lower(), title.lower()
    return 0.8 * fuzz.WRatio(typed, title) + 0.2 * fuzz.ratio(typed, title[: len(typed) + 1])


class PaletteDialog(Dialog):
    """Commands are matched at once; memories come from the query thread a moment later."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(tr("Find"), parent=window)
        self._context = window.context
        self.title.hide()
        self.buttons.hide()
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("A command, a place, or words of a memory"))
        self.field.setClearButtonEnabled(True)
        name_for_reader(self.field, tr("Find a command, a memory or a place"))
        self.results = QStandardItemModel(self)
        self.view = QListView()
        self.view.setModel(self.results)
        self.view.setItemDelegate(_Delegate(self.view))
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        name_for_reader(self.view, tr("Found"))
        self.view.clicked.connect(self._choose)
        self.field.textChanged.connect(self._on_typed)
        self.field.installEventFilter(self)
        self.body.addWidget(self.field)
        self.body.addWidget(self.view, 1)
        self.widen(80, 22)
        self._on_typed("")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrows move in the list and Enter chooses, while the focus stays in the field."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                row = (self.view.currentIndex().row() + step) % max(1, self.results.rowCount())
                self.view.setCurrentIndex(self.results.index(row, 0))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.view.currentIndex())
                return True
        return False

    def entries(self) -> list[Entry]:
        """What is listed now, in order."""
        return [self.results.item(row).data(ENTRY) for row in range(self.results.rowCount())]

    def _on_typed(self, text: str) -> None:
        self._show(self._matching_commands(text))
        words = text.strip()
        if len(words) < 2:
            self._context.queries.cancel("palette")
            return
        query = re.sub(r"[^\w\s]", " ", words)

        def find(profile) -> list[tuple[int, str]]:
            ids = memories.ids(profile, query)[:MEMORIES_SHOWN]
            return [(row.id, row.text) for row in memories.rows(profile, ids)]

        self._context.ask("palette", find, self._add_memories, self)

    def _matching_commands(self, text: str) -> list[Entry]:
        commands = self._context.commands
        here = [
            command
            for command in commands.all()
            if command.id != "edit.palette" and (commands.in_scope(command.id) or self._is_setting(command.id))
        ]
        if text.strip():
            ranked = sorted(((score(text, command.title), command) for command in here), key=lambda pair: -pair[0])
            here = [command for found, command in ranked[:COMMANDS_SHOWN] if found >= FOUND]
        return [
            Entry(command.title, commands.shown_keys(command.id), command.id, disabled=command.why_disabled())
            for command in here
        ]

    def _is_setting(self, id: str) -> bool:
        """Settings are found from everywhere."""
        return self._context.commands.scope_of(id) == "settings"

    def _run(self, id: str) -> None:
        if not self._context.commands.in_scope(id):
            self._context.open(self._context.commands.scope_of(id))
        self._context.commands.run(id)

    def _add_memories(self, found: list[tuple[int, str]]) -> None:
        for id, text in found:
            self._append(Entry(isolated(text), tr("Memory"), memory=id))
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.results.index(0, 0))

    def _show(self, entries: list[Entry]) -> None:
        self.results.clear()
        for entry in entries:
            self._append(entry)
        self.view.setCurrentIndex(self.results.index(0, 0))

    def _append(self, entry: Entry) -> None:
        item = QStandardItem(entry.title)
        item.setData(entry, ENTRY)
        spoken = ", ".join(part for part in (line(entry.title, 200), entry.note, entry.disabled) if part)
        item.setData(spoken, Qt.ItemDataRole.AccessibleTextRole)
        self.results.appendRow(item)

    def _choose(self, index) -> None:
        entry: Entry | None = index.data(ENTRY) if index.isValid() else None
        if entry is None:
            return
        self.accept()
        # After the palette is gone, so that what the command opens isn't below it.
        if entry.memory:
            QTimer.singleShot(0, lambda: self._context.open("memory", entry.memory))
        else:
            QTimer.singleShot(0, lambda: self._run(entry.command))


class _Delegate(QStyledItemDelegate):
    """Title at the left; key, kind, or the reason why not at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index):
        hint = super().sizeHint(option, index)
        hint.setHeight(int(option.fontMetrics.height() * 1.7))
        return hint

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index) -> None:
        entry: Entry = index.data(ENTRY)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole
        shown = colours(option.palette)
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        if chosen:
            painter.fillRect(option.rect, option.palette.color(role.Highlight))
        text = option.palette.color(role.HighlightedText if chosen else role.Text)
        muted = text if chosen else QColor(shown.muted)
        area = option.rect.adjusted(10, 0, -10, 0)
        metrics = QFontMetrics(option.font)
        note = metrics.elidedText(entry.disabled or entry.note, Qt.TextElideMode.ElideRight, area.width() // 2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(muted)
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, note)
        room = area.adjusted(0, 0, -metrics.horizontalAdvance(note) - 16, 0)
        painter.setPen(muted if entry.disabled else text)
        title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, middle | Qt.AlignmentFlag.AlignLeft, title)
        painter.restore()
