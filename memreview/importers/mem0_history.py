"""mem0's history: the database `history.db` in each of its four schemas, and the answer of `history()` as JSON."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memreview.importers.container import Container, Member
from memreview.importers.contract import Limits
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stores import Gathered, Store, after, first, named, opened
from memreview.importers.text import clean, clean_all
from memreview.importers.times import moment
from memreview.records import (
    Bundle,
    Conversation,
    Entry,
    EntryRef,
    MemoryChange,
    MemoryRecord,
    NativeState,
    NoteKind,
    Origin,
    Source,
)

EXPECTED = "mem0's history.db, or the answer of its history() as JSON"
ORIGINS = {"user": Origin.USER, "assistant": Origin.ASSISTANT, "tool": Origin.TOOL_OUTPUT}
Row = dict[str, Any]


def sniff(probe: Probe) -> bool:
    """A database is known by its schema, or by its name while that is still in the file beside it (-wal)."""
    if probe.shape is Shape.SQLITE:
        return (b"history" in probe.head and b"memory_id" in probe.head) or probe.member.base == "history.db"
    return probe.shape is Shape.ARRAY and "item.memory_id" in probe.seen and "item.event" in probe.seen


def read(container: Container, probe: Probe, limits: Limits) -> FileExport:
    if probe.shape is Shape.SQLITE:
        rows, messages = _database(container, probe.member)
        store = Store(container, probe.member, b"")
    else:
        store = opened(container, probe.member)
        rows, messages = store.listed(None, EXPECTED, limits), []

    def stream(start: str | None) -> Iterator[Bundle]:
        return after(_bundles(store, rows, messages, limits), start)

    source = Source(provider="mem0", label=probe.member.base)
    return FileExport(source, "mem0-history", container, stream, probe.member.size)


def _database(container: Container, member: Member) -> tuple[list[Row], list[Row]]:
    """Rows of `history` and of `messages`, read from a copy, so that nothing is ever written beside the original."""
    with tempfile.TemporaryDirectory(prefix="memreview-") as folder:
        copy = Path(folder, "history.db")
        for suffix, name in _files(container, member):
            with open(f"{copy}{suffix}", "wb") as target, container.open(name) as stream:
                shutil.copyfileobj(stream, target)
        try:
            with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True)) as database:
                database.text_factory = lambda raw: raw.decode("utf-8", "replace")
                database.execute("PRAGMA trusted_schema = OFF")
                return _merged(_rows(database, "history"), _rows(database, "history_old")), _rows(database, "messages")
        except (sqlite3.Error, UnicodeDecodeError):  # the latter from the message of an error in a damaged schema
            raise Store(container, member, b"").failed("it is not a whole SQLite database", EXPECTED) from None
        except LookupError:
            raise Store(container, member, b"").failed("it is a database of another program", EXPECTED) from None


def _files(container: Container, member: Member) -> Iterator[tuple[str, Member]]:
    """The database, and beside it what has not been written into it yet."""
    yield "", member
    for suffix in ("-wal", "-shm"):
        beside = Path(f"{member.archive}{suffix}")
        if member.index is None and beside.is_file() and not beside.is_symlink():
            yield suffix, Member(member.name + suffix, beside.stat().st_size, beside)
        elif member.index is not None:
            yield from ((suffix, found) for found in container.members() if found.name == member.name + suffix)


def _rows(database: sqlite3.Connection, table: str) -> list[Row]:
    """All rows by column name, in the order they were written; [] where there is no such table."""
    columns = [str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")]
    kind = database.execute("SELECT type FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    if kind is None or kind[0] != "table":
        if table == "history":
            raise LookupError(table)
        return []
    return [dict(zip(columns, row, strict=True)) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid")]


def _merged(rows: list[Row], left_over: list[Row]) -> list[Row]:
    """History with what a crash in mem0's migration left in `history_old`, where the copied row lost its texts."""
    old = {row.get("id"): row for row in left_over}
    merged = [old.get(row.get("id"), row) if not any(_texts(row)) else row for row in rows]
    known = {row.get("id") for row in rows}
    return [*(row for row in left_over if row.get("id") not in known), *merged]


def _texts(row: Row) -> tuple[str, str]:
    """Old and new text, whatever the schema calls them."""
    old = clean(first(row, "old_memory", "prev_value", "previous_value"))
    return old, clean(first(row, "new_memory", "new_value"))


