"""The colours, light and dark, and the style on top of Fusion.

Everything that is drawn takes the palette's roles or one of `Colours`. Both schemes hold 4.5:1 for text on what it
stands on; a test computes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QPushButton

SCHEMES = ("system", "light", "dark")


@dataclass(frozen=True)
class Colours:
    """`x` is text, `x_back` what it stands on; `rail`, `line` and `card` are surfaces, `edge` frames a field or box."""

    dark: bool
    window: str
    base: str
    alternate: str
    rail: str
    card: str
    line: str
    edge: str
    text: str
    muted: str
    accent: str
    on_accent: str
    link: str
    added: str
    added_back: str
    removed: str
    removed_back: str
    warn: str
    warn_back: str
    quote: str
    quote_back: str


LIGHT = Colours(
    dark=False,
    window="#f6f7f9",
    base="#ffffff",
    alternate="#f1f3f6",
    rail="#eaedf2",
    card="#ffffff",
    line="#d5dae1",
    edge="#7b8492",
    text="#1b2027",
    muted="#58616e",
    accent="#2a5bd0",
    on_accent="#ffffff",
    link="#1d4fb8",
    added="#0f5a24",
    added_back="#d9f5e0",
    removed="#98142b",
    removed_back="#fde4e4",
    warn="#6e4500",
    warn_back="#fdeecb",
    quote="#3b3000",
    quote_back="#fff0a8",
)
DARK = Colours(
    dark=True,
    window="#1d2025",
    base="#16181c",
    alternate="#1f2228",
    rail="#17191d",
    card="#24282e",
    line="#3a4049",
    edge="#7f8997",
    text="#e7eaef",
    muted="#a6afbc",
    accent="#3f6fe0",
    on_accent="#ffffff",
    link="#8fb4ff",
    added="#8be79f",
    added_back="#153820",
    removed="#ffa59c",
    removed_back="#4a1d1f",
    warn="#f3cc7c",
    warn_back="#3f3212",
    quote="#fff3c4",
    quote_back="#544812",
)


class Theme(QObject):
    """Applies a scheme to the application and follows the system's while `scheme` is "system"."""

    changed = Signal()

    def __init__(self, app: QApplication, scheme: str = "system", text_percent: int = 100) -> None:
        super().__init__(app)
        self.scheme = scheme
        self._font = app.font()
        self.text_percent = text_percent
        from memreview.ui.style import Style

        app.setStyle(Style())
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.choose(scheme)
        self.set_text_percent(text_percent)

    def choose(self, scheme: str) -> None:
        """`scheme` is one of SCHEMES."""
        self.scheme = scheme
        hint = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(scheme, Qt.ColorScheme.Unknown)
        QApplication.styleHints().setColorScheme(hint)
        self._apply()

    def set_text_percent(self, percent: int) -> None:
        """The text's size on top of the system's own, 75 to 200."""
        self.text_percent = max(75, min(200, percent))
        font = QFont(self._font)
        font.setPointSizeF(self._font.pointSizeF() * self.text_percent / 100)
        QApplication.setFont(font)
        # What has a size of its own (a title) hears nothing of a new font, but does of a new style.
        for widget in QApplication.allWidgets():
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))

    def _apply(self) -> None:
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        dark = self.scheme == "dark"
        if self.scheme == "system":
            dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        chosen = DARK if dark else LIGHT
        app.setPalette(palette(chosen))
        self.changed.emit()


def colours(palette_: QPalette) -> Colours:
    """The semantic colours that go with a palette: `colours(self.palette())` while painting."""
    return DARK if palette_.color(QPalette.ColorRole.Base).lightness() < 128 else LIGHT


def palette(of: Colours) -> QPalette:
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    result = QPalette()
    for key, colour in {
        role.Window: of.window,
        role.WindowText: of.text,
        role.Base: of.base,
        role.AlternateBase: of.alternate,
        role.Text: of.text,
        role.PlaceholderText: of.muted,
        role.Button: of.card,
        role.ButtonText: of.text,
        role.BrightText: of.on_accent,
        role.ToolTipBase: of.card,
        role.ToolTipText: of.text,
        role.Highlight: of.accent,
        role.HighlightedText: of.on_accent,
        role.Accent: of.accent,
        role.Link: of.link,
        role.LinkVisited: of.link,
        role.Light: of.card,
        role.Midlight: of.alternate,
        role.Mid: of.line,
        role.Dark: of.line,
        role.Shadow: of.line,
    }.items():
        result.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(group.Disabled, key, QColor(of.muted))
    result.setColor(group.Disabled, role.Highlight, QColor(of.line))
    return result


def primary(button: QPushButton) -> QPushButton:
    """The one button of a view that Enter means."""
    button.setProperty("primary", True)
    return button
