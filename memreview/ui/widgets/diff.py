"""Old → new as one text: what went is struck through, what came is underlined, colour only helps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum

from PySide6.QtCore import QMimeData, QSize
from PySide6.QtGui import QColor, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from memreview.ui.text import plain, tr
from memreview.ui.theme import colours

WORDS_LIMIT = 2_000
"""Beyond this many words a side, old and new are shown whole: no one reads such a diff, and difflib is quadratic."""
CHARS_LIMIT = 20_000

_LETTERS = re.compile(r"\w")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class Side(Enum):
    SAME = "same"
    OLD = "old"
    NEW = "new"


def word_diff(old: str, new: str) -> list[tuple[Side, str]]:
    """Pieces in reading order; SAME + OLD pieces give `old`, SAME + NEW pieces give `new`."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    if len(before) > WORDS_LIMIT or len(after) > WORDS_LIMIT:
        return [(side, text) for side, text in ((Side.OLD, old), (Side.NEW, new)) if text]
    return list(_pieces(before, after))


def _pieces(before: list[str], after: list[str]) -> Iterator[tuple[Side, str]]:
    """Opcodes, with spaces and signs between two changes taken into them: "a b" → "c d" is one change, not two."""
    old = new = ""
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, came = "".join(before[i:j]), "".join(after[k:m])
        between = not _LETTERS.search(gone) and (old or new) and (j < len(before) or m < len(after))
        if tag == "equal" and not between:
            yield from ((side, text) for side, text in ((Side.OLD, old), (Side.NEW, new)) if text)
            old = new = ""
            yield Side.SAME, gone
        else:
            old, new = old + gone, new + came
    yield from ((side, text) for side, text in ((Side.OLD, old), (Side.NEW, new)) if text)


class DiffView(QTextEdit):
    """Shows `word_diff` of two imported texts; grows with its text up to a third of the screen, then scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollBarPolicy(self.verticalScrollBarPolicy())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.document().setDocumentMargin(2)
        self.setAccessibleName(tr("What changes"))
        self._old = self._new = ""

    def show_change(self, old: str, new: str) -> None:
        self._old, self._new = old, new
        shown = colours(self.palette())
        self.clear()
        cursor = QTextCursor(self.document())
        for side, text in word_diff(plain(old, CHARS_LIMIT), plain(new, CHARS_LIMIT)):
            style = QTextCharFormat()
            if side is Side.OLD:
                style.setFontStrikeOut(True)
                style.setForeground(QColor(shown.removed))
                style.setBackground(QColor(shown.removed_back))
            elif side is Side.NEW:
                style.setFontUnderline(True)
                style.setForeground(QColor(shown.added))
                style.setBackground(QColor(shown.added_back))
            else:
                style.setForeground(self.palette().color(QPalette.ColorRole.Text))
            if side is Side.NEW and cursor.position() and cursor.charFormat().fontStrikeOut():
                cursor.insertText(" ", QTextCharFormat())
            cursor.insertText(text, style)
        self.setAccessibleDescription(tr("Before: %1. After: %2.").replace("%1", old[:500]).replace("%2", new[:500]))
        self.updateGeometry()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copies are plain text."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def sizeHint(self) -> QSize:
        return self._fitting()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._fitting().height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange and (self._old or self._new):
            self.show_change(self._old, self._new)

    def _fitting(self) -> QSize:
        document = self.document()
        height = int(document.size().height()) + 2 * self.frameWidth() + 2
        return QSize(320, min(height, self.screen().availableSize().height() // 3))
