"""Tables of memories (CSV, TSV): columns by mapping or by their headers; and the table that we write."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memreview.importers.contract import ColumnMapping, ImportFailed, Limits
from memreview.importers.generic_json import Found, own_record
from memreview.importers.sniff import Probe
from memreview.importers.stores import Gathered, Store
from memreview.importers.text import clean, text_id
from memreview.importers.times import moment
from memreview.records import MemoryRecord, NoteKind, Source

NAMES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
OWN_HEADER = ("id", "text", "status", "scope", "valid_until", "superseded_by", "original_text")
GUARD = "'"
SAMPLES = 5
HEADERS = {
    "text": ("text", "memory", "memories", "content", "fact", "statement", "note", "observation", "value"),
    "created": ("created", "created_at", "createdat", "date", "timestamp", "time", "date_saved", "saved"),
    "native_id": ("id", "uuid", "memory_id"),
    "scope": ("scope", "context", "project"),
    "category": ("category", "categories", "tag", "tags", "type"),
}


class NeedsMapping(ImportFailed):
    """A table whose headers don't tell where the memories are. `columns` and the first `rows` are for asking the
    person; the message holds nothing of them."""

    def __init__(self, path: Path, columns: list[str], rows: list[list[str]], where: str = "") -> None:
        super().__init__(path, "its columns do not tell which one holds the memories", "a choice of columns", where)
        self.columns = columns
        self.rows = rows


def sniff(probe: Probe) -> bool:
    return is_table("", probe.head.decode("utf-8-sig", "replace"))


def is_own(head: bytes) -> bool:
    return head.startswith(codecs.BOM_UTF8 + ",".join(OWN_HEADER).encode())


def is_table(name: str, text: str) -> bool:
    """By name; else by a header with a column of memories, and a second line of as many columns."""
    if name.lower().endswith(NAMES):
        return True
    lines = text.split("\n", 2)[:2]
    if len(lines) < 2 or len(lines[0]) > 2_000:
        return False
    delimiter = _delimiter(lines[0])
    columns, row = (_cells(line, delimiter) for line in lines)
    return len(columns) == len(row) > 1 and _guessed(columns) is not None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.strip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return []


def gather(store: Store, text: str, limits: Limits, mapping: ColumnMapping | None) -> Found:
    columns, rows = _table(store, text)
    gathered = Gathered(store, limits)
    label = store.member.base
    if tuple(columns[: len(OWN_HEADER)]) == OWN_HEADER:
        _fill(gathered, ((number, own_record(_own_row(columns, row))) for number, row in rows))
        return Found(gathered, "memreview-csv", Source(provider="memreview", label=label))
    chosen = mapping or _guessed(columns)
    if chosen is None or not {chosen.text, chosen.created, chosen.native_id, chosen.scope, chosen.category} <= {
        *columns,
        None,
    }:
        raise NeedsMapping(
            store.container.path, columns, [row for _, row in rows[:SAMPLES]], store.container.place(store.member)
        )
    if mapping is None:
        reason = "which column holds the memories, and which their dates and ids, was taken from the headers"
        gathered.note(NoteKind.GUESSED, store.member.name, reason)
    _fill(gathered, ((number, _record(dict(zip(columns, row, strict=False)), chosen)) for number, row in rows))
    return Found(gathered, "generic-csv", Source(provider="generic", label=label))


def _table(store: Store, text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Header, and the rows that hold anything with their numbers; the header is row 1."""
    csv.field_size_limit(2**31 - 1)
    told = _EXCEL.match(text)
    text = text[told.end() :] if told else text
    delimiter = told[1] if told else _delimiter(text[:2_000].split("\n", 1)[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        lines = [(number, [clean(cell) for cell in row]) for number, row in enumerate(reader, 1) if any(row)]
    except csv.Error:
        raise store.failed("it is no table that can be read", "a CSV file with a header") from None
    if not lines:
        raise store.failed("it is empty", "a CSV file with a header")
    return lines[0][1], lines[1:]


_EXCEL = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # Excel's own first line, which is no header


def _delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)


def _guessed(columns: list[str]) -> ColumnMapping | None:
    names = {re.sub(r"\W+", "_", column.strip().casefold()): column for column in reversed(columns)}
    found = {field: next((names[name] for name in known if name in names), None) for field, known in HEADERS.items()}
    text = found.pop("text")
    return ColumnMapping(text=text, **found) if text is not None else None


def _record(row: dict[str, str], mapping: ColumnMapping) -> MemoryRecord | None:
    def cell(column: str | None) -> str:
        return row.get(column, "").strip() if column is not None else ""

    text = cell(mapping.text)
    if not text:
        return None
    return MemoryRecord(
        native_id=cell(mapping.native_id) or text_id(text),
        text=text,
        created=moment(cell(mapping.created)),
        scope=cell(mapping.scope),
        categories=tuple(part for part in map(str.strip, re.split("[;,]", cell(mapping.category))) if part),
        raw=row,
    )


def _fill(gathered: Gathered, found: Iterable[tuple[int, MemoryRecord | None]]) -> None:
    for number, record in found:
        where = gathered.store.item(number, "row")
        if record is None:
            gathered.broken(where, None)
        else:
            gathered.add(record, where)


def _own_row(columns: list[str], row: list[str]) -> dict[str, Any]:
    """Our own cells without the apostrophe that keeps a spreadsheet from running them."""
    values: dict[str, Any] = dict(zip(columns, (cell.removeprefix(GUARD) for cell in row), strict=False))
    values["categories"] = next(csv.reader(io.StringIO(values.get("categories", ""), newline=""), delimiter=";"), [])
    return values
