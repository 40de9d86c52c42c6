"""What the person decides: each decision is one journaled step, whatever the number of cases or memories."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from memreview.language.sentences import normalize
from memreview.records import MemoryKind, MemoryStatus, NativeState, Transition, TransitionKind, TransitionStatus
from memreview.review import labels
from memreview.review.profile import Profile
from memreview.review.values import Decision, Preview, RowChange, Step, Verb
from memreview.store import journal, memories, tombstones, transitions
from memreview.store.database import Database
from memreview.store.journal import Action

SAMPLES = 500
_HIDDEN = frozenset({"id", "meaning", "body", "raw", "digest", "native_id", "import_id", "source_id", "created_at"})


def decide(profile: Profile, decision: Decision) -> Step:
    """Carry a decision out. Targets that no longer exist are left out; raises `LookupError`
    where none is left, `ValueError` where it makes no sense."""
    if not _exists(profile.database, decision):
        raise LookupError("Nothing of this is there any more.")
    with _step(profile.database, decision) as act:
        _apply(profile.database, act, decision)
    entry = journal.entry(profile.database, act.id)
    assert entry is not None
    return labels.step(entry, len(journal.changes(profile.database, act.id)))


def _exists(database: Database, decision: Decision) -> bool:
    return bool(transitions.rows(database, decision.transitions) or memories.rows(database, decision.memories))


class _Undecided(Exception):
    """Unwinds a preview's transaction."""


def preview(profile: Profile, decision: Decision) -> Preview:
    """What `decide` would change: it is carried out and rolled back, so the two can't differ."""
    found: list[RowChange] = []
    counts: Counter[str] = Counter()
    try:
        with _step(profile.database, decision) as act:
            _apply(profile.database, act, decision)
            found, counts = described(profile.database, [act.id])
            raise _Undecided
    except _Undecided:
        return Preview(dict(counts), tuple(found))


def described(
    database: Database, journal_ids: list[int], *, backwards: bool = False
) -> tuple[list[RowChange], Counter[str]]:
    """The changes of some steps as a preview shows them: samples and counts by kind."""
    counts: Counter[str] = Counter()
    found: list[RowChange] = []
    for journal_id in journal_ids:
        for table, row_id, first, second in journal.changes(database, journal_id):
            before, after = (second, first) if backwards else (first, second)
            counts[_kind_of_change(table, before, after)] += 1
            if len(found) < SAMPLES and table in ("memories", "transitions"):
                found.append(_row_change(database, table, row_id, before, after))
    return found, counts


def _step(database: Database, decision: Decision) -> Any:
    if decision.verb is Verb.SCOPE and not decision.scope and decision.until is None:
        raise ValueError("Say where it holds, or until when.")
    if decision.verb is Verb.EDIT and not decision.text.strip():
        raise ValueError("A memory needs a text. To remove it, forget it.")
    if decision.verb is Verb.SNOOZE and decision.until is None:
        raise ValueError("Say until when.")
    return journal.action(database, decision.verb, cases=len(decision.transitions), memories=len(decision.memories))


def _apply(database: Database, act: Action, decision: Decision) -> None:
    rows = transitions.rows(database, decision.transitions)
    for case_id in dict.fromkeys(decision.transitions):
        if (row := rows.get(case_id)) is not None:
            # Once approved, the memory that was added is the new one: it is not added a second time.
            body = msgspec.structs.replace(transitions.decode(row), new_memory_id=row["new_memory_id"])
            _ON_CASE[decision.verb](database, act, case_id, body, decision)
    for memory_id in dict.fromkeys(decision.memories):
        _ON_MEMORY[decision.verb](database, act, memory_id, decision)


# -- cases ----------------------------------------------------------------------------------------------------------


