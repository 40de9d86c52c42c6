"""What the person decides: each decision is one journaled step, whatever the number of cases or memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from memreview.importers.text import clean
from memreview.records import MemoryStatus, Transition, TransitionKind, TransitionStatus
from memreview.review import labels, memory_acts
from memreview.review.profile import Profile
from memreview.review.values import Decision, Preview, RowChange, Step, Verb
from memreview.store import journal, ledger, memories, tombstones, transitions
from memreview.store.database import Database
from memreview.store.journal import Action

T = TypeVar("T")

SAMPLES = 500
_SHOWN = {"memories": "memory", "transitions": "case", "nodes": "belief", "questions": "question"}
_NOUNS = {
    "memories": "memories",
    "transitions": "cases",
    "imports": "imports",
    "tombstones": "kept away",
    "nodes": "beliefs",
    "questions": "questions",
    "blocked_sources": "sources blocked",
}
_TITLES = {
    "memories": "text",
    "transitions": "(SELECT text FROM memories m WHERE m.id = old_memory_id)",
    "nodes": "claim",
    "questions": "(SELECT claim FROM nodes n WHERE n.question_id = questions.id ORDER BY n.id LIMIT 1)",
}
_HIDDEN = frozenset(
    "id meaning body raw digest native_id import_id source_id created_at key origins events confidence influence"
    " corroborated_at corroborations written_at revised_at decided question_id session target asked_at".split()
)


def decide(profile: Profile, decision: Decision) -> Step:
    """Carry a decision out. Targets that no longer exist are left out; raises `LookupError`
    where none is left, `ValueError` where it makes no sense."""
    decision = _storable(decision)
    if not _exists(profile.database, decision):
        raise LookupError("Nothing of this is there any more.")
    with _step(profile.database, decision) as act:
        _apply(profile.database, act, decision)
    entry = journal.entry(profile.database, act.id)
    assert entry is not None
    return labels.step(entry, len(journal.changes(profile.database, act.id)))


def _storable(decision: Decision) -> Decision:
    """What was typed or pasted may hold what no database takes: half a character, or NUL."""
    return msgspec.structs.replace(decision, scope=clean(decision.scope), text=clean(decision.text))


def _exists(database: Database, decision: Decision) -> bool:
    return bool(
        transitions.rows(database, decision.transitions)
        or memories.rows(database, decision.memories)
        or ledger.rows(database, decision.nodes)
        or ledger.questions(database, decision.questions)
    )


class _Undecided(Exception):
    """Unwinds a preview's transaction."""


def preview(profile: Profile, decision: Decision) -> Preview:
    """What `decide` would change: it is carried out and rolled back, so the two can't differ."""
    decision = _storable(decision)
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
            if len(found) < SAMPLES and table in _SHOWN:
                found.append(_row_change(database, table, row_id, before, after))
    return found, counts


def _step(database: Database, decision: Decision) -> Any:
    if decision.verb is Verb.SCOPE and not decision.scope and decision.until is None:
        raise ValueError("Say where it holds, or until when.")
    if decision.verb is Verb.EDIT and not decision.text.strip():
        raise ValueError("A memory needs a text. To remove it, forget it.")
    if decision.verb is Verb.SNOOZE and decision.until is None:
        raise ValueError("Say until when.")
    return journal.action(
        database,
        decision.verb,
        cases=len(decision.transitions),
        memories=len(decision.memories),
        claims=len(decision.nodes),
        questions=len(decision.questions),
    )


def _apply(database: Database, act: Action, decision: Decision) -> None:
    rows = transitions.rows(database, decision.transitions)
    for case_id in dict.fromkeys(decision.transitions):
        if (row := rows.get(case_id)) is not None:
            # Once approved, the memory that was added is the new one: it is not added a second time.
            body = msgspec.structs.replace(transitions.decode(row), new_memory_id=row["new_memory_id"])
            _handler(_ON_CASE, decision)(database, act, case_id, body, decision)
    for memory_id in dict.fromkeys(decision.memories):
        again = decision.verb is Verb.RESTORE and memory_acts.status(database, memory_id) in memories.NO_LONGER
        if again:
            memory_acts.put_back(database, act, memory_id)
        else:
            _handler(_ON_MEMORY, decision)(database, act, memory_id, decision)
        # Who decides about the memory has decided about its claim; who takes back that it is gone had, or has not.
        decided = not again or memory_acts.vouched(database, memory_id)
        for node_id in ledger.of_memory(database, memory_id, waiting=True):
            act.update("nodes", node_id, decided=int(decided))
    if not decision.nodes and not decision.questions:
        return
    from memreview.review import node_decisions  # NumPy, which the window starts without

    for node_id in dict.fromkeys(decision.nodes):
        node_decisions.on_node(database, act, node_id, decision)
    for question_id in dict.fromkeys(decision.questions):
        node_decisions.on_question(database, act, question_id, decision)


