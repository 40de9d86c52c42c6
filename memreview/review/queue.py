"""The queue: what waits for the person, worst first, and all that is needed to decide one case."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from memreview.ledger import POLICY
from memreview.records import Authorization, Quotation, Transition, TransitionKind
from memreview.review import views
from memreview.review.profile import Profile
from memreview.review.values import Case, Context, Counts, MemoryRow, QueueItem, TimelinePoint
from memreview.store import ledger, memories, transitions


def counts(profile: Profile) -> Counts:
    """Numbers for badges and the report, over all rows."""
    held = memories.counts(profile.database)
    pending = transitions.pending_counts(profile.database)
    names = ("memories", "active", "superseded", "deleted", "entries", "conversations", "imports", "stayed_deleted")
    return Counts(
        **{name: held.get(name, 0) for name in names},
        **{name: pending[name] for name in ("pending", "verified", "stated", "snoozed", "decided")},
        **ledger.counts(profile.database, time.time_ns() // 1000, POLICY.contradicts),
        by_kind={name.removeprefix("kind."): n for name, n in pending.items() if name.startswith("kind.")},
    )


def ids(profile: Profile, *, kind: str | None = None, include_snoozed: bool = False) -> list[int]:
    """Pending case ids: proven by the person's own words first, then by harm x confidence."""
    return transitions.pending_ids(profile.database, kind=kind, include_snoozed=include_snoozed)


def items(profile: Profile, ids: Sequence[int]) -> list[QueueItem]:
    """Those of `ids` that exist, in that order."""
    found = transitions.rows(profile.database, ids)
    return [_item(found[case_id], transitions.decode(found[case_id])) for case_id in ids if case_id in found]


def of_memory(profile: Profile, memory_id: int) -> list[int]:
    """Cases, decided or not, that this memory is the old or the new side of."""
    return transitions.of_memory(profile.database, memory_id)


def quoted_entries(profile: Profile, memory_id: int) -> list[int]:
    """Entries that cases about this memory quote for it: where it may come from, if the source doesn't say."""
    rows = transitions.rows(profile.database, of_memory(profile, memory_id))
    quotes = [
        body.old_quote if body.old_memory_id == memory_id else body.new_quote
        for body in map(transitions.decode, rows.values())
    ]
    return list(dict.fromkeys(quote.entry_id for quote in quotes if quote is not None))


def case(profile: Profile, case_id: int) -> Case:
    """Raises `LookupError` where there is none."""
    found = transitions.rows(profile.database, [case_id])
    if case_id not in found:
        raise LookupError(f"no case {case_id}")
    row = found[case_id]
    body = transitions.decode(row)
    item = _item(row, body)
    new_id = row["new_memory_id"]  # once approved, the memory that was added
    wanted = [body.old_memory_id, *([new_id] if new_id else [])]
    held = {memory.id: memory for memory in views.rows(profile, wanted)}
    new = held.get(new_id or 0)
    return Case(
        item=item,
        slot=body.slot,
        old=held[body.old_memory_id],
        new=new,
        old_context=_quotation_context(profile, body.old_quote),
        new_context=_quotation_context(profile, body.new_quote),
        timeline=_timeline(body, held[body.old_memory_id], new),
        reasons=body.reasons,
        effects=_effects(body, new),
        path=body.path,
    )


def _item(row: sqlite3.Row, body: Transition) -> QueueItem:
    return QueueItem(
        id=row["id"],
        kind=body.kind,
        authorization=body.authorization,
        old_text=row["old_text"],
        new_claim=body.new_claim,
        old_value=body.old_value,
        new_value=body.new_value,
        old_at=body.old_quote.at if body.old_quote else None,
        new_at=body.new_quote.at if body.new_quote else None,
        rank=body.harm * body.confidence,
        confidence=body.confidence,
        harm=body.harm,
        provider=row["provider"],
        status=row["status"],
        snoozed_until=row["snoozed_until"],
    )


def _quotation_context(profile: Profile, quote: Quotation | None) -> Context | None:
    if quote is None:
        return None
    return views.context(profile, quote.entry_id, highlights=[(quote.start, quote.end)])


def _timeline(body: Transition, old: MemoryRow, new: MemoryRow | None) -> tuple[TimelinePoint, ...]:
    """What is known of the slot's values, in time order, unknown times first."""
    points = [
        TimelinePoint(at=quote.at, value=value, side=side, origin=quote.origin)
        for quote, value, side in (
            (body.old_quote, body.old_value, "old"),
            (body.new_quote, body.new_value, "new"),
        )
        if quote is not None
    ]
    points += [
        TimelinePoint(at=memory.created_at, value=value, side=side, origin="assistant", memory_id=memory.id)
        for memory, value, side in ((old, body.old_value, "old"), (new, body.new_value, "new"))
        if memory is not None
    ]
    return tuple(sorted(points, key=lambda point: (point.at is not None, point.at or 0)))


def _effects(body: Transition, new: MemoryRow | None) -> tuple[str, ...]:
    if body.kind is TransitionKind.DUPLICATE:
        return ("This memory is folded into the other one, which stays.", "Its wording stays in the history.")
    keeps = "The newer memory stays as it is." if new else "A new memory with the new wording is added."
    proof = (
        ()
        if body.authorization is Authorization.VERIFIED
        else ("Your own words prove only one side, or none: look twice.",)
    )
    return ("The old memory no longer counts. It is kept as history.", keeps, *proof)
