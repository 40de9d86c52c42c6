"""All keys on one sheet, by what they are for."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QWidget

from memreview.ui.commands import Commands
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.labels import Label


class KeysDialog(Dialog):
    """The commands of the window and of the panel that shows; they can be given other keys in Settings."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(tr("Keys"), tr("You can give each command other keys in Settings."), parent=parent)
        page = QWidget()
        grid = QGridLayout(page)
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(24)
        shown = [command for command in commands.here() if commands.keys(command.id)]
        scoped = sorted(shown, key=lambda command: (not commands.scope_of(command.id), command.group))
        for group, members in groupby(scoped, key=lambda command: command.group):
            grid.addWidget(Label(group, role="heading", wrap=False), grid.rowCount(), 0, 1, 2)
            for command in members:
                row = grid.rowCount()
                grid.addWidget(Label(commands.shown_keys(command.id), wrap=False), row, 0)
                grid.addWidget(Label(command.title), row, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        area = QScrollArea()
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        name_for_reader(area, tr("Keys"))
        self.body.addWidget(area, 1)
        self.widen(80, 34)
