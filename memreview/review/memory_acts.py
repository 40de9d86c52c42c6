"""What a decision does to memories, whatever it was about: each change goes through the journal's action."""

from __future__ import annotations

import uuid

from memreview.language.sentences import normalize
from memreview.records import MemoryKind, MemoryStatus, NativeState
from memreview.review.values import Decision
from memreview.store import tombstones
from memreview.store.database import Database
from memreview.store.journal import Action


def status(database: Database, memory_id: int) -> str:
    return str(database.value("SELECT status FROM memories WHERE id = ?", (memory_id,)))


def edit(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, text=decision.text.strip(), meaning=normalize(decision.text))


def scope(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, scope=decision.scope, valid_until=decision.until)


def delete(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    if act.update("memories", memory_id, status=MemoryStatus.DELETED, superseded_by=None):
        bury(database, act, memory_id)


def restore(database: Database, act: Action, memory_id: int, decision: Decision | None = None) -> None:
    act.update("memories", memory_id, status=MemoryStatus.ACTIVE, superseded_by=None, stayed_deleted=0)
    row = database.one("SELECT meaning FROM memories WHERE id = ?", (memory_id,))
    if row is not None:
        tombstones.lift(database, act, "memory", row["meaning"])


def supersede(database: Database, act: Action, old_id: int, new_id: int) -> None:
    act.update("memories", old_id, status=MemoryStatus.SUPERSEDED, superseded_by=new_id)
    survivor = database.value("SELECT meaning FROM memories WHERE id = ?", (new_id,))
    bury(database, act, old_id, unless=survivor)


def bury(database: Database, act: Action, memory_id: int, unless: str | None = None) -> None:
    row = database.one("SELECT meaning, text, slot, scope FROM memories WHERE id = ?", (memory_id,))
    if row is not None and row["meaning"] != unless:
        tombstones.lay(act, "memory", meaning=row["meaning"], text=row["text"], slot=row["slot"], scope=row["scope"])


def add(
    database: Database,
    act: Action,
    text: str,
    *,
    source_id: int,
    import_id: int,
    slot: str = "",
    scope: str = "",
    at: int | None = None,
    entry_id: int | None = None,
) -> int:
    """A memory that the assistant doesn't have yet, in one of its stores; `entry_id` is where it was said."""
    memory_id = act.insert(
        "memories",
        source_id=source_id,
        import_id=import_id,
        native_id=f"memreview:{uuid.uuid4()}",
        kind=MemoryKind.MEMORY,
        text=text.strip(),
        imported_text=text.strip(),
        meaning=normalize(text),
        status=MemoryStatus.ACTIVE,
        native_state=NativeState.ACTIVE,
        slot=slot,
        subject="",
        scope=scope,
        created_at=at,
        added=1,
    )
    if entry_id is not None:
        act.insert("memory_evidence", memory_id=memory_id, entry_id=entry_id, rank=0)
    return memory_id
