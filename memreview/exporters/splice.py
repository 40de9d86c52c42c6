"""Change a JSON text in a few places and leave every other character as it was written."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from memreview.exporters.contract import ExportFailed

SPACE = re.compile(r"[ \t\r\n]*")
DECODER = json.JSONDecoder(strict=False)
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Piece(msgspec.Struct, frozen=True):
    """A JSON value and the very characters it was written with."""

    value: Any
    written: str


class Member(msgspec.Struct, frozen=True):
    """Where an item of an array, or the value of a key of an object, stands in the text of its parent."""

    key: str | None
    start: int
    end: int
    value: Any


def piece(value: Any) -> Piece:
    """A new value. Text stays readable; only what UTF-8 can't hold is escaped."""
    written = json.dumps(value, ensure_ascii=False)
    return Piece(value, written if written.isprintable() else json.dumps(value))


def members(parent: Piece) -> dict[str, Piece]:
    return {m.key: _cut(parent, m) for m in _members(parent.written) if m.key is not None}


def items(parent: Piece) -> list[Piece]:
    return [_cut(parent, m) for m in _members(parent.written)]


def with_members(parent: Piece, changes: Mapping[str, Piece]) -> Piece:
    """The object with these keys replaced where they stand, or added at its end."""
    text, found = parent.written, list(_members(parent.written))
    last = {m.key: m for m in found}
    for member in reversed(found):
        if member.key is not None and member.key in changes and last[member.key] is member:
            text = text[: member.start] + changes[member.key].written + text[member.end :]
    new = [f"{json.dumps(key)}: {change.written}" for key, change in changes.items() if key not in last]
    if new:
        body = text[:-1].rstrip()
        text = body + (", " if found else "") + ", ".join(new) + text[len(body) :]
    return Piece({**parent.value, **{key: change.value for key, change in changes.items()}}, text)


def with_items(parent: Piece, pieces: Sequence[Piece]) -> Piece:
    """The array with these items instead, laid out as it was."""
    found, text = list(_members(parent.written)), parent.written
    before, after = (text[: found[0].start], text[found[-1].end :]) if found and pieces else ("[", "]")
    between = text[found[0].end : found[1].start] if len(found) > 1 else ", "
    return Piece([p.value for p in pieces], before + between.join(p.written for p in pieces) + after)


def rewritten(body: bytes, edit: Callable[[Piece], Piece]) -> bytes:
    """The JSON file with `edit` applied to its root; ExportFailed where it is not JSON."""
    text = decoded(body)
    start = len(text) - len(text.lstrip())
    try:
        value, end = DECODER.raw_decode(text, start)
        return encoded(text[:start] + edit(Piece(value, text[start:end])).written + text[end:])
    except (ValueError, RecursionError):
        raise ExportFailed("The imported file is not the JSON that it was") from None


def decoded(body: bytes) -> str:
    """Bytes that are no UTF-8 survive the way back as they are."""
    encoding = next((name for mark, name in MARKS if body.startswith(mark)), "utf-8")
    return body.decode(encoding, "surrogateescape" if encoding != "utf-16" else "replace")


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _cut(parent: Piece, member: Member) -> Piece:
    return Piece(member.value, parent.written[member.start : member.end])


def _members(text: str) -> Iterator[Member]:
    """The members of the object or array that `text` is; it has been parsed before, so its form is right."""
    keyed, at = text[0] == "{", past_space(text, 1)
    while text[at] not in "}]":
        key = None
        if keyed:
            key, at = DECODER.raw_decode(text, at)
            at = past_space(text, past_space(text, at) + 1)
        value, end = DECODER.raw_decode(text, at)
        yield Member(key, at, end, value)
        at = past_space(text, end)
        if text[at] == ",":
            at = past_space(text, at + 1)


def past_space(text: str, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at
