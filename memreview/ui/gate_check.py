"""Having the gate read what it hasn't read yet: after each import it does so by itself, older profiles ask for it."""

from __future__ import annotations

from memreview.review import history
from memreview.review.values import GateSummary
from memreview.ui.context import AppContext
from memreview.ui.gate_words import gate_lines
from memreview.ui.text import tr
from memreview.ui.worker import JobError

LOOKED_THROUGH = 500
"""Steps of the history, from the newest, among which a reading is looked for."""


def was_checked(context: AppContext) -> bool:
    """Whether the gate has read anything of this profile."""
    steps = history.steps(context.profile, limit=LOOKED_THROUGH)
    return any(step.verb == "gate" and step.state == "done" for step in steps)


def unchecked_words() -> tuple[str, str, str]:
    """The empty state of a place that the gate has not filled yet."""
    told = tr(
        "What others wrote has not been told from your own words yet.\n"
        "It takes about a minute for ten thousand messages, and you can go on meanwhile."
    )
    return tr("Not checked yet"), told, tr("Check now")


def check(context: AppContext) -> None:
    """In the worker; the window's progress strip follows it, and every panel hears of its end."""

    def done(gate: GateSummary) -> None:
        if gate.reason:
            context.failed.emit(tr("Your chats could not be checked."), gate.reason)
        else:
            context.toast(" ".join(gate_lines(gate)))

    def failed(error: JobError) -> None:
        if error.kind != "Cancelled":
            context.failed.emit(error.message, error.advice)

    context.worker.submit("gate", {}, on_result=done, on_error=failed, returns=GateSummary)


def why_not_check(context: AppContext) -> str:
    """Why it can't begin now, "" if it can."""
    if not context.profile_has_imports():
        return tr("Import an export first: there is nothing to check yet.")
    busy = any(job.name in ("import", "paste", "sample", "audit", "gate") for job in context.worker.jobs.values())
    return tr("Something is being read already.") if busy else ""
