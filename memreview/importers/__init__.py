"""Reading the exports of assistants: `open_exports` finds out what a file or folder is by its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memreview.importers import chatgpt, claude, generic, letta, mcp, mem0, openmemory
from memreview.importers.container import Container, open_container
from memreview.importers.contract import STANDARD, ColumnMapping, Export, ImportFailed, Limits
from memreview.importers.sniff import FileExport, Probe, Reader, Shape, not_yet, probe, seen_in_words
from memreview.records import Bundle, Note, NoteKind

__all__ = ["READERS", "ColumnMapping", "Export", "ImportFailed", "Limits", "open_exports"]

# In the order of asking: the first that claims a member reads it. A new format is one module and one name here.
READERS: tuple[Reader, ...] = (chatgpt, claude, mem0, openmemory, mcp, letta, generic)

_SUPPORTED = "an export of ChatGPT, Claude, mem0, OpenMemory, an MCP memory server or Letta, or a list of memories"
_NOTES = "notes"
_MEDIA = (
    *(".png", ".jpg", ".jpeg", ".webp", ".gif", ".heic", ".bmp", ".svg", ".ico", ".tif", ".tiff"),
    *(".wav", ".mp3", ".m4a", ".ogg", ".opus", ".mp4", ".mov", ".webm"),
    *(".dat", ".pdf", ".docx", ".xlsx", ".pptx", ".gz"),
)


def open_exports(path: Path, limits: Limits = STANDARD, mapping: ColumnMapping | None = None) -> list[Export]:
    """The exports in a file, zip or folder; ImportFailed says which file, where, and what was expected.

    Nothing is taken for another product, nor for plain text, because it is not known.
    """
    container = open_container(path, limits)
    try:
        probes = [probe(container, member) for member in container.members() if _worth_a_look(container, member.name)]
        claimed, left = _claim(probes)
        exports = [export for reader, members in claimed for export in reader.read(container, members, limits, mapping)]
        if not exports:
            raise _unknown(container, left)
        notes = tuple(_left_out(found) for found in left if found.json or not_yet(found))
        if notes:
            exports[0] = _with_notes(exports[0], notes)
        return list[Export](exports)
    except ImportFailed:
        container.close()
        raise


def _worth_a_look(container: Container, name: str) -> bool:
    return len(container.members()) == 1 or not name.lower().endswith(_MEDIA)


def _claim(probes: Sequence[Probe]) -> tuple[list[tuple[Reader, list[Probe]]], list[Probe]]:
    claimed: list[tuple[Reader, list[Probe]]] = [(reader, []) for reader in READERS]
    left = []
    for found in probes:
        for reader, members in claimed:
            if reader.sniff(found):
                members.append(found)
                break
        else:
            left.append(found)
    return [(reader, members) for reader, members in claimed if members], left


def _left_out(found: Probe) -> Note:
    product = not_yet(found)
    reason = f"an export of {product}, which is not supported yet" if product else "a file of a kind that is not read"
    return Note(NoteKind.WARNING if product else NoteKind.SKIPPED, found.member.name, reason)


def _unknown(container: Container, left: Sequence[Probe]) -> ImportFailed:
    for found in left:
        product = not_yet(found)
        if product:
            problem = f"it is an export of {product}, which is not supported yet"
            return ImportFailed(container.path, problem, _SUPPORTED, container.place(found.member))
    if not left:
        return ImportFailed(container.path, "there is nothing in it that can be read", _SUPPORTED)
    found = max(left, key=lambda one: (one.json, one.shape is not Shape.EMPTY, one.member.size))
    return ImportFailed(
        container.path,
        f"it is not a known export: {seen_in_words(found)}",
        _SUPPORTED,
        container.place(found.member),
    )


def _with_notes(export: FileExport, notes: tuple[Note, ...]) -> FileExport:
    """`export` with a first bundle that holds nothing but notes."""

    def stream(start: str | None) -> Iterator[Bundle]:
        if start is None:
            yield Bundle(cursor=_NOTES, notes=notes)
        yield from export.stream(None if start == _NOTES else start)

    return replace(export, stream=stream)
