"""What the person can do, each thing once: menu, keys, palette and help sheet are all fed from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence


def _always() -> str:
    return ""


@dataclass(frozen=True)
class Command:
    """`keys` are Qt's portable texts ("A", "Ctrl+Shift+Z"); `why_disabled` returns "" when it can run, else the
    reason in the person's words. `title` starts with a verb. `group` is the heading in the help sheet."""

    id: str
    title: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    why_disabled: Callable[[], str] = _always
    group: str = ""


class Commands(QObject):
    """The registry. A command belongs to a scope: "" is the whole window, else the key of a panel, whose commands
    have their keys only while that panel shows (so each panel may use A, J, K for its own)."""

    changed = Signal()
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None, rebound: dict[str, list[str]] | None = None) -> None:
        super().__init__(parent)
        self.rebound = dict(rebound or {})
        self._commands: dict[str, Command] = {}
        self._scopes: dict[str, str] = {}
        self._actions: dict[str, QAction] = {}
        self._scope = ""

    def add(self, commands: Iterable[Command], scope: str = "") -> list[QAction]:
        """Register commands; the window adds the returned actions to itself, which makes their keys work."""
        actions = []
        for command in commands:
            action = QAction(command.title, self)
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.setEnabled(scope in ("", self._scope))
            self._commands[command.id] = command
            self._scopes[command.id] = scope
            self._actions[command.id] = action
            action.triggered.connect(lambda _checked=False, id=command.id: self.run(id))
            self._apply_keys(command.id)
            actions.append(action)
        self.changed.emit()
        return actions

    def set_scope(self, scope: str) -> None:
        self._scope = scope
        for id, action in self._actions.items():
            action.setEnabled(self.in_scope(id))

    def in_scope(self, id: str) -> bool:
        return self._scopes[id] in ("", self._scope)

    def scope_of(self, id: str) -> str:
        return self._scopes[id]

    def run(self, id: str) -> None:
        """Run a command, or emit `refused(reason)`."""
        command = self._commands[id]
        if reason := command.why_disabled():
            self.refused.emit(reason)
        else:
            command.run()

    def all(self) -> list[Command]:
        return list(self._commands.values())

    def here(self) -> list[Command]:
        """What can be asked for now: the window's commands and those of the panel that shows."""
        return [command for id, command in self._commands.items() if self.in_scope(id)]

    def get(self, id: str) -> Command:
        return self._commands[id]

    def action(self, id: str) -> QAction:
        return self._actions[id]

    def keys(self, id: str) -> tuple[str, ...]:
        return tuple(self.rebound.get(id, self._commands[id].keys))

    def shown_keys(self, id: str) -> str:
        """The keys as the platform writes them, "Z, Ctrl+Z"."""
        native = QKeySequence.SequenceFormat.NativeText
        return ", ".join(QKeySequence(key).toString(native) for key in self.keys(id))

    def rebind(self, id: str, keys: Iterable[str] | None) -> None:
        """Give a command other keys, or with None its own back. The caller stores `rebound` in the settings."""
        if keys is None:
            self.rebound.pop(id, None)
        else:
            self.rebound[id] = list(keys)
        self._apply_keys(id)
        self.changed.emit()

    def conflicts(self, id: str, key: str) -> list[Command]:
        """Commands that already answer to `key` where `id` does."""
        wanted = QKeySequence(key)
        scope = self._scopes[id]
        return [
            self._commands[other]
            for other in self._commands
            if other != id
            and (scope == "" or self._scopes[other] in ("", scope))
            and any(QKeySequence(one) == wanted for one in self.keys(other))
        ]

    def _apply_keys(self, id: str) -> None:
        self._actions[id].setShortcuts([QKeySequence(key) for key in self.keys(id)])
