"""Running an audit over a profile: embed what is new, compare, and put what was found in the queue."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

from memreview import __version__
from memreview.audit import lifecycle
from memreview.audit.lifecycle import EvidenceEntry, HeldMemory, Since, Statement
from memreview.language.claims import Hypothesis
from memreview.language.embedder import TextEmbedder
from memreview.language.relations import Judgement, Pair
from memreview.language.sentences import windows as sentence_windows
from memreview.records import Authorization, Origin
from memreview.review import reading
from memreview.review.profile import Profile
from memreview.review.values import AuditSummary, Progress
from memreview.store import journal, memories, transitions, vectors, windows
from memreview.store.vectors import FloatArray

EMBED_BATCH = 1_000
UPTO = "audit_upto"


def run(profile: Profile, progress: Progress, *, full: bool = True) -> AuditSummary:
    """Audit the profile; `full=False` looks only at what came since the last audit, as after an import. Only what has
    no embedding yet is embedded; without an embedder the audit goes by words alone. Raises `Cancelled`: what was
    embedded stays."""
    started = time.monotonic()
    prepare(profile, progress)
    embedder = profile.embedder_or_none()
    held, statements, entries = _material(profile)
    result = lifecycle.audit(
        held,
        statements,
        entries,
        _Similarity(profile, embedder),
        since=None if full else _last_audit(profile),
        progress=lambda share: progress("comparing", round(share * 100), 100),
        reader=_Reader(profile) if profile.relations_or_none() and profile.claims_or_none() else None,
    )
    with journal.action(profile.database, "audit", "program") as act:
        counts = transitions.merge(profile.database, act, result.transitions, complete=full)
        act.note(**counts)
        profile.database.set_state(UPTO, f"{__version__} {_highest(statements, 'window_id')} {_highest(held, 'id')}")
    by_authorization = [found.authorization for found in result.transitions]
    return AuditSummary(
        proposed=counts["proposed"],
        withdrawn=counts["withdrawn"],
        kept_rejected=counts["kept_rejected"],
        verified=by_authorization.count(Authorization.VERIFIED),
        stated=by_authorization.count(Authorization.STATED),
        refused=dict(result.refused),
        seconds=time.monotonic() - started,
        embedder=embedder.id if embedder else "",
    )


def prepare(profile: Profile, progress: Progress) -> None:
    """Cut and embed what came since, and bring the FAISS index up to date."""
    database = profile.database
    windows.cut(database, _spans, lambda done, total: progress("sentences", done, total))
    windows.cover_memories(database)
    reading.file_memories(profile, progress)
    embedder = profile.embedder_or_none()
    if embedder is None:
        return
    texts = sorted(windows.without_vector(database, embedder.id), key=len)  # like lengths in one batch pad least
    for start in range(0, len(texts), EMBED_BATCH):
        chunk = texts[start : start + EMBED_BATCH]
        vectors.put(database, embedder.id, chunk, embedder.encode(chunk))
        progress("meaning", start + len(chunk), len(texts))
    profile.index().refresh(database)


def _last_audit(profile: Profile) -> Since | None:
    """Up to where the last audit looked; None where there was none, or one of another version with other rules."""
    version, _, places = profile.database.state(UPTO).partition(" ")
    if version != __version__:
        return None
    window_id, memory_id = places.split()
    return Since(int(window_id), int(memory_id))


def _highest(rows: Sequence[object], name: str) -> int:
    return max((getattr(row, name) for row in rows), default=0)


class _Reader:
    """The language models for the audit; what they read is kept."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def own(self, texts: Sequence[str]) -> list[Hypothesis | None]:
        return reading.own(self._profile, texts)

    def noted(self, texts: Sequence[str]) -> list[Hypothesis | None]:
        return reading.noted(self._profile, texts)

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        model = self._profile.relations_or_none()
        return model.judge(pairs) if model else []


class _Similarity:
    """Vectors for the audit, from the store; what is not there yet is embedded and kept."""

    def __init__(self, profile: Profile, embedder: TextEmbedder | None) -> None:
        self._database, self._embedder = profile.database, embedder

    def vectors(self, texts: Sequence[str]) -> FloatArray | None:
        if self._embedder is None:
            return None
        embedder = self._embedder
        return vectors.ensure(self._database, embedder.id, embedder.dims, texts, embedder.encode)


def _spans(text: str) -> list[tuple[int, int]]:
    return [(window.start, window.end) for window in sentence_windows(text)]


def _material(profile: Profile) -> tuple[list[HeldMemory], list[Statement], dict[int, EvidenceEntry]]:
    evidence: dict[int, list[int]] = defaultdict(list)
    for memory_id, entry_id in memories.evidence(profile.database):
        evidence[memory_id].append(entry_id)
    held = [
        HeldMemory(
            id=row["id"],
            text=row["text"],
            source_id=row["source_id"],
            created=row["created_at"],
            updated=row["updated_at"],
            slot=row["slot"],
            scope=row["scope"],
            evidence=tuple(evidence[row["id"]]),
            kind=row["kind"],
            subject=row["subject"],
        )
        for row in memories.held(profile.database)
    ]
    entries = {
        row["id"]: EvidenceEntry(
            id=row["id"],
            conversation_id=row["conversation_id"],
            text=row["text"],
            at=row["at"],
            origin=Origin.USER,
            active=bool(row["active"]),
        )
        for row in windows.entries(profile.database)
    }
    statements = [
        Statement(
            window_id=row["id"],
            entry_id=entry.id,
            conversation_id=entry.conversation_id,
            at=entry.at,
            start=row["start"],
            end=row["end"],
            text=entry.text[row["start"] : row["end"]],
            origin=entry.origin,
            active=entry.active,
        )
        for row in windows.statements(profile.database)
        for entry in (entries[row["entry_id"]],)
    ]
    return held, statements, entries
