"""Storing an export: entries in batches that nothing shows, memories staged, and one transaction that makes it count.

Until `finish` flips the import to 'done', its rows are invisible (see store/schema.py). So a killed import leaves
nothing half-done, a stopped one goes on after its last whole conversation, and the person can decide meanwhile.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from memreview.records import (
    Bundle,
    Conversation,
    Entry,
    EntryRef,
    MemoryChange,
    MemoryRecord,
    MemoryStatus,
    NativeState,
    Note,
    Source,
)
from memreview.store import journal, keywords, ledger
from memreview.store.database import Database
from memreview.store.memories import NO_LONGER

MAX_NOTES = 2_000

T = TypeVar("T")


class ImportReport(msgspec.Struct, frozen=True):
    """What came in (`counts`), what did not and why (`notes`, at most MAX_NOTES; `counts` has them all).

    Counts: conversations, entries.<origin>, entries.new / known / changed, memories.new / known / changed / gone /
    stayed_deleted, times.unknown, notes.<kind>. `met` are the imports whose rows it brought again.
    """

    counts: dict[str, int] = {}
    notes: tuple[Note, ...] = ()
    met: tuple[int, ...] = ()


class ImportRow(msgspec.Struct, frozen=True):
    id: int
    source: Source
    source_id: int
    file_name: str
    format: str
    state: str
    exported_at: int | None
    started_at: int
    finished_at: int | None
    cursor: str | None
    report: ImportReport


Meaning = Callable[[str], str]
Buried = Callable[[Sequence[MemoryRecord]], Sequence[bool]]


def source_id(database: Database, source: Source) -> int:
    """The id of this account's source, made where there is none."""
    with database.transaction():
        database.execute(
            "INSERT OR IGNORE INTO sources (provider, account, label) VALUES (?, ?, ?)",
            (source.provider, source.account, source.label or source.provider),
        )
        return int(
            database.value(
                "SELECT id FROM sources WHERE provider = ? AND account = ?", (source.provider, source.account)
            )
        )


def name_source(database: Database, source: int, named: Source) -> None:
    """Give a source that was made for a file without an account the account that it turned out to be of."""
    with database.transaction():
        database.execute(
            "UPDATE sources SET account = ?, label = ? WHERE id = ?",
            (named.account, named.label or named.provider, source),
        )


def begin(
    database: Database, source: int, *, file_name: str, format: str, fingerprint: str, exported_at: int | None
) -> ImportRow:
    """Start an import, or take up the one of the same file that was stopped."""
    with database.transaction():
        found = database.value(
            """SELECT id FROM imports WHERE source_id = ? AND fingerprint = ? AND state = 'stopped'
               ORDER BY id DESC LIMIT 1""",
            (source, fingerprint),
        )
        if found is None:
            cursor = database.execute(
                "INSERT INTO imports (source_id, file_name, format, fingerprint, state, exported_at, started_at)"
                " VALUES (?, ?, ?, ?, 'running', ?, ?)",
                (source, file_name, format, fingerprint, exported_at, _now()),
            )
            found = cursor.lastrowid
        database.execute("UPDATE imports SET state = 'running' WHERE id = ?", (found,))
    return get(database, int(found))


def was_taken(database: Database, file_key: str) -> bool:
    """Whether all of a file of this fingerprint came in before, also where that was undone."""
    rows = database.all("SELECT DISTINCT state FROM imports WHERE fingerprint LIKE ? || ':%'", (file_key,))
    states = {row["state"] for row in rows} - {"discarded"}
    return bool(states) and states <= {"done", "undone"}


def stopped_source(database: Database, fingerprint: str) -> int | None:
    """The source for which this very file was begun and stopped."""
    found = database.value(
        "SELECT source_id FROM imports WHERE fingerprint = ? AND state = 'stopped' ORDER BY id DESC LIMIT 1",
        (fingerprint,),
    )
    return None if found is None else int(found)


