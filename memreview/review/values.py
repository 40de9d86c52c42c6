"""What the faces of the program show and send: plain values, the same for window, command line and evaluation.

Times are UTC microseconds, None when unknown. Texts are imported data: show them as plain text only.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec

from memreview.records import Authorization, Origin, TransitionKind

Progress = Callable[[str, int, int], None]
"""`progress(stage, done, total)`; it raises `Cancelled` to stop the work where it stands. total 0: not known."""


class Cancelled(Exception):
    """The person stopped the work. What was done before stays, and the work says what that is."""


class MemoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One memory as a table shows it. `anchored`: some entry is known that it came from."""

    id: int
    text: str
    status: str
    native_state: str
    kind: str
    provider: str
    source_label: str
    scope: str = ""
    valid_until: int | None = None
    slot: str = ""
    created_at: int | None = None
    updated_at: int | None = None
    pending: int = 0
    anchored: bool = False
    added: bool = False
    stayed_deleted: bool = False


class ContextEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a conversation; `highlights` are (start, end) into `text`."""

    id: int
    origin: Origin
    kind: str
    actor: str
    at: int | None
    text: str
    active: bool = True
    hidden: bool = False
    highlights: tuple[tuple[int, int], ...] = ()


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a conversation around the entry `focus`; `before`/`after` tell how many entries are left out."""

    conversation_id: int
    title: str
    provider: str
    entries: tuple[ContextEntry, ...]
    focus: int
    before: int = 0
    after: int = 0


class TimelinePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A value of one slot at a time, for the plot. `side`: old, new or other; `memory_id` where a memory says it."""

    at: int | None
    value: str
    side: str
    origin: str
    memory_id: int | None = None


class QueueItem(msgspec.Struct, frozen=True, kw_only=True):
    """One pending case in a list, ranked by `rank` = harm x confidence."""

    id: int
    kind: TransitionKind
    authorization: Authorization
    old_text: str
    new_claim: str
    old_value: str
    new_value: str
    old_at: int | None
    new_at: int | None
    rank: float
    confidence: float
    harm: float
    provider: str
    status: str
    snoozed_until: int | None = None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """All that the person needs to decide one transition. `reasons` say why in plain words, `effects` what approving
    changes."""

    item: QueueItem
    slot: str
    old: MemoryRow
    new: MemoryRow | None
    old_context: Context | None
    new_context: Context | None
    timeline: tuple[TimelinePoint, ...]
    reasons: tuple[str, ...]
    effects: tuple[str, ...]
    path: tuple[str, ...]


class Verb(StrEnum):
    APPROVE = "approve"  # the old memory is superseded by the new one
    REJECT = "reject"  # the old memory still holds; the proposal never comes back
    SCOPE = "scope"  # both hold, the new one only in `scope` (and until `until`)
    EDIT = "edit"  # the memory's text becomes `text`; on a transition: approve with `text` as the new claim
    DELETE = "delete"  # forget this memory, for good
    SNOOZE = "snooze"  # ask again at `until`
    RESTORE = "restore"  # make a deleted or superseded memory count again


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One step, whatever the number of targets. `transitions` are case ids, `memories` memory ids."""

    verb: Verb
    transitions: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()
    scope: str = ""
    text: str = ""
    until: int | None = None


class RowChange(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a preview: what a memory or case is before and after. `target` is memory, transition, …"""

    target: str
    id: int
    title: str
    before: dict[str, Any]
    after: dict[str, Any]


class Preview(msgspec.Struct, frozen=True):
    """`counts` by kind of change ("memories superseded": 3); `changes` holds at most 500 samples."""

    counts: dict[str, int]
    changes: tuple[RowChange, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the history; `label` names it ("Reject 14 cases"); `state` is done, undone or dropped."""

    id: int
    at: int
    actor: str
    verb: str
    label: str
    state: str
    changes: int = 0


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A search result: a memory, or an entry with the matching stretch. `how` is words, meaning or both."""

    target: str
    id: int
    text: str
    start: int
    end: int
    score: float
    how: str
    at: int | None
    origin: str
    title: str
    provider: str


class MemoryDetail(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory is here: its wording as imported, its versions, the entries it came from, cases, and history."""

    row: MemoryRow
    imported_text: str
    versions: tuple[tuple[int | None, str, str, str], ...]  # (at, event, old text, new text)
    sources: tuple[Context, ...]
    sources_are_guessed: bool
    cases: tuple[QueueItem, ...]
    steps: tuple[Step, ...]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers for badges and the report, over all rows. `verified` and `stated` count pending cases without the
    duplicates."""

    memories: int = 0
    active: int = 0
    superseded: int = 0
    deleted: int = 0
    entries: int = 0
    conversations: int = 0
    imports: int = 0
    pending: int = 0
    verified: int = 0
    stated: int = 0
    snoozed: int = 0
    decided: int = 0
    stayed_deleted: int = 0
    by_kind: dict[str, int] = {}


class ImportSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One line per export found in what was dropped. `counts` and `notes` as in store.ingest.ImportReport."""

    import_id: int
    provider: str
    label: str
    file_name: str
    format: str
    state: str  # running, stopped, done, undone
    started_at: int
    finished_at: int | None
    exported_at: int | None
    counts: dict[str, int]
    notes: tuple[tuple[str, str, str], ...]  # (kind, where, reason)


class AuditSummary(msgspec.Struct, frozen=True, kw_only=True):
    proposed: int
    verified: int
    stated: int
    withdrawn: int
    kept_rejected: int
    refused: dict[str, int]
    seconds: float
    embedder: str  # "" where the audit ran on words alone


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `doctor`: ok, or what is wrong and what to do."""

    name: str
    ok: bool
    detail: str
    advice: str = ""
