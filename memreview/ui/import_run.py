"""Importing what was dropped: one file after the other in the worker, then one audit over all that is new."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from memreview.review.values import AuditSummary, GateSummary, ImportSummary
from memreview.ui.context import AppContext
from memreview.ui.worker import Job, JobError


class _Imported(msgspec.Struct):
    imports: list[ImportSummary]


@dataclass(frozen=True)
class Task:
    """One thing to import: a job of the worker with its arguments. `path` is None for a pasted list or the sample."""

    job: str
    args: dict[str, Any]
    name: str
    path: Path | None = None


class ImportRun(QObject):
    """There is one for each window, `ImportRun.of(context)`. `mapping_wanted(task, data)` waits for `map_columns` or
    `skip`. `stopped(task)`: the person cancelled, and the rest is dropped. `finished(audit)`: None where nothing new
    was audited."""

    started = Signal(object)
    failed = Signal(object, object)  # Task, JobError
    mapping_wanted = Signal(object, object)
    stopped = Signal(object)
    auditing = Signal()
    finished = Signal(object)

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._context = context
        self._waiting: deque[Task] = deque()
        self._job: Job | None = None
        self._current: Task | None = None
        self._anything_new = False
        self.summaries: list[ImportSummary] = []

    @classmethod
    def of(cls, context: AppContext) -> ImportRun:
        return context.findChild(cls) or cls(context)

    @property
    def busy(self) -> bool:
        return self._current is not None or self._job is not None

    def add_paths(self, paths: Sequence[Path]) -> None:
        self._add(Task("import", {"path": str(path), "mapping": None}, path.name, path) for path in paths)

    def add_pasted(self, text: str, label: str) -> None:
        self._add([Task("paste", {"text": text, "label": label}, label)])

    def add_sample(self, name: str) -> None:
        self._add([Task("sample", {}, name)])

    def map_columns(self, task: Task, mapping: dict[str, str | None]) -> None:
        """Go on with the file that asked for its columns."""
        self._waiting.appendleft(Task(task.job, {**task.args, "mapping": mapping}, task.name, task.path))
        self._next()

    def resume(self, task: Task) -> None:
        """Import again what was stopped: the worker goes on where it was."""
        self._add([task])

    def skip(self) -> None:
        self._next()

    def cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    # -- one after the other ------------------------------------------------------------------------------------

    def _add(self, tasks) -> None:
        self._waiting.extend(tasks)
        if not self.busy and self._waiting:
            self.summaries, self._anything_new = [], False
            self._next()

    def _next(self) -> None:
        if not self._waiting:
            self._current = None
            self._audit()
            return
        task = self._current = self._waiting.popleft()
        self.started.emit(task)
        self._job = self._context.worker.submit(
            task.job,
            {**task.args, "audit": False},
            on_result=self._on_imported,
            on_error=self._on_failed,
            returns=_Imported,
        )

    def _on_imported(self, result: _Imported) -> None:
        self._job = None
        self.summaries += result.imports
        self._anything_new = True
        self._next()

    def _on_failed(self, error: JobError) -> None:
        self._job, task = None, self._current
        if error.kind == "NeedsMapping":
            self.mapping_wanted.emit(task, error.data)
        elif error.kind == "Cancelled":
            self._waiting.clear()
            self.stopped.emit(task)
            self._after_failure()
        else:
            self.failed.emit(task, error)
            self._after_failure()

    def _after_failure(self) -> None:
        """Of several exports in a file some may have come in: they must not count unchecked."""
        if not self._anything_new:
            self._context.worker.submit("gate", {}, returns=GateSummary)
        self._next()

    def _audit(self) -> None:
        if not self._anything_new:
            self.finished.emit(None)
            return
        self._anything_new = False
        self.auditing.emit()
        self._job = self._context.worker.submit(
            "audit", {"full": False}, on_result=self._on_audited, on_error=self._on_audit_failed, returns=AuditSummary
        )

    def _on_audited(self, audit: AuditSummary) -> None:
        self._job = None
        self.finished.emit(audit)
        self._add(())

    def _on_audit_failed(self, error: JobError) -> None:
        self._job = None
        if error.kind != "Cancelled":
            self.failed.emit(Task("audit", {}, ""), error)
        self.finished.emit(None)
        self._add(())