def add(database: Database, row: ImportRow, bundles: Sequence[Bundle]) -> ImportRow:
    """Store some bundles in one transaction and return the row with its new cursor and report."""
    counts: Counter[str] = Counter(row.report.counts)
    notes, met = list(row.report.notes), set(row.report.met)
    with database.transaction():
        seq = int(database.value("SELECT coalesce(max(seq), 0) FROM staged WHERE import_id = ?", (row.id,)))
        for bundle in bundles:
            if bundle.conversation is not None:
                flips, unseen = _add_conversation(database, row, bundle.conversation, bundle.entries, counts, met)
                seq = _stage(database, row.id, seq, "active", flips)
                seq = _stage(database, row.id, seq, "taken", unseen)
            seq = _stage(database, row.id, seq, "memory", bundle.memories)
            seq = _stage(database, row.id, seq, "change", bundle.changes)
            if bundle.memories_complete:
                seq = _stage(database, row.id, seq, "complete", [True])
            if bundle.original is not None:
                database.execute(
                    "INSERT OR REPLACE INTO originals VALUES (?, ?, ?)",
                    (row.id, bundle.original.name, zlib.compress(bundle.original.body, 6)),
                )
            counts.update(f"notes.{note.kind}" for note in bundle.notes)
            notes.extend(bundle.notes[: MAX_NOTES - len(notes)])
        report = ImportReport(dict(counts), tuple(notes), tuple(sorted(met)))
        cursor = bundles[-1].cursor if bundles else row.cursor
        database.execute("UPDATE imports SET cursor = ?, report = ? WHERE id = ?", (cursor, _encode(report), row.id))
    return msgspec.structs.replace(row, cursor=cursor, report=report)


def finish(database: Database, row: ImportRow, *, meaning: Meaning, buried: Buried) -> ImportRow:
    """Make the import count: merge its memories, mark what the assistant dropped, and flip its state, in one
    journaled step.

    `meaning(text)` gives the key by which equal claims are known; `buried(records)` says which of the new ones the
    person had deleted or rejected (tombstones).
    """
    records = {record.native_id: record for record in _staged(database, row.id, "memory", MemoryRecord)}
    gone = _judged(database, row, records, meaning, buried)  # may load a model: not while the database is locked
    with journal.action(database, "import", file=row.file_name, import_id=row.id) as act:
        counts, met = Counter(row.report.counts), set(row.report.met)
        for flip in _staged(database, row.id, "active", tuple[int, bool]):
            act.update("entries", flip[0], active=int(flip[1]))
        # Rows of an undone or stopped import are seen by nobody: the import that brings them again takes them over,
        # and gives them back when it is undone.
        for entry_id in _staged(database, row.id, "taken", int):
            act.update("entries", entry_id, import_id=row.id)
        counts["entries.changed"] = _replace_revised(database, act, row.id)
        _merge_memories(database, act, row, records, gone, counts, met, meaning)
        report = msgspec.structs.replace(row.report, counts=dict(counts), met=tuple(sorted(met)))
        # Outside the journal: what an undo goes back to is an import that was undone, not one that runs.
        database.execute("UPDATE imports SET state = 'undone' WHERE id = ?", (row.id,))
        act.update("imports", row.id, state="done", finished_at=_now(), report=_encode(report))
        act.note(new=counts["memories.new"], changed=counts["memories.changed"], gone=counts["memories.gone"])
        database.execute("DELETE FROM staged WHERE import_id = ?", (row.id,))
    return get(database, row.id)


def stop(database: Database, import_id: int) -> None:
    """Leave a running import where it is; `begin` with the same file takes it up."""
    with database.transaction():
        database.execute("UPDATE imports SET state = 'stopped' WHERE id = ? AND state = 'running'", (import_id,))


def stop_abandoned(database: Database) -> None:
    """After a crash nobody runs these any more. Only for whoever holds the import lock."""
    if database.value("SELECT EXISTS (SELECT 1 FROM imports WHERE state = 'running')"):
        with database.transaction():
            database.execute("UPDATE imports SET state = 'stopped' WHERE state = 'running'")


