"""The report: what is remembered, what looks wrong, and what was decided. For the screen, a file, or `--json`."""

from __future__ import annotations

from typing import Any

import msgspec

from memreview.records import TransitionKind
from memreview.review import imports, memories, quarantine, questions, queue
from memreview.review.labels import day, one_line, plural
from memreview.review.profile import Profile
from memreview.review.values import Counts, ImportSummary, QueueItem
from memreview.store import ledger

TOP = 12
KINDS = {
    TransitionKind.EXPLICIT: "you said that it changed",
    TransitionKind.SAME_SUBJECT: "you said something else later",
    TransitionKind.DUPLICATE: "said twice",
    TransitionKind.IMPLICIT: "something you said later rules it out",
    TransitionKind.PROPAGATED: "it depends on something that changed",
}


def build(profile: Profile, *, top: int | None = None) -> dict[str, Any]:
    """Counts, imports, pending cases, what is held back and questions (the first `top`, or all) as plain values."""
    wanted = queue.ids(profile)
    cases: list[QueueItem] = []
    for start in range(0, len(wanted[:top]), 500):
        cases += queue.items(profile, wanted[:top][start : start + 500])
    return {
        "counts": msgspec.to_builtins(queue.counts(profile)),
        "imports": [msgspec.to_builtins(row) for row in imports.list(profile) if row.state == "done"],
        "cases": [msgspec.to_builtins(item) for item in cases],
        "quarantine": msgspec.to_builtins(quarantine.items(profile, quarantine.ids(profile)[:top])),
        "questions": msgspec.to_builtins(questions.items(profile, questions.ids(profile)[:top])),
    }


def text(profile: Profile, *, top: int = TOP) -> str:
    """The report as a person reads it in a terminal; at most `top` cases."""
    counts = queue.counts(profile)
    lines = [
        f"{plural(counts.memories, 'memory', 'memories')} from {plural(counts.conversations, 'conversation')}: "
        f"{plural(counts.verified, 'looks', 'look')} out of date, "
        f"{plural(counts.by_kind.get(TransitionKind.DUPLICATE, 0), 'is', 'are')} said twice, "
        f"{plural(counts.stated, 'is', 'are')} in doubt because only stored notes disagree.",
        f"{_unanchored(profile):,} of them name no message that they came from. {_gate_line(profile, counts)}",
        "",
        *(_import_line(row) for row in imports.list(profile) if row.state == "done"),
    ]
    wanted = queue.ids(profile)
    for number, item in enumerate(queue.items(profile, wanted[:top]), start=1):
        lines += ["", *_case_lines(number, item)]
    if len(wanted) > top:
        lines += ["", f"… and {len(wanted) - top:,} more."]
    lines += _planted_lines(profile, top)
    if not wanted and not counts.questions and not counts.quarantined:
        lines += ["", "Nothing waits for a decision."]
    return "\n".join(lines)


def _gate_line(profile: Profile, counts: Counts) -> str:
    if ledger.last_run(profile.database) is None:
        return "Planted memories were not looked for."
    return (
        f"{plural(counts.planted, 'looks', 'look')} planted, {plural(counts.quarantined, 'claim')} in all "
        f"{'is' if counts.quarantined == 1 else 'are'} held back, and there "
        f"{'is' if counts.questions == 1 else 'are'} {plural(counts.questions, 'question')} for you."
    )


def _planted_lines(profile: Profile, top: int) -> list[str]:
    """What an assistant remembers though another than the person said it, and what there is to ask."""
    lines: list[str] = []
    found = [item for item in quarantine.items(profile, quarantine.ids(profile)[:top]) if item.memories]
    remembered = [(memories.rows(profile, item.memories[:1])[0], item) for item in found]
    for held, item in sorted(remembered, key=lambda pair: pair[0].status != "active"):
        state = "looks planted, still in use until you decide" if held.status == "active" else "held back"
        lines += ["", f"  ! {one_line(held.text)}", f"    {state}: it comes from {item.provenance.words}"]
    for question in questions.items(profile, questions.ids(profile)[:top]):
        lines += ["", f"  ? {one_line(question.text, 300)}"]
    return lines


def _unanchored(profile: Profile) -> int:
    return memories.count(profile, "is:active -is:anchored")


def _import_line(row: ImportSummary) -> str:
    counts = row.counts
    parts = [plural(counts.get("conversations", 0), "conversation")] if counts.get("conversations") else []
    parts.append(plural(counts.get("memories.new", 0), "new memory", "new memories"))
    for key, word in (("changed", "changed"), ("known", "known already"), ("gone", "dropped by the assistant")):
        if number := counts.get(f"memories.{key}"):
            parts.append(f"{number:,} {word}")
    if number := counts.get("memories.stayed_deleted"):
        parts.append(f"{number:,} stayed deleted")
    if number := counts.get("notes.broken"):
        parts.append(f"{number:,} could not be read")
    return f"  {row.file_name}: {', '.join(parts)}"


def _case_lines(number: int, item: QueueItem) -> list[str]:
    return [
        f"{number:>3}. {one_line(item.old_text)}",
        f"     → {one_line(item.new_claim)}",
        f"     {KINDS[item.kind]} · {day(item.old_at)} → {day(item.new_at)} · case {item.id}",
    ]
