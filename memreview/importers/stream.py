"""A large JSON list as a stream of its elements, at constant memory: one bad element fails alone."""

from __future__ import annotations

import codecs
import gc
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.importers.contract import STANDARD, Limits

_CHUNK = 1 << 20
_ELEMENT_BYTES = 128 * 2**20  # seven times the largest conversation seen
_KEY_WINDOW = 256  # how far before a list its key is looked for
_OPEN, _QUOTE, _CLOSE = 1, 2, 255  # 255 is -1 as a signed byte
_KINDS = bytes({91: _OPEN, 123: _OPEN, 93: _CLOSE, 125: _CLOSE, 34: _QUOTE}.get(byte, 0) for byte in range(256))
_DECODER = msgspec.json.Decoder()


class Malformed(Exception):
    """The JSON as a whole is broken. `reason` is for the person and holds nothing of the text."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Truncated(Malformed):
    """The JSON ends too early; the elements before the cut have been given."""


class _WrongEncoding(Malformed):
    pass


class BrokenElement(msgspec.Struct, frozen=True):
    """An element that starts and ends where it should, but can't be read."""

    reason: str


class Scanned(msgspec.Struct, frozen=True):
    """One element's bytes, or why it is given up, and the bytes read up to its end."""

    raw: bytes
    problem: str
    done: int


def decode(raw: bytes, limits: Limits = STANDARD) -> Any:
    """The value of one whole JSON document; Malformed when it is none, or nests deeper than `limits.nesting`."""
    raw = _in_utf8(raw)
    depths = _Brackets().of(raw)[1]
    if len(depths) and depths.max() > limits.nesting:
        raise Malformed("its brackets are nested too deeply")
    return _decode(raw)


def elements(
    stream: BinaryIO, start_index: int = 0, *, key: str | None = None, limits: Limits = STANDARD
) -> Iterator[tuple[int, Any, int]]:
    """Yield `(index, value or BrokenElement, bytes read)` for the elements of a top-level list, or of the list under
    `key` of a top-level object, from `start_index` on; those before it are passed over without being decoded.

    Malformed or Truncated where the list itself is broken, after the elements before that place.
    """
    for index, found in enumerate(scan(stream, key, limits)):
        if index >= start_index:
            yield index, decode_element(found), found.done


def decode_element(found: Scanned) -> Any:
    """The value of a scanned element, or BrokenElement; Malformed where the file's encoding is wrong."""
    if found.problem:
        return BrokenElement(found.problem)
    try:
        return _decode(found.raw)
    except _WrongEncoding:  # the file was saved anew by another program: nothing in it can be trusted
        raise
    except Malformed as error:
        return BrokenElement(error.reason)


def _decode(raw: bytes) -> Any:
    # Building many small containers at once sets off the garbage collector again and again: half of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return _decode_leniently(raw)
    finally:
        if collecting:
            gc.enable()


def _decode_leniently(raw: bytes) -> Any:
    """Lone surrogates and NaN, which real exports hold and msgspec refuses."""
    try:
        return json.loads(raw.decode("utf-8", "surrogatepass"), strict=False)
    except UnicodeDecodeError:
        raise _WrongEncoding("it is not encoded in UTF-8") from None
    except (ValueError, RecursionError):
        raise Malformed("it is not valid JSON") from None


def _in_utf8(start: bytes) -> bytes:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in start[:4]:
        raise _WrongEncoding("it is encoded in UTF-16 or UTF-32, not in UTF-8")
    return start.removeprefix(codecs.BOM_UTF8)


class _Brackets:
    """Finds the brackets outside strings in successive chunks, and the depth after each."""

    def __init__(self) -> None:
        self.depth = 0
        self.in_string = False
        self._escape = b""

    def of(self, chunk: bytes) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8]]:
        """Positions in `chunk`, the depth after each, and +1 or -1 for each."""
        held = len(self._escape)
        text = self._escape + chunk
        self._escape = b"\\" if (len(text) - len(text.rstrip(b"\\"))) % 2 else b""  # its other half comes next
        # Masked in one pass from the left: a quote that remains begins or ends a string.
        text = text[: len(text) - len(self._escape)].replace(b"\\\\", b"__").replace(b'\\"', b"__")
        kinds = np.frombuffer(text.translate(_KINDS), np.int8)
        at = np.flatnonzero(kinds)
        kinds = kinds[at]
        quotes = kinds == _QUOTE
        inside = np.cumsum(quotes, dtype=np.int64) + self.in_string
        if len(inside):
            self.in_string = bool(inside[-1] & 1)
        wanted = ((inside & 1) == 0) & ~quotes
        at, kinds = at[wanted], kinds[wanted]
        depths = np.cumsum(kinds, dtype=np.int64) + self.depth
        if len(depths):
            self.depth = int(depths[-1])
        return at - held, depths, kinds


