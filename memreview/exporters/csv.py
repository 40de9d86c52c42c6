"""All memories as a CSV list that a spreadsheet opens without taking a memory for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from memreview.exporters.contract import CorrectedMemory
from memreview.exporters.json import row

GUARD = "'"
GUARDED = ("=", "+", "-", "@", "\t", "\r", GUARD)


def write(memories: Iterable[CorrectedMemory]) -> bytes:
    """UTF-8 with a byte order mark, as spreadsheets expect; lines end in CR LF.

    A cell that begins with one of `GUARDED` gets an apostrophe before it, and our importer takes it off again.
    Categories are one cell, itself a line of CSV parted by semicolons. Unknown times are empty.
    """
    out = io.StringIO(newline="")
    rows = [row(memory) for memory in memories]
    writer = csv.DictWriter(out, fieldnames=list(row(_NOBODY)))
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in line.items()} for line in rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> str:
    text = _joined(value) if isinstance(value, list) else "" if value is None else str(value)
    return GUARD + text if text.startswith(GUARDED) else text


def _joined(values: list[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, delimiter=";").writerow(values)
    return line.getvalue().removesuffix("\r\n")


_NOBODY = CorrectedMemory(native_id="", provider="", text="", original_text="")
