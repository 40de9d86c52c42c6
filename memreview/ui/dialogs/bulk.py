"""Many cases at once: what would change, counted and listed, rows that can be unticked, then one step."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QLocale, Qt, QTimer
from PySide6.QtWidgets import QHeaderView, QProgressBar, QTableView, QWidget

from memreview.review import decisions, queue
from memreview.review.values import Decision, Preview, Step, Verb
from memreview.ui.context import AppContext
from memreview.ui.dialogs.base import Dialog
from memreview.ui.models.bulk_table import BulkTableModel
from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.labels import Label

COUNT_AFTER_MS = 150


class BulkDialog(Dialog):
    """`decision` without targets, and the cases that were selected. It carries the decision out itself."""

    def __init__(self, context: AppContext, ids: list[int], decision: Decision, parent: QWidget | None = None) -> None:
        super().__init__(
            _title(decision.verb, len(ids)), tr("It is one step: one undo takes it all back."), "…", parent
        )
        self._context = context
        self._decision = decision
        self.model = BulkTableModel(
            ids, decision, lambda some: context.guard(lambda: queue.items(context.profile, some)) or [], self
        )
        self.counts = Label(tr("Counting …"), role="heading")
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.setTabKeyNavigation(False)
        name_for_reader(self.table, tr("What changes, row by row"))
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.hide()
        name_for_reader(self.busy, tr("Working"))
        self.body.addWidget(self.counts)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(Label(tr("Untick what should stay as it is."), role="muted"))
        self.body.addWidget(self.busy)
        self._count = QTimer(self, singleShot=True, interval=COUNT_AFTER_MS)
        self._count.timeout.connect(self._ask_counts)
        self.model.ticked.connect(self._on_ticked)
        context.queries.failed.connect(self.reject)
        self._on_ticked()
        self.widen(130, 28)

    def accept(self) -> None:
        """Carry it out; the dialog closes when it is done."""
        self.busy.show()
        self.setEnabled(False)
        self._context.decide_many(self._chosen(), self._on_done, self)

    def _on_done(self, _step: Step) -> None:
        super().accept()

    def _chosen(self) -> Decision:
        return msgspec.structs.replace(self._decision, transitions=self.model.chosen())

    def _on_ticked(self) -> None:
        n = len(self.model.chosen())
        assert self.accept_button is not None
        self.accept_button.setText(_title(self._decision.verb, n))
        self.accept_button.setEnabled(n > 0)
        self._count.start()

    def _ask_counts(self) -> None:
        decision = self._chosen()
        if decision.transitions:
            self._context.ask(
                "bulk.preview", lambda profile: decisions.preview(profile, decision), self._show_counts, self
            )
        else:
            self.counts.setText(tr("Nothing is ticked."))

    def _show_counts(self, preview: Preview) -> None:
        counts = sorted(preview.counts.items())
        told = [f"{QLocale().toString(n)} {kind}" for kind, n in counts if kind.startswith(("memories", "cases"))]
        self.counts.setText(tr("In all: %1").replace("%1", ", ".join(told)))


def _title(verb: Verb, n: int) -> str:
    one, many = {
        Verb.APPROVE: ("Approve %n case", "Approve %n cases"),
        Verb.REJECT: ("Reject %n case", "Reject %n cases"),
        Verb.SCOPE: ("Limit %n case", "Limit %n cases"),
        Verb.DELETE: ("Forget %n old memory", "Forget %n old memories"),
        Verb.SNOOZE: ("Put off %n case", "Put off %n cases"),
    }[verb]
    return plural(n, one, many)