def _bundles(store: Store, rows: list[Any], messages: list[Row], limits: Limits) -> Iterator[Bundle]:
    yield from _sessions(messages)
    evidence: dict[str, list[EntryRef]] = {}
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("input"), list) and named(row.get("id")):
            bundle = _turns(row)
            refs = [EntryRef(f"history-{named(row['id'])}", entry.native_id) for entry in bundle.entries]
            evidence.setdefault(named(row.get("memory_id")), []).extend(refs)
            yield bundle
    yield _history(store, rows, evidence, limits)


def _history(store: Store, rows: list[Any], evidence: dict[str, list[EntryRef]], limits: Limits) -> Bundle:
    gathered, textless = Gathered(store, limits), 0
    changes: list[MemoryChange] = []
    by_memory: dict[str, list[Row]] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not named(row.get("memory_id")):
            gathered.note(NoteKind.BROKEN, store.item(number, "row"), "it names no memory")
            continue
        textless += not any(_texts(row))
        changes.append(_change(row))
        by_memory.setdefault(named(row["memory_id"]), []).append(row)
    for number, (native_id, history) in enumerate(by_memory.items(), 1):
        record = _record(native_id, history, tuple(evidence.get(native_id, ())))
        if record is not None:
            gathered.add(record, store.item(number, "memory"))
    if textless:
        reason = f"{textless} rows have lost both texts, as an update of mem0 leaves them"
        gathered.note(NoteKind.WARNING, store.member.name, reason)
    if gathered.records:
        reason = "what stands in mem0 now is taken from the last event of each memory; the user is not named"
        gathered.note(NoteKind.GUESSED, store.member.name, reason)
    return gathered.bundle(keep=False, changes=tuple(changes))


def _change(row: Row) -> MemoryChange:
    old, new = _texts(row)
    deleted = _is_deleted(row)
    event = clean(row.get("event")).upper() or ("DELETE" if deleted else "UPDATE" if old else "ADD")
    return MemoryChange(
        native_id=named(row["memory_id"]),
        event=event,
        old_text=old,
        new_text="" if deleted else new,
        at=moment(first(row, "updated_at", "created_at", "timestamp")),
    )


def _record(native_id: str, history: list[Row], evidence: tuple[EntryRef, ...]) -> MemoryRecord | None:
    """The memory as its last event left it; a deleted one with the text that it had."""
    last = history[-1]
    text = next((text for row in reversed(history) for text in reversed(_texts(row)) if text.strip()), "")
    if not text:
        return None
    changed = [moment(first(row, "updated_at", "created_at", "timestamp")) for row in history[1:]]
    return MemoryRecord(
        native_id=native_id,
        text=text,
        state=NativeState.DELETED if _is_deleted(last) else NativeState.ACTIVE,
        created=moment(first(history[0], "created_at", "timestamp")),
        updated=next((at for at in reversed(changed) if at.known), moment(None)),
        evidence=evidence,
        raw=clean_all({key: value for key, value in last.items() if not isinstance(value, bytes)}),
    )


def _is_deleted(row: Row) -> bool:
    return clean(row.get("event")).upper() == "DELETE" or row.get("is_deleted") in (1, True)


def _turns(row: Row) -> Bundle:
    """The platform names the very turns that a memory was made from: the best evidence there is."""
    native_id, at = f"history-{named(row['id'])}", moment(first(row, "created_at", "updated_at"))
    entries = [
        Entry(native_id=f"{native_id}#{number}", origin=ORIGINS[turn["role"]], text=clean(turn["content"]), at=at)
        for number, turn in enumerate(row["input"], 1)
        if isinstance(turn, dict) and clean(turn.get("role")) in ORIGINS and clean(turn.get("content"))
    ]
    return Bundle(cursor=native_id, conversation=Conversation(native_id=native_id, created=at), entries=tuple(entries))


def _sessions(messages: list[Row]) -> Iterator[Bundle]:
    """Recent messages that newer versions keep, a conversation for each session scope."""
    sessions: dict[str, list[Row]] = {}
    for row in messages:
        sessions.setdefault(named(row.get("session_scope")), []).append(row)
    for scope, rows in sessions.items():
        native_id = f"session-{scope}"
        entries = tuple(
            Entry(
                native_id=named(row["id"]),
                origin=ORIGINS[row["role"]],
                text=clean(row.get("content")),
                at=moment(row.get("created_at")),
                actor=clean(row.get("name")),
            )
            for row in rows
            if clean(row.get("role")) in ORIGINS and named(row.get("id")) and clean(row.get("content"))
        )
        conversation = Conversation(native_id=native_id, created=entries[0].at if entries else moment(None))
        yield Bundle(cursor=native_id, conversation=conversation, entries=entries)
