"""Two products named OpenMemory: the backup of mem0's app (zip or its memories.json), and CaviraOSS's JSON Lines."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stores import STORE_BYTES, Gathered, Store, after, first, named, opened, strings
from memreview.importers.text import clean, clean_all, text_id
from memreview.importers.times import moment
from memreview.records import Bundle, MemoryChange, MemoryRecord, NativeState, NoteKind, Source

EXPECTED = "the backup that OpenMemory makes"
GZIP = b"\x1f\x8b"
PART = "memories.jsonl.gz"
STATES = {
    str(state): state for state in (NativeState.ACTIVE, NativeState.PAUSED, NativeState.ARCHIVED, NativeState.DELETED)
}
TIMES = "its times were made from the server's clock and are off by its distance from UTC, if it had one"


def sniff(probe: Probe) -> bool:
    return _is_backup(probe) or _is_lines(probe) or _is_cavira(probe)


def _is_backup(probe: Probe) -> bool:
    return probe.shape is Shape.OBJECT and {"memories", "apps"} <= probe.keys


def _is_lines(probe: Probe) -> bool:
    return probe.head.startswith(GZIP) and probe.member.base == PART


def _is_cavira(probe: Probe) -> bool:
    marks = {"primary_sector", "last_seen", "last_seen_at", "salience", "decay_lambda", "uid"}
    return (
        probe.shape in (Shape.LINES, Shape.OBJECT)
        and {"id", "content"} <= probe.keys
        and not marks.isdisjoint(probe.keys)
    )


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    """The packed lines hold the same memories as the backup beside them, and are read only where it is missing."""
    backups = [probe for probe in probes if _is_backup(probe)]
    exports = [_backup(opened(container, probe.member), limits) for probe in backups]
    for probe in probes:
        if _is_lines(probe) and not backups:
            exports.append(_lines(_unpacked(opened(container, probe.member)), "openmemory", limits))
        elif _is_cavira(probe):
            exports.append(_lines(opened(container, probe.member), "openmemory-cavira", limits))
    return exports


def _backup(store: Store, limits: Limits) -> FileExport:
    document = store.document(EXPECTED, limits)
    if not isinstance(document, dict) or not isinstance(document.get("memories"), list):
        raise store.failed("it holds no list of memories", EXPECTED)
    user, meta = _object(document.get("user")), _object(document.get("export_meta"))
    account = named(user.get("user_id")) or named(user.get("id"))

    def stream(start: str | None) -> Iterator[Bundle]:
        return after((_backup_bundle(store, document, meta, limits),), start)

    return FileExport(
        Source(provider="openmemory", account=account, label=store.member.base),
        "openmemory",
        store.container,
        stream,
        len(store.body),
        moment(meta.get("generated_at")),
    )


def _backup_bundle(store: Store, document: dict[str, Any], meta: dict[str, Any], limits: Limits) -> Bundle:
    gathered = Gathered(store, limits)
    apps = {named(app.get("id")): clean(app.get("name")) for app in _objects(document.get("apps"))}
    categories = _categories(document)
    for number, item in enumerate(document["memories"], 1):
        row = _object(item)
        native_id = named(row.get("id"))
        names = categories(native_id, row.get("category_ids"))
        record = _record({**row, "app": apps.get(named(row.get("app_id")), ""), "categories": names})
        if record is None:
            gathered.broken(store.item(number), item)
        else:
            gathered.add(record, store.item(number))
    partial = any(meta.get(key) for key in ("app_id_filter", "from_date", "to_date"))
    if partial:
        gathered.note(NoteKind.WARNING, store.member.name, "it is a backup of a part, not of the whole store")
    gathered.note(NoteKind.GUESSED, store.member.name, TIMES)
    deletions = _deletions(gathered.records, document)
    return gathered.bundle(keep=False, changes=deletions, memories_complete=not partial)


def _categories(document: dict[str, Any]) -> Callable[[str, object], list[str]]:
    """The names of a memory's categories, which the file gives as ids in the memory and in a list of links."""
    names = {named(one.get("id")): clean(one.get("name")) for one in _objects(document.get("categories"))}
    linked: dict[str, list[str]] = {}
    for link in _objects(document.get("memory_categories")):
        linked.setdefault(named(link.get("memory_id")), []).append(named(link.get("category_id")))

    def of(memory_id: str, ids: object) -> list[str]:
        own = [named(one) for one in ids] if isinstance(ids, list) else []
        return [names[one] for one in dict.fromkeys([*own, *linked.get(memory_id, ())]) if names.get(one)]

    return of


def _deletions(records: Mapping[str, MemoryRecord], document: dict[str, Any]) -> tuple[MemoryChange, ...]:
    rows = _objects(document.get("status_history"))
    deleted = [(row, records.get(named(row.get("memory_id")))) for row in rows if row.get("new_state") == "deleted"]
    return tuple(
        MemoryChange(native_id=record.native_id, event="DELETE", old_text=record.text, at=moment(row.get("changed_at")))
        for row, record in deleted
        if record is not None
    )


def _lines(store: Store, name: str, limits: Limits) -> FileExport:
    elements = list(store.lines(limits))
    owners = {named(_object(value).get("uid")) for _, value in elements} - {""}
    account = owners.pop() if len(owners) == 1 else ""

    def bundle() -> Bundle:
        gathered = Gathered(store, limits)
        for where, value in elements:
            record = _record(_object(value))
            if record is None:
                gathered.broken(where, value)
            else:
                gathered.add(record, where)
        broken = any(note.kind is NoteKind.BROKEN for note in gathered.notes)
        return gathered.bundle(keep=False, memories_complete=not broken)

    def stream(start: str | None) -> Iterator[Bundle]:
        return after((bundle(),), start)

    source = Source(provider=name, account=account, label=store.member.base)
    return FileExport(source, name, store.container, stream, len(store.body))


def _record(row: dict[str, Any]) -> MemoryRecord | None:
    """A memory of either product. Deleted ones are in the file with their text; their state says so."""
    text = clean(row.get("content"))
    if not text.strip():
        return None
    return MemoryRecord(
        native_id=named(row.get("id")) or text_id(text),
        text=text,
        state=_state(row),
        created=moment(row.get("created_at")),
        updated=moment(row.get("updated_at")),
        categories=strings(first(row, "categories", "tags")),
        raw=clean_all({key: value for key, value in row.items() if key not in ("embedding", "vector")}),
    )


def _state(row: dict[str, Any]) -> NativeState:
    if row.get("deleted_at"):
        return NativeState.DELETED
    return STATES.get(clean(row.get("state")), NativeState.ARCHIVED if row.get("archived_at") else NativeState.ACTIVE)


def _unpacked(store: Store) -> Store:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(store.body)) as stream:
            body = stream.read(STORE_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise store.failed("it is damaged", EXPECTED) from None
    if len(body) > STORE_BYTES:
        raise store.failed("it unpacks to a suspiciously large size")
    return replace(store, body=body)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
