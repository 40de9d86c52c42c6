"""All memories as one JSON document, with status, scope and dates; what was superseded stays in it as history."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memreview.exporters.contract import CorrectedMemory, iso

FORMAT = "memreview-memories"


def write(memories: Iterable[CorrectedMemory]) -> bytes:
    """UTF-8, indented. Unknown times are null, never today."""
    document = {"format": FORMAT, "version": 1, "memories": [row(memory) for memory in memories]}
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def row(memory: CorrectedMemory) -> dict[str, Any]:
    """The columns of the JSON and the CSV list, in order."""
    return {
        "id": memory.native_id,
        "text": memory.text,
        "status": str(memory.status),
        "scope": memory.scope,
        "valid_until": iso(memory.valid_until),
        "superseded_by": memory.superseded_by_text,
        "original_text": memory.original_text,
        "reason": memory.reason,
        "kind": str(memory.kind),
        "subject": memory.subject,
        "categories": list(memory.categories),
        "created": iso(memory.created),
        "updated": iso(memory.updated),
        "state": str(memory.state),
        "added": memory.added,
        "provider": memory.provider,
        "source": memory.source_label,
    }
