"""The strip that follows one job of the worker: a bar after 0.3 s, the remaining time after 3 s, and Cancel."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.worker import Job

SHOW_AFTER_MS = 300
ESTIMATE_AFTER_S = 3.0


class ProgressStrip(QWidget):
    """Hidden until a job has run for 0.3 s; `follow` another job and it shows that one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = Label(wrap=False)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.remaining = Label(role="muted", wrap=False)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self._on_cancel)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.addWidget(self.label)
        layout.addWidget(self.bar, 1)
        layout.addWidget(self.remaining)
        layout.addWidget(self.cancel)
        name_for_reader(self.bar, tr("Progress"))
        self._show = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        self._show.timeout.connect(self.show)
        self._job: Job | None = None
        self._stage = ""
        self._stage_began = 0.0
        self.hide()

    def follow(self, job: Job) -> None:
        self._job = job
        self._stage = ""
        self.label.setText(tr("Working …"))
        self.remaining.setText("")
        self.bar.setRange(0, 0)
        self.cancel.setEnabled(True)
        self._show.start()
        job.progressed.connect(self._on_progress)
        job.ended.connect(lambda: self._on_ended(job))

    def _on_progress(self, stage: str, done: int, total: int) -> None:
        if self.sender() is not self._job or self._job is None:
            return
        if stage != self._stage:
            self._stage, self._stage_began = stage, monotonic()
        if not self._job.cancelling:
            self.label.setText(stage_words(stage, done, total))
        # A bar counts in C ints; a file may have more bytes than that.
        self.bar.setRange(0, 1000 if total else 0)
        self.bar.setValue(min(1000, done * 1000 // total) if total else 0)
        self.remaining.setText(remaining_words(monotonic() - self._stage_began, done, total))

    def _on_cancel(self) -> None:
        if self._job is not None:
            self.label.setText(tr("Stopping. What was done stays …"))
            self.cancel.setEnabled(False)
            self._job.cancel()

    def _on_ended(self, job: Job) -> None:
        if job is self._job:
            self._job = None
            self._show.stop()
            self.hide()


def stage_words(stage: str, done: int, total: int) -> str:
    words = {
        "reading": tr("Reading the file"),
        "words": tr("Preparing the word search"),
        "meaning": tr("Preparing the search by meaning"),
        "comparing": tr("Looking for what is out of date"),
        "model": tr("Trying the language model"),
        "gate": tr("Checking who said what"),
    }.get(stage, tr("Working"))
    return f"{words}, {done * 100 // total} %" if total else f"{words} …"


def remaining_words(elapsed: float, done: int, total: int) -> str:
    """The time left at the pace so far, rounded as people say it; "" while it would be a guess."""
    if elapsed < ESTIMATE_AFTER_S or not total or not done or done >= total:
        return ""
    seconds = elapsed * (total - done) / done
    if seconds < 60:
        return plural(max(5, round(seconds / 5) * 5), "about %n second left", "about %n seconds left")
    return plural(round(seconds / 60), "about %n minute left", "about %n minutes left")