def discard(database: Database, import_id: int) -> None:
    """Remove what a stopped import had stored aside. It never counted, so there is nothing to undo; its row stays,
    unseen, since a later import may give entries back to it when that is undone. What such a one had taken over is
    left to it: it may be done again."""
    with database.transaction():
        if database.value("SELECT state FROM imports WHERE id = ?", (import_id,)) != "stopped":
            raise LookupError(f"import {import_id} is not stopped")
        database.execute("DELETE FROM staged WHERE import_id = ?", (import_id,))
        database.execute("DELETE FROM originals WHERE import_id = ?", (import_id,))
        database.execute(
            f"""UPDATE entries SET import_id = coalesce({_TAKER}, import_id)
                WHERE import_id = ? AND id IN (SELECT row_id FROM journal_changes WHERE tbl = 'entries')""",
            (import_id,),
        )
        keywords.forget(database, import_id)
        database.execute("DELETE FROM entries WHERE import_id = ?", (import_id,))
        database.execute(
            """DELETE FROM conversations
               WHERE NOT EXISTS (SELECT 1 FROM entries e WHERE e.conversation_id = conversations.id)"""
        )
        database.execute("UPDATE imports SET state = 'discarded' WHERE id = ?", (import_id,))


_TAKER = """(SELECT json_extract(c.after, '$.import_id') FROM journal_changes c
    WHERE c.tbl = 'entries' AND c.row_id = entries.id AND json_extract(c.before, '$.import_id') = entries.import_id
    ORDER BY c.journal_id DESC LIMIT 1)"""
"""The last import that took an entry over from the one that has it."""


def get(database: Database, import_id: int) -> ImportRow:
    found = imports(database, import_id)
    if not found:
        raise LookupError(f"no import {import_id}")
    return found[0]


def imports(database: Database, import_id: int | None = None) -> list[ImportRow]:
    """All imports, newest first, or the one asked for."""
    rows = database.all(
        """SELECT i.*, s.provider, s.account, s.label FROM imports i JOIN sources s ON s.id = i.source_id
           WHERE i.state <> 'discarded' AND (? IS NULL OR i.id = ?) ORDER BY i.id DESC""",
        (import_id, import_id),
    )
    return [
        ImportRow(
            id=row["id"],
            source=Source(row["provider"], row["account"], row["label"]),
            source_id=row["source_id"],
            file_name=row["file_name"],
            format=row["format"],
            state=row["state"],
            exported_at=row["exported_at"],
            started_at=row["started_at"],
            finished_at=row["finished_at"],
            cursor=row["cursor"],
            report=msgspec.json.decode(row["report"], type=ImportReport),
        )
        for row in rows
    ]


def original(database: Database, import_id: int) -> tuple[str, bytes] | None:
    """The memory store's own file as it was imported: (name, bytes)."""
    row = database.one("SELECT name, body FROM originals WHERE import_id = ? ORDER BY name LIMIT 1", (import_id,))
    return None if row is None else (row["name"], zlib.decompress(row["body"]))


# -- entries --------------------------------------------------------------------------------------------------------


def _add_conversation(
    database: Database,
    row: ImportRow,
    conversation: Conversation,
    entries: Sequence[Entry],
    counts: Counter[str],
    met: set[int],
) -> tuple[list[tuple[int, bool]], list[int]]:
    """Store what is new of it; returns what `finish` has to do: (entry id, active) flips, and entries to take over."""
    counts["conversations"] += 1
    conversation_id, is_new = _conversation(database, row.source_id, conversation)
    held = {} if is_new else _held(database, conversation_id)
    rows: list[tuple[Any, ...]] = []
    flips: list[tuple[int, bool]] = []
    unseen: list[int] = []
    for position, entry in enumerate(entries):
        counts[f"entries.{entry.origin}"] += 1
        if not entry.at.known:
            counts["times.unknown"] += 1
        digest = hashlib.blake2b(f"{entry.origin}\0{entry.kind}\0{entry.text}".encode(), digest_size=16).digest()
        if (known := held.get((entry.native_id, digest))) is None:
            rows.append(_entry_row(conversation_id, row.id, position, entry, digest))
            continue
        counts["entries.known"] += 1
        if known["active"] != entry.active:
            flips.append((known["id"], entry.active))
        if known["import_id"] != row.id and known["state"] == "done":
            met.add(known["import_id"])
        elif known["import_id"] != row.id:
            unseen.append(known["id"])
    counts["entries.new"] += len(rows)
    database.executemany(_INSERT_ENTRY, rows)
    return flips, unseen


_INSERT_ENTRY = """INSERT OR IGNORE INTO entries (conversation_id, import_id, native_id, parent_id, position, origin,
    kind, actor, url, at, at_offset, at_assumed, active, hidden, text, digest)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"""


