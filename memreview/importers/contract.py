"""What every importer gives: an `Export` that is read as a stream of bundles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from memreview.records import Bundle, Moment, Source


class ImportFailed(Exception):
    """The file as a whole can't be read: `path`, `where` in it, and what was `expected`. Holds no imported text."""

    def __init__(self, path: Path, problem: str, expected: str = "", where: str = "") -> None:
        self.path, self.problem, self.expected, self.where = path, problem, expected, where
        place = f"{path.name}, {where}" if where else path.name
        hint = f" Expected: {expected}." if expected else ""
        super().__init__(f"{place}: {problem}.{hint}")


class Limits(msgspec.Struct, frozen=True):
    """Guards against hostile files (design §9); the person can raise them in Settings."""

    message_chars: int = 2_000_000
    member_bytes: int = 16 * 2**30
    total_bytes: int = 64 * 2**30
    members: int = 200_000
    ratio: int = 1_000
    nesting: int = 400


STANDARD = Limits()


class ColumnMapping(msgspec.Struct, frozen=True):
    """Which columns of a generic list hold what; the person chooses them where the header does not tell."""

    text: str
    created: str | None = None
    native_id: str | None = None
    scope: str | None = None
    category: str | None = None


class Export(Protocol):
    """One account's or store's export, found in a file or folder.

    `format` is a short technical name ("chatgpt", "mem0-history"); `name` what the person calls the file;
    `total` its size in bytes for progress; `exported` when it was made, if the file tells.
    """

    source: Source
    format: str
    name: str
    total: int
    exported: Moment

    def bundles(self, start: str | None = None) -> Iterator[Bundle]:
        """Yield what the export holds, after the bundle whose cursor is `start`. One bad element becomes a note."""
        ...

    def close(self) -> None: ...
