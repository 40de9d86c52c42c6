"""Lists of memories as JSON or JSON Lines, by the keys that programs commonly use; and the list that we write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.sniff import Probe, Shape
from memreview.importers.stores import Element, Gathered, Store, first, named, strings
from memreview.importers.stream import Malformed, decode
from memreview.importers.text import clean, clean_all, text_id
from memreview.importers.times import moment
from memreview.records import MemoryKind, MemoryRecord, MemoryStatus, Moment, NativeState, NoteKind, Source

OWN_FORMAT = "memreview-memories"
EXPECTED = "a JSON list of memories"
LISTS = ("memories", "facts", "items", "results", "data", "entries")
TEXT = ("memory", "text", "content", "fact", "observation", "statement", "note", "value", "data")
CREATED = ("created_at", "createdAt", "created", "created_timestamp", "create_time", "timestamp", "date", "time")
UPDATED = ("updated_at", "updatedAt", "updated", "update_time")
IDS = ("id", "uuid", "memory_id")
CATEGORIES = ("categories", "category", "tags", "tag", "type")
# Keys of messages: a list of these is a conversation, whatever else it holds.
CHAT = {
    "role",
    "sender",
    "author",
    "conversation_id",
    "conversationId",
    "chat_messages",
    "mapping",
    "messages",
    "parent",
}
# How our own statuses look to an import: what is not active is not in a store.
STATES = {
    MemoryStatus.SUPERSEDED: NativeState.HISTORIC,
    MemoryStatus.QUARANTINED: NativeState.PAUSED,
    MemoryStatus.EVICTED: NativeState.ARCHIVED,
    MemoryStatus.DELETED: NativeState.DELETED,
}


@dataclass(frozen=True)
class Found:
    """What a list holds, and what it is called."""

    gathered: Gathered
    format: str
    source: Source


def sniff(probe: Probe) -> bool:
    if probe.seen.get("format") == OWN_FORMAT:
        return True
    if probe.shape is Shape.ARRAY and not probe.seen:
        return re.match(rb'\s*\[\s*"', probe.head) is not None
    prefixes = {Shape.ARRAY: ("item.",), Shape.LINES: ("",), Shape.OBJECT: tuple(f"{key}.item." for key in LISTS)}
    return any(_speaks_of_memories(probe, prefix) for prefix in prefixes[probe.shape])


def _speaks_of_memories(probe: Probe, prefix: str) -> bool:
    keys = {path.removeprefix(prefix) for path in probe.seen if path.startswith(prefix)}
    return not keys.isdisjoint(TEXT) and keys.isdisjoint(CHAT)


def gather(store: Store, text: str, limits: Limits, mapping: ColumnMapping | None) -> Found:
    try:
        document = decode(text.encode("utf-8", "surrogatepass"), limits)
    except Malformed:
        document = None
    if isinstance(document, dict) and document.get("format") == OWN_FORMAT:
        return _own_list(store, document, limits)
    elements = list(_elements(store, document, limits))
    gathered = Gathered(store, limits)
    key = _text_key(elements, mapping)
    for where, value in elements:
        record = _record({key: value} if isinstance(value, str) else value, key, mapping)
        if record is None:
            gathered.broken(where, value)
        else:
            gathered.add(record, where)
    if not gathered.records:
        raise store.failed("no memory in it can be read", EXPECTED)
    if mapping is None:
        gathered.note(NoteKind.GUESSED, store.member.name, f"the text of a memory was taken from “{key}”")
    return Found(gathered, "generic-json", Source(provider="generic", label=store.member.base))


def _elements(store: Store, document: object, limits: Limits) -> Iterator[Element]:
    if isinstance(document, dict):
        document = next((document[key] for key in LISTS if isinstance(document.get(key), list)), [document])
    if isinstance(document, list):
        yield from ((store.item(number), value) for number, value in enumerate(document, 1))
    elif store.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield from ((store.item(n), value) for n, value in enumerate(store.listed(None, EXPECTED, limits), 1))
    else:
        yield from store.lines(limits)


def _text_key(elements: list[Element], mapping: ColumnMapping | None) -> str:
    """The key that most of the first elements have their text under."""
    if mapping is not None:
        return mapping.text
    rows = [value for _, value in elements[:100] if isinstance(value, dict)]
    return max(TEXT, key=lambda key: sum(isinstance(row.get(key), str) for row in rows))


def _record(value: object, key: str, mapping: ColumnMapping | None) -> MemoryRecord | None:
    row = value if isinstance(value, dict) else {}
    text = clean(row.get(key))
    if not text.strip():
        return None
    created = (mapping.created,) if mapping and mapping.created else CREATED
    ids = (mapping.native_id,) if mapping and mapping.native_id else IDS
    scope = mapping.scope if mapping and mapping.scope else "scope"
    categories = (mapping.category,) if mapping and mapping.category else CATEGORIES
    return MemoryRecord(
        native_id=named(first(row, *ids)) or text_id(text),
        text=text,
        created=moment(first(row, *created)),
        updated=moment(first(row, *UPDATED)),
        scope=clean(row.get(scope)),
        categories=strings(first(row, *categories)),
        raw=clean_all({name: item for name, item in row.items() if name not in ("embedding", "vector")}),
    )


def _own_list(store: Store, document: dict[str, Any], limits: Limits) -> Found:
    gathered = Gathered(store, limits)
    rows = document.get("memories")
    for number, row in enumerate(rows if isinstance(rows, list) else (), 1):
        record = own_record(row) if isinstance(row, dict) else None
        if record is None:
            gathered.broken(store.item(number), row)
        else:
            gathered.add(record, store.item(number))
    return Found(gathered, "memreview-json", Source(provider="memreview", label=store.member.base))


def own_record(row: dict[str, Any]) -> MemoryRecord | None:
    """A row of the list that we write, as JSON or CSV. What was superseded comes in as history."""
    text, native_id = clean(row.get("text")), clean(row.get("id"))
    if not text.strip() or not native_id:
        return None
    states, kinds, statuses = set(NativeState), set(MemoryKind), set(MemoryStatus)
    state, kind, status = clean(row.get("state")), clean(row.get("kind")), clean(row.get("status"))
    native = NativeState(state) if state in states else NativeState.ACTIVE
    return MemoryRecord(
        native_id=native_id,
        text=text,
        kind=MemoryKind(kind) if kind in kinds else MemoryKind.MEMORY,
        state=STATES.get(MemoryStatus(status), native) if status in statuses else native,
        created=_own_moment(row.get("created")),
        updated=_own_moment(row.get("updated")),
        expires=_own_moment(row.get("valid_until")),
        subject=clean(row.get("subject")),
        scope=clean(row.get("scope")),
        categories=strings(row.get("categories")),
        raw=clean_all(row),
    )


def _own_moment(value: object) -> Moment:
    """We write Z where the source gave a bare number, and so no offset."""
    found = moment(value)
    return msgspec.structs.replace(found, offset=None) if clean(value).endswith("Z") else found
