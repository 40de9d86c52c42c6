"""Imports: a place to drop exports, what came of each, and what to do with one that stopped or failed."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from memreview.review import history, imports, queue
from memreview.review.values import AuditSummary, Counts, GateSummary, ImportSummary
from memreview.ui.commands import Command
from memreview.ui.context import HISTORY, IMPORTS
from memreview.ui.dialogs.mapping import ask_mapping
from memreview.ui.dialogs.paste import ask_list
from memreview.ui.gate_words import gate_lines, waiting_words
from memreview.ui.import_run import ImportRun, Task
from memreview.ui.panel import Panel
from memreview.ui.taking_back import undo_step
from memreview.ui.text import day, line, name_for_reader, plural, tr
from memreview.ui.widgets.drop_zone import DropZone
from memreview.ui.widgets.export_help import ExportHelp
from memreview.ui.widgets.import_notice import ImportNotice
from memreview.ui.widgets.import_report import ImportReport, headline, messages_read, source_name, state_words
from memreview.ui.widgets.rows import items, roomy
from memreview.ui.worker import JobError

ID = Qt.ItemDataRole.UserRole
DROPPED = frozenset({IMPORTS})


class ImportsPanel(Panel):
    title = "Imports"
    icon = "imports"
    concerns = frozenset({IMPORTS, HISTORY})

    def __init__(self, context, parent=None) -> None:
        super().__init__(context, parent)
        self.run = ImportRun.of(context)
        self._paths: dict[str, Path] = {}
        self._summaries: dict[int, ImportSummary] = {}
        self._stopped: Task | None = None
        self._read: GateSummary | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        self.zone = DropZone()
        self.zone.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.help = ExportHelp()
        self.notice = ImportNotice()
        self.list = QTreeWidget()
        name_for_reader(self.list, tr("Earlier imports"))
        self.list.setHeaderLabels([tr("When"), tr("What"), tr("What came of it")])
        self.list.setRootIsDecorated(False)
        self.list.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.list.setUniformRowHeights(True)
        self.list.setAlternatingRowColors(True)
        em = self.fontMetrics().averageCharWidth()
        roomy(self.list, {0: 16, 1: 32})
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.report = ImportReport()
        self.splitter = QSplitter()
        self.splitter.addWidget(self.list)
        self.splitter.addWidget(self._build_side())
        self.splitter.setSizes([em * 80, em * 60])
        layout = QVBoxLayout(self)
        layout.addWidget(self.zone)
        layout.addWidget(self.notice)
        layout.addWidget(self.help)
        layout.addWidget(self.splitter, 1)
        layout.addStretch()

    def _build_side(self) -> QWidget:
        self.resume = QPushButton(tr("Resume"))
        self.discard = QPushButton(tr("Discard what was read"))
        self.undo = QPushButton(tr("Undo this import…"))
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(self.fontMetrics().height() // 2, 0, 0, 0)
        buttons = QHBoxLayout()
        for button in (self.resume, self.discard, self.undo):
            buttons.addWidget(button)
        buttons.addStretch()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(self.report)
        name_for_reader(scroll, tr("Report of the chosen import"))
        column.addWidget(scroll, 1)
        column.addLayout(buttons)
        return side

    def _connect(self) -> None:
        self.zone.dropped.connect(self.import_paths)
        self.zone.paste_wanted.connect(self.paste)
        self.list.itemSelectionChanged.connect(self._show_chosen)
        self.resume.clicked.connect(lambda: self._resume(self._chosen()))
        self.discard.clicked.connect(lambda: self._discard(self._chosen()))
        self.undo.clicked.connect(self._undo)
        self.notice.resume_wanted.connect(self._resume_stopped)
        self.notice.discard_wanted.connect(lambda: self._discard(self._newest_stopped()))
        self.run.failed.connect(self._on_failed)
        self.run.stopped.connect(self._on_stopped)
        self.run.mapping_wanted.connect(self._on_mapping_wanted)
        self.run.finished.connect(self._on_finished)

    # -- the panel ----------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        found = self.context.guard(lambda: imports.list(self.context.profile)) or []
        kept = {one.import_id for one in self._selected()}
        self._summaries = {summary.import_id: summary for summary in found}
        self.list.clear()
        for summary in found:
            self._add(summary)
        self.help.setVisible(not found)
        self.splitter.setVisible(bool(found))
        self._select(kept & self._summaries.keys() or {one.import_id for one in found[:1]})

    def commands(self) -> list[Command]:
        group = tr("Imports")
        return [
            Command("imports.choose", tr("Choose files to import"), self.zone.choose.click, group=group),
            Command("imports.paste", tr("Paste a list to import"), self.paste, group=group),
            Command("imports.cancel", tr("Cancel the import"), self.run.cancel, (), self._why_not_cancel, group),
        ]

    def open(self, id: int) -> None:
        self._select({id})

    def focus_first(self) -> None:
        (self.list if self._summaries else self.zone.choose).setFocus()

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Import what was dropped, here or anywhere on the window."""
        self._paths |= {path.name: path for path in paths}
        self.notice.hide()
        self.run.add_paths(paths)

    def paste(self) -> None:
        if (pasted := ask_list(self)) is not None:
            self.notice.hide()
            self.run.add_pasted(*pasted)

    def _add(self, summary: ImportSummary) -> None:
        name = f"{source_name(summary)}: {line(summary.file_name, 80)}"
        item = QTreeWidgetItem([day(summary.finished_at or summary.started_at), name, headline(summary)])
        item.setData(0, ID, summary.import_id)
        item.setToolTip(2, state_words(summary.state))
        if summary.state != "done":
            for column in range(3):
                item.setForeground(column, self.palette().placeholderText())
        self.list.addTopLevelItem(item)

    def _select(self, import_ids: Set[int]) -> None:
        for item in items(self.list):
            item.setSelected(item.data(0, ID) in import_ids)
        self._show_chosen()

    def _selected(self) -> list[ImportSummary]:
        return [self._summaries[item.data(0, ID)] for item in self.list.selectedItems()]

    def _chosen(self) -> ImportSummary | None:
        selected = self._selected()
        return selected[0] if selected else None

    def _show_chosen(self) -> None:
        selected = self._selected()
        latest = {one.import_id for one in self.run.summaries}
        self.report.show_imports(
            selected, gate_lines(self._read) if {one.import_id for one in selected} == latest else []
        )
        stopped = [one.state for one in selected] == ["stopped"]
        self.resume.setVisible(stopped)
        self.discard.setVisible(stopped)
        self.undo.setVisible(any(one.state == "done" for one in selected))
        self.undo.setText(tr("Undo this import…") if len(selected) == 1 else tr("Undo these imports…"))

    # -- what the run says --------------------------------------------------------------------------------------

    def _on_failed(self, task: Task, error: JobError) -> None:
        self.notice.say_failed("\n".join(part for part in (error.message, error.advice) if part))

    def _on_stopped(self, task: Task) -> None:
        self._stopped = task
        self.refresh(DROPPED)
        summary = self._newest_stopped()
        if summary is None:
            self.context.toast(tr("Stopped. Nothing was kept."))
            return
        self.open(summary.import_id)
        told = tr("“%1” was stopped. %2 are kept aside; nothing of it counts until it is finished.")
        self.notice.say_stopped(told.replace("%1", line(summary.file_name, 80)).replace("%2", messages_read(summary)))

    def _on_mapping_wanted(self, task: Task, data: dict[str, Any]) -> None:
        mapping = ask_mapping(self, task.name, data["columns"], data["rows"])
        if mapping is None:
            self.run.skip()
        else:
            self.run.map_columns(task, mapping)

    def _on_finished(self, audit: AuditSummary | None) -> None:
        self._read = audit.gate if audit is not None else None
        if self.run.summaries:
            self.refresh(DROPPED)
            self._select({one.import_id for one in self.run.summaries})
        if audit is not None:
            told = _audit_words(self.run.summaries, audit)
            self.context.ask("imports.counts", queue.counts, partial(self._tell, told), self)

    def _tell(self, told: str, counts: Counts) -> None:
        self.context.toast(", ".join([told, *waiting_words(counts)]))

    def _why_not_cancel(self) -> str:
        return "" if self.run.busy else tr("Nothing is being imported.")

    # -- a stopped or done one ----------------------------------------------------------------------------------

    def _newest_stopped(self) -> ImportSummary | None:
        stopped = [summary for summary in self._summaries.values() if summary.state == "stopped"]
        return max(stopped, key=lambda summary: summary.import_id, default=None)

    def _resume_stopped(self) -> None:
        self.notice.hide()
        if self._stopped is not None:
            self.run.resume(self._stopped)

    def _resume(self, summary: ImportSummary | None) -> None:
        """The same file goes on where it was. Only its name is kept, so after a restart the person points at it."""
        if summary is None:
            return
        if self._stopped is not None and self._stopped.name == summary.file_name:
            self._resume_stopped()
        elif (path := self._paths.get(summary.file_name)) is not None:
            self.import_paths([path])
        else:
            told = tr("Choose “%1” again: it goes on where it stopped.")
            self.context.toast(told.replace("%1", line(summary.file_name, 80)))
            self.zone.choose.click()

    def _discard(self, summary: ImportSummary | None) -> None:
        self.notice.hide()
        if summary is not None:
            self.context.guard(lambda: imports.discard(self.context.profile, summary.import_id))
            self.context.tell_changed(DROPPED)

    def _undo(self) -> None:
        """The chosen ones, newest first, until the person says no to one of them."""
        done = sorted((one for one in self._selected() if one.state == "done"), key=lambda one: -one.import_id)
        for step in [history.of_import(self.context.profile, one.import_id) for one in done]:
            if step is None or not undo_step(self, self.context, step):
                break


def _audit_words(summaries: Sequence[ImportSummary], audit: AuditSummary) -> str:
    new = sum(summary.counts.get("memories.new", 0) for summary in summaries)
    memories = plural(new, "%n new memory", "%n new memories")
    found = plural(audit.proposed, "%n case to review", "%n new cases to review")
    return f"{memories}, {found}"
