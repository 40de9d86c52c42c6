"""The sources of which the person wants nothing any more, and the way to take one back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QListWidget, QWidget

from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import line, name_for_reader, tr


class BlockedDialog(Dialog):
    """Accepted: the person wants to see the history."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Blocked sources"),
            tr("Nothing from these is taken in any more. To take one back, undo the step that blocked it in History."),
            tr("Go to History"),
            parent,
        )
        self.list = QListWidget()
        self.list.addItems([line(name, 200) for name in names])
        name_for_reader(self.list, tr("Blocked sources"))
        self.body.addWidget(self.list)
        self.widen(70, 20)
