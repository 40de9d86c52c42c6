"""What the person deleted or rejected, kept by meaning, so that no later import or audit brings it back."""

from __future__ import annotations

import time

import msgspec

from memreview.store import journal
from memreview.store.database import Database


class Tombstone(msgspec.Struct, frozen=True):
    id: int
    meaning: str
    slot: str
    scope: str
    text: str


def lay(act: journal.Action, kind: str, *, meaning: str, text: str, slot: str = "", scope: str = "") -> None:
    """`kind` is memory (the claim `text` stays gone) or transition (the pair named by `meaning` is not proposed)."""
    act.insert(
        "tombstones", kind=kind, meaning=meaning, slot=slot, scope=scope, text=text, created_at=time.time_ns() // 1000
    )


def lift(database: Database, act: journal.Action, kind: str, meaning: str) -> None:
    for row in database.all("SELECT id FROM tombstones WHERE kind = ? AND meaning = ?", (kind, meaning)):
        act.delete("tombstones", row["id"])


def memories(database: Database) -> list[Tombstone]:
    rows = database.all("SELECT id, meaning, slot, scope, text FROM tombstones WHERE kind = 'memory' ORDER BY id")
    return [Tombstone(*row) for row in rows]
