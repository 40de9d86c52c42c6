"""The way back: corrected memories as a list, into the store that they came from, or as a text to paste."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memreview import exporters
from memreview.exporters import Assistant, CorrectedMemory, ExportFailed
from memreview.records import MemoryKind, MemoryStatus, Moment, NativeState
from memreview.review.profile import Profile
from memreview.store import ingest, journal
from memreview.store import memories as stored
from memreview.store.memories import MemoryFilter

FORMATS: dict[str, str] = {
    "json": "All memories, JSON",
    "csv": "All memories, table (CSV)",
    "markdown": "All memories, readable list (Markdown)",
    "mem0": "Back into mem0 (JSON)",
    "mcp": "Back into the MCP memory server (JSONL)",
    "letta": "Back into Letta (agent file)",
}
_CHUNK = 500


def losses(profile: Profile, format: str) -> list[str]:
    """What this format can't carry, to be read before writing."""
    return exporters.capabilities(format)


def export(profile: Profile, format: str, path: Path) -> int:
    """Write to `path`, replacing it whole or not at all; returns the number of memories that stand in it.

    Raises `ExportFailed` with the reason.
    """
    if path.resolve().is_relative_to(profile.home.resolve()):
        raise ExportFailed("That is the profile's own folder. Choose a place outside of it.")
    if format in exporters.LISTS:
        # What the person had forgotten stands in no list: that is what they asked for. Nor does what is in
        # quarantine: nobody vouches for it.
        hidden = (MemoryStatus.DELETED, MemoryStatus.QUARANTINED, MemoryStatus.EVICTED)
        memories = [memory for memory in corrected(profile) if memory.status not in hidden]
        body = exporters.write_list(format, memories)
    elif format in exporters.STORES:
        memories, body = _store_body(profile, format)
    else:
        raise ExportFailed(f"“{format}” is not a format. Choose one of {', '.join(FORMATS)}.")
    _write(path, body)
    return sum(memory.stays for memory in memories)


def tell(profile: Profile, assistant: Assistant, *, all_sources: bool = False) -> list[str]:
    """What was decided about this assistant's own memories, as texts to paste, each short enough for it; [] where
    nothing was. What another assistant remembers is none of its business: only `all_sources` includes it."""
    decided = journal.decided_rows(profile.database, "memories")
    changes = [
        memory
        for memory_id, memory in _corrected_by_id(profile)
        if memory_id in decided and memory.touched and (all_sources or memory.provider == assistant)
    ]
    return exporters.parts(changes, assistant)


def corrected(profile: Profile, source_id: int | None = None) -> list[CorrectedMemory]:
    """Every live memory as it stands after review, oldest first; of one source or of all."""
    return [memory for _, memory in _corrected_by_id(profile, source_id)]


def _corrected_by_id(profile: Profile, source_id: int | None = None) -> list[tuple[int, CorrectedMemory]]:
    ids = stored.ids(profile.database, MemoryFilter(), descending=False)
    found: list[tuple[int, CorrectedMemory]] = []
    for start in range(0, len(ids), _CHUNK):
        rows = stored.rows(profile.database, ids[start : start + _CHUNK])
        successors = _texts(profile, [row["superseded_by"] for row in rows.values() if row["superseded_by"]])
        for memory_id in ids[start : start + _CHUNK]:
            row = rows[memory_id]
            if source_id in (None, row["source_id"]):
                found.append((memory_id, _corrected(row, successors.get(row["superseded_by"]))))
    return found


def _store_body(profile: Profile, format: str) -> tuple[list[CorrectedMemory], bytes]:
    """The newest import of that store that kept its file, with our corrections in it."""
    for row in ingest.imports(profile.database):
        if row.state == "done" and row.format == format and (kept := ingest.original(profile.database, row.id)):
            memories = corrected(profile, row.source_id)
            return memories, exporters.write_back(format, kept[1], memories, Moment(time.time_ns() // 1000, 0))
    raise ExportFailed(f"Nothing was imported from {format} yet, so there is no file to put the corrections into.")


def _texts(profile: Profile, ids: list[int]) -> dict[int, str]:
    return {memory_id: row["text"] for memory_id, row in stored.rows(profile.database, ids).items()}


def _corrected(row: stored.Row, successor: str | None) -> CorrectedMemory:
    return CorrectedMemory(
        native_id=row["native_id"],
        provider=row["provider"],
        text=row["text"],
        original_text=row["imported_text"],
        status=MemoryStatus(row["status"]),
        state=NativeState(row["native_state"]),
        kind=MemoryKind(row["kind"]),
        subject=row["subject"],
        scope=row["scope"],
        valid_until=Moment(row["valid_until"]),
        superseded_by_text=successor,
        created=Moment(row["created_at"], row["created_offset"]),
        updated=Moment(row["updated_at"], row["updated_offset"]),
        categories=tuple(stored.categories(row)),
        added=bool(row["added"]),
        source_label=row["source_label"],
    )


def _write(path: Path, body: bytes) -> None:
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.touch(mode=0o600)
        with temporary.open("wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ExportFailed(f"{path.name} could not be written: {error.strerror}.") from error
