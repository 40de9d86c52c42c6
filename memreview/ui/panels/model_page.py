"""The language model in the settings: which one, what its probe found, and who does each job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtWidgets import QFileDialog, QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from memreview.ui.context import SETTINGS, AppContext
from memreview.ui.dialogs.model_server import ask_server
from memreview.ui.text import day, isolated, name_for_reader, tr
from memreview.ui.widgets.flow import FlowLayout
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy
from memreview.ui.worker import Job, JobError

if TYPE_CHECKING:
    from memreview.review.language_model import Status

# review.language_model takes 0.3 s to import: it is, by whoever asks for the first status, on the query thread.

_JOBS = {
    "form": "Fills a form",
    "extract": "Finds what a message claims",
    "entail": "Judges what follows from what",
    "rewrite": "Words a claim as a note",
    "ask": "Words a question",
}


class ModelCard(QWidget):
    """Choosing a model tries it: that takes seconds for a small one, minutes for a large one, and can be cancelled."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._job: Job | None = None
        self.name = Label(role="heading")
        self.told = Label(role="muted")
        self.warning = Label(role="warn")
        self.warning.hide()
        self.jobs = _table()
        self.bundled = self._button(tr("The bundled model"), lambda: self._use({"choice": {"type": "bundled"}}))
        self.file = self._button(tr("A file of your own …"), self._choose_file)
        self.server = self._button(tr("A server …"), self._choose_server)
        self.off = self._button(tr("None"), lambda: self._use({"choice": {"type": "off"}}))
        self.again = self._button(tr("Try it again"), lambda: self._submit("probe_model", {}))
        row = FlowLayout()
        for button in self._buttons:
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.name, self.told, self.warning, self.jobs):
            layout.addWidget(widget)
        layout.addLayout(row)
        context.changed.connect(lambda changed: self.read() if SETTINGS in changed else None)
        self.read()

    def read(self) -> None:
        self._context.ask("settings.language_model", language_model_status, self.show_status, self)

    def show_status(self, status: Status) -> None:
        from memreview.review.language_model import Off

        off = isinstance(status.choice, Off)
        self.name.set_clean(tr("Language model: %1").replace("%1", tr("none") if off else isolated(status.name)))
        self.told.setText(_told(status, off))
        self.warning.setText(tr("Texts that it works on leave memreview for this server."))
        self.warning.setVisible(status.sends)
        self.again.setEnabled(not off and self._job is None)
        self.jobs.clear()
        for job in status.jobs:
            score = tr("%1 of %2").replace("%1", str(job.right)).replace("%2", str(job.cases)) if job.cases else ""
            by = tr("the model") if job.by == "model" else "memreview"
            self.jobs.addTopLevelItem(QTreeWidgetItem([tr(_JOBS[job.task]), by, score, tr(job.reason)]))

    # -- choosing -----------------------------------------------------------------------------------------------

    def _choose_file(self) -> None:
        kinds = tr("Language models (*.gguf);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, tr("Choose a language model"), "", kinds)
        if name:
            self._use({"path": name})

    def _choose_server(self) -> None:
        if (choice := ask_server(self)) is not None:
            self._use({"choice": msgspec.to_builtins(choice)})

    def _use(self, args: dict[str, Any]) -> None:
        self._submit("use_model", args)

    def _submit(self, name: str, args: dict[str, Any]) -> None:
        self._job = self._context.worker.submit(name, args, on_result=self._on_used, on_error=self._on_error)
        self._job.ended.connect(self._on_ended)
        for button in self._buttons:
            button.setEnabled(False)

    def _on_used(self, _: Any) -> None:
        self._context.toast(tr("The language model was tried. What it is good for stands in the table."))

    def _on_error(self, error: JobError) -> None:
        if error.kind != "Cancelled":
            self._context.failed.emit(error.message, error.advice or tr("The choice stays as it was."))

    def _on_ended(self) -> None:
        self._job = None
        for button in self._buttons:
            button.setEnabled(True)
        self._context.tell_changed({SETTINGS})

    def _button(self, words: str, act: Any) -> QPushButton:
        button = QPushButton(words)
        button.clicked.connect(act)
        return button

    @property
    def _buttons(self) -> tuple[QPushButton, ...]:
        return self.bundled, self.file, self.server, self.off, self.again


def network_words(status: Status) -> tuple[str, bool]:
    """How it is with a language model's server, for the list of what could use the network; and whether it is on."""
    if not status.sends:
        return tr("Not used. Models run on this computer."), False
    return tr("Texts that the language model works on go to %1.").replace("%1", isolated(status.name)), True


def language_model_status(profile: Any) -> Status:
    from memreview.review import language_model

    return language_model.status(profile)


def _told(status: Status, off: bool) -> str:
    if off:
        return tr("memreview does everything by its rules and by the small models that it trained.")
    if status.problem:
        return status.problem
    if status.at is None:
        return tr("Not tried yet. Until then memreview does everything by its rules and its own small models.")
    told = tr("Tried on %1. It does the jobs that it was good enough for; memreview does the others by its own means.")
    return told.replace("%1", day(status.at))


def _table() -> QTreeWidget:
    table = QTreeWidget()
    name_for_reader(table, tr("Jobs of the language model"))
    table.setHeaderLabels([tr("Job"), tr("Done by"), tr("Right"), tr("Why")])
    table.setRootIsDecorated(False)
    table.setWordWrap(True)
    roomy(table, {0: 32, 1: 12, 2: 9})
    table.header().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
    return table
