"""Proposed transitions and their fate. A case is pending only while the memory that it doubts is live and active,
and the words that prove it are there."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence

import msgspec

from memreview.records import Transition, TransitionKind, TransitionStatus
from memreview.store import journal
from memreview.store.database import Database

_PENDING = """transitions t JOIN live_memories m ON m.id = t.old_memory_id AND m.status = 'active'
    WHERE t.status = 'pending' AND (t.new_memory_id IS NULL OR EXISTS (
        SELECT 1 FROM live_memories n WHERE n.id = t.new_memory_id AND n.status = 'active'))
    AND (t.authorization <> 'verified' OR 2 = (SELECT count(*) FROM live_entries e WHERE e.id IN (
        json_extract(t.body, '$.old_quote.entry_id'), json_extract(t.body, '$.new_quote.entry_id'))))"""


def pending_ids(database: Database, *, kind: str | None = None, include_snoozed: bool = False) -> list[int]:
    """Ranked: verified before stated, then by harm x confidence, ties by id."""
    rows = database.execute(
        f"""SELECT t.id FROM {_PENDING} AND (? IS NULL OR t.kind = ?)
            AND (? OR coalesce(t.snoozed_until, 0) <= ?)
            ORDER BY t.authorization = 'verified' DESC, t.harm * t.confidence DESC, t.id""",
        (kind, kind, include_snoozed, _now()),
    )
    return [row[0] for row in rows]


def pending_counts(database: Database) -> dict[str, int]:
    """pending, snoozed, decided, `kind.<kind>` of those that ask now, and of these verified and stated without the
    duplicates, where nothing is out of date."""
    rows = database.all(
        f"""SELECT t.kind, t.authorization, coalesce(t.snoozed_until, 0) > ? AS snoozed, count(*) AS n FROM {_PENDING}
            GROUP BY 1, 2, 3""",
        (_now(),),
    )
    counts = {"pending": 0, "snoozed": 0, "verified": 0, "stated": 0}
    for row in rows:
        if row["snoozed"]:
            counts["snoozed"] += row["n"]
            continue
        names = ["pending", f"kind.{row['kind']}"]
        if row["kind"] != TransitionKind.DUPLICATE:
            names.append(row["authorization"])
        for name in names:
            counts[name] = counts.get(name, 0) + row["n"]
    counts["decided"] = database.value(
        "SELECT count(*) FROM transitions WHERE status IN ('approved', 'rejected', 'scoped')"
    )
    return counts


def rows(database: Database, ids: Sequence[int]) -> dict[int, sqlite3.Row]:
    """Rows with the old memory's text, and the provider of its source."""
    found = database.among(
        """SELECT t.*, m.text AS old_text, s.provider FROM transitions t JOIN memories m ON m.id = t.old_memory_id
            JOIN sources s ON s.id = m.source_id WHERE t.id IN ($values)""",
        ids,
    )
    return {row["id"]: row for row in found}


def of_memory(database: Database, memory_id: int) -> list[int]:
    rows = database.execute(
        """SELECT id FROM transitions WHERE (old_memory_id = ? OR new_memory_id = ?) AND status <> 'withdrawn'
           ORDER BY id DESC""",
        (memory_id, memory_id),
    )
    return [row[0] for row in rows]


def decode(row: sqlite3.Row) -> Transition:
    return msgspec.json.decode(row["body"], type=Transition)


def merge(
    database: Database, act: journal.Action, proposals: Iterable[Transition], *, complete: bool
) -> dict[str, int]:
    """Bring the proposals of an audit in. What the person decided stays; what is rejected by meaning stays out; with
    `complete`, pending cases that are no longer proposed are withdrawn."""
    counts = {"proposed": 0, "kept_rejected": 0, "withdrawn": 0}
    rejected = {row[0] for row in database.execute("SELECT meaning FROM tombstones WHERE kind = 'transition'")}
    known = {
        (row["key"], row["old_memory_id"]): row
        for row in database.execute("SELECT id, key, old_memory_id, status FROM transitions")
    }
    seen: set[int] = set()
    for proposal in proposals:
        held = known.get((proposal.key, proposal.old_memory_id))
        if held is not None:
            seen.add(held["id"])
            if held["status"] in (TransitionStatus.PENDING, TransitionStatus.WITHDRAWN):
                act.update("transitions", held["id"], **_columns(proposal))
        elif proposal.key in rejected:
            counts["kept_rejected"] += 1
        else:
            counts["proposed"] += 1
            act.insert("transitions", **_columns(proposal), key=proposal.key, created_at=_now())
    if complete:
        for held in known.values():
            if held["status"] == TransitionStatus.PENDING and held["id"] not in seen:
                act.update("transitions", held["id"], status=TransitionStatus.WITHDRAWN)
                counts["withdrawn"] += 1
    return counts


def _columns(proposal: Transition) -> dict[str, object]:
    return {
        "kind": proposal.kind, "status": TransitionStatus.PENDING, "old_memory_id": proposal.old_memory_id,
        "new_memory_id": proposal.new_memory_id, "slot": proposal.slot, "confidence": proposal.confidence,
        "harm": proposal.harm, "authorization": proposal.authorization,
        "body": msgspec.json.encode(proposal).decode(),
    }  # fmt: skip


def _now() -> int:
    return time.time_ns() // 1000
