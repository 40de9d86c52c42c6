"""Memory records: what an assistant had stored, as imported, and how the store changed over time."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from memreview.records.entry import EntryRef
from memreview.records.moment import UNKNOWN, Moment


class MemoryKind(StrEnum):
    MEMORY = "memory"
    SUMMARY = "summary"
    PROFILE = "profile"
    RELATION = "relation"


class MemoryStatus(StrEnum):
    """Where a memory stands in memreview (design §2)."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    EVICTED = "evicted"
    DELETED = "deleted"


class NativeState(StrEnum):
    """Where it stands in the assistant's own store."""

    ACTIVE = "active"
    PAUSED = "paused"
    ARCHIVED = "archived"
    DELETED = "deleted"
    HISTORIC = "historic"  # a write seen in a conversation; whether the store still holds it is not in the export
    GONE = "gone"  # it was in an earlier export and is not in a newer one


class MemoryRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`native_id` is unique within its source; where the store has no ids the importer makes one from the text (never
    from the position). `evidence` names the entries it came from, best first. `raw` keeps the source's own record
    for a lossless way back. `expires` is the store's own expiry."""

    native_id: str
    text: str
    kind: MemoryKind = MemoryKind.MEMORY
    state: NativeState = NativeState.ACTIVE
    created: Moment = UNKNOWN
    updated: Moment = UNKNOWN
    expires: Moment = UNKNOWN
    subject: str = ""
    scope: str = ""
    categories: tuple[str, ...] = ()
    evidence: tuple[EntryRef, ...] = ()
    raw: dict[str, Any] = msgspec.field(default_factory=dict)


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a store's own history: `event` is ADD, UPDATE or DELETE."""

    native_id: str
    event: str
    old_text: str = ""
    new_text: str = ""
    at: Moment = UNKNOWN
