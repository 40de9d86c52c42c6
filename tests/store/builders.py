"""Small exports as importers yield them."""

from __future__ import annotations

from collections.abc import Sequence

from memreview.records import Bundle, Conversation, Entry, EntryRef, MemoryRecord, Moment, Origin, Source
from memreview.store import ingest
from memreview.store.database import Database
from memreview.store.ingest import ImportRow

DAY = 86_400_000_000
START = 1_750_000_000_000_000


def said(native_id: str, text: str, *, day: int = 0, origin: Origin = Origin.USER, active: bool = True) -> Entry:
    return Entry(native_id=native_id, origin=origin, text=text, at=Moment(START + day * DAY, 0), active=active)


def chat(native_id: str, *entries: Entry, title: str = "A chat") -> Bundle:
    return Bundle(cursor=native_id, conversation=Conversation(native_id=native_id, title=title), entries=tuple(entries))


def kept(native_id: str, text: str, *, day: int = 0, evidence: Sequence[EntryRef] = ()) -> MemoryRecord:
    return MemoryRecord(native_id=native_id, text=text, created=Moment(START + day * DAY, 0), evidence=tuple(evidence))


def store_of(*memories: MemoryRecord, complete: bool = True) -> Bundle:
    return Bundle(cursor="store", memories=tuple(memories), memories_complete=complete)


def start(database: Database, *, name: str = "export.zip", account: str = "ines", provider: str = "mem0") -> ImportRow:
    source = ingest.source_id(database, Source(provider, account))
    return ingest.begin(database, source, file_name=name, format=provider, fingerprint=name, exported_at=None)


def take_in(database: Database, *bundles: Bundle, name: str = "export.zip", provider: str = "mem0") -> ImportRow:
    """Import bundles whole, as `review.imports` does, without tombstones."""
    row = ingest.add(database, start(database, name=name, provider=provider), bundles)
    return ingest.finish(database, row, meaning=str.casefold, buried=lambda records: [False] * len(records))
