"""Lists of memories of no particular program (JSON, JSON Lines, CSV, Markdown, pasted text), and our own lists."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path

from memreview.importers import generic_csv, generic_json, generic_text
from memreview.importers.container import Container, Member
from memreview.importers.contract import STANDARD, ColumnMapping, Limits
from memreview.importers.generic_csv import NeedsMapping
from memreview.importers.sniff import FileExport, Probe, Shape, not_yet
from memreview.importers.stores import Store, after, opened
from memreview.importers.stream import Malformed, decode
from memreview.importers.text import clean
from memreview.records import Bundle, NoteKind, Source

__all__ = ["NeedsMapping", "open_pasted", "read", "sniff"]

TEXT_NAMES = (".txt", ".md", ".markdown", ".text")
BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def sniff(probe: Probe) -> bool:
    """Asked last. JSON only with keys that speak of memories, and nothing that is known to be of another program."""
    if not_yet(probe):
        return False
    if probe.json:
        return generic_json.sniff(probe) or generic_text.is_dated(probe.head)
    if probe.shape is Shape.BINARY:  # our own ids and the texts of others hold control characters
        return generic_csv.is_own(probe.head)
    if probe.shape is not Shape.TEXT:
        return False
    name = probe.member.name.lower()
    return name.endswith((*TEXT_NAMES, *generic_csv.NAMES)) or "." not in name or generic_csv.sniff(probe)


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    """Texts beside other files are no lists of memories: an export of conversations holds what was attached to them."""
    alone = len(probes) == len(container.members())
    return [_export(opened(container, probe.member), probe, limits, mapping) for probe in probes if alone or probe.json]


def _export(store: Store, probe: Probe, limits: Limits, mapping: ColumnMapping | None) -> FileExport:
    text, guessed = _decoded(store)
    if probe.json and generic_json.sniff(probe):
        found = generic_json.gather(store, text, limits, mapping)
    elif generic_csv.is_table(store.member.name, text):
        found = generic_csv.gather(store, text, limits, mapping)
    else:
        found = generic_text.gather(store, text, limits)
    if guessed:
        found.gathered.note(NoteKind.GUESSED, store.member.name, "it is no UTF-8 and was read as Windows-1252")
    return _of(store, found)


def open_pasted(text: str, label: str, limits: Limits = STANDARD) -> FileExport:
    """One memory a line, a bulleted or a dated list, as pasted. ImportFailed where there is none in it."""
    body = clean(text).encode()
    container = Container(Path("pasted text"), [], limits)
    store = Store(container, Member("pasted text", len(body), container.path), body)
    try:
        structured = isinstance(decode(body, limits), (dict, list))
    except Malformed:
        structured = False
    if structured:
        raise store.failed("it is JSON", "a list in words, or the JSON saved as a file")
    found = generic_text.gather(store, clean(text), limits, lines=True)
    return _of(store, generic_json.Found(found.gathered, "pasted", Source(provider="pasted", label=clean(label))))


def _of(store: Store, found: generic_json.Found) -> FileExport:
    bundle = found.gathered.bundle()

    def stream(start: str | None) -> Iterator[Bundle]:
        return after((bundle,), start)

    return FileExport(found.source, found.format, store.container, stream, len(store.body))


def _decoded(store: Store) -> tuple[str, bool]:
    """The text, and whether its encoding is a guess."""
    for mark, encoding in BOMS:
        if store.body.startswith(mark):
            try:
                return store.body.decode(encoding), False
            except UnicodeDecodeError:
                raise store.failed("its encoding is broken", "text in UTF-8") from None
    try:
        return store.body.decode(), False
    except UnicodeDecodeError:
        return store.body.decode("cp1252", "replace"), True
