"""A stretch of a conversation with the quoted words marked: who said it, when, and what stood around it.

Built piece by piece with a text cursor, so that nothing in an entry can act as markup.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPalette, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit, QWidget

from memreview.records import EntryKind, Origin
from memreview.review.values import Context, ContextEntry
from memreview.review.words import ORIGINS
from memreview.ui.text import line, moment, name_for_reader, plain, plural, tr
from memreview.ui.theme import Colours, colours

LEAST_LINES, MOST_LINES = 4, 16
NEIGHBOUR_CHARS = 400
FOCUS_CHARS = 20_000
AROUND_QUOTE = 2_000
"""Characters kept on each side of the marked words in an entry longer than FOCUS_CHARS."""


class QuotationView(QTextEdit):
    """Shows a `Context`; the focused entry in full, its neighbours shortened, or all in full with `whole`."""

    def __init__(self, whole: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self._whole = whole
        self._context: Context | None = None
        self._document = self.document()

    def show_context(self, context: Context, spoken: str = "") -> None:
        """`spoken` is the name that a screen reader says for this view."""
        self._context = context
        document = QTextDocument()
        document.setDefaultFont(self.font())
        document.setDocumentMargin(6)
        target = self._write(document, context)
        self.setDocument(document)
        self._document = document  # the view doesn't own it; the one before goes with this line
        name_for_reader(self, spoken or tr("Conversation: %1").replace("%1", line(context.title, 100)))
        self.updateGeometry()
        self._scroll_to(target)

    def sizeHint(self) -> QSize:
        """As high as its text, within limits; the whole conversation takes what there is."""
        row = self.fontMetrics().height()
        if self._whole:
            return QSize(row * 30, row * 24)
        return QSize(row * 12, max(row * LEAST_LINES, min(int(self.document().size().height()), row * MOST_LINES)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.fontMetrics().height() * 4 if self._whole else self.sizeHint().height())

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copies are plain text."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange and self._context is not None:
            self.show_context(self._context, self.accessibleName())

    def _write(self, document: QTextDocument, context: Context) -> int:
        """Fill the document; return the position of the first marked words."""
        pen = _Pen(document, colours(self.palette()), self.palette())
        target = 0
        if context.before:
            pen.note(plural(context.before, "%n earlier message", "%n earlier messages"))
        for entry in context.entries:
            focused = entry.id == context.focus
            position = pen.entry(entry, focused, FOCUS_CHARS if focused or self._whole else NEIGHBOUR_CHARS)
            if focused:
                target = position
        if context.after:
            pen.note(plural(context.after, "%n later message", "%n later messages"))
        return target

    def _scroll_to(self, position: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(position, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect().top() - self.viewport().height() // 3)


class _Pen:
    """Writes entries into a document."""

    def __init__(self, document: QTextDocument, shown: Colours, palette: QPalette) -> None:
        self.cursor = QTextCursor(document)
        self._text = QTextCharFormat()
        self._text.setForeground(palette.color(QPalette.ColorRole.Text))
        self._muted = QTextCharFormat()
        self._muted.setForeground(QColor(shown.muted))
        self._head = QTextCharFormat(self._muted)
        self._head.setFontWeight(QFont.Weight.DemiBold)
        self._marked = QTextCharFormat()
        self._marked.setForeground(QColor(shown.quote))
        self._marked.setBackground(QColor(shown.quote_back))
        self._marked.setFontUnderline(True)
        self._started = False

    def note(self, text: str) -> None:
        self._block(top=4, align=Qt.AlignmentFlag.AlignHCenter)
        self.cursor.insertText(text, self._muted)

    def entry(self, entry: ContextEntry, focused: bool, limit: int) -> int:
        """Write one entry; return the position of its first marked words, or of its start."""
        self._block(top=8)
        start = self.cursor.position()
        self.cursor.insertText(who(entry), self._head)
        self.cursor.insertText(f"  {moment(entry.at)}", self._muted)
        if not entry.active:
            self.cursor.insertText("  " + tr("(a version that was replaced in the chat)"), self._muted)
        self._block(top=1)
        marked = 0
        for text, is_marked in _pieces(entry, limit):
            if is_marked and not marked:
                marked = self.cursor.position()
            body = self._text if focused else self._muted
            self.cursor.insertText(plain(text), self._marked if is_marked else body)
        return marked or start

    def _block(self, top: int, align: Qt.AlignmentFlag | None = None) -> None:
        style = QTextBlockFormat()
        style.setTopMargin(top)
        if align is not None:
            style.setAlignment(align)
        if self._started:
            self.cursor.insertBlock(style)
        else:
            self.cursor.setBlockFormat(style)
            self._started = True


def who(entry: ContextEntry) -> str:
    """The origin in the person's words: it decides how much the words count."""
    kinds: dict[str, str] = {
        EntryKind.CUSTOM_INSTRUCTIONS: tr("Your custom instructions"),
        EntryKind.MEMORY_WRITE: tr("Assistant, writing a memory"),
        EntryKind.REASONING: tr("Assistant, thinking"),
        EntryKind.SUMMARY: tr("Assistant's summary"),
    }
    name = kinds.get(entry.kind) or tr(ORIGINS[entry.origin])
    outside = entry.origin in (Origin.TOOL_OUTPUT, Origin.RETRIEVED_DOCUMENT, Origin.SHARED_FILE)
    return f"{name} ({line(entry.actor, 80)})" if outside and entry.actor else name


def _pieces(entry: ContextEntry, limit: int) -> list[tuple[str, bool]]:
    """The entry's text cut at its highlights, and shortened around them (or at its end) to about `limit`."""
    text, spans = entry.text, sorted(entry.highlights)
    low, high = 0, len(text)
    if len(text) > limit:
        low = max(0, spans[0][0] - AROUND_QUOTE) if spans else 0
        high = min(len(text), max(spans[-1][1] + AROUND_QUOTE, low + limit) if spans else limit)
        high = min(high, low + max(limit, 2 * AROUND_QUOTE))
    pieces = [("… ", False)] if low else []
    at = low
    for first, last in spans:
        start, end = max(first, at), min(last, high)
        if start < end:
            pieces += [(text[at:start], False), (text[start:end], True)]
            at = end
    pieces.append((text[at:high], False))
    if high < len(text):
        pieces.append((" … " + plural(len(text) - high, "(%n more character)", "(%n more characters)"), False))
    return [piece for piece in pieces if piece[0]]
