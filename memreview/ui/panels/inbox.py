"""Inbox: everything that waits for the person, proven cases first, the most harmful on top."""

from __future__ import annotations

from memreview.review import queue
from memreview.review.values import Counts
from memreview.ui.gate_words import waiting_words
from memreview.ui.panels.triage import TriagePanel
from memreview.ui.text import tr


class InboxPanel(TriagePanel):
    key = "inbox"
    title = "Inbox"
    icon = "inbox"
    _counts = Counts()
    _elsewhere = ""
    """The place where something waits while nothing does here."""

    def _show_empty(self) -> None:
        """What waits elsewhere is counted beside the window: it looks at every memory."""
        super()._show_empty()
        self.context.ask("inbox.counts", queue.counts, self._on_counts, self)

    def _on_counts(self, counts: Counts) -> None:
        self._counts = counts
        if self.outer.currentWidget() is self.empty:
            self.empty.say(*self.empty_words())

    def empty_words(self) -> tuple[str, str, str]:
        counts = self._counts
        self._elsewhere = "questions" if counts.questions else "quarantine" if counts.quarantined else ""
        if self._elsewhere:
            told = tr("What is out of date is all decided. Elsewhere waits: %1.")
            words = told.replace("%1", ", ".join(waiting_words(counts)))
            return tr("Nothing to review here"), words, tr("Go on there")
        if self.context.profile_has_imports():
            return (
                tr("Nothing to review"),
                tr("Everything found so far is decided. Import a newer export to see what has changed since."),
                tr("Import …"),
            )
        return (
            tr("Nothing imported yet"),
            tr("Import the export of your assistant. What looks out of date then waits here for you."),
            tr("Import …"),
        )

    def on_empty_action(self) -> None:
        if self._elsewhere:
            self.context.open(self._elsewhere)
        else:
            super().on_empty_action()
