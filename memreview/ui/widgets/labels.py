"""Labels that can't be made to show HTML, and framed groups. Their looks come from the palette and the font."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from memreview.ui.text import LABEL_LIMIT, plain
from memreview.ui.theme import colours

TITLE_SIZE = 1.3
RADIUS = 5
BOXED = ("warn", "chip")


class Label(QLabel):
    """Plain text, wrapped. `role` picks the style: title, heading, muted, warn, chip or ""."""

    def __init__(
        self,
        text: str = "",
        role: str = "",
        wrap: bool = True,
        selectable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._role = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if wrap:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        if role:
            self.set_role(role)
        self.setText(text)

    def set_role(self, role: str) -> None:
        self._role = role
        self._dress()

    def setText(self, text: str) -> None:
        super().setText(plain(text, LABEL_LIMIT))

    def set_clean(self, text: str) -> None:
        """Set a text whose imported parts have been through `plain` or `isolated` already."""
        super().setText(text)

    def minimumSizeHint(self) -> QSize:
        """A wrapped label may get narrow: its longest word doesn't widen the window."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * 12), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and self._role:
            self._dress()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._role in BOXED:
            of = colours(self.palette())
            ground, edge = (of.warn_back, of.warn_back) if self._role == "warn" else (of.alternate, of.line)
            _draw_box(self, ground, edge)
        super().paintEvent(event)

    def _dress(self) -> None:
        """Colour, font and room of the role. The colour is set only where it differs: setting it comes back here."""
        # Only what the role says is set, so that all the rest goes on following the application.
        palette = QPalette()
        of = colours(palette)
        wanted = {"muted": of.muted, "warn": of.warn}.get(self._role, of.text)
        if self._role in ("muted", "warn"):
            palette.setColor(QPalette.ColorRole.WindowText, QColor(wanted))
        if self.palette().color(QPalette.ColorRole.WindowText) != QColor(wanted):
            self.setPalette(palette)
        if self._role in ("title", "heading"):
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            if self._role == "title":
                font.setPointSizeF(QApplication.font().pointSizeF() * TITLE_SIZE)
            self.setFont(font)
        room = QFontMetrics(QApplication.font()).height() // 4 if self._role in BOXED else 0
        self.setContentsMargins(2 * room, room // 2, 2 * room, room // 2)


class Card(QFrame):
    """A framed group with an optional heading; add to `body`."""

    def __init__(self, heading: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(12, 10, 12, 12)
        self.body.setSpacing(6)
        self.heading = Label(heading, role="heading")
        policy = self.heading.sizePolicy()  # a new one would forget that its height depends on its width
        policy.setVerticalPolicy(QSizePolicy.Policy.Maximum)
        self.heading.setSizePolicy(policy)
        self.body.addWidget(self.heading)
        self.heading.setVisible(bool(heading))
        self.setAccessibleName(heading)

    def paintEvent(self, event: QPaintEvent) -> None:
        of = colours(self.palette())
        _draw_box(self, of.card, of.line)


def _draw_box(widget: QWidget, ground: str, edge: str) -> None:
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(edge), 1))
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
