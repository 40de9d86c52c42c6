"""Take the corrected memory out: choose a form, see what it can't carry, then write the file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from PySide6.QtWidgets import QButtonGroup, QFileDialog, QRadioButton, QWidget

from memreview.exporters import ExportFailed
from memreview.review import exports
from memreview.ui.context import AppContext
from memreview.ui.dialogs.base import Dialog
from memreview.ui.dialogs.messages import tell
from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.labels import Card, Label

SUFFIX = {"json": "json", "csv": "csv", "markdown": "md", "mem0": "json", "mcp": "jsonl", "letta": "af"}


class ExportDialog(Dialog):
    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Export the corrected memory"),
            tr("The file holds your memories as they stand after your decisions. Nothing is sent anywhere."),
            tr("Choose where to save …"),
            parent,
        )
        self._context = context
        self.formats = QButtonGroup(self)
        self._names = list(exports.FORMATS)
        for number, title in enumerate(exports.FORMATS.values()):
            button = QRadioButton(tr(title))
            self.formats.addButton(button, number)
            self.body.addWidget(button)
        self.losses = Label()
        card = Card(tr("What this form can't carry"))
        card.body.addWidget(self.losses)
        name_for_reader(card, tr("What this form can't carry"))
        card.body.addStretch(1)
        self.body.addWidget(card, 1)
        self.formats.idToggled.connect(self._on_chosen)
        self.formats.button(0).setChecked(True)
        self.widen(90, 24)

    @property
    def format(self) -> str:
        return self._names[self.formats.checkedId()]

    def accept(self) -> None:
        suffix = SUFFIX[self.format]
        suggested = Path.home() / f"memories-{date.today():%Y-%m-%d}.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the export"), str(suggested), f"*.{suffix};;*")
        if name:
            self.write(Path(name))

    def write(self, path: Path) -> None:
        """Write on the query thread; the dialog waits, and closes when the file is there."""
        chosen = self.format
        self.setEnabled(False)

        def job(profile) -> int | ExportFailed:
            try:
                return exports.export(profile, chosen, path)
            except ExportFailed as problem:
                return problem

        self._context.ask("export", job, lambda result: self._on_written(path, result), self)

    def _on_written(self, path: Path, result: int | ExportFailed) -> None:
        self.setEnabled(True)
        if isinstance(result, ExportFailed):
            tell(self, tr("The export was not written."), str(result))
            return
        super().accept()
        self._context.toast(plural(result, "Wrote %n memory to %1", "Wrote %n memories to %1").replace("%1", path.name))

    def _on_chosen(self, _number: int, on: bool) -> None:
        if on:
            losses = self._context.guard(lambda: exports.losses(self._context.profile, self.format)) or []
            self.losses.setText("\n".join(f"• {loss}" for loss in losses) or tr("Nothing is lost."))
