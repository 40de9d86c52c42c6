"""What a decision changes, in words: one line a decided thing, and counts of what else follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from memreview.review import belief_views, memories, memory_acts, questions, queue
from memreview.review.labels import day, one_line, plural, quoted
from memreview.review.profile import Profile
from memreview.review.values import Decision, Preview, QueueItem, Verb

SHOWN = 5
WIDTH = 160
_COUNTED = {
    "memories added": ("memory is added", "memories are added"),
    "memories removed": ("memory is taken out again", "memories are taken out again"),
    "memories superseded": ("memory no longer counts", "memories no longer count"),
    "memories deleted": ("memory is forgotten", "memories are forgotten"),
    "memories active": ("memory counts", "memories count"),
    "memories quarantined": ("memory is held back", "memories are held back"),
    "memories changed": ("memory is worded or limited anew", "memories are worded or limited anew"),
    "kept away added": ("thing will not come back", "things will not come back"),
    "kept away removed": ("thing may come back", "things may come back"),
    "sources blocked added": ("source is blocked", "sources are blocked"),
    "questions answered": ("question is answered", "questions are answered"),
}
"""The changes that a person counts in; what is not here is how they are kept."""


class _Numbered(Protocol):
    @property
    def id(self) -> int: ...


T = TypeVar("T", bound=_Numbered)


def lines(profile: Profile, decision: Decision) -> list[str]:
    """A line for each thing that there is to decide, in the order given. Call it before `decide`: it quotes what is
    changed."""
    cases = _ordered(queue.items(profile, decision.transitions), decision.transitions)
    held = _ordered(memories.rows(profile, decision.memories), decision.memories)
    claims = _ordered(belief_views.node_rows(profile, decision.nodes), decision.nodes)
    asked = _ordered(questions.items(profile, decision.questions), decision.questions)
    return [
        *(_case_line(item, decision) for item in cases),
        *(_memory_line(row.text, decision, memory_acts.would_wait(profile.database, row.id)) for row in held),
        *(_claim_line(row.claim, decision) for row in claims),
        *(_question_line(item.text, decision) for item in asked),
    ]


def at_most(told: Sequence[str], shown: int = SHOWN) -> list[str]:
    """The first lines, and how many more there are."""
    return [*told[:shown], *([f"and {len(told) - shown:,} more"] if len(told) > shown else [])]


def counts(preview: Preview) -> str:
    """ "In all: 1 memory is added, 1 memory no longer counts."; "" where there is nothing to count."""
    told = [plural(preview.counts[kind], *words) for kind, words in _COUNTED.items() if preview.counts.get(kind)]
    return f"In all: {', '.join(told)}." if told else ""


def _ordered(rows: Sequence[T], wanted: Sequence[int]) -> list[T]:
    found = {row.id: row for row in rows}
    return [found[one] for one in dict.fromkeys(wanted) if one in found]


def _case_line(item: QueueItem, decision: Decision) -> str:
    old, new = quoted(item.old_text), quoted(decision.text or item.new_claim)
    return {
        Verb.APPROVE: f"Replaced: {old} → {new}.",
        Verb.EDIT: f"Replaced: {old} → {new}.",
        Verb.REJECT: f"Kept: {old}; {new} is not proposed again.",
        Verb.SCOPE: f"Limited: {new} holds {_where(decision)}; {old} everywhere else.",
        Verb.DELETE: f"Forgotten: {old}.",
        Verb.SNOOZE: f"Put off until {day(decision.until)}: {old} → {new}.",
        Verb.RESTORE: f"To be decided again: {old} → {new}.",
    }.get(decision.verb, f"{old} → {new}")


def _memory_line(text: str, decision: Decision, waits: bool) -> str:
    held = quoted(text)
    return {
        Verb.EDIT: f"Edited: {held} → {quoted(decision.text)}.",
        Verb.SCOPE: f"Limited: {held} holds {_where(decision)}.",
        Verb.DELETE: f"Forgotten: {held}.",
        Verb.RESTORE: f"Held back again: {held}." if waits else f"Counts again: {held}.",
    }.get(decision.verb, held)


def _claim_line(text: str, decision: Decision) -> str:
    held = quoted(text)
    return {
        Verb.RELEASE: f"Counts from now on: {held}.",
        Verb.KEEP: f"Held back for another while: {held}.",
        Verb.DELETE: f"Forgotten: {held}.",
        Verb.NEVER: f"Forgotten, with all that comes from the same source: {held}.",
        Verb.RESTORE: f"Held back again: {held}.",
    }.get(decision.verb, held)


def _question_line(text: str, decision: Decision) -> str:
    if decision.verb is Verb.SNOOZE:
        return f"Put off until {day(decision.until)}: {one_line(text, WIDTH)}"
    return f"Answered {quoted(decision.text or decision.answer)}: {one_line(text, WIDTH)}"


def _where(decision: Decision) -> str:
    until = f"until {day(decision.until)}" if decision.until is not None else ""
    return " ".join(part for part in (f"only {one_line(decision.scope)}" if decision.scope else "", until) if part)
