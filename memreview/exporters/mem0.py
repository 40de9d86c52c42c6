"""Corrected memories back into mem0's JSON, in the shape it had: a list, `results`, a page, camelCase."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from memreview.exporters.contract import CorrectedMemory, ExportFailed, iso, plain
from memreview.exporters.relations import relation_id, reworded
from memreview.exporters.splice import Piece, items, members, piece, rewritten, with_items, with_members
from memreview.records import Moment

TEXT_KEYS = ("memory", "data", "text")
OWNERS = ("user_id", "agent_id", "app_id", "run_id", "userId", "agentId", "appId", "runId")
NAMESPACE = uuid.UUID("6f0a1f0e-5c1d-4b7e-9a51-9c0a37f5a2d4")


def write(original: bytes, memories: Iterable[CorrectedMemory], now: Moment) -> bytes:
    """`original` with edits, scopes, removals and additions in it; untouched items keep every character.

    An edit gets its md5 as `hash` and `now` as `updated_at`. Scope and end date go to `metadata`.
    """
    corrections = _Corrections(memories)
    return rewritten(original, lambda root: _store(root, corrections, now))


class _Corrections:
    def __init__(self, memories: Iterable[CorrectedMemory]) -> None:
        listed = list(memories)
        self.added = [memory for memory in listed if memory.added and memory.stays]
        self.by_id = {memory.native_id: memory for memory in listed if not memory.added}
        self._by_text = {memory.original_text: memory for memory in self.by_id.values()}

    def of(self, item: Any) -> CorrectedMemory | None:
        """By its id, or by its text where the store gave it none."""
        if not isinstance(item, dict):
            return None
        if item.get("id") is not None:
            return self.by_id.get(plain(item["id"]))
        return self._by_text.get(plain(item.get(_text_key(item))))


def _store(root: Piece, corrections: _Corrections, now: Moment) -> Piece:
    if isinstance(root.value, list):
        return _list(root, corrections, now)
    found = members(root) if isinstance(root.value, dict) else {}
    results, relations = found.get("results"), found.get("relations")
    if results is None or not isinstance(results.value, list):
        raise ExportFailed("The imported file holds no list of memories to write back to")
    changed = {"results": _list(results, corrections, now)}
    if relations is not None and isinstance(relations.value, list):
        changed["relations"] = _relations(relations, corrections)
    count = root.value.get("count")
    more = len(changed["results"].value) - len(results.value)
    if more and type(count) is int:
        changed["count"] = piece(count + more)
    return with_members(root, changed)


def _list(old: Piece, corrections: _Corrections, now: Moment) -> Piece:
    changed = [_item(item, corrections.of(item.value), now) for item in items(old)]
    new = [_new(memory, old.value) for memory in corrections.added]
    return with_items(old, [item for item in [*changed, *new] if item is not None])


def _relations(old: Piece, corrections: _Corrections) -> Piece:
    return with_items(old, [new for new in (_relation(one, corrections) for one in items(old)) if new is not None])


def _relation(relation: Piece, corrections: _Corrections) -> Piece | None:
    if not isinstance(relation.value, dict):
        return relation
    keys = ("source", "relationship", "target" if relation.value.get("target") else "destination")
    if not all(isinstance(relation.value.get(key), str) for key in keys):
        return relation
    memory = corrections.by_id.get(relation_id(relation, keys))
    if memory is None or (memory.stays and memory.text == memory.original_text):
        return relation
    return (reworded(relation, keys, memory.text) or relation) if memory.stays else None


def _item(item: Piece, memory: CorrectedMemory | None, now: Moment) -> Piece | None:
    if memory is None:
        return item
    if not memory.stays:
        return None
    changes = {**_edit(item.value, memory), **_scope(item.value, memory)}
    if not changes:
        return item
    return with_members(item, {key: piece(value) for key, value in {**changes, _updated(item.value): iso(now)}.items()})


def _edit(item: Mapping[str, Any], memory: CorrectedMemory) -> dict[str, Any]:
    if memory.text == memory.original_text:
        return {}
    return {_text_key(item): memory.text, "hash": _hash(memory.text)}


def _text_key(item: Mapping[str, Any]) -> str:
    return next((key for key in TEXT_KEYS if item.get(key) is not None), "memory")


def _scope(item: Mapping[str, Any], memory: CorrectedMemory) -> dict[str, Any]:
    """Metadata with the scope and the end date that are not in the item as imported."""
    stored = item.get("metadata")
    metadata = stored if isinstance(stored, dict) else {}
    until = iso(memory.valid_until)
    wanted: dict[str, Any] = {}
    if memory.scope != _string(metadata, "scope"):
        wanted["scope"] = memory.scope
    if until and until[:10] != (_string(metadata, "valid_until") or _string(item, "expiration_date"))[:10]:
        wanted["valid_until"] = until
    return {"metadata": {**metadata, **wanted}} if wanted else {}


def _string(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return plain(value) if isinstance(value, str) else ""


def _new(memory: CorrectedMemory, existing: list[Any]) -> Piece:
    """An item for an added memory, owned by whoever owns all the others. Its id follows from ours, so that writing
    twice gives the same file."""
    camel = any(isinstance(item, dict) and "createdAt" in item for item in existing)
    where = {"scope": memory.scope, "valid_until": iso(memory.valid_until)}
    owners = [{key: item[key] for key in OWNERS if key in item} for item in existing if isinstance(item, dict)]
    first = owners[0] if owners else {}
    shared = {key: value for key, value in first.items() if all(owner.get(key) == value for owner in owners)}
    return piece({
        "id": str(uuid.uuid5(NAMESPACE, f"{memory.native_id}\0{memory.text}")),
        "memory": memory.text,
        "hash": _hash(memory.text),
        "metadata": {key: value for key, value in where.items() if value} or None,
        "createdAt" if camel else "created_at": iso(memory.created),
        "updatedAt" if camel else "updated_at": iso(memory.updated),
        **shared,
    })  # fmt: skip


def _updated(item: Mapping[str, Any]) -> str:
    return "updatedAt" if "updatedAt" in item or "createdAt" in item else "updated_at"


def _hash(text: str) -> str:
    """mem0's own key for exact duplicates, no matter of security."""
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
