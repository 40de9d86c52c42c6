"""The window's end of the worker: one child process that does the long work, spoken to in lines of JSON.

It starts with the first job, is started again after a crash, and ends with the window. All signals come on the main
thread. What a job found arrives as plain values, or as the type asked for with `returns`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from memreview.ui.text import tr

QUIT_MS, TERMINATE_MS = 2_000, 1_000


@dataclass(frozen=True)
class JobError:
    """`kind` is ImportFailed, NeedsMapping, StoreError, Cancelled, ModelUnavailable or Crash."""

    kind: str
    message: str
    advice: str = ""
    data: Any = None


class Job(QObject):
    """One piece of work under way. Exactly one of `succeeded(result)` and `failed(JobError)` comes, then `ended()`.

    `progressed(stage, done, total)`: total 0 means not known.
    """

    progressed = Signal(str, "qint64", "qint64")  # type: ignore[arg-type]
    succeeded = Signal(object)
    failed = Signal(object)
    ended = Signal()

    def __init__(self, client: WorkerClient, id: int, name: str, returns: Any) -> None:
        super().__init__(client)
        self.id = id
        self.name = name
        self.cancelling = False
        self.done = False
        self._client = client
        self._returns = returns

    def cancel(self) -> None:
        """Ask the worker to stop; the job ends with `failed(kind Cancelled)`, or succeeds if it was done already."""
        if not self.done and not self.cancelling:
            self.cancelling = True
            self._client.send({"cancel": self.id})

    def take(self, message: dict[str, Any]) -> None:
        """One line of the worker about this job."""
        if "progress" in message:
            stage, done, total = message["progress"]
            self.progressed.emit(stage, int(done), int(total))
        elif "error" in message:
            error = message["error"]
            self.fail(JobError(error["kind"], error["message"], error.get("advice") or "", error.get("data")))
        else:
            result = message.get("result")
            self.done = True
            self.succeeded.emit(result if self._returns is None else msgspec.convert(result, self._returns))
            self.ended.emit()

    def fail(self, error: JobError) -> None:
        self.done = True
        self.failed.emit(error)
        self.ended.emit()


class WorkerClient(QObject):
    """Owns the child process. `started(job)` and `ended(job)` bracket a job; `crashed(message)` is for the person."""

    started = Signal(object)
    ended = Signal(object)
    crashed = Signal(str)

    def __init__(self, home: Path, command: list[str] | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.command = command or [sys.executable, "-m", "memreview.review.worker", "--home", str(home)]
        self.jobs: dict[int, Job] = {}
        self._next = 1
        self._buffer = bytearray()
        self._process: QProcess | None = None
        self._closing = False

    def submit(
        self,
        job: str,
        args: dict[str, Any] | None = None,
        on_progress: Callable[[str, int, int], None] | None = None,
        on_result: Callable[[Any], None] | None = None,
        on_error: Callable[[JobError], None] | None = None,
        returns: Any = None,
    ) -> Job:
        """Send a job. `returns` is a type for msgspec.convert, as `list[ImportSummary]`. Cancelled is an error."""
        handle = Job(self, self._next, job, returns)
        if self._closing:
            return handle
        self._next += 1
        for signal, slot in (
            (handle.progressed, on_progress),
            (handle.succeeded, on_result),
            (handle.failed, on_error),
        ):
            if slot is not None:
                signal.connect(slot)
        self.jobs[handle.id] = handle
        handle.ended.connect(lambda: self._forget(handle))
        self.started.emit(handle)
        self.send({"id": handle.id, "job": job, "args": args or {}})
        return handle

    def send(self, message: dict[str, Any]) -> None:
        process = self.start()
        process.write(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def start(self) -> QProcess:
        """Start the child if it isn't running. Called after the first paint, so that the first job finds it warm."""
        if self._process is None:
            self._buffer.clear()
            process = QProcess(self)
            process.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
            process.readyReadStandardOutput.connect(self._on_output)
            process.finished.connect(self._on_finished)
            process.errorOccurred.connect(self._on_error)
            process.start(self.command[0], self.command[1:])
            self._process = process
        return self._process

    @property
    def pid(self) -> int:
        return self._process.processId() if self._process is not None else 0

    def close(self) -> None:
        """End the child: politely, then by force. Safe to call twice."""
        self._closing = True
        process, self._process = self._process, None
        if process is None or process.state() == QProcess.ProcessState.NotRunning:
            return
        process.write(b'{"quit": true}\n')
        process.closeWriteChannel()
        if not process.waitForFinished(QUIT_MS):
            process.terminate()
            if not process.waitForFinished(TERMINATE_MS):
                process.kill()
                process.waitForFinished(TERMINATE_MS)

    def _on_output(self) -> None:
        if self._process is None:
            return
        self._buffer += bytes(self._process.readAllStandardOutput().data())
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = bytearray(rest)
        for line in lines:
            if line.strip():
                self._take(msgspec.json.decode(line))

    def _take(self, message: dict[str, Any]) -> None:
        job = self.jobs.get(message.get("id", 0))
        if job is not None:
            job.take(message)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._lost(tr("The background process could not be started."))

    def _on_finished(self, _code: int, _status: QProcess.ExitStatus) -> None:
        self._lost(tr("The background process ended unexpectedly."))

    def _lost(self, message: str) -> None:
        """The child is gone: fail what it was doing, say so, and let the next job start a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        if self._closing:
            return
        stranded = list(self.jobs.values())
        advice = tr("What was done before stays. Try again: it goes on from there.")
        for job in stranded:
            job.fail(JobError("Crash", message, advice))
        if not stranded:
            self.crashed.emit(message)

    def _forget(self, job: Job) -> None:
        self.jobs.pop(job.id, None)
        self.ended.emit(job)
        job.deleteLater()
