"""What the claim encoder reads: hypotheses of the person's messages, and the slot of each memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memreview.review.values import Progress
from memreview.store import memories
from memreview.store.readings import Readings

if TYPE_CHECKING:
    from memreview.language.claims import ClaimModel, Hypothesis
    from memreview.review.profile import Profile

BATCH = 1_000
SURE = 0.5
"""Least probability of the slot under which a memory is filed; below it the domain is, if that has as much."""

_OWN, _NOTED = "", "+noted"  # a note is read as a claim in any case


def own(profile: Profile, texts: Sequence[str], progress: Progress | None = None) -> list[Hypothesis | None]:
    """What the person's own sentences claim, from the store or read now; None where nothing is claimed, or where the
    claim encoder is missing."""
    return _read(profile, texts, _OWN, progress)


def noted(profile: Profile, texts: Sequence[str], progress: Progress | None = None) -> list[Hypothesis | None]:
    """What memories claim; None only where the claim encoder is missing."""
    return _read(profile, texts, _NOTED, progress)


def file_memories(profile: Profile, progress: Progress) -> int:
    """Give each live memory the slot or domain of its text; returns how many changed. A reading of the text like the
    keyword index, and so no step of the journal."""
    rows = memories.texts(profile.database)
    found = noted(profile, [text for _, text, _ in rows], progress)
    changed = [
        (slot, memory_id)
        for (memory_id, _, held), hypothesis in zip(rows, found, strict=True)
        if hypothesis is not None and (slot := place(hypothesis)) != held
    ]
    memories.file(profile.database, changed)
    return len(changed)


def place(hypothesis: Hypothesis) -> str:
    """The slot, else the domain, else "": what is sure enough."""
    if hypothesis.slot and hypothesis.slot_probability >= SURE:
        return hypothesis.slot
    return hypothesis.domain if hypothesis.domain and hypothesis.domain_probability >= SURE else ""


def _read(profile: Profile, texts: Sequence[str], kind: str, progress: Progress | None) -> list[Hypothesis | None]:
    from memreview.language.claims import Hypothesis

    model = profile.claims_or_none()
    if model is None:
        return [None] * len(texts)
    readings = Readings(profile.database, model.id + kind, Hypothesis, lambda one: not one.has_claim)
    found: list[Hypothesis | None] = []
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))  # like lengths in one batch pad least
    for start in range(0, len(texts), BATCH):
        chunk = [texts[row] for row in order[start : start + BATCH]]
        found += readings.ensure(chunk, lambda absent: _hypotheses(model, absent, kind))
        if progress:
            progress("claims", start + len(chunk), len(texts))
    placed = dict(zip(order, found, strict=True))
    return [placed[row] for row in range(len(texts))]


def _hypotheses(model: ClaimModel, texts: list[str], kind: str) -> list[Hypothesis]:
    return model.read(texts, ["user"] * len(texts), abstain=kind == _OWN)