def _entry_row(conversation_id: int, import_id: int, position: int, entry: Entry, digest: bytes) -> tuple[Any, ...]:
    at = entry.at
    return (
        conversation_id, import_id, entry.native_id, entry.parent_id, position, entry.origin, entry.kind,
        entry.actor, entry.url, at.us, at.offset, at.assumed, entry.active, entry.hidden, entry.text, digest,
    )  # fmt: skip


def _conversation(database: Database, source: int, conversation: Conversation) -> tuple[int, bool]:
    row = database.one(
        "SELECT id FROM conversations WHERE source_id = ? AND native_id = ?", (source, conversation.native_id)
    )
    if row is not None:
        # A title is the assistant's label, not the person's data: the newest one is shown, without a journal entry.
        database.execute(
            "UPDATE conversations SET title = ?, updated_at = ? WHERE id = ? AND coalesce(updated_at, 0) <= ?",
            (conversation.title, conversation.updated.us, row["id"], conversation.updated.us or 0),
        )
        return row["id"], False
    cursor = database.execute(
        "INSERT INTO conversations (source_id, native_id, title, project, created_at, updated_at, extra)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            source, conversation.native_id, conversation.title, conversation.project, conversation.created.us,
            conversation.updated.us, _encode(conversation.extra),
        ),
    )  # fmt: skip
    return int(cursor.lastrowid or 0), True


def _held(database: Database, conversation_id: int) -> dict[tuple[str, bytes], Any]:
    rows = database.all(
        """SELECT e.id, e.native_id, e.digest, e.active, e.import_id, i.state FROM entries e
           JOIN imports i ON i.id = e.import_id WHERE e.conversation_id = ?""",
        (conversation_id,),
    )
    return {(row["native_id"], row["digest"]): row for row in rows}


def _replace_revised(database: Database, act: journal.Action, import_id: int) -> int:
    """Where the same message came with another text, the newer wording replaces the older one."""
    pairs = database.all(
        """SELECT old.id AS old_id, new.id AS new_id FROM entries new
           JOIN entries old ON old.conversation_id = new.conversation_id AND old.native_id = new.native_id
                AND old.id < new.id AND old.replaced_by IS NULL
           WHERE new.import_id = ? AND new.replaced_by IS NULL""",
        (import_id,),
    )
    for pair in pairs:
        act.update("entries", pair["old_id"], replaced_by=pair["new_id"])
    return len(pairs)


# -- memories -------------------------------------------------------------------------------------------------------


def _judged(
    database: Database, row: ImportRow, records: dict[str, MemoryRecord], meaning: Meaning, buried: Buried
) -> set[str]:
    """Native ids of the records that say something new to this source, and say what the person had buried."""
    known = _known(database, row.source_id, records, meaning)
    unheard = [
        record
        for record in records.values()
        if (held := known.get(record.native_id)) is None
        or held["imported_text"] != record.text
        or _has_again(held, record)
    ]
    return {record.native_id for record, gone in zip(unheard, buried(unheard), strict=True) if gone}


def _merge_memories(
    database: Database,
    act: journal.Action,
    row: ImportRow,
    records: dict[str, MemoryRecord],
    gone: set[str],
    counts: Counter[str],
    met: set[int],
    meaning: Meaning,
) -> None:
    present: set[int] = set()
    known, former = _known(database, row.source_id, records, meaning), _former_ids(database)
    for record in records.values():
        key, stays_gone = meaning(record.text), record.native_id in gone
        held = known.get(record.native_id)
        if held is None:
            present.add(_insert_memory(database, act, row, record, key, stays_gone, former))
            counts["memories.stayed_deleted" if stays_gone else "memories.new"] += 1
            continue
        present.add(held["id"])
        if held["import_state"] == "done":
            met.add(held["import_id"])
        changed = _merge_known(database, act, row, held, record, key, stays_gone)
        kept_away = stays_gone if changed else held["status"] == MemoryStatus.DELETED
        if kept_away and record.state is not NativeState.DELETED:
            counts["memories.stayed_deleted"] += 1
        counts["memories.changed" if changed and not stays_gone else "memories.known"] += 1
    if any(_staged(database, row.id, "complete", bool)):
        counts["memories.gone"] += _mark_gone(database, act, row.source_id, present)
    _link_evidence(database, row, records.values())
    _add_versions(database, row, _staged(database, row.id, "change", MemoryChange))