def _handler(handlers: dict[Verb, T], decision: Decision) -> T:
    if decision.verb not in handlers:
        raise ValueError(f"“{decision.verb}” is for something else.")
    return handlers[decision.verb]


# -- cases ----------------------------------------------------------------------------------------------------------


def _approve(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    new_id = body.new_memory_id
    if new_id is None:
        new_id = _add_new(database, act, body, decision.text or body.new_claim)
    elif decision.text:
        memory_acts.edit(database, act, new_id, decision)
    memory_acts.supersede(database, act, body.old_memory_id, new_id)
    act.update("transitions", case_id, status=TransitionStatus.APPROVED, new_memory_id=new_id)


def _reject(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    _take_back(database, act, case_id, body)
    tombstones.lay(act, "transition", meaning=body.key, text=body.new_claim, slot=body.slot)
    act.update("transitions", case_id, status=TransitionStatus.REJECTED)


def _scope(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    """Both hold: the new one where (and until when) the person says, the old one everywhere else."""
    if body.kind is TransitionKind.DUPLICATE:
        raise ValueError("Two wordings of one thing can't be limited. Fold them, or keep both.")
    new_id = body.new_memory_id or _add_new(database, act, body, body.new_claim)
    memory_acts.scope(database, act, new_id, decision)
    act.update("transitions", case_id, status=TransitionStatus.SCOPED, new_memory_id=new_id)


def _delete(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    memory_acts.delete(database, act, body.old_memory_id, decision)


def _snooze(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    act.update("transitions", case_id, snoozed_until=decision.until)


def _restore(database: Database, act: Action, case_id: int, body: Transition, decision: Decision) -> None:
    """Ask again: what was decided on this case is taken back."""
    _take_back(database, act, case_id, body)
    memory_acts.put_back(database, act, body.old_memory_id)
    tombstones.lift(database, act, "transition", body.key)
    act.update("transitions", case_id, status=TransitionStatus.PENDING, snoozed_until=None)


def _add_new(database: Database, act: Action, body: Transition, text: str) -> int:
    """The new memory belongs to the store and import of the one that it follows."""
    old = database.one("SELECT source_id, import_id, slot FROM memories WHERE id = ?", (body.old_memory_id,))
    if old is None:
        raise LookupError(f"no memory {body.old_memory_id}")
    quote = body.new_quote
    return memory_acts.add(
        database,
        act,
        text,
        source_id=old["source_id"],
        import_id=old["import_id"],
        slot=body.slot or old["slot"],
        at=quote.at if quote else None,
        entry_id=quote.entry_id if quote else None,
    )


def _take_back(database: Database, act: Action, case_id: int, body: Transition) -> None:
    """If the case was approved or limited before: the memory that this added goes, and the old one holds again."""
    status = database.value("SELECT status FROM transitions WHERE id = ?", (case_id,))
    if status not in (TransitionStatus.APPROVED, TransitionStatus.SCOPED):
        return
    if database.value("SELECT added FROM memories WHERE id = ?", (body.new_memory_id,)):
        act.update("memories", body.new_memory_id or 0, status=MemoryStatus.DELETED)
    memory_acts.put_back(database, act, body.old_memory_id)


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


_ON_MEMORY: dict[Verb, Callable[[Database, Action, int, Decision], None]] = {
    Verb.SCOPE: memory_acts.scope,
    Verb.EDIT: memory_acts.edit,
    Verb.DELETE: memory_acts.delete,
    Verb.RESTORE: memory_acts.restore,
}


# -- previews -------------------------------------------------------------------------------------------------------


def _kind_of_change(table: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    noun = _NOUNS.get(table, "others")
    if before is None:
        return f"{noun} added"
    if after is None:
        return f"{noun} removed"
    return f"{noun} {after['status']}" if "status" in after else f"{noun} changed"


def _row_change(
    database: Database, table: str, row_id: int, before: dict[str, Any] | None, after: dict[str, Any] | None
) -> RowChange:
    title = database.value(f"SELECT {_TITLES[table]} FROM {table} WHERE id = ?", (row_id,))
    if title is None:
        title = (after or before or {}).get("text", "")
    return RowChange(
        target=_SHOWN[table],
        id=row_id,
        title=str(title),
        before={name: value for name, value in (before or {}).items() if name not in _HIDDEN},
        after={name: value for name, value in (after or {}).items() if name not in _HIDDEN},
    )
