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
    RESTORE = "restore"  # make a deleted or superseded memory count again; put a claim back into quarantine
    RELEASE = "release"  # a claim out of quarantine, into `layer` and `scope`
    KEEP = "keep"  # a claim stays in quarantine for another while
    NEVER = "never"  # delete a claim, and take nothing from its source any more
    ANSWER = "answer"  # a question: `answer` is a choice's key, or "text" with `text`


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One step, whatever the number of targets. `transitions` are case ids, `memories` memory ids, `nodes` the ids of
    claims in quarantine, `questions` those of questions."""

    verb: Verb
    transitions: tuple[int, ...] = ()
    memories: tuple[int, ...] = ()
    nodes: tuple[int, ...] = ()
    questions: tuple[int, ...] = ()
    scope: str = ""
    text: str = ""
    until: int | None = None
    layer: str = ""
    answer: str = ""


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
    duplicates, `questions` and `quarantined` what waits for the person, `planted` those of the latter that an assistant
    remembers already."""

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
    questions: int = 0
    quarantined: int = 0
    planted: int = 0
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
    gate: GateSummary | None = None  # what the gate read beside it


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `doctor`: ok, or what is wrong and what to do."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


class NodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One belief of the ledger. `confidence` is what is left of it at the end of the history; `trust` the least trusted
    origin that it rests on, "" where none is known; `memories` the ids of memories that say it."""

    id: int
    claim: str
    layer: str  # stable, contextual, transient
    scope: str  # "global" or words
    status: str  # active, superseded, quarantined, evicted, deleted
    at: int | None
    confidence: float
    trust: str
    slot: str = ""
    memories: tuple[int, ...] = ()


class GateReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate said of one claim: the probabilities of its six actions (retain, add, scope, revise, quarantine,
    ask), their entropy in nats, `eta` above which it asks, and how probably the person means and wrote the claim."""

    at: int | None
    action: str
    probabilities: dict[str, float]
    entropy: float
    eta: float
    authenticity: float


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where a claim comes from. `kind`: page, document, tool, summary, assistant, pasted, own, memory; `words` says it
    plainly ("a web page: example.org"); `name` is the host, file or tool, "" if unknown. Only with `blockable` there is
    a "never from this source"."""

    kind: str
    words: str
    name: str = ""
    blockable: bool = False


class DecayPoint(msgspec.Struct, frozen=True, kw_only=True):
    """`share` of its first weight that a claim in quarantine has after `days` without support, at the time `at`."""

    days: float
    at: int
    share: float


class Corroboration(msgspec.Struct, frozen=True, kw_only=True):
    """`have` of the `needed` statements that would let a claim out by themselves, 0 where none can; `words` say what
    such a statement is; `heard` are entries in which it was said again, whether they count or not."""

    have: int
    needed: int
    words: tuple[str, ...]
    heard: tuple[int, ...] = ()


class QuarantineItem(msgspec.Struct, frozen=True, kw_only=True):
    """One claim that is held back, in a list. `status`: quarantined, or evicted once its days ran out. `rank` is higher
    where an assistant already remembers it (`memories`), or where it contradicts what is held. `remembered` is the text
    of the first of these memories that is still held, "" without one; `in_use` whether one counts all the same."""

    id: int
    claim: str
    provenance: Provenance
    at: int | None
    status: str
    days_left: float
    authenticity: float
    contradicts: int
    memories: tuple[int, ...]
    remembered: str
    in_use: bool
    rank: float


class QuarantineCase(msgspec.Struct, frozen=True, kw_only=True):
    """All that the person needs to decide on a claim that is held back. `context` has the passage highlighted, None
    where only a memory says it. `contradicts` has the surest first. The curve falls to `floor` at `evicts_at`. `layer`
    and `scope` are what a release takes unless told otherwise; `effects` tells for the verbs release, keep, delete and
    never what each changes."""

    item: QuarantineItem
    context: Context | None
    quote: str
    reading: GateReading | None
    contradicts: tuple[NodeRow, ...]
    corroboration: Corroboration
    decay: tuple[DecayPoint, ...]
    floor: float
    evicts_at: int
    layer: str
    scope: str
    reasons: tuple[str, ...]
    memories: tuple[MemoryRow, ...]
    effects: dict[str, tuple[str, ...]]


class AnswerChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One answer. `key` goes into `Decision.answer`; with `wants_scope` the person may name where it holds (`scope` is
    the suggestion). `effects` say what it changes."""

    key: str
    label: str
    effects: tuple[str, ...]
    wants_scope: bool = False
    scope: str = ""


class QuestionItem(msgspec.Struct, frozen=True, kw_only=True):
    """One question in a list. `claims` are how many statements it is about; one answer settles them all."""

    id: int
    text: str
    at: int | None
    claims: int
    snoozed_until: int | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question in plain words. `case`: changed, situation, meant, words. `held` is what is remembered now, if it is
    about that; `contexts` are what was said, newest first, with the sentence highlighted, at most five. Two to four
    `answers`; free text is always possible (answer "text", with `Decision.text`)."""

    item: QuestionItem
    case: str
    held: NodeRow | None
    contexts: tuple[Context, ...]
    answers: tuple[AnswerChoice, ...]
    reading: GateReading | None


class LifeLine(msgspec.Struct, frozen=True, kw_only=True):
    """One dated line of a memory's life. `kind`: said, stored, version, gate, held, corroborated, changed, faded,
    decided. `entry_id` where it can be read in its conversation, `step` the step of the history that did it."""

    at: int | None
    kind: str
    text: str
    origin: str = ""
    entry_id: int | None = None
    step: int | None = None
    undone: bool = False


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory is there, oldest line first, unknown times first. `node` is None where the gate did not read it."""

    title: str
    node: NodeRow | None
    lines: tuple[LifeLine, ...]
    reading: GateReading | None = None


class GateSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of the gate did. `actions` counts what it decided; `reason` is why it could not run, else ""."""

    events: int = 0
    claims: int = 0
    actions: dict[str, int] = {}
    questions: int = 0
    quarantined: int = 0
    seconds: float = 0.0
    reason: str = ""