def _approve(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    new_id = body.new_memory_id
    if new_id is None:
        new_id = _add_memory(database, act, body, decision.text or body.new_claim)
    elif decision.text:
        _edit_memory(database, act, new_id, decision)
    _supersede(database, act, body.old_memory_id, new_id)
    act.update("transitions", case_id, status=TransitionStatus.APPROVED, new_memory_id=new_id)


def _reject(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    _take_back(database, act, case_id, body)
    tombstones.lay(act, "transition", meaning=body.key, text=body.new_claim, slot=body.slot)
    act.update("transitions", case_id, status=TransitionStatus.REJECTED)


def _scope(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    """Both hold: the new one where (and until when) the person says, the old one everywhere else."""
    if body.kind is TransitionKind.DUPLICATE:
        raise ValueError("Two wordings of one thing can't be limited. Fold them, or keep both.")
    new_id = body.new_memory_id or _add_memory(database, act, body, body.new_claim)
    _scope_memory(database, act, new_id, decision)
    act.update("transitions", case_id, status=TransitionStatus.SCOPED, new_memory_id=new_id)


def _delete(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    _delete_memory(database, act, body.old_memory_id, decision)


def _snooze(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    act.update("transitions", case_id, snoozed_until=decision.until)


def _restore(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    """Ask again: what was decided on this case is taken back."""
    _take_back(database, act, case_id, body)
    _restore_memory(database, act, body.old_memory_id)
    tombstones.lift(database, act, "transition", body.key)
    act.update("transitions", case_id, status=TransitionStatus.PENDING, snoozed_until=None)


def _take_back(database: Database, act: Action, case_id: int, body: Transition) -> None:
    """If the case was approved or limited before: the memory that this added goes, and the old one holds again."""
    status = database.value("SELECT status FROM transitions WHERE id = ?", (case_id,))
    if status not in (TransitionStatus.APPROVED, TransitionStatus.SCOPED):
        return
    if database.value("SELECT added FROM memories WHERE id = ?", (body.new_memory_id,)):
        act.update("memories", body.new_memory_id or 0, status=MemoryStatus.DELETED)
    _restore_memory(database, act, body.old_memory_id)


_ON_CASE: dict[Verb, Callable[[Database, Action, int, Transition, Decision], None]] = {
    Verb.APPROVE: _approve,
    Verb.REJECT: _reject,
    Verb.SCOPE: _scope,
    Verb.EDIT: _approve,
    Verb.DELETE: _delete,
    Verb.SNOOZE: _snooze,
    Verb.RESTORE: _restore,
}


# -- memories -------------------------------------------------------------------------------------------------------


def _edit_memory(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, text=decision.text.strip(), meaning=normalize(decision.text))


def _scope_memory(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    act.update("memories", memory_id, scope=decision.scope, valid_until=decision.until)


def _delete_memory(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    if act.update("memories", memory_id, status=MemoryStatus.DELETED, superseded_by=None):
        _bury(database, act, memory_id)


def _restore_memory(database: Database, act: Action, memory_id: int, decision: Decision | None = None) -> None:
    act.update("memories", memory_id, status=MemoryStatus.ACTIVE, superseded_by=None, stayed_deleted=0)
    row = database.one("SELECT meaning FROM memories WHERE id = ?", (memory_id,))
    if row is not None:
        tombstones.lift(database, act, "memory", row["meaning"])


def _not_for_memories(database: Database, act: Action, memory_id: int, decision: Decision) -> None:
    raise ValueError(f"{decision.verb} is for cases, not for memories")


_ON_MEMORY: dict[Verb, Callable[[Database, Action, int, Decision], None]] = {
    Verb.APPROVE: _not_for_memories,
    Verb.REJECT: _not_for_memories,
    Verb.SCOPE: _scope_memory,
    Verb.EDIT: _edit_memory,
    Verb.DELETE: _delete_memory,
    Verb.SNOOZE: _not_for_memories,
    Verb.RESTORE: _restore_memory,
}


def _supersede(database: Database, act: Action, old_id: int, new_id: int) -> None:
    act.update("memories", old_id, status=MemoryStatus.SUPERSEDED, superseded_by=new_id)
    survivor = database.value("SELECT meaning FROM memories WHERE id = ?", (new_id,))
    _bury(database, act, old_id, unless=survivor)


def _bury(database: Database, act: Action, memory_id: int, unless: str | None = None) -> None:
    row = database.one("SELECT meaning, text, slot, scope FROM memories WHERE id = ?", (memory_id,))
    if row is not None and row["meaning"] != unless:
        tombstones.lay(act, "memory", meaning=row["meaning"], text=row["text"], slot=row["slot"], scope=row["scope"])


def _add_memory(database: Database, act: Action, body: Transition, text: str) -> int:
    """A memory that the assistant doesn't have yet. It belongs to the store and import of the one it follows."""
    old = database.one("SELECT source_id, import_id, slot FROM memories WHERE id = ?", (body.old_memory_id,))
    if old is None:
        raise LookupError(f"no memory {body.old_memory_id}")
    memory_id = act.insert(
        "memories",
        source_id=old["source_id"],
        import_id=old["import_id"],
        native_id=f"memreview:{uuid.uuid4()}",
        kind=MemoryKind.MEMORY,
        text=text.strip(),
        imported_text=text.strip(),
        meaning=normalize(text),
        status=MemoryStatus.ACTIVE,
        native_state=NativeState.ACTIVE,
        slot=body.slot or old["slot"],
        subject="",
        scope="",
        created_at=body.new_quote.at if body.new_quote else None,
        added=1,
    )
    if body.new_quote is not None:
        act.insert("memory_evidence", memory_id=memory_id, entry_id=body.new_quote.entry_id, rank=0)
    return memory_id


# -- previews -------------------------------------------------------------------------------------------------------


def _kind_of_change(table: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    noun = {"memories": "memories", "transitions": "cases", "imports": "imports", "tombstones": "kept away"}.get(
        table, "others"
    )
    if before is None:
        return f"{noun} added"
    if after is None:
        return f"{noun} removed"
    return f"{noun} {after['status']}" if "status" in after else f"{noun} changed"


def _row_change(
    database: Database, table: str, row_id: int, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> RowChange:
    column = "text" if table == "memories" else "(SELECT text FROM memories m WHERE m.id = old_memory_id)"
    title = database.value(f"SELECT {column} FROM {table} WHERE id = ?", (row_id,))
    if title is None:
        title = (after or before or {}).get("text", "")
    return RowChange(
        target={"memories": "memory", "transitions": "case"}[table],
        id=row_id,
        title=str(title),
        before={name: value for name, value in (before or {}).items() if name not in _HIDDEN},
        after={name: value for name, value in (after or {}).items() if name not in _HIDDEN},
    )
