"""What a decision does to memories, whatever it was about: each change goes through the journal's action."""

from __future__ import annotations

import uuid

from memreview.language.sentences import normalize
from memreview.records import MemoryKind, MemoryStatus, NativeState
from memreview.review.values import Decision
from memreview.store import journal, ledger, tombstones
from memreview.store.database import Database
from memreview.store.journal import Action
from memreview.store.memories import NO_LONGER


def status(database: Database, memory_id: int) -> str:
    return str(database.value("SELECT status FROM memories WHERE id = ?", (memory_id,)))


def edit(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, text=decision.text.strip(), meaning=normalize(decision.text))
    _let_out(database, act, memory_id)


def scope(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, scope=decision.scope, valid_until=decision.until)
    _let_out(database, act, memory_id)


def _let_out(database: Database, act: Action, memory_id: int) -> None:
    """What the person put right counts, also where it was held back."""
    if status(database, memory_id) == MemoryStatus.QUARANTINED:
        restore(database, act, memory_id)


def delete(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    if act.update("memories", memory_id, status=MemoryStatus.DELETED, superseded_by=None):
        bury(database, act, memory_id)


def restore(database: Database, act: Action, memory_id: int, decision: Decision | None = None) -> None:
    act.update("memories", memory_id, status=MemoryStatus.ACTIVE, superseded_by=None, stayed_deleted=0)
    row = database.one("SELECT meaning FROM memories WHERE id = ?", (memory_id,))
    if row is not None:
        tombstones.lift(database, act, "memory", row["meaning"])


def put_back(database: Database, act: Action, memory_id: int) -> None:
    """What is gone counts again, or waits with a claim that holds it back; nothing else is changed."""
    if status(database, memory_id) not in NO_LONGER:
        return
    waits = would_wait(database, memory_id)
    restore(database, act, memory_id)
    if waits:
        act.update("memories", memory_id, status=MemoryStatus.QUARANTINED)


def would_wait(database: Database, memory_id: int) -> bool:
    """Whether it is gone and, put back, would be held back with its claim."""
    waiting = ledger.of_memory(database, memory_id, waiting=True)
    if not waiting or status(database, memory_id) not in NO_LONGER:
        return False
    from memreview.review import beliefs  # NumPy, which the window starts without

    held = any(beliefs.holds(ledger.node(row)) for row in ledger.rows(database, waiting).values())
    return held and not vouched(database, memory_id)


def vouched(database: Database, memory_id: int) -> bool:
    """Whether it counted by the person's own decision when it was last removed."""
    removal = database.one(
        """SELECT c.journal_id, json_extract(c.before, '$.status') AS status FROM journal_changes c
           JOIN journal j ON j.id = c.journal_id AND j.state = 'done'
           WHERE c.tbl = 'memories' AND c.row_id = ? AND json_extract(c.after, '$.status') IN (?, ?)
           ORDER BY c.journal_id DESC, c.seq DESC LIMIT 1""",
        (memory_id, *NO_LONGER),
    )
    if removal is None or removal["status"] != MemoryStatus.ACTIVE:
        return False
    since = ledger.reworded(database, memory_id)
    return journal.decided(database, "memories", memory_id, after=since, before=removal["journal_id"])


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
