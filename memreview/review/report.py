"""The report: what is remembered, what looks wrong, and what was decided. For the screen, a file, or `--json`."""

from __future__ import annotations

from typing import Any

import msgspec

from memreview.records import TransitionKind
from memreview.review import imports, memories, quarantine, questions, queue
from memreview.review.labels import day, one_line, plural
from memreview.review.profile import Profile
from memreview.review.values import Counts, ImportSummary, QueueItem
from memreview.review.words import KINDS
from memreview.store import ledger

TOP = 12


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


def text(profile: Profile, *, top: int = TOP, width: int | None = None) -> str:
    """The report as a person reads it; at most `top` cases, texts cut where a line would be wider than `width`."""
    counts = queue.counts(profile)
    lines = [
        *_summary_lines(profile, counts),
        "",
        *(_import_line(row) for row in imports.list(profile) if row.state == "done"),
    ]
    wanted = queue.ids(profile)
    for number, item in enumerate(queue.items(profile, wanted[:top]), start=1):
        lines += ["", *_case_lines(number, item, width)]
    if len(wanted) > top:
        lines += ["", f"… and {len(wanted) - top:,} more."]
    lines += _planted_lines(profile, top, width)
    if not wanted and not counts.questions and not counts.quarantined:
        lines += ["", "Nothing waits for a decision."]
    return "\n".join(lines)


def _summary_lines(profile: Profile, counts: Counts) -> list[str]:
    """What is held and how much of it is in doubt; what there is none of is not told."""
    held = plural(counts.memories, "memory", "memories") if counts.memories else "No memories"
    if counts.conversations:
        held += f" from {plural(counts.conversations, 'conversation')}"
    doubted = (
        (counts.verified, ("looks out of date", "look out of date")),
        (counts.by_kind.get(TransitionKind.DUPLICATE, 0), ("is said twice", "are said twice")),
        (counts.stated, ("is in doubt because only stored notes disagree",
                         "are in doubt because only stored notes disagree")),
    )  # fmt: skip
    found = ", ".join(plural(count, *words) for count, words in doubted if count)
    without = memories.count(profile, "is:active -is:anchored")
    unanchored = f"{plural(without, 'of them names', 'of them name')} no message that says it." if without else ""
    more = " ".join(part for part in (unanchored, _gate_line(profile, counts)) if part)
    return [f"{held}: {found}." if found else f"{held}.", *([more] if more else [])]


def _gate_line(profile: Profile, counts: Counts) -> str:
    if ledger.last_run(profile.database) is None:
        return "Planted memories were not looked for." if counts.memories or counts.conversations else ""
    waiting = (
        (counts.planted, ("looks planted", "look planted")),
        (counts.quarantined, ("claim in all is held back", "claims in all are held back")),
        (counts.questions, ("question is for you", "questions are for you")),
    )
    told = ", ".join(plural(count, *words) for count, words in waiting if count)
    unread = len(ledger.unread_memories(profile.database))
    left = f" {plural(unread, 'memory is', 'memories are')} not checked yet." if unread else ""
    return (f"{told}." if told else "Nothing looks planted.") + left


def _planted_lines(profile: Profile, top: int, width: int | None) -> list[str]:
    """What an assistant remembers though another than the person said it, and what there is to ask."""
    lines: list[str] = []
    found = [item for item in quarantine.items(profile, quarantine.ids(profile)[:top]) if item.remembered]
    for item in sorted(found, key=lambda item: not item.in_use):
        state = "looks planted, still in use until you decide" if item.in_use else "held back"
        lines += [
            "",
            f"  ! {one_line(item.remembered, _left(width, 4))}",
            f"    {state}: it comes from {item.provenance.words}",
        ]
    for question in questions.items(profile, questions.ids(profile)[:top]):
        lines += ["", f"  ? {one_line(question.text, None)}"]
    return lines


def _import_line(row: ImportSummary) -> str:
    counts = row.counts
    parts = [plural(counts.get("conversations", 0), "conversation")] if counts.get("conversations") else []
    if number := counts.get("memories.new"):
        parts.append(plural(number, "new memory", "new memories"))
    for key, word in (("changed", "changed"), ("known", "known already"), ("gone", "dropped by the assistant")):
        if number := counts.get(f"memories.{key}"):
            parts.append(f"{number:,} {word}")
    if number := counts.get("memories.stayed_deleted"):
        parts.append(f"{number:,} stayed deleted")
    if number := counts.get("notes.broken"):
        parts.append(f"{number:,} could not be read")
    return f"  {row.file_name}: {', '.join(parts) or 'nothing new'}"


def _left(width: int | None, taken: int) -> int | None:
    return None if width is None else max(20, width - taken)


def _case_lines(number: int, item: QueueItem, width: int | None) -> list[str]:
    return [
        f"{number:>3}. {one_line(item.old_text, _left(width, 5))}",
        f"     → {one_line(item.new_claim, _left(width, 7))}",
        f"     {KINDS[item.kind]} · {day(item.old_at)} → {day(item.new_at)} · case {item.id}",
    ]
