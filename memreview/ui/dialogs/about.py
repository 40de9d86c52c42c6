"""What this is, and what it does not do."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from memreview import __version__
from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import tr
from memreview.ui.widgets.labels import Label


class AboutDialog(Dialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            f"memreview {__version__}", tr("Review what your assistant remembers about you."), parent=parent
        )
        for text in (
            tr("Everything stays on this computer: nothing is sent, counted or looked up."),
            tr("Free software under the Apache License 2.0. The window uses Qt under the LGPL 3."),
        ):
            self.body.addWidget(Label(text))
        self.widen(70)