def _known(database: Database, source: int, records: dict[str, MemoryRecord], meaning: Meaning) -> dict[str, Any]:
    """The rows of the records that are known, by native id: those of their ids first; then, where the store gave out
    new ids, one of equal meaning that no other record of this export is."""
    of_ids = f"SELECT {_HELD} FROM {_WITH_STATE} WHERE m.source_id = ? AND m.native_id IN ($values)"
    known = {held["native_id"]: held for held in database.among(of_ids, records, (source,))}
    taken = {held["id"] for held in known.values()}
    # The plus keeps SQLite from walking the whole source.
    alike = f"""SELECT {_HELD} FROM {_WITH_STATE} WHERE +m.source_id = ? AND m.meaning = ?
                ORDER BY m.status <> 'active', m.id"""
    for record in records.values():
        if record.native_id in known:
            continue
        rows = database.all(alike, (source, meaning(record.text)))
        if (held := next((held for held in rows if held["id"] not in taken), None)) is not None:
            known[record.native_id] = held
            taken.add(held["id"])
    return known


_HELD = "m.id, m.native_id, m.native_state, m.text, m.imported_text, m.status, m.import_id, i.state AS import_state"
_WITH_STATE = "memories m JOIN imports i ON i.id = m.import_id"


def _former_ids(database: Database) -> set[str]:
    """Native ids that rows had before they got another: an undo gives them back."""
    rows = database.execute(
        """SELECT DISTINCT json_extract(before, '$.native_id') FROM journal_changes
           WHERE tbl = 'memories' AND json_extract(before, '$.native_id') IS NOT NULL"""
    )
    return {row[0] for row in rows}


def _has_again(held: Any, record: MemoryRecord) -> bool:
    """The assistant had deleted it, and has it again."""
    return held["native_state"] == NativeState.DELETED and record.state is not NativeState.DELETED


def _comes_back(database: Database, held: Any, record: MemoryRecord) -> bool:
    """Whether what no longer counts does again: it says another thing than what was removed, or nobody but the
    assistant had removed it."""
    if held["status"] not in NO_LONGER or record.state is NativeState.DELETED:
        return False
    if held["imported_text"] != record.text:
        return True
    since = ledger.reworded(database, held["id"])
    return _has_again(held, record) and not journal.decided(database, "memories", held["id"], after=since)


def _merge_known(
    database: Database,
    act: journal.Action,
    row: ImportRow,
    held: Any,
    record: MemoryRecord,
    meaning: str,
    stays_gone: bool,
) -> bool:
    """Bring what the assistant changed. The person's own wording, once edited, stands; a deleted memory stays deleted
    unless it comes back, and then with the assistant's words; what now says something deleted goes too. A new text is
    tied to no claim: the gate reads it as if it were a new memory, and what was held back is held back until then."""
    values: dict[str, Any] = {
        "native_state": record.state, "updated_at": record.updated.us, "updated_offset": record.updated.offset,
        "raw": _encode(record.raw), "imported_text": record.text, "native_id": record.native_id,
    }  # fmt: skip
    reworded = held["imported_text"] != record.text
    back = not stays_gone and _comes_back(database, held, record)
    if held["import_state"] != "done":
        values["import_id"] = row.id
    if back:
        values |= {"status": MemoryStatus.ACTIVE, "stayed_deleted": 0, "superseded_by": None}
    if reworded and (back or held["text"] == held["imported_text"]):
        values |= {"text": record.text, "meaning": meaning}
        if stays_gone and held["status"] != MemoryStatus.DELETED:
            values |= {"status": MemoryStatus.DELETED, "stayed_deleted": 1, "superseded_by": None}
        for tie in database.all("SELECT id FROM node_memories WHERE memory_id = ?", (held["id"],)):
            act.delete("node_memories", tie["id"])
    act.update("memories", held["id"], **values)
    if reworded:
        _add_version(database, row.id, held["id"], "UPDATE", held["imported_text"], record.text, record.updated.us)
    return bool(reworded or back)


