"""Taking back what the gate did to the ledger, without any model."""

from __future__ import annotations

from memreview.store import journal
from memreview.store import ledger as stored
from memreview.store.database import Database


def take_back(database: Database, import_id: int) -> None:
    """Undo the gate's steps that read something of an import, and those after them, which rest on them. Raises
    `UndoBlocked` where the person decided since on what they found."""
    first = stored.runs_with(database, import_id)
    for step in [] if first is None else stored.steps_from(database, first):
        journal.undo(database, step)
