"""Labels that can't be made to show HTML, and the small helpers around them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from memreview.ui.text import LABEL_LIMIT, plain


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
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if role:
            self.setProperty("role", role)
        if selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if wrap:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(plain(text, LABEL_LIMIT))

    def set_clean(self, text: str) -> None:
        """Set a text whose imported parts have been through `plain` or `isolated` already."""
        super().setText(text)

    def minimumSizeHint(self) -> QSize:
        """A wrapped label may get narrow: its longest word doesn't widen the window."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * 12), hint.height())


class Card(QFrame):
    """A framed group with an optional heading; add to `body`."""

    def __init__(self, heading: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(12, 10, 12, 12)
        self.body.setSpacing(6)
        self.heading = Label(heading, role="heading")
        self.body.addWidget(self.heading)
        self.heading.setVisible(bool(heading))
        self.setAccessibleName(heading)
