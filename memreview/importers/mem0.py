"""mem0: lists of memories (`get_all`, `search`, `add`, the platform's pages, the JS SDK), and their history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memreview.importers import mem0_history
from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stores import UNIT, Gathered, Store, after, first, named, opened, strings
from memreview.importers.stream import Malformed, decode
from memreview.importers.text import clean, clean_all, text_id
from memreview.importers.times import moment
from memreview.records import Bundle, MemoryChange, MemoryKind, MemoryRecord, NativeState, NoteKind, Source

EXPECTED = "a list of memories as mem0 gives it"
PAGES = (100, 20)  # what get_all stops at unless told otherwise, in older and newer versions
MARKS = ("hash", "user_id", "userId", "agent_id", "agentId", "event", "categories", "score", "created_at", "createdAt")
EVENTS = ("ADD", "UPDATE", "DELETE", "NONE")
STATES = {
    "paused": NativeState.PAUSED,
    "deleted": NativeState.DELETED,
    "archived": NativeState.ARCHIVED,
    "expired": NativeState.ARCHIVED,
    "superseded": NativeState.ARCHIVED,
    "replaced": NativeState.ARCHIVED,
}


def sniff(probe: Probe) -> bool:
    if mem0_history.sniff(probe):
        return True
    prefix = {Shape.ARRAY: "item", Shape.OBJECT: "results.item"}.get(probe.shape)
    if prefix is None:
        return False
    empty = probe.shape is Shape.OBJECT and probe.keys <= {"results", "relations"} and "results" in probe.keys
    return empty or (f"{prefix}.memory" in probe.seen and any(f"{prefix}.{mark}" in probe.seen for mark in MARKS))


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    exports = []
    for probe in probes:
        if mem0_history.sniff(probe):
            exports.append(mem0_history.read(container, probe, limits))
        else:
            exports.append(_export(opened(container, probe.member), limits))
    return exports


def _export(store: Store, limits: Limits) -> FileExport:
    page = _page(store, limits)
    owners = {_owner(item) for item in page["results"] if isinstance(item, dict)} - {""}
    account = owners.pop() if len(owners) == 1 else ""

    def stream(start: str | None) -> Iterator[Bundle]:
        return after((_bundle(store, page, limits, several=not account),), start)

    source = Source(provider="mem0", account=account, label=store.member.base)
    return FileExport(source, "mem0", store.container, stream, len(store.body))


def _page(store: Store, limits: Limits) -> dict[str, Any]:
    """The file as a page, whether it is one or a bare list; items that are no JSON are marked as broken."""
    try:
        document = decode(store.body, limits)
    except Malformed:
        key = "results" if store.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else None
        return {"results": store.listed(key, EXPECTED, limits)}
    if isinstance(document, list):
        return {"results": document}
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        return document
    raise store.failed("it holds no list of memories", EXPECTED)


def _bundle(store: Store, page: dict[str, Any], limits: Limits, several: bool) -> Bundle:
    gathered, items = Gathered(store, limits), page["results"]
    changes = []
    for number, item in enumerate(items, 1):
        record = _record(item, several) if isinstance(item, dict) else None
        if record is None:
            gathered.broken(store.item(number), item)
            continue
        gathered.add(record, store.item(number))
        if item.get("event") in EVENTS[:3]:
            changes.append(_change(record, item))
    relations = page.get("relations")
    for number, relation in enumerate(relations if isinstance(relations, list) else (), 1):
        _add_relation(gathered, relation, store.item(number, "relation"))
    whole = _is_whole(gathered, page)
    return gathered.bundle(changes=tuple(changes), memories_complete=whole)


def _record(item: dict[str, Any], several: bool) -> MemoryRecord | None:
    text = clean(first(item, "memory", "data", "text"))
    if not text.strip():
        return None
    metadata = item["metadata"] if isinstance(item.get("metadata"), dict) else {}
    until = moment(first(metadata, "valid_until"))
    return MemoryRecord(
        native_id=named(item.get("id")) or text_id(text),
        text=text,
        state=_state(item),
        created=moment(first(item, "created_at", "createdAt")),
        updated=moment(first(item, "updated_at", "updatedAt")),
        expires=until if until.known else moment(first(item, "expiration_date", "expirationDate")),
        subject=_owner(item) if several else "",
        scope=clean(metadata.get("scope")),
        categories=strings(item.get("categories")),
        raw=clean_all(item),
    )


def _state(item: dict[str, Any]) -> NativeState:
    if item.get("event") == "DELETE":
        return NativeState.DELETED
    if item.get("event") in EVENTS:
        return NativeState.HISTORIC
    if first(item, "replaced_by", "replacedBy"):
        return NativeState.ARCHIVED
    return STATES.get(clean(first(item, "lifecycle_state", "lifecycleState")).lower(), NativeState.ACTIVE)


def _change(record: MemoryRecord, item: dict[str, Any]) -> MemoryChange:
    deleted = item["event"] == "DELETE"
    return MemoryChange(
        native_id=record.native_id,
        event=item["event"],
        old_text=record.text if deleted else clean(first(item, "previous_memory", "previousMemory")),
        new_text="" if deleted else record.text,
        at=record.updated if record.updated.known else record.created,
    )


def _owner(item: dict[str, Any]) -> str:
    return named(first(item, "user_id", "userId"))


def _add_relation(gathered: Gathered, relation: object, where: str) -> None:
    values = relation if isinstance(relation, dict) else {}
    ends = [
        clean(values.get("source")),
        clean(values.get("relationship")),
        clean(first(values, "target", "destination")),
    ]
    if not all(ends):
        gathered.broken(where, relation)
        return
    text = " – ".join(end.replace("_", " ") for end in ends)
    record = MemoryRecord(native_id=UNIT.join(ends), text=text, kind=MemoryKind.RELATION, raw=clean_all(values))
    gathered.add(record, where)


def _is_whole(gathered: Gathered, page: dict[str, Any]) -> bool:
    """Whether the file is the whole store, with a note where it is not or may not be."""
    items = [item for item in page["results"] if isinstance(item, dict)]
    count = page.get("count")
    if any("event" in item for item in items):
        reason = "it is the answer to one addition, not the whole store"
    elif any(item.get("score") is not None for item in items):
        reason = "it is the result of a search, not the whole store"
    elif page.get("next") or (isinstance(count, int) and count > len(page["results"])):
        reason = "it is one page of several, not the whole store"
    elif len(page["results"]) in PAGES:
        reason = f"it holds exactly {len(page['results'])} memories and was probably cut there; ask mem0 for more"
    else:
        return len(items) == len(page["results"])
    gathered.note(NoteKind.WARNING, gathered.store.member.name, reason)
    return False
