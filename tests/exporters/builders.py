"""Corrected memories for the tests of the exporters."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from memreview.exporters import CorrectedMemory
from memreview.records import MemoryRecord, MemoryStatus, Moment
from tests.importers.builders_stores import memories

NOW = Moment(us=1_780_000_000_000_000, offset=0)


def corrected(record: MemoryRecord, provider: str = "mem0", **changes: Any) -> CorrectedMemory:
    """The memory as imported, with these changes by the person."""
    base = CorrectedMemory(
        native_id=record.native_id,
        provider=provider,
        text=record.text,
        original_text=record.text,
        state=record.state,
        kind=record.kind,
        subject=record.subject,
        scope=record.scope,
        valid_until=record.expires,
        created=record.created,
        updated=record.updated,
        categories=record.categories,
    )
    return msgspec.structs.replace(base, **changes)


def all_corrected(path: Path, changes: Mapping[str, Mapping[str, Any]] = {}) -> list[CorrectedMemory]:
    """The memories of a file; `changes` by the text of the memory."""
    found = memories(path).values()
    assert changes.keys() <= {record.text for record in found}
    return [corrected(record, **changes.get(record.text, {})) for record in found]


def added(text: str, **more: Any) -> CorrectedMemory:
    base: dict[str, Any] = {"native_id": f"new:{text}", "provider": "mem0", "original_text": "", "created": NOW}
    return CorrectedMemory(text=text, added=True, **{**base, **more})


def superseded(by: str | None) -> dict[str, Any]:
    return {"status": MemoryStatus.SUPERSEDED, "superseded_by_text": by}


DELETED: dict[str, Any] = {"status": MemoryStatus.DELETED}
