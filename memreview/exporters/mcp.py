"""Corrected memories back into the MCP memory server's file: JSON Lines, entities first, then relations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memreview.exporters.contract import CorrectedMemory, plain, worded
from memreview.exporters.relations import UNIT, relation_id, reworded
from memreview.exporters.splice import (
    DECODER,
    Piece,
    decoded,
    encoded,
    items,
    members,
    past_space,
    piece,
    with_items,
    with_members,
)

GROUPS = {"entities": "entity", "relations": "relation"}
NAME = ("name", "entityName")
FROM, TYPE, TO = ("from", "from_id"), ("relationType", "relation_type"), ("to", "to_id")


def write(original: bytes, memories: Iterable[CorrectedMemory]) -> bytes:
    """`original` (lines, an array or a `read_graph` answer) as the lines that the server reads; untouched lines keep
    every character. Added memories go to the entity of the memory that they replace, else to "User"."""
    text = decoded(original)
    listed = list(memories)
    graph = _Graph({memory.native_id: memory for memory in listed if not memory.added})
    entities, relations = [], []
    for element in _elements(text):
        if _is_relation(element.value):
            relations.append(graph.relation(element))
        else:
            entities.append(graph.entity(element))
    graph.add(memory for memory in listed if memory.added and memory.stays)
    lines = [*graph.extended(entities), *(relation for relation in relations if relation is not None)]
    return encoded("\n".join(line.written for line in lines) + ("\n" if text.endswith("\n") else ""))


class _Graph:
    """Applies corrections element by element, and collects the observations that must be added to each entity."""

    def __init__(self, kept: Mapping[str, CorrectedMemory]) -> None:
        self._kept = kept
        self._new: dict[str, list[str]] = {}
        self._heirs: dict[str, str] = {}  # the text that took a memory's place: the entity that had the memory

    def entity(self, entity: Piece) -> Piece:
        observations = members(entity).get("observations")
        if observations is None or not isinstance(observations.value, list):
            return entity
        name = plain(_first(entity.value, NAME))
        before = items(observations)
        after = [self._observation(name, item) for item in before]
        if after == before:
            return entity
        distinct = {item.written: item for item in after if item is not None}
        return with_members(entity, {"observations": with_items(observations, list(distinct.values()))})

    def _observation(self, name: str, item: Piece) -> Piece | None:
        memory = self._kept.get(name + UNIT + plain(item.value)) if isinstance(item.value, str) else None
        if memory is None or not memory.touched:
            return item
        self._heir(memory, name)
        return piece(worded(memory)) if memory.stays else None

    def relation(self, relation: Piece) -> Piece | None:
        """A relation corrected to "a – b – c" stays one; any other wording becomes an observation of its entity."""
        keys = [_key(relation.value, names) for names in (FROM, TYPE, TO)]
        memory = self._kept.get(relation_id(relation, keys))
        if memory is None or (memory.stays and memory.text == memory.original_text):
            return relation
        source = plain(relation.value[keys[0]])
        self._heir(memory, source)
        if not memory.stays:
            return None
        new = reworded(relation, keys, memory.text)
        if new is None:
            self._new.setdefault(source, []).append(worded(memory))
        return new

    def _heir(self, memory: CorrectedMemory, entity: str) -> None:
        if memory.superseded_by_text:
            self._heirs.setdefault(memory.superseded_by_text, entity)

    def add(self, memories: Iterable[CorrectedMemory]) -> None:
        for memory in memories:
            self._new.setdefault(self._heirs.get(memory.text, "User"), []).append(worded(memory))

    def extended(self, entities: Iterable[Piece]) -> Iterator[Piece]:
        """The entities with the new observations, and new entities for those that had none."""
        for entity in entities:
            name = plain(_first(entity.value, NAME))
            yield _observing(entity, self._new.pop(name)) if name in self._new else entity
        for name, texts in self._new.items():
            yield piece({"type": "entity", "name": name, "entityType": "person", "observations": texts})


def _observing(entity: Piece, texts: list[str]) -> Piece:
    observations = members(entity).get("observations")
    if observations is None or not isinstance(observations.value, list):
        observations = Piece([], "[]")
    new = [text for text in dict.fromkeys(texts) if text not in observations.value]
    return with_members(entity, {"observations": with_items(observations, [*items(observations), *map(piece, new)])})


def _elements(text: str) -> list[Piece]:
    """Entities and relations of the file, whichever of its three forms it has. Lines that are no JSON are left out."""
    whole = next(_objects(text.strip()), None)
    if whole is not None and isinstance(whole.value, list):
        found = items(whole)
    elif whole is not None and isinstance(whole.value, dict) and whole.value.keys() & GROUPS.keys():
        groups = members(whole).items()
        found = [_typed(element, GROUPS[key]) for key, group in groups for element in _group(key, group)]
    else:  # not str.splitlines: a JSON string may hold U+2028 as it is
        found = [element for line in text.split("\n") for element in _objects(line.strip())]
    return [element for element in found if isinstance(element.value, dict)]


def _objects(line: str) -> Iterator[Piece]:
    """What stands on a line; concurrent writers leave `}{`. What follows a broken place on the line is lost."""
    at = 0
    while at < len(line):
        try:
            value, end = DECODER.raw_decode(line, at)
        except (ValueError, RecursionError):
            return
        yield Piece(value, line[at:end])
        at = past_space(line, end)


def _group(key: str, group: Piece) -> list[Piece]:
    return items(group) if key in GROUPS and isinstance(group.value, list) else []


def _typed(element: Piece, kind: str) -> Piece:
    if not isinstance(element.value, dict) or "type" in element.value:
        return element
    rest = element.written[1:].lstrip()
    return Piece({"type": kind, **element.value}, f'{{"type":"{kind}"' + ("," if element.value else "") + rest)


def _is_relation(value: Mapping[str, Any]) -> bool:
    ends = [_first(value, keys) for keys in (FROM, TYPE, TO)]
    return all(isinstance(end, str) and plain(end) for end in ends)


def _key(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((key for key in keys if key in value), keys[0])


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return value.get(_key(value, keys), "")
