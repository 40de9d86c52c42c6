"""Everything that was done, and taking it back: one step, or all steps back to a point."""

from __future__ import annotations

from collections.abc import Iterable

from memreview.review import gate_steps, labels
from memreview.review.decisions import described
from memreview.review.profile import Profile
from memreview.review.values import Preview, Step
from memreview.store import journal
from memreview.store import ledger as stored
from memreview.store.database import Database
from memreview.store.journal import UndoBlocked

__all__ = [
    "UndoBlocked", "back_to", "leaves_unchecked", "named", "of_import", "peek", "preview_back_to", "redo", "resting_on",
    "steps", "undo", "undo_all",
]  # fmt: skip


def steps(profile: Profile, *, before: int | None = None, limit: int = 200) -> list[Step]:
    """Newest first; `before` is the id of the last one already shown."""
    found = journal.entries(profile.database, before=before, limit=limit)
    sizes = journal.sizes(profile.database, [entry.id for entry in found])
    return [labels.step(entry, sizes.get(entry.id, 0)) for entry in found]


def named(profile: Profile, step_ids: Iterable[int]) -> list[Step]:
    """Those of these steps that there are, in that order."""
    found = [journal.entry(profile.database, step_id) for step_id in step_ids]
    return [labels.step(entry) for entry in found if entry is not None]


def of_import(profile: Profile, import_id: int) -> Step | None:
    """The standing step that brought an import in."""
    step_id = journal.import_step(profile.database, import_id)
    entry = None if step_id is None else journal.entry(profile.database, step_id)
    return labels.step(entry) if entry else None


def peek(profile: Profile) -> tuple[Step | None, Step | None]:
    """What undo and redo would do now."""
    undone, redone = journal.next_undo(profile.database), journal.next_redo(profile.database)
    return (labels.step(undone) if undone else None, labels.step(redone) if redone else None)


def undo(profile: Profile, step_id: int | None = None) -> Step | None:
    """Take back one step, or the person's last one. None where there is nothing; raises `UndoBlocked` where later
    steps rest on it, `LookupError` for a step that does not stand."""
    entry = journal.next_undo(profile.database) if step_id is None else journal.entry(profile.database, step_id)
    if entry is None and step_id is not None:
        raise LookupError(f"There is no step {step_id}.")
    if entry is None:
        return None
    with profile.database.transaction():
        if entry.verb == "import":
            gate_steps.take_back(profile.database, entry.detail.get("import_id", 0))
        elif entry.verb == "gate":
            gate_steps.hold_to_order(profile.database, entry.id)
        journal.undo(profile.database, entry.id)
    return labels.step(entry)


def resting_on(profile: Profile, step_id: int) -> list[Step]:
    """The later steps that have to be undone with this one, also for the sake of one another, newest first."""
    found: set[int] = set()
    left = [step_id]
    while left:
        later = _right_on(profile.database, left.pop()) - found
        found |= later
        left += later
    return named(profile, sorted(found, reverse=True))


def _right_on(database: Database, step_id: int) -> set[int]:
    entry = journal.entry(database, step_id)
    found = set(journal.blockers(database, step_id))
    if entry is not None and entry.verb == "import":
        found.update(gate_steps.read_with(database, entry.detail.get("import_id", 0)))
    elif entry is not None and entry.verb == "gate":
        found.update(stored.steps_from(database, step_id + 1))
    return found


def undo_all(profile: Profile, step_ids: Iterable[int]) -> list[Step]:
    """Undo these steps, the newest first, all or none. Raises as `undo`."""
    with profile.database.transaction():
        undone = [undo(profile, step_id) for step_id in sorted(step_ids, reverse=True)]
    return [step for step in undone if step is not None]


def redo(profile: Profile) -> Step | None:
    """Do the step again that was undone last, and with an import what the gate had made of it. Raises
    `UndoBlocked` where later steps changed the same rows."""
    entry = journal.next_redo(profile.database)
    if entry is None:
        return None
    with profile.database.transaction():
        journal.redo(profile.database, entry.id)
        if entry.verb == "import":
            gate_steps.do_again(profile.database)
    return labels.step(entry)


def leaves_unchecked(step: Step) -> bool:
    """Whether the gate may have to read again: an import that is taken back takes along what was read with it and after
    it, and what was not checked with it when it is done again is unread."""
    return step.verb == "import"


def preview_back_to(profile: Profile, step_id: int) -> Preview:
    """What undoing every standing step after `step_id` would change."""
    found, counts = described(profile.database, journal.standing_after(profile.database, step_id), backwards=True)
    return Preview(dict(counts), tuple(found))


def back_to(profile: Profile, step_id: int) -> list[Step]:
    """Undo every standing step after `step_id`, newest first, all or none."""
    with profile.database.transaction():
        return undo_all(profile, journal.standing_after(profile.database, step_id))
