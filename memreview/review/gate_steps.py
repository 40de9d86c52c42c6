"""Taking back what the gate did to the ledger, and doing it again, without any model.

Each step goes on from the belief of the one before, and what it read it judged by what was held then, also where that
left no trace in a row. So a step is only taken back together with those after it.
"""

from __future__ import annotations

from memreview.store import journal
from memreview.store import ledger as stored
from memreview.store.database import Database
from memreview.store.journal import UndoBlocked


def take_back(database: Database, import_id: int) -> None:
    """Undo the gate's steps that read something of an import, and those after them. Raises `UndoBlocked` where the
    person decided since on what they found."""
    for step in read_with(database, import_id):
        journal.undo(database, step)


def read_with(database: Database, import_id: int) -> list[int]:
    """The gate's standing steps that read something of an import, and those after them, newest first."""
    first = stored.runs_with(database, import_id)
    return [] if first is None else stored.steps_from(database, first)


def do_again(database: Database) -> None:
    """Redo the steps that were taken back with the import that was just done again, oldest first, and those taken back
    right before: the check that follows would read the same. None where the gate has read since, which can't be done
    beside them (`forget_undone`)."""
    while (step := journal.next_redo(database)) is not None and step.verb == "gate":
        journal.redo(database, step.id)


def hold_to_order(database: Database, step: int) -> None:
    """Raises `UndoBlocked` where a later step of the gate stands."""
    if later := stored.steps_from(database, step + 1):
        raise UndoBlocked(sorted({*later, *journal.blockers(database, step)}, reverse=True))
