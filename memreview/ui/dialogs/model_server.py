"""The address of a language model's server, with what it means to use one; another computer needs a second word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFormLayout, QLineEdit, QMessageBox, QWidget

from memreview.ui.dialogs.base import Dialog
from memreview.ui.dialogs.messages import message_box
from memreview.ui.text import name_for_reader, tr
from memreview.ui.widgets.labels import Label

if TYPE_CHECKING:
    from memreview.review.language_model import Choice

HERE = "http://localhost:8080/v1"


class ServerDialog(Dialog):
    """`choice` after `exec()`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Use a server that you run"),
            tr("One that speaks as OpenAI's does: llama-server, vLLM, Ollama and others."),
            tr("Use this server"),
            parent,
        )
        self.choice: Choice | None = None
        self.url = QLineEdit(HERE)
        name_for_reader(self.url, tr("Address of the server"))
        self.model = QLineEdit()
        self.model.setPlaceholderText(tr("as the server calls it; may be left empty for most"))
        name_for_reader(self.model, tr("Name of the model"))
        form = QFormLayout()
        form.addRow(tr("&Address"), self.url)
        form.addRow(tr("&Model"), self.model)
        self.body.addLayout(form)
        told = tr(
            "Texts of yours that it works on leave memreview for this server. What it keeps, memreview can't tell."
        )
        self.body.addWidget(Label(told, role="warn"))
        self.problem = Label(role="muted")
        self.body.addWidget(self.problem)
        self.widen(70)

    def accept(self) -> None:
        from memreview.review.language_model import LeavesComputer, own_server

        url, model = self.url.text(), self.model.text()
        try:
            self.choice = own_server(url, model)
        except LeavesComputer as error:
            if not _agreed(self, str(error)):
                return
            self.choice = own_server(url, model, elsewhere=True)
        except ValueError as error:
            self.problem.setText(str(error))
            return
        super().accept()


def ask_server(parent: QWidget | None) -> Choice | None:
    """None where the person went back."""
    dialog = ServerDialog(parent)
    return dialog.choice if dialog.exec() else None


def _agreed(parent: QWidget, told: str) -> bool:
    advice = tr("Whoever runs it can read them. With an address that begins with http:// others on the way can, too.")
    box = message_box(parent, told, advice)
    go = box.addButton(tr("Send them there"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is go
