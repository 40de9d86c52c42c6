"""Questions in plain words: what one does not know of some claims, and what each answer changes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import chain
from sqlite3 import Row

from memreview.ledger import POLICY
from memreview.ledger.scopes import is_global
from memreview.review import belief_views, note_words, quarantine, views
from memreview.review.labels import day_in_words, plural, quoted
from memreview.review.profile import Profile
from memreview.review.values import AnswerChoice, Context, NodeRow, Question, QuestionItem
from memreview.store import ledger as stored

SHOWN = 5


def ids(profile: Profile, *, include_snoozed: bool = False) -> list[int]:
    """Open questions, those about what an assistant remembers first, then the newest."""
    return stored.question_ids(profile.database, _now(), include_snoozed=include_snoozed)


def items(profile: Profile, ids: Sequence[int]) -> list[QuestionItem]:
    """Those of `ids` that are open, in that order."""
    rows = stored.questions(profile.database, ids)
    return [
        _item(rows[question_id], waiting, _held(profile, rows[question_id]))
        for question_id in ids
        if question_id in rows and (waiting := stored.waiting(profile.database, question_id))
    ]


def get(profile: Profile, question_id: int) -> Question:
    """Raises `LookupError` where there is none, or nothing to ask any more."""
    row = stored.questions(profile.database, [question_id]).get(question_id)
    waiting = stored.waiting(profile.database, question_id)
    if row is None or row["status"] != "open" or not waiting:
        raise LookupError(f"no open question {question_id}")
    held = _held(profile, row)
    newest = waiting[-1]
    return Question(
        item=_item(row, waiting, held),
        case=row["topic"],
        held=held,
        contexts=tuple(_contexts(profile, waiting)),
        answers=_answers(row["topic"], _against(profile, waiting, held), waiting, _remembered(profile, waiting)),
        reading=belief_views.reading(profile, newest["key"]),
    )


def _item(row: Row, waiting: Sequence[Row], held: NodeRow | None) -> QuestionItem:
    return QuestionItem(
        id=row["id"],
        text=_text(row["topic"], waiting, held),
        at=waiting[-1]["written_at"],
        claims=len(waiting),
        snoozed_until=row["snoozed_until"],
    )


def _text(topic: str, waiting: Sequence[Row], held: NodeRow | None) -> str:
    newest = waiting[-1]
    said = quoted(newest["claim"])
    when = f"On {day_in_words(newest['written_at'])}" if newest["written_at"] else "At an unknown time"
    more = f" (and {plural(len(waiting) - 1, 'more such remark')})" if len(waiting) > 1 else ""
    before = f"Until now this holds: {quoted(held.claim)}. " if held else ""
    if topic == "changed":
        return f"{before}{when} you wrote {said}{more}. Has this changed?"
    if topic == "situation":
        where = "there" if is_global(newest["scope"]) else f"for {newest['scope']}"
        return f"{before}{when} you wrote {said}{more}. Does that hold always, or only {where}?"
    if topic == "words":
        return f"{when} a text said {said}{more}. Does that hold for you?"
    return f"{when} you wrote {said}{more}. Did you mean that as something to remember?"


def _answers(
    topic: str, against: Sequence[NodeRow], waiting: Sequence[Row], remembered: Mapping[int, str]
) -> tuple[AnswerChoice, ...]:
    """`against` is what a change would overtake, `remembered` the memories that say it already, by claim."""
    newest, claims = waiting[-1], len(waiting)
    old = [quoted(node.claim, 80) for node in against]
    overtaken = tuple(f"{one} no longer counts; it is kept as history." for one in old)
    stays = tuple(f"{one} stays as it is everywhere else." for one in old)
    all_of = f"all {claims} remarks are" if claims > 1 else "what you wrote is"
    forgotten = f"Nothing changes; {all_of} not remembered."
    if remembered:
        forgotten = f"The memory {quoted(next(iter(remembered.values())), 80)} is forgotten, and stays so."
    already = remembered.get(newest["id"])
    noted = f"It is remembered as {quoted(already or note_words.note(newest['claim']))}."
    scope = "" if is_global(newest["scope"]) else newest["scope"]
    narrow = AnswerChoice(
        key="scoped", label="Only in some situations", effects=(noted, "It holds for these alone.", *stays),
        wants_scope=True, scope=scope,
    )  # fmt: skip
    if topic == "changed":
        return (
            AnswerChoice(key="changed", label="Yes, it changed", effects=(noted, *overtaken)),
            narrow,
            AnswerChoice(key="no", label="No, it is as before", effects=(forgotten,)),
        )
    if topic == "situation":
        return (
            narrow,
            AnswerChoice(key="changed", label="Always", effects=(noted, *overtaken)),
            AnswerChoice(key="no", label="Neither", effects=(forgotten,)),
        )
    yes = "Yes, these are my words, or true of me" if topic == "words" else "Yes, remember it"
    return (
        AnswerChoice(key="remember", label=yes, effects=(noted,)),
        narrow,
        AnswerChoice(key="no", label="No", effects=(forgotten,)),
    )


def _remembered(profile: Profile, waiting: Sequence[Row]) -> dict[int, str]:
    """Of each claim that a memory says already, the first such memory's text."""
    memories = stored.memories_of(profile.database, [row["id"] for row in waiting])
    known = {row.id: row for row in views.rows(profile, list(dict.fromkeys(chain(*memories.values()))))}
    said = {
        node_id: [known[one].text for one in ids if known[one].status in quarantine.HELD]
        for node_id, ids in memories.items()
    }
    return {node_id: texts[0] for node_id, texts in said.items() if texts}


def _contexts(profile: Profile, waiting: Sequence[Row]) -> list[Context]:
    found = [belief_views.context(profile, row["key"])[0] for row in reversed(waiting[-SHOWN:])]
    return [context for context in found if context is not None]


def _against(profile: Profile, waiting: Sequence[Row], held: NodeRow | None) -> list[NodeRow]:
    """What is asked about first, then what else in force these claims contradict."""
    found = {} if held is None else {held.id: held}
    for row in reversed(waiting):
        others = stored.contradicted(profile.database, row["id"], POLICY.contradicts)
        found |= {node.id: node for node in belief_views.node_rows(profile, list(others)) if node.id not in found}
    return list(found.values())


def _held(profile: Profile, row: Row) -> NodeRow | None:
    """What is held now of that which the question is about."""
    if row["target"] is None:
        return None
    held = stored.by_key(profile.database, row["target"])
    found = [] if held is None else belief_views.node_rows(profile, [held["id"]])
    return next((node for node in found if node.status == "active"), None)


def _now() -> int:
    return time.time_ns() // 1000
