"""Transitions: old → new, with the quotations and times that deterministic code has checked."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from memreview.records.entry import Origin


class TransitionKind(StrEnum):
    """How the old state was overtaken."""

    EXPLICIT = "explicit"  # the person said that it changed
    SAME_SUBJECT = "same_subject"  # the same slot with another value
    DUPLICATE = "duplicate"  # two memories say one thing
    IMPLICIT = "implicit"
    PROPAGATED = "propagated"


class TransitionStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    SCOPED = "scoped"
    WITHDRAWN = "withdrawn"  # a later audit no longer proposes it


class Authorization(StrEnum):
    """VERIFIED: the validator found both quotations, times and path in entries (StateAuditor/VTA §4.4).
    STATED: only the stores' own notes disagree and no conversation proves which holds; never applied unasked."""

    VERIFIED = "verified"
    STATED = "stated"


class Quotation(msgspec.Struct, frozen=True, kw_only=True):
    """Words of one entry: `text` is `entry.text[start:end]`; `at` is the entry's own time in UTC microseconds."""

    entry_id: int
    text: str
    start: int
    end: int
    at: int | None
    origin: Origin


class Transition(msgspec.Struct, frozen=True, kw_only=True):
    """`path` is the causal path, oldest first, at least two nodes (`entry:12`, `memory:3`, `slot:location.city`).

    `old_memory_id` is the memory that no longer holds; `new_memory_id` the one that already says so, if any.
    `confidence` and `harm` are in [0, 1]; the queue ranks by their product. `key` names the pair by meaning, so that
    a decision outlives another import.
    """

    kind: TransitionKind
    key: str
    old_memory_id: int
    old_value: str
    new_value: str
    new_claim: str
    slot: str = ""
    new_memory_id: int | None = None
    old_quote: Quotation | None = None
    new_quote: Quotation | None = None
    path: tuple[str, ...] = ()
    confidence: float = 0.5
    harm: float = 0.5
    authorization: Authorization = Authorization.STATED
    reasons: tuple[str, ...] = ()
