"""What an importer yields: bundles, each whole in itself, and notes on what did not come in."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from memreview.records.entry import Conversation, Entry
from memreview.records.memory import MemoryChange, MemoryRecord


class Source(msgspec.Struct, frozen=True):
    """The assistant account or store that an export shows. `account` is "" where the file does not name one."""

    provider: str
    account: str = ""
    label: str = ""


class NoteKind(StrEnum):
    BROKEN = "broken"  # could not be read: the person should know
    SKIPPED = "skipped"  # left out on purpose
    GUESSED = "guessed"  # read, but with an assumption
    WARNING = "warning"  # about the whole file, e.g. probably cut at 100 items


class Note(msgspec.Struct, frozen=True):
    """`where` is the position in the file ("conversations.json, item 17"), never a text of the person's."""

    kind: NoteKind
    where: str
    reason: str


class Original(msgspec.Struct, frozen=True):
    """A memory store's own file, kept whole so that it can be written back with only our changes in it."""

    name: str
    body: bytes


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """One element of an export (a conversation, a memory store) that is stored whole or not at all.

    `cursor` is what `Export.bundles(start=…)` takes to go on after this bundle; `done` the bytes read so far.
    `memories_complete`: the memories of this export are the whole store, so what is absent was dropped there.
    """

    cursor: str
    done: int = 0
    conversation: Conversation | None = None
    entries: tuple[Entry, ...] = ()
    memories: tuple[MemoryRecord, ...] = ()
    changes: tuple[MemoryChange, ...] = ()
    notes: tuple[Note, ...] = ()
    original: Original | None = None
    memories_complete: bool = False
