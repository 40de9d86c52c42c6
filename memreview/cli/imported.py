"""What an import brought, in words: its counts, what to look at twice, and how to take it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memreview.records import NoteKind
from memreview.review import history
from memreview.review.labels import one_line, plural
from memreview.review.profile import Profile
from memreview.review.values import ImportSummary

SHOWN = 5
_COUNTED = {
    "memories.new": ("new memory", "new memories"),
    "memories.changed": ("memory changed by the assistant", "memories changed by the assistant"),
    "memories.gone": ("memory dropped by the assistant", "memories dropped by the assistant"),
    "memories.stayed_deleted": ("memory stayed deleted", "memories stayed deleted"),
    "entries.new": ("new message", "new messages"),
    "entries.changed": ("message in a new wording", "messages in a new wording"),
}


def lines(profile: Profile, done: Sequence[ImportSummary], program: str) -> list[str]:
    """`program`: how to call us."""
    counts: Counter[str] = Counter()
    for summary in done:
        counts.update(summary.counts)
    brought = [plural(counts[kind], *words) for kind, words in _COUNTED.items() if counts[kind]]
    told = [f"This import: {', '.join(brought)}." if brought else "Nothing new."]
    if broken := counts[f"notes.{NoteKind.BROKEN}"]:
        where = [place for summary in done for place in _noted(summary, NoteKind.BROKEN)][:SHOWN]
        told.append(f"Warning: {plural(broken, 'part')} could not be read, or not wholly:")
        told += [f"  {place}" for place in where]
        if broken > len(where):
            told.append(f"  and {broken - len(where):,} more")
    for summary in done:
        step = history.of_import(profile, summary.import_id)
        if step is not None and any(summary.counts.get(kind) for kind in _COUNTED):
            told += _warnings(summary, f"{program} undo {step.id}")
    return told


def _warnings(summary: ImportSummary, undo: str) -> list[str]:
    found = _noted(summary, NoteKind.WARNING)
    told = [f"Warning: {place}" for place in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"and {plural(len(found) - SHOWN, 'more such warning')}")
    return [*told, f"  If that is not what you want: {undo}"] if told else []


def _noted(summary: ImportSummary, wanted: NoteKind) -> list[str]:
    return [
        f"{one_line(where, None)}: {one_line(reason, None)}." for kind, where, reason in summary.notes if kind == wanted
    ]
