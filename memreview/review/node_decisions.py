"""What the person decides about claims that wait, in quarantine or behind a question; the memories that repeat them and
those that they overtake follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from sqlite3 import Row

from memreview.ledger import POLICY, Choice, answers
from memreview.ledger.draft import Draft
from memreview.ledger.scopes import is_global
from memreview.records import MemoryStatus
from memreview.records.gate import GLOBAL_SCOPE, LAYERS, Layer
from memreview.review import beliefs, memory_acts, note_words
from memreview.review.asking import ABOUT_HELD
from memreview.review.provenance import source_of
from memreview.review.values import Decision, Verb
from memreview.store import conversations
from memreview.store import ledger as stored
from memreview.store.database import Database
from memreview.store.journal import Action
from memreview.store.memories import NO_LONGER

CHOICES: dict[str, Choice] = {"changed": "changed", "scoped": "scoped", "remember": "remember", "no": "no"}
"""What an answer's key does to the ledger; "text" is the person's own wording of what holds now."""


def on_node(database: Database, act: Action, node_id: int, decision: Decision) -> None:
    """Nodes that are gone are left out. Raises `ValueError` for a verb that is not for claims."""
    row = stored.rows(database, [node_id]).get(node_id)
    if row is None:
        return
    if decision.verb not in _ON_NODE:
        raise ValueError(f"“{decision.verb}” is not for claims.")
    _ON_NODE[decision.verb](database, act, row, decision)


def on_question(database: Database, act: Action, question_id: int, decision: Decision) -> None:
    """One answer settles every claim that the question is about. Raises `ValueError` for an unknown answer, and
    for a situation that neither the claim nor the person names."""
    question = stored.questions(database, [question_id]).get(question_id)
    if question is None:
        return
    if decision.verb is Verb.SNOOZE:
        act.update("questions", question_id, snoozed_until=decision.until)
        return
    if decision.verb is not Verb.ANSWER:
        raise ValueError(f"“{decision.verb}” is not for questions.")
    choice, text = _choice(question["topic"], decision)
    always = question["topic"] == "situation" and choice == "changed"
    scope = decision.scope or (GLOBAL_SCOPE if always else "")
    *older, newest = stored.waiting(database, question_id) or (None,)
    if newest is not None:
        if choice == "scoped" and is_global(scope or newest["scope"]):
            raise ValueError("Say in which situation it holds.")
        _settle(database, act, newest, older, choice, scope, text)
    act.update("questions", question_id, status="answered", answer=decision.answer)


# -- claims ---------------------------------------------------------------------------------------------------------


def _release(database: Database, act: Action, row: Row, decision: Decision) -> None:
    layer: Layer | None = next((layer for layer in LAYERS if layer == decision.layer), None)
    if decision.layer and layer is None:
        raise ValueError(f"“{decision.layer}” is none of {', '.join(LAYERS)}.")
    overtaken = _decide(database, act, row, lambda draft: answers.release(draft, row["key"], layer, decision.scope))
    _remember(database, act, row, decision.scope, "", overtaken)


def _keep(database: Database, act: Action, row: Row, decision: Decision) -> None:
    if row["status"] not in ("quarantined", "evicted"):
        raise ValueError("Only what is held back can be kept so. To remove what counts, forget its memory.")
    _decide(database, act, row, lambda draft: answers.keep(draft, row["key"]))
    _lock_away(database, act, row)


def _delete(database: Database, act: Action, row: Row, decision: Decision) -> None:
    _decide(database, act, row, lambda draft: answers.delete(draft, row["key"]))
    for memory_id in _memories(database, row):
        memory_acts.delete(database, act, memory_id, decision)


def _never(database: Database, act: Action, row: Row, decision: Decision) -> None:
    """Also what else of this source waits."""
    origin, name = _source(database, row)
    if not name:
        raise ValueError("This has no source of its own that could be left out. Delete it instead.")
    if (origin, name) not in stored.blocked(database):
        act.insert("blocked_sources", origin=origin, name=name, created_at=_now())
    ids = list(stored.held_back(database, POLICY.contradicts, evicted=True))
    held = stored.waiting_rows(database, ids, POLICY.contradicts)
    asked = stored.question_ids(database, _now(), include_snoozed=True)
    found = chain(held.values(), *(stored.waiting(database, question_id) for question_id in asked))
    for waiting in (row, *(one for one in found if one["id"] != row["id"])):
        if _source(database, waiting) == (origin, name):
            _delete(database, act, waiting, decision)


def _restore(database: Database, act: Action, row: Row, decision: Decision) -> None:
    _decide(database, act, row, lambda draft: answers.reopen(draft, row["key"]), open=True)
    for memory_id in stored.memories_of(database, [row["id"]])[row["id"]]:
        if memory_acts.status(database, memory_id) == MemoryStatus.DELETED:
            memory_acts.restore(database, act, memory_id)
    _lock_away(database, act, row)


_ON_NODE: dict[Verb, Callable[[Database, Action, Row, Decision], None]] = {
    Verb.RELEASE: _release,
    Verb.KEEP: _keep,
    Verb.DELETE: _delete,
    Verb.NEVER: _never,
    Verb.RESTORE: _restore,
}


# -- answers --------------------------------------------------------------------------------------------------------


def _choice(topic: str, decision: Decision) -> tuple[Choice, str]:
    if decision.answer == "text":
        if not decision.text.strip():
            raise ValueError("Write what should be remembered.")
        return "changed" if topic in ABOUT_HELD else "remember", decision.text.strip()
    if decision.answer not in CHOICES:
        raise ValueError(f"“{decision.answer}” is none of {', '.join(CHOICES)}.")
    return CHOICES[decision.answer], ""


def _settle(
    database: Database, act: Action, newest: Row, older: Sequence[Row], choice: Choice, scope: str, text: str
) -> None:
    """The newest claim stands for all of them: it alone gets the person's wording, and a memory; of a change it is what
    holds now."""
    overtaken: list[str] = []
    for row in older:
        if choice == "changed":
            overtaken += _decide(database, act, row, partial(answers.fold, node_id=row["key"], newest=newest["key"]))
        else:
            said = partial(answers.answer, node_id=row["key"], choice=choice, scope=scope, text="")
            _decide(database, act, row, said)
    overtaken += _decide(database, act, newest, lambda draft: answers.answer(draft, newest["key"], choice, scope, text))
    if choice == "no":
        for memory_id in [memory_id for row in (newest, *older) for memory_id in _memories(database, row)]:
            memory_acts.delete(database, act, memory_id, Decision(verb=Verb.DELETE))
    else:
        _remember(database, act, newest, scope, text, [] if choice == "scoped" else overtaken)


def _decide(
    database: Database, act: Action, row: Row, how: Callable[[Draft], None], *, open: bool = False
) -> list[str]:
    """Returns the keys of the nodes that were overtaken."""
    changes = beliefs.decide(database, act, row["key"], _now(), how, open=open)
    return [change.node.id for change in changes if change.why == "superseded" and change.node is not None
            and change.node.status == "superseded"]  # fmt: skip


def _remember(database: Database, act: Action, row: Row, scope: str, text: str, overtaken: list[str]) -> None:
    """The assistant's store gets what the person confirmed: the memory that says it, or a new one beside the entry
    that it was said in; memories that it overtakes give way, and so do others that say it where the person has put it
    otherwise. Without a `scope` of the person's it has the claim's; memories that are there already keep their own,
    where the claim has none."""
    narrow = "" if is_global(scope or row["scope"]) else scope or row["scope"]
    held = _memories(database, row)
    if held:
        memory_id = held[0]
        for each in held if scope or narrow else []:
            act.update("memories", each, scope=narrow)
        if text:
            memory_acts.edit(database, act, memory_id, Decision(verb=Verb.EDIT, text=text))
            for also in held[1:]:
                memory_acts.supersede(database, act, also, memory_id)
    elif (entry := _entry(database, row)) is None:
        return
    else:
        memory_id = memory_acts.add(
            database,
            act,
            text or note_words.note(row["claim"]),
            source_id=entry["source_id"],
            import_id=entry["import_id"],
            slot=row["slot"] or "",
            scope=narrow,
            at=entry["at"],
            entry_id=entry["id"],
        )
        act.insert("node_memories", node_id=row["id"], memory_id=memory_id)
    for key in overtaken:
        other = stored.by_key(database, key)
        for old_id in [] if other is None else _memories(database, other):
            if old_id != memory_id:
                memory_acts.supersede(database, act, old_id, memory_id)


def _lock_away(database: Database, act: Action, row: Row) -> None:
    """The memories that say it go where the person put the claim."""
    for memory_id in _memories(database, row):
        act.update("memories", memory_id, status=MemoryStatus.QUARANTINED)


# -- small parts ----------------------------------------------------------------------------------------------------


def _memories(database: Database, row: Row) -> list[int]:
    """Memories that say it and that nobody removed."""
    held = stored.memories_of(database, [row["id"]])[row["id"]]
    return [memory_id for memory_id in held if memory_acts.status(database, memory_id) not in NO_LONGER]


def _entry(database: Database, row: Row) -> Row | None:
    """The entry that a claim was said in; None for what only a memory says."""
    return database.one(
        """SELECT e.id, e.at, e.import_id, c.source_id FROM live_entries e
           JOIN conversations c ON c.id = e.conversation_id WHERE e.id = ?""",
        (stored.entry_of(database, row["key"]),),
    )


def _source(database: Database, row: Row) -> tuple[str, str]:
    entry_id = stored.entry_of(database, row["key"]) or 0
    entry = conversations.entries(database, [entry_id]).get(entry_id)
    return ("", "") if entry is None else (entry["origin"], source_of(entry["origin"], entry["actor"], entry["url"]))


def _now() -> int:
    return time.time_ns() // 1000
