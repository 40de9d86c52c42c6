"""A list of memories as text: pasted, named, and told how it will be read."""

from __future__ import annotations

from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.labels import Label


class PasteDialog(Dialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Paste a list"),
            tr("One memory a line. Bullets and numbers at the start of a line are left out. Times stay unknown."),
            tr("Import the list"),
            parent,
        )
        self.label = QLineEdit(tr("Pasted list"))
        name_for_reader(self.label, tr("Name of the list"))
        self.list = QPlainTextEdit()
        self.list.setTabChangesFocus(True)
        name_for_reader(self.list, tr("The list, one memory a line"))
        self.list.setPlaceholderText(tr("- Lives in Oslo\n- Works as a nurse\n- Prefers short answers"))
        self.list.textChanged.connect(self._show_count)
        self.count = Label(role="muted")
        form = QFormLayout()
        form.addRow(tr("&Name"), self.label)
        self.body.addLayout(form)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.count)
        self.widen(80, 24)
        self.list.setFocus()
        self._show_count()

    def _show_count(self) -> None:
        count = sum(1 for one in self.list.toPlainText().splitlines() if one.strip())
        self.count.setText(plural(count, "%n line", "%n lines"))
        assert self.accept_button is not None
        self.accept_button.setEnabled(count > 0)


def ask_list(parent: QWidget | None) -> tuple[str, str] | None:
    """(text, name), or None where the person went back."""
    dialog = PasteDialog(parent)
    if not dialog.exec():
        return None
    return dialog.list.toPlainText(), dialog.label.text().strip() or tr("Pasted list")
