"""The lifecycle audit: which memories were overtaken by what the person said since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory, Similarity, Since, Statement
from memreview.audit.lifecycle.inferred import Reader
from memreview.audit.lifecycle.proposer import propose
from memreview.audit.lifecycle.validator import Failure, Validation, validate
from memreview.records.transition import Authorization, Transition, TransitionKind

__all__ = [
    "AuditResult",
    "EvidenceEntry",
    "Failure",
    "HeldMemory",
    "Reader",
    "Similarity",
    "Since",
    "Statement",
    "Validation",
    "audit",
    "propose",
    "validate",
]

# What a conflict between notes lacks, and nothing else: words of the person's own.
_ONLY_NOTED = frozenset({Failure.OLD_NOT_QUOTED, Failure.NEW_NOT_QUOTED, Failure.NO_PATH})


@dataclass(frozen=True, slots=True)
class AuditResult:
    """`refused` counts candidates by the first reason for which the validator turned them down."""

    transitions: tuple[Transition, ...]
    refused: dict[str, int]


def audit(
    memories: Sequence[HeldMemory],
    statements: Sequence[Statement],
    entries: Mapping[int, EvidenceEntry],
    similarity: Similarity | None = None,
    since: Since | None = None,
    progress: Callable[[float], None] | None = None,
    reader: Reader | None = None,
) -> AuditResult:
    """Propose, validate, and keep one transition for each memory and attribute. With `since` only what is
    new is looked at; without a `reader` the rules propose alone."""
    held = {memory.id: memory for memory in memories}
    kept: list[Transition] = []
    refused: Counter[str] = Counter()
    for candidate in propose(memories, statements, entries, similarity, since, progress, reader):
        validation = validate(candidate, entries, held)
        judged = _authorized(candidate, validation)
        if judged is None:
            refused[validation.failures[0]] += 1
        else:
            kept.append(judged)
    return AuditResult(tuple(_merged(kept)), dict(refused))


def _authorized(candidate: Transition, validation: Validation) -> Transition | None:
    if validation.authorized:
        return msgspec.structs.replace(
            candidate,
            authorization=Authorization.VERIFIED,
            old_quote=validation.old_quote,
            new_quote=validation.new_quote,
        )
    if candidate.kind is TransitionKind.DUPLICATE or set(validation.failures) <= _ONLY_NOTED:
        return msgspec.structs.replace(
            candidate,
            authorization=Authorization.STATED,
            old_quote=validation.old_quote,
            new_quote=validation.new_quote,
            reasons=(
                *candidate.reasons,
                *(failure.words for failure in validation.failures if failure is not Failure.NO_PATH),
            ),
        )
    return None


def _merged(transitions: Iterable[Transition]) -> list[Transition]:
    """One for each memory and attribute, the most certain; and one for each memory and message."""
    best: dict[tuple[object, ...], Transition] = {}
    for transition in sorted(transitions, key=_merit, reverse=True):
        places = [
            (
                transition.old_memory_id,
                "fold" if transition.kind is TransitionKind.DUPLICATE else "slot",
                transition.slot,
            )
        ]
        if transition.new_quote:
            places.append((transition.old_memory_id, "entry", str(transition.new_quote.entry_id)))
        if not any(place in best for place in places):
            best.update(dict.fromkeys(places, transition))
    unique = {id(transition): transition for transition in best.values()}
    return sorted(unique.values(), key=lambda transition: -transition.confidence * transition.harm)


def _merit(transition: Transition) -> tuple[bool, bool, float, int]:
    at = transition.new_quote.at if transition.new_quote else None
    return (
        transition.kind is not TransitionKind.DUPLICATE,
        transition.authorization is Authorization.VERIFIED,
        transition.confidence,
        at or 0,
    )
