"""Lines of labelled JSON, each decoded by itself: a bad one is named and costs no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

T = TypeVar("T")


class Line(NamedTuple):
    file: Path
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


def decoded(files: Iterable[Path], kind: type[T]) -> Iterator[tuple[Line, T | None, str]]:
    """Each line's record, or None and what is wrong with it. Blank lines are passed over. Raises `OSError`."""
    decoder = msgspec.json.Decoder(kind)
    for file in files:
        for number, line in enumerate(file.read_bytes().splitlines(), 1):
            if not line.strip():
                continue
            where = Line(file, number)
            try:
                yield where, decoder.decode(line), ""
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                yield where, None, str(error)
