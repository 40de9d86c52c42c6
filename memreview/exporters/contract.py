"""What every exporter takes, corrected memories, and how it fails."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import msgspec

from memreview.records import UNKNOWN, MemoryKind, MemoryStatus, Moment, NativeState

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SURROGATE = re.compile("[\ud800-\udfff]")


class ExportFailed(Exception):
    """The memories can't be written this way. Holds no text of the person's."""


class CorrectedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory as it stands after review.

    `original_text` is the text as imported, `text` as corrected. `scope` and `valid_until` say where and how long it
    holds. An `added` memory is not in the store yet; the one it takes the place of has its text as
    `superseded_by_text`. `reason` is why it stands as it does, `source_label` the store that it is from.
    """

    native_id: str
    provider: str
    text: str
    original_text: str
    status: MemoryStatus = MemoryStatus.ACTIVE
    state: NativeState = NativeState.ACTIVE
    kind: MemoryKind = MemoryKind.MEMORY
    subject: str = ""
    scope: str = ""
    valid_until: Moment = UNKNOWN
    superseded_by_text: str | None = None
    created: Moment = UNKNOWN
    updated: Moment = UNKNOWN
    categories: tuple[str, ...] = ()
    added: bool = False
    reason: str = ""
    source_label: str = ""

    @property
    def stays(self) -> bool:
        """Whether the assistant's store holds it after the export. What is in quarantine stays out until decided."""
        return self.status is MemoryStatus.ACTIVE

    @property
    def scoped(self) -> bool:
        return bool(self.scope) or self.valid_until.known

    @property
    def touched(self) -> bool:
        return self.added or not self.stays or self.scoped or self.text != self.original_text


def iso(moment: Moment) -> str | None:
    """ISO 8601 with the offset it was written with: none for a naive time, Z where the source gave a bare number."""
    if moment.us is None:
        return None
    try:
        at = EPOCH + timedelta(microseconds=moment.us)
        if moment.assumed:
            return at.replace(tzinfo=None).isoformat()
        if moment.offset is None:
            return at.replace(tzinfo=None).isoformat() + "Z"
        return at.astimezone(timezone(timedelta(minutes=moment.offset))).isoformat()
    except (OverflowError, ValueError):
        return None


def day(moment: Moment) -> str:
    """The day of a known moment in its own offset, as YYYY-MM-DD."""
    return (iso(moment) or "")[:10]


def conditions(memory: CorrectedMemory) -> str:
    """Scope and end date in words, for formats that have no field for them."""
    parts = [f"applies only to: {memory.scope}"] if memory.scope else []
    if memory.valid_until.known:
        parts.append(f"until {day(memory.valid_until)}")
    return ", ".join(parts)


def worded(memory: CorrectedMemory) -> str:
    """The text with its conditions in words."""
    return f"{memory.text} ({conditions(memory)})" if memory.scoped else memory.text


def plain(value: object) -> str:
    """A string as importers give it: without NUL, lone surrogates replaced. For finding what was imported."""
    return SURROGATE.sub("\ufffd", str(value).replace("\0", ""))
