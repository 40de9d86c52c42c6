"""From a typed filter to ids: by words at once, and a moment later what is near in meaning, from the worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from memreview.review import memories
from memreview.review.values import Hit
from memreview.ui.context import AppContext
from memreview.ui.text import tr
from memreview.ui.worker import Job, JobError

MEANING_PAUSE_MS = 350
SHORTEST = 3
LIMIT = 30


@dataclass(frozen=True)
class Wanted:
    """`filters` is the query without its free `words`."""

    query: str = ""
    words: str = ""
    filters: str = ""
    sort: str = "created"
    descending: bool = True


class MemorySearch(QObject):
    """`found(ids, notes)`: the ids in order, and by id why one is there that the words do not explain. `refused(why)`:
    what is wrong with the filter, or "". `noted(text)`: about the search by meaning."""

    found = Signal(object, object)
    refused = Signal(str)
    noted = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._panel = parent
        self._wanted = Wanted()
        self._ids: Sequence[int] = ()
        self._job: Job | None = None
        self._soon = QTimer(self, singleShot=True, interval=MEANING_PAUSE_MS)
        self._soon.timeout.connect(self._ask_meaning)

    def run(self, wanted: Wanted) -> None:
        problem = memories.problem(wanted.query)
        self.refused.emit(problem)
        if problem:
            return
        self._wanted = wanted
        self._stop_meaning()
        self._context.ask(
            "memories.ids",
            lambda profile: memories.ids(profile, wanted.query, sort=wanted.sort, descending=wanted.descending),
            self._on_ids,
            self,
        )

    def _on_ids(self, ids: Sequence[int]) -> None:
        self._ids = ids
        self.found.emit(ids, {})
        if len(self._wanted.words.strip()) >= SHORTEST:
            self._soon.start()

    # -- meaning ------------------------------------------------------------------------------------------------

    def _stop_meaning(self) -> None:
        self._soon.stop()
        self.noted.emit("")
        job, self._job = self._job, None
        if job is not None:
            job.succeeded.disconnect(self._on_hits)
            job.failed.disconnect(self._on_error)
            job.cancel()

    def _ask_meaning(self) -> None:
        if not self._panel.isVisible():
            return
        self.noted.emit(tr("Searching by meaning …"))
        self._job = self._context.worker.submit(
            "search",
            {"words": self._wanted.words, "limit": LIMIT},
            on_result=self._on_hits,
            on_error=self._on_error,
            returns=list[Hit],
        )

    def _on_hits(self, hits: Sequence[Hit]) -> None:
        self._job = None
        wanted = self._wanted
        held = set(self._ids)
        near = [hit.id for hit in hits if hit.target == "memory" and hit.how != "words" and hit.id not in held]
        if near and wanted.filters:
            self._context.ask(
                "memories.near",
                lambda profile: set(memories.ids(profile, wanted.filters)),
                lambda allowed: self._add(wanted, [one for one in near if one in allowed]),
                self,
            )
        else:
            self._add(wanted, near)

    def _add(self, wanted: Wanted, near: Sequence[int]) -> None:
        if wanted is not self._wanted:
            return
        self.noted.emit("")
        if near:
            self.found.emit([*self._ids, *near], dict.fromkeys(near, tr("by meaning")))

    def _on_error(self, error: JobError) -> None:
        self._job = None
        if error.kind != "Cancelled":
            self.noted.emit(tr("Found by words only: %1").replace("%1", error.message))
