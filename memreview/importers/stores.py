"""What the readers of memory stores share. A store is small beside a chat export: it is read whole and stored whole."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from memreview.importers.container import Container, Member
from memreview.importers.contract import ImportFailed, Limits
from memreview.importers.stream import BrokenElement, Malformed, decode, elements
from memreview.importers.text import clean, limit
from memreview.records import Bundle, MemoryRecord, Note, NoteKind, Original

UNIT = "\x1f"  # parts the pieces of a native id that is made from texts
STORE_BYTES = 512 * 2**20
ORIGINAL_BYTES = 64 * 2**20
SPACE = re.compile(r"\s*")
DECODER = json.JSONDecoder(strict=False)

Element = tuple[str, object]  # where it stands, and its value, None where that can't be read


@dataclass(frozen=True)
class Store:
    """The file of one store."""

    container: Container
    member: Member
    body: bytes

    def failed(self, problem: str, expected: str = "") -> ImportFailed:
        return ImportFailed(self.container.path, problem, expected, self.container.place(self.member))

    def item(self, number: int, what: str = "item") -> str:
        return f"{self.member.name}, {what} {number}"

    def document(self, expected: str, limits: Limits) -> Any:
        try:
            return decode(self.body, limits)
        except Malformed as error:
            raise self.failed(error.reason, expected) from None

    def listed(self, key: str | None, expected: str, limits: Limits) -> list[Any]:
        """The elements of the list, with a BrokenElement where one alone is no JSON."""
        try:
            document = decode(self.body, limits)
        except Malformed:
            return self._listed_singly(key, expected, limits)
        found = document if key is None else document.get(key) if isinstance(document, dict) else None
        if not isinstance(found, list):
            raise self.failed("it holds no list of memories", expected)
        return found

    def _listed_singly(self, key: str | None, expected: str, limits: Limits) -> list[Any]:
        try:
            return [value for _, value, _ in elements(io.BytesIO(self.body), key=key, limits=limits)]
        except Malformed as error:
            raise self.failed(error.reason, expected) from None

    def lines(self, limits: Limits) -> Iterator[Element]:
        """JSON Lines: the values on each line. Writers that met leave several on one (`}{`)."""
        # Not str.splitlines: a JSON string may hold U+2028 as it is.
        for number, line in enumerate(self.body.decode("utf-8-sig", "replace").split("\n"), 1):
            yield from ((self.item(number, "line"), value) for value in _on_line(line.strip(), limits))

    def original(self) -> Original | None:
        return Original(self.member.base, self.body) if len(self.body) <= ORIGINAL_BYTES else None


def opened(container: Container, member: Member) -> Store:
    if member.size > STORE_BYTES:
        raise Store(container, member, b"").failed("it is too large for a memory store")
    with container.open(member) as stream:
        return Store(container, member, stream.read())


def _on_line(line: str, limits: Limits) -> Iterator[object]:
    at = 0
    while at < len(line):
        try:
            _, end = DECODER.raw_decode(line, at)
            yield decode(line[at:end].encode("utf-8", "surrogatepass"), limits)
        except (ValueError, RecursionError, Malformed):
            yield None
            return
        gap = SPACE.match(line, end)
        at = gap.end() if gap else end


@dataclass
class Gathered:
    """The records and notes of a store on their way into a bundle. The first record of an id wins."""

    store: Store
    limits: Limits
    records: dict[str, MemoryRecord] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def add(self, record: MemoryRecord, where: str) -> None:
        if record.native_id in self.records:
            self.note(NoteKind.SKIPPED, where, "it is in the file a second time")
            return
        text, cut = limit(record.text, self.limits, where)
        if cut:
            self.notes.append(cut)
        self.records[record.native_id] = msgspec.structs.replace(record, text=text) if cut else record

    def note(self, kind: NoteKind, where: str, reason: str) -> None:
        self.notes.append(Note(kind, where, reason))

    def broken(self, where: str, value: object) -> None:
        reason = value.reason if isinstance(value, BrokenElement) else "it holds no text of a memory"
        self.note(NoteKind.BROKEN, where, reason)

    def bundle(self, *, keep: bool = True, **more: Any) -> Bundle:
        """The store's own bundle, the last. `keep` the file as it was, where it can be written back."""
        original = self.store.original() if keep else None
        if keep and original is None:
            self.note(NoteKind.WARNING, self.store.member.name, "it is too large to be written back with changes")
        return Bundle(
            cursor="store",
            done=len(self.store.body),
            memories=tuple(self.records.values()),
            notes=tuple(self.notes),
            original=original,
            **more,
        )


def after(bundles: Iterable[Bundle], start: str | None) -> Iterator[Bundle]:
    """The bundles that follow the one whose cursor is `start`."""
    passing = start is None
    for bundle in bundles:
        if passing:
            yield bundle
        passing = passing or bundle.cursor == start


def named(value: object) -> str:
    """An id or a name, which some stores write as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else clean(value)


def first(values: dict[str, Any], *keys: str) -> Any:
    """What stands under the first of the keys that holds anything; stores spell one key in several ways."""
    return next((values[key] for key in keys if values.get(key) is not None), None)


def strings(value: object) -> tuple[str, ...]:
    """The strings of a list, or the one string; nothing else."""
    found = value if isinstance(value, list) else [value]
    return tuple(text for text in map(clean, found) if text)