def _insert_memory(
    database: Database,
    act: journal.Action,
    row: ImportRow,
    record: MemoryRecord,
    meaning: str,
    stays_gone: bool,
    former: set[str],
) -> int:
    """An id that another row had before is held only while this import stands, so that undoing both gives it back."""
    gone = stays_gone or record.state is NativeState.DELETED
    at_first = f"memreview:{row.id}:{record.native_id}" if record.native_id in former else record.native_id
    cursor = database.execute(
        """INSERT INTO memories (source_id, import_id, native_id, kind, text, imported_text, meaning, status,
            native_state, stayed_deleted, subject, scope, valid_until, categories, created_at, created_offset,
            updated_at, updated_offset, raw) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)""",
        (
            row.source_id, row.id, at_first, record.kind, record.text, record.text, meaning,
            MemoryStatus.DELETED if gone else MemoryStatus.ACTIVE, record.state, int(stays_gone), record.subject,
            record.scope, record.expires.us, _encode(record.categories), record.created.us, record.created.offset,
            record.updated.us, record.updated.offset, _encode(record.raw),
        ),
    )  # fmt: skip
    memory_id = int(cursor.lastrowid or 0)
    act.update("memories", memory_id, native_id=record.native_id)
    return memory_id


def _mark_gone(database: Database, act: journal.Action, source: int, present: set[int]) -> int:
    rows = database.all(
        "SELECT id FROM live_memories WHERE source_id = ? AND added = 0 AND native_state IN (?, ?)",
        (source, NativeState.ACTIVE, NativeState.PAUSED),
    )
    absent = [row["id"] for row in rows if row["id"] not in present]
    for memory_id in absent:
        act.update("memories", memory_id, native_state=NativeState.GONE)
    return len(absent)


def _link_evidence(database: Database, row: ImportRow, records: Iterable[MemoryRecord]) -> None:
    for record in records:
        for rank, reference in enumerate(record.evidence):
            database.execute(
                """INSERT OR IGNORE INTO memory_evidence (memory_id, entry_id, rank)
                   SELECT m.id, e.id, ? FROM memories m, entries e JOIN conversations c ON c.id = e.conversation_id
                   WHERE m.source_id = ? AND m.native_id = ? AND c.source_id = m.source_id AND c.native_id = ?
                     AND e.native_id = ? AND e.replaced_by IS NULL
                     AND (e.import_id = ? OR e.id IN (SELECT id FROM live_entries WHERE id = e.id))""",
                (rank, row.source_id, record.native_id, *_pair(reference), row.id),
            )


def _pair(reference: EntryRef) -> tuple[str, str]:
    return reference.conversation_id, reference.entry_id


def _add_versions(database: Database, row: ImportRow, changes: Iterable[MemoryChange]) -> None:
    for change in changes:
        memory_id = database.value(
            "SELECT id FROM memories WHERE source_id = ? AND native_id = ?", (row.source_id, change.native_id)
        )
        if memory_id is not None:
            _add_version(database, row.id, memory_id, change.event, change.old_text, change.new_text, change.at.us)


def _add_version(
    database: Database, import_id: int, memory_id: int, event: str, old: str, new: str, at: int | None
) -> None:
    database.execute(
        """INSERT INTO memory_versions (memory_id, import_id, event, old_text, new_text, at)
           SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM memory_versions
             WHERE memory_id = ? AND event = ? AND old_text = ? AND new_text = ? AND at IS ?)""",
        (memory_id, import_id, event, old, new, at, memory_id, event, old, new, at),
    )


# -- staging --------------------------------------------------------------------------------------------------------


def _stage(database: Database, import_id: int, seq: int, kind: str, values: Sequence[Any]) -> int:
    rows = [(import_id, seq + n, kind, _encode(value)) for n, value in enumerate(values, start=1)]
    database.executemany("INSERT INTO staged VALUES (?, ?, ?, ?)", rows)
    return seq + len(rows)


def _staged(database: Database, import_id: int, kind: str, type: type[T]) -> list[T]:
    rows = database.all("SELECT body FROM staged WHERE import_id = ? AND kind = ? ORDER BY seq", (import_id, kind))
    return [msgspec.json.decode(row["body"], type=type) for row in rows]


def _encode(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _now() -> int:
    return time.time_ns() // 1000
