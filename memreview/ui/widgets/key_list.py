"""Every command with its keys, and giving it others."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from memreview.ui.commands import Command, Commands
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import items, roomy

NAME = Qt.ItemDataRole.UserRole
Name = tuple[str, str]


class KeyList(QWidget):
    """`rebound()` after each change: whoever owns the settings stores `commands.rebound`.

    What is one command to the person, and the same in several panels, is one row.
    """

    rebound = Signal()

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.commands = commands
        self._same: dict[Name, list[Command]] = {}
        self.list = QTreeWidget()
        name_for_reader(self.list, tr("Commands and their keys"))
        self.list.setHeaderLabels([tr("Command"), tr("Keys")])
        self.list.setUniformRowHeights(True)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setStretchLastSection(False)
        roomy(self.list, {1: 26})
        self.list.currentItemChanged.connect(lambda *_: self._on_chosen())
        self.list.itemActivated.connect(lambda *_: self.change())
        self.edit = QPushButton(tr("Change the key…"))
        self.edit.clicked.connect(self.change)
        self.reset = QPushButton(tr("Back to its own key"))
        self.reset.clicked.connect(lambda: self._rebind(None))
        row = QHBoxLayout()
        row.addWidget(self.edit)
        row.addWidget(self.reset)
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.list, 1)
        layout.addLayout(row)
        commands.changed.connect(self.fill)
        self.fill()

    def fill(self) -> None:
        kept = self._name()
        self._same = {}
        for command in self.commands.all():
            self._same.setdefault((command.group or tr("Other"), command.title), []).append(command)
        self.list.clear()
        groups: dict[str, QTreeWidgetItem] = {}
        for name, (command, *_) in self._same.items():
            if name[0] not in groups:
                groups[name[0]] = QTreeWidgetItem(self.list, [name[0]])
                groups[name[0]].setFirstColumnSpanned(True)
            item = QTreeWidgetItem(groups[name[0]], [command.title, self.commands.shown_keys(command.id)])
            item.setData(0, NAME, name)
            if name == kept:
                self.list.setCurrentItem(item)
        self.list.expandAll()
        self._on_chosen()

    def choose(self, command_id: str) -> None:
        wanted = next(name for name, same in self._same.items() if any(one.id == command_id for one in same))
        for group in items(self.list):
            for item in map(group.child, range(group.childCount())):
                if item is not None and tuple(item.data(0, NAME)) == wanted:
                    self.list.setCurrentItem(item)

    def change(self) -> None:
        if chosen := self._chosen():
            dialog = KeyDialog(self.commands, chosen, self)
            if dialog.exec():
                self._rebind(dialog.keys())

    def _rebind(self, keys: list[str] | None) -> None:
        for command in self._chosen():
            self.commands.rebind(command.id, keys)
        self.rebound.emit()

    def _name(self) -> Name | None:
        item = self.list.currentItem()
        data = item.data(0, NAME) if item is not None else None
        return tuple(data) if data else None

    def _chosen(self) -> list[Command]:
        name = self._name()
        return self._same.get(name, []) if name else []

    def _on_chosen(self) -> None:
        chosen = self._chosen()
        self.edit.setEnabled(bool(chosen))
        self.reset.setEnabled(any(command.id in self.commands.rebound for command in chosen))


class KeyDialog(Dialog):
    """Press the new key; one that is taken can't be chosen, and the dialog says by what."""

    def __init__(self, commands: Commands, same: list[Command], parent: QWidget | None = None) -> None:
        told = tr("Press the new key. Leave it empty for none.")
        super().__init__(same[0].title, told, tr("Use this key"), parent)
        self._commands = commands
        self._same = same
        self.edit = QKeySequenceEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setClearButtonEnabled(True)
        name_for_reader(self.edit, tr("The new key"))
        self.edit.keySequenceChanged.connect(lambda _: self._check())
        self.problem = Label(role="warn")
        self.problem.hide()
        self.body.addWidget(self.edit)
        self.body.addWidget(self.problem)
        self.widen(60)
        self.edit.setFocus()

    def keys(self) -> list[str]:
        text = self.edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        return [text] if text else []

    def _check(self) -> None:
        taken = {
            other.title
            for key in self.keys()
            for command in self._same
            for other in self._commands.conflicts(command.id, key)
            if other not in self._same
        }
        self.problem.setText(tr("Taken by: %1").replace("%1", ", ".join(sorted(taken))))
        self.problem.setVisible(bool(taken))
        assert self.accept_button is not None
        self.accept_button.setEnabled(not taken)
