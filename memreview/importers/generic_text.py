"""Memories in plain text: bullets under headings, dated lists as assistants print them, or one memory a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memreview.importers.contract import Limits
from memreview.importers.generic_json import Found
from memreview.importers.stores import Gathered, Store
from memreview.importers.text import clean, text_id
from memreview.importers.times import moment
from memreview.records import UNKNOWN, MemoryRecord, Moment, NoteKind, Source

OWN_PAGE = "# Memories, as reviewed with memreview"
# "1. [2024-09-29]. Keeps bees." and "[2025-06-01] - Prefers metric units." or "[unknown] - …", also behind a bullet.
DATED = re.compile(
    r"[ \t]*(?:(?:[-*•+]|\d{1,4}[.)])[ \t]+)?\[(?P<date>\d[^\]\n]{3,38}|unknown|no date|date unknown|n/a)\]"
    r"[ \t]*(?:[.:\-–—][ \t]*)*(?P<text>\S.*)",
    re.IGNORECASE,
)
BULLET = re.compile(r"[ \t]*(?:[-*•+]|\d{1,4}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)")
HEADING = re.compile(r"#{1,6}[ \t]+(?P<hash>.+?)[ \t#]*|(?P<mark>\*\*|__)(?P<bold>[^*_]+)(?P=mark):?")
FENCE = re.compile(r"[ \t]*(?:```|~~~)")
RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*")


@dataclass
class Item:
    """A memory on its way: its first line, and what follows until the next."""

    line: int
    texts: list[str]
    listed: bool
    at: Moment = UNKNOWN
    heading: str = ""
    dated: bool = field(default=False)


def is_dated(head: bytes) -> bool:
    """Whether it begins as a dated list, which looks like JSON at first sight."""
    return DATED.match(head.decode("utf-8-sig", "replace").lstrip().split("\n", 1)[0]) is not None


def gather(store: Store, text: str, limits: Limits, *, lines: bool = False) -> Found:
    """With `lines` a text without a list is known to have one memory a line."""
    if text.startswith(OWN_PAGE):
        raise store.failed("it is a page that memreview wrote for reading", "the same list as JSON or CSV")
    items = list(_items(clean(text)))
    listed = [item for item in items if item.listed]
    prose = len(items) - len(listed)
    chosen = listed if len(listed) > prose else items
    gathered = Gathered(store, limits)
    for item in chosen:
        words = "\n".join(item.texts).strip()
        record = MemoryRecord(
            native_id=text_id(words), text=words, created=item.at, categories=(item.heading,) if item.heading else ()
        )
        gathered.add(record, store.item(item.line, "line"))
    if not gathered.records:
        raise store.failed("there is no memory in it", "one memory a line, or a list with bullets")
    if not listed and not lines:
        each = f"it is no list with bullets or dates: each of its lines ({prose:,}) was taken as one memory"
        gathered.note(NoteKind.WARNING, store.member.name, each)
    if len(chosen) < len(items):
        gathered.note(NoteKind.SKIPPED, store.member.name, f"lines around the list that are no part of it: {prose}")
    return Found(gathered, "generic-text", Source(provider="generic", label=store.member.base))


def _items(text: str) -> Iterator[Item]:
    """Every line that says something, listed or not. A line goes on with the item above it when it is indented, or
    when that is dated and no blank line is between them."""
    heading, open_item = "", None
    for number, line in enumerate(text.splitlines(), 1):
        title = HEADING.fullmatch(line.strip())
        if not line.strip() or FENCE.match(line) or RULE.fullmatch(line) or title:
            heading = (title["hash"] or title["bold"]).strip() if title else heading
            if open_item is not None:
                yield open_item
            open_item = None
            continue
        dated, bullet = DATED.fullmatch(line), BULLET.fullmatch(line)
        found = dated or bullet
        if found is None and open_item is not None and (open_item.dated or (open_item.listed and line[0] in " \t")):
            open_item.texts.append(line.strip())
            continue
        if open_item is not None:
            yield open_item
        words = (found["text"] if found else line).strip()
        at = moment(dated["date"]) if dated else UNKNOWN
        open_item = Item(number, [words], found is not None, at, heading, dated is not None)
    if open_item is not None:
        yield open_item
