"""Inbox: everything that waits for the person, proven cases first, the most harmful on top."""

from __future__ import annotations

from memreview.ui.panels.triage import TriagePanel
from memreview.ui.text import tr


class InboxPanel(TriagePanel):
    key = "inbox"
    title = "Inbox"
    icon = "inbox"

    def empty_words(self) -> tuple[str, str, str]:
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
