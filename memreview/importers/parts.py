"""The files of one export read one after the other as bundles, so that a broken-off import can go on in the middle."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import msgspec

from memreview.importers.container import Container, Member
from memreview.importers.contract import ImportFailed, Limits
from memreview.importers.stream import BrokenElement, Scanned, decode_element, scan
from memreview.records import Bundle, Note, NoteKind

_END = "end"


class Part(NamedTuple):
    """One file: `cut` finds its elements, `read(value, where)` makes a bundle of each, with any cursor. Elements that
    hold one of `marks` are read again when an import goes on after them, for what the last bundles gather."""

    member: Member
    cut: Callable[[BinaryIO], Iterator[Scanned]]
    read: Callable[[Any, str], Bundle]
    marks: tuple[bytes, ...] = ()


def bundles(
    container: Container, parts: Sequence[Part], last: Callable[[], Iterable[Bundle]], start: str | None
) -> Iterator[Bundle]:
    """A bundle for each element of `parts`, then those of `last()`. A cursor is `<part>:<element>`."""
    if start == _END:
        return
    part, element = start.split(":") if start else ("-1", "-1")
    position = int(part), int(element)
    before = 0
    for number, one in enumerate(parts):
        yield from _elements(container, number, one, position, before)
        before += one.member.size
    closing = list(last())
    for index, bundle in enumerate(closing):
        if (len(parts), index) > position:
            cursor = _END if bundle is closing[-1] else f"{len(parts)}:{index}"
            yield msgspec.structs.replace(bundle, cursor=cursor, done=before)


def _elements(
    container: Container, number: int, part: Part, position: tuple[int, int], before: int
) -> Iterator[Bundle]:
    """Fails when not one element can be read: such a file is something else, or of a version that is not known."""
    member = part.member
    place = container.place(member) or member.name
    count = good = 0
    with container.reading(member) as stream:
        for index, found in enumerate(part.cut(stream)):
            count += 1
            passed = (number, index) <= position
            if passed and not any(mark in found.raw for mark in part.marks):
                good += 1
                continue
            bundle = _read(part, found, f"{place}, item {index + 1}")
            good += not _is_broken(bundle)
            if not passed:
                done = before + min(found.done, member.size)
                yield msgspec.structs.replace(bundle, cursor=f"{number}:{index}", done=done)
    if count and not good:
        raise ImportFailed(container.path, "nothing in it can be read", where=container.place(member))


def _read(part: Part, found: Scanned, where: str) -> Bundle:
    value = decode_element(found)
    return broken(where, value.reason) if isinstance(value, BrokenElement) else part.read(value, where)


def broken(where: str, reason: str) -> Bundle:
    """A bundle of an element that can't be read."""
    return Bundle(cursor="", notes=(Note(NoteKind.BROKEN, where, reason),))


def _is_broken(bundle: Bundle) -> bool:
    nothing = bundle.conversation is None and not bundle.memories
    return nothing and any(note.kind is NoteKind.BROKEN for note in bundle.notes)


def whole(stream: BinaryIO, limits: Limits) -> Iterator[Scanned]:
    """A file that is one element."""
    return scan(io.BytesIO(b"[" + stream.read().removeprefix(codecs.BOM_UTF8) + b"]"), None, limits)
