"""Cases in words: what each kind means, what a case says in one sentence, how sure it is."""

from __future__ import annotations

from memreview.records import Authorization, TransitionKind, TransitionStatus
from memreview.review.values import Case, QueueItem
from memreview.review.words import KINDS
from memreview.ui.text import day, isolated, tr


def kind_words(kind: TransitionKind) -> str:
    return tr(KINDS[kind])


def proof_words(item: QueueItem) -> str:
    if item.authorization is Authorization.VERIFIED:
        return tr("Proven by your own words")
    alike = item.kind is TransitionKind.DUPLICATE
    return tr("Found in the notes alone") if alike else tr("Only the notes disagree")


def group_words(authorization: Authorization) -> tuple[str, str]:
    """The heading over the cases of one kind of proof, and the line that explains it."""
    return {
        Authorization.VERIFIED: (tr("Proven by your own words"), tr("Old and new are both quoted from your chats")),
        Authorization.STATED: (tr("From the notes alone"), tr("No chat proves these: you know best")),
    }[authorization]


def status_words(status: str) -> str:
    return {
        TransitionStatus.PENDING: "",
        TransitionStatus.APPROVED: tr("You approved this."),
        TransitionStatus.REJECTED: tr("You rejected this."),
        TransitionStatus.SCOPED: tr("You limited this."),
        TransitionStatus.WITHDRAWN: tr("A later audit no longer proposes this."),
    }[TransitionStatus(status)]


def change_words(item: QueueItem) -> str:
    """ "Berlin → Munich", or the two texts where there are no values."""
    old, new = item.old_value or item.old_text, item.new_value or item.new_claim
    return f"{isolated(old)} → {isolated(new)}"


def sentence(case: Case) -> str:
    """What the case says, with the time that matters."""
    item = case.item
    when = day(item.new_at)
    change = change_words(item)
    if item.kind is TransitionKind.DUPLICATE:
        return tr("Two memories say the same thing.")
    if item.kind is TransitionKind.EXPLICIT and item.new_at is not None:
        return tr("On %1 you said that this changed: %2").replace("%1", when).replace("%2", change)
    if item.authorization is Authorization.VERIFIED:
        return tr("Since %1 something else holds: %2").replace("%1", when).replace("%2", change)
    return tr("Two notes disagree: %1").replace("%1", change)


def harm_words(item: QueueItem) -> str:
    """The two numbers behind the order, in words."""
    sure = _level(item.confidence, tr("a guess"), tr("likely"), tr("nearly certain"))
    harm = _level(item.harm, tr("small"), tr("medium"), tr("large"))
    return tr("How sure: %1. Harm if it stays wrong: %2.").replace("%1", sure).replace("%2", harm)


def _level(value: float, low: str, middle: str, high: str) -> str:
    return low if value < 0.4 else middle if value < 0.75 else high
