"""The MCP memory server's file: entities with observations, and relations between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stores import UNIT, Element, Gathered, Store, after, first, opened
from memreview.importers.stream import Malformed, decode
from memreview.importers.text import clean, clean_all
from memreview.records import Bundle, MemoryKind, MemoryRecord, NoteKind, Source

NAME = ("name", "entityName")
ENTITY_TYPE = ("entityType", "entity_type")
ENDS = (("from", "from_id"), ("relationType", "relation_type"), ("to", "to_id"))
GROUPS = ("entities", "relations")
NO_TIMES = "this kind of store keeps no dates, sources or users; when a memory was made is unknown"


def sniff(probe: Probe) -> bool:
    if probe.shape is Shape.OBJECT and any(f"{group}.item.{mark}" in probe.seen for group, mark in _GRAPH_MARKS):
        return True
    prefix = "item." if probe.shape is Shape.ARRAY else ""
    seen = {path.removeprefix(prefix) for path in probe.seen if path.startswith(prefix)}
    entity = "observations" in seen and not seen.isdisjoint(NAME)
    relation = all(not seen.isdisjoint(keys) for keys in ENDS)
    return probe.json and (entity or relation or _is_empty(probe))


_GRAPH_MARKS = (("entities", "observations"), ("relations", "relationType"), ("relations", "relation_type"))


def _is_empty(probe: Probe) -> bool:
    """A server that has stored nothing yet; only its name tells."""
    return not probe.seen and len(probe.head) < 64 and probe.member.base in ("memory.json", "memory.jsonl")


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    return [_export(opened(container, probe.member), limits) for probe in probes]


def _export(store: Store, limits: Limits) -> FileExport:
    elements = list(_elements(store, limits))
    if elements and all(value is None for _, value in elements):
        raise store.failed("none of its lines can be read", "one entity or relation a line, as JSON")

    def stream(start: str | None) -> Iterator[Bundle]:
        return after((_bundle(store, elements, limits),), start)

    source = Source(provider="mcp", label=store.member.base)
    return FileExport(source, "mcp", store.container, stream, len(store.body))


def _elements(store: Store, limits: Limits) -> Iterator[Element]:
    """The file in each of its forms: lines, a list of the lines' objects, or the answer of `read_graph`."""
    try:
        document = decode(store.body, limits)
    except Malformed:
        document = None
    if isinstance(document, list):
        yield from ((store.item(number), value) for number, value in enumerate(document, 1))
    elif isinstance(document, dict) and not document.keys().isdisjoint(GROUPS):
        for group in GROUPS:
            values = document.get(group)
            for number, value in enumerate(values if isinstance(values, list) else (), 1):
                yield store.item(number, group), value
    elif document != {}:
        yield from store.lines(limits)


def _bundle(store: Store, elements: list[Element], limits: Limits) -> Bundle:
    gathered = Gathered(store, limits)
    names: set[str] = set()
    relations = []
    for where, value in elements:
        if value is None:
            gathered.note(NoteKind.BROKEN, where, "it is not valid JSON")
        elif not isinstance(value, dict):
            gathered.note(NoteKind.BROKEN, where, "it is neither an entity nor a relation")
        elif all(clean(first(value, *keys)) for keys in ENDS):
            relations.append((where, value))
        elif clean(first(value, *NAME)):
            _add_entity(gathered, value, where, names)
        else:
            gathered.note(NoteKind.BROKEN, where, "it is neither an entity nor a relation")
    for where, relation in relations:
        _add_relation(gathered, relation, where, names)
    gathered.note(NoteKind.WARNING, store.member.name, NO_TIMES)
    broken = any(note.kind is NoteKind.BROKEN for note in gathered.notes)
    return gathered.bundle(memories_complete=not broken)


def _add_entity(gathered: Gathered, entity: dict[str, Any], where: str, names: set[str]) -> None:
    """One observation is one memory. An entity that is there twice is one; its name may differ in nothing."""
    name, kind = clean(first(entity, *NAME)), clean(first(entity, *ENTITY_TYPE))
    names.add(name)
    observations = entity.get("observations")
    for number, text in enumerate(observations if isinstance(observations, list) else (), 1):
        position = f"{where}, observation {number}"
        if not isinstance(text, str) or not clean(text).strip():
            gathered.broken(position, text)
            continue
        record = MemoryRecord(
            native_id=name + UNIT + clean(text),
            text=clean(text),
            subject=_shown(name),
            categories=(kind,) if kind else (),
            raw={"entity": name, "entityType": kind, "observation": clean(text)},
        )
        gathered.add(record, position)


def _add_relation(gathered: Gathered, relation: dict[str, Any], where: str, names: set[str]) -> None:
    ends = [clean(first(relation, *keys)) for keys in ENDS]
    if not names.issuperset((ends[0], ends[2])):
        gathered.note(NoteKind.WARNING, where, "the relation names an entity that is not in the file")
    text = " – ".join(map(_shown, ends))
    record = MemoryRecord(
        native_id=UNIT.join(ends), text=text, kind=MemoryKind.RELATION, subject=_shown(ends[0]), raw=clean_all(relation)
    )
    gathered.add(record, where)


def _shown(name: str) -> str:
    return name.replace("_", " ")
