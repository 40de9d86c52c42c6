"""A panel: one place in the rail. The window makes it when it is first shown and tells it what changed."""

from __future__ import annotations

from collections.abc import Set

from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from memreview.ui.commands import Command
from memreview.ui.context import AppContext


class Panel(QWidget):
    """Subclass with `title`, `icon` (a name of ui/icons) and `concerns`; take `context` and build the widgets.

    `refresh(changed)` is called before the panel is first shown, and when one of its `concerns` changed: at once if
    it is visible, else when it is shown next. Read with `context.profile` what is fast, with `context.ask` what may
    take more than 20 ms.
    """

    title = ""
    icon = ""
    concerns: frozenset[str] = frozenset()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    def refresh(self, changed: Set[str]) -> None:
        """Read again what is shown. `changed` holds CASES, MEMORIES, HISTORY, IMPORTS, SETTINGS (ui/context)."""

    def commands(self) -> list[Command]:
        """What can be done here; their keys work while the panel shows."""
        return []

    def open(self, id: int) -> None:
        """Show the thing `id` of this panel's kind (`context.open("memory", 5)` ends in the Memories panel's)."""

    def focus_first(self) -> None:
        """Put the focus where the work starts; called when the person comes here."""
        self.setFocus()


def press_focused(panel: QWidget) -> bool:
    """Enter: press the button of a panel that has the focus; False where none has."""
    focused = QApplication.focusWidget()
    if not isinstance(focused, QAbstractButton) or not panel.isAncestorOf(focused):
        return False
    focused.click()
    return True
