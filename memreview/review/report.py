"""The report: what is remembered, what looks wrong, and what was decided. For the screen, a file, or `--json`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from memreview.records import TransitionKind
from memreview.review import imports, memories, queue
from memreview.review.labels import plural
from memreview.review.profile import Profile
from memreview.review.values import ImportSummary, QueueItem

TOP = 12
KINDS = {
    TransitionKind.EXPLICIT: "you said that it changed",
    TransitionKind.SAME_SUBJECT: "you said something else later",
    TransitionKind.DUPLICATE: "said twice",
    TransitionKind.IMPLICIT: "something you said later rules it out",
    TransitionKind.PROPAGATED: "it depends on something that changed",
}


def build(profile: Profile, *, top: int | None = None) -> dict[str, Any]:
    """Counts, imports and pending cases (the first `top`, or all) as plain values."""
    wanted = queue.ids(profile)
    cases: list[QueueItem] = []
    for start in range(0, len(wanted[:top]), 500):
        cases += queue.items(profile, wanted[:top][start : start + 500])
    return {
        "counts": msgspec.to_builtins(queue.counts(profile)),
        "imports": [msgspec.to_builtins(row) for row in imports.list(profile) if row.state == "done"],
        "cases": [msgspec.to_builtins(item) for item in cases],
    }


def text(profile: Profile, *, top: int = TOP) -> str:
    """The report as a person reads it in a terminal; at most `top` cases."""
    counts = queue.counts(profile)
    lines = [
        f"{plural(counts.memories, 'memory', 'memories')} from {plural(counts.conversations, 'conversation')}: "
        f"{plural(counts.verified, 'looks', 'look')} out of date, "
        f"{plural(counts.by_kind.get(TransitionKind.DUPLICATE, 0), 'is', 'are')} said twice, "
        f"{plural(counts.stated, 'is', 'are')} in doubt because only stored notes disagree.",
        f"{_unanchored(profile):,} of them name no message that they came from. "
        "Planted or invented memories are not looked for yet.",
        "",
        *(_import_line(row) for row in imports.list(profile) if row.state == "done"),
    ]
    wanted = queue.ids(profile)
    for number, item in enumerate(queue.items(profile, wanted[:top]), start=1):
        lines += ["", *_case_lines(number, item)]
    if len(wanted) > top:
        lines += ["", f"… and {len(wanted) - top:,} more."]
    if not wanted:
        lines += ["", "Nothing waits for a decision."]
    return "\n".join(lines)


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


def day(at: int | None) -> str:
    """The UTC day of a time in microseconds, or "unknown"."""
    return "unknown" if at is None else datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d")


def one_line(text: str, width: int = 100) -> str:
    """An imported text on one line of a terminal, without control characters."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