def scan(
    stream: BinaryIO, key: str | None = None, limits: Limits = STANDARD, *, alone: bool = True
) -> Iterator[Scanned]:
    """Cut a top-level list (or the one under `key`) into the bytes of its elements, undecoded. With `alone` false,
    anything may follow the list, as in the script of a page."""
    scanner = _Scanner(key, limits, alone)
    first = stream.read(_CHUNK)
    if not first.strip():
        raise Truncated("it is empty")
    start = _in_utf8(first)
    scanner.before = len(first) - len(start)
    if not start.lstrip().startswith(b"[" if key is None else b"{"):
        raise Malformed("it does not begin as a JSON list" if key is None else "it does not begin as a JSON object")
    for chunk in chain((start,), iter(lambda: stream.read(_CHUNK), b"")):
        yield from scanner.feed(chunk)
    scanner.end()


class _Scanner:
    """Walks over the few brackets at the depth of the list (`_base`) and its elements; C code finds them."""

    def __init__(self, key: str | None, limits: Limits, alone: bool) -> None:
        self._alone = alone
        self.before = 0  # bytes before the present chunk
        self._brackets = _Brackets()
        self._key = None if key is None else re.compile(rb'"' + re.escape(key.encode()) + rb'"\s*:\s*$')
        self._base = 1 if key is None else 2
        self._too_deep = self._base + limits.nesting + 1
        self._parts: list[bytes] = []  # what came since the last cut, in earlier chunks
        self._size = 0
        self._inside = self._finished = False
        self._given = 0
        self._problem = ""

    def feed(self, chunk: bytes) -> Iterator[Scanned]:
        if self._finished and not self._alone:
            return
        at, depths, kinds = self._brackets.of(chunk)
        opens = kinds == _OPEN
        shallow = (depths <= self._base) | opens & ((depths == self._base + 1) | (depths == self._too_deep))
        cut = 0
        for where, depth, opening in zip(
            at[shallow].tolist(), depths[shallow].tolist(), opens[shallow].tolist(), strict=True
        ):
            if depth == self._too_deep:
                self._problem = "its brackets are nested too deeply" if self._inside else ""
            elif self._inside and opening:
                yield from self._scalars(self._take(chunk[cut:where]), where, more=True)
                cut = where
            elif self._inside and depth == self._base:
                yield self._give(self._take(chunk[cut : where + 1]), where + 1)
                cut = where + 1
            elif depth <= self._base:
                gap = self._take(chunk[cut:where])
                cut = where + 1
                if depth < 0 or (self._inside and chunk[where] != ord("]")):
                    raise Malformed("its brackets do not match")
                if self._inside:
                    yield from self._scalars(gap, where, more=False)
                    self._inside, self._finished = False, True
                    if not self._alone:
                        return
                elif opening:
                    self._begin(gap, depth, chunk[where : where + 1])
        self._keep(chunk[cut:])
        self.before += len(chunk)

    def end(self) -> None:
        if self._finished and not self._alone:
            return
        if self._inside or self._brackets.depth > 0 or self._brackets.in_string:
            raise Truncated("it ends in the middle")
        if not self._finished:
            raise Malformed("the list that was expected is not in it")
        if b"".join(self._parts).strip():
            raise Malformed("there is something after its end")

    def _begin(self, gap: bytes, depth: int, bracket: bytes) -> None:
        if self._finished and depth == 1:
            raise Malformed("there is something after its end")
        named = self._key is None or self._key.search(gap[-_KEY_WINDOW:]) is not None
        self._inside = depth == self._base and bracket == b"[" and named and not self._finished

    def _give(self, raw: bytes, end: int) -> Scanned:
        problem, self._problem = self._problem, ""
        self._given += 1
        return Scanned(b"" if problem else raw, problem, self.before + end)

    def _scalars(self, gap: bytes, end: int, *, more: bool) -> Iterator[Scanned]:
        """What stands between two elements: a comma, or numbers, strings and nulls where records should be."""
        gap = gap.strip()
        if gap == (b"," if self._given and more else b""):
            return
        if (self._given and not gap.startswith(b",")) or (more and not gap.endswith(b",")):
            raise Malformed("its elements are not parted by commas")
        values = decode(b"[" + gap[bool(self._given) : len(gap) - more] + b"]")
        if not values:
            raise Malformed("it has a comma too many")
        for value in values:
            yield self._give(json.dumps(value).encode(), end)  # msgspec refuses a lone surrogate

    def _take(self, tail: bytes) -> bytes:
        if not self._parts:
            return tail
        self._parts.append(tail)
        whole = b"".join(self._parts)
        self._parts, self._size = [], 0
        return whole

    def _keep(self, rest: bytes) -> None:
        """Hold `rest` for the next chunk, unless there is nothing that it could belong to, or too much of it."""
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > _ELEMENT_BYTES:
            if self._inside and self._brackets.depth == self._base:
                raise Malformed("its elements are not JSON objects")
            self._problem = self._problem or "it is too large"
        if self._problem or not self._inside:
            self._parts, self._size = [b"".join(self._parts[-2:])[-_KEY_WINDOW:]], 0
