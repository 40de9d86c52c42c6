"""Icons by name, drawn from qtawesome's icon fonts in the palette's own colours."""

from __future__ import annotations

from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import QApplication

NAMES = {
    "inbox": "ph.tray",
    "transitions": "ph.arrows-left-right",
    "questions": "ph.question",
    "quarantine": "ph.shield-warning",
    "memories": "ph.brain",
    "history": "ph.clock-counter-clockwise",
    "imports": "ph.download-simple",
    "settings": "ph.gear-six",
    "welcome": "ph.hand-waving",
    "check": "ph.check",
    "cancel": "ph.x",
    "search": "ph.magnifying-glass",
    "copy": "ph.copy",
    "export": "ph.export",
    "undo": "ph.arrow-u-up-left",
    "warning": "ph.warning",
}


def icon(name: str) -> QIcon:
    """`name` is a key of NAMES. Ask again after a change of theme."""
    import qtawesome

    colours = QApplication.palette()
    return qtawesome.icon(
        NAMES[name],
        color=colours.color(QPalette.ColorRole.WindowText),
        color_disabled=colours.color(QPalette.ColorRole.PlaceholderText),
        color_selected=colours.color(QPalette.ColorRole.HighlightedText),
    )
