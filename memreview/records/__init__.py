"""The values that travel between rooms. No I/O, no behaviour beyond naming what a thing is."""

from memreview.records.entry import Conversation, Entry, EntryKind, EntryRef, Origin
from memreview.records.export import Bundle, Note, NoteKind, Original, Source
from memreview.records.memory import (
    MemoryChange,
    MemoryKind,
    MemoryRecord,
    MemoryStatus,
    NativeState,
)
from memreview.records.moment import UNKNOWN, Moment
from memreview.records.transition import (
    Authorization,
    Quotation,
    Transition,
    TransitionKind,
    TransitionStatus,
)

__all__ = [
    "UNKNOWN",
    "Authorization",
    "Bundle",
    "Conversation",
    "Entry",
    "EntryKind",
    "EntryRef",
    "MemoryChange",
    "MemoryKind",
    "MemoryRecord",
    "MemoryStatus",
    "Moment",
    "NativeState",
    "Note",
    "NoteKind",
    "Origin",
    "Original",
    "Quotation",
    "Source",
    "Transition",
    "TransitionKind",
    "TransitionStatus",
]
