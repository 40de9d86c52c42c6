"""The imports of a profile: what each brought, and what a stopped one keeps aside. Imports nothing heavy."""

from __future__ import annotations

import builtins

from memreview.review.profile import Profile
from memreview.review.values import ImportSummary
from memreview.store import ingest
from memreview.store.ingest import ImportRow


def list(profile: Profile) -> builtins.list[ImportSummary]:
    """All imports, newest first; a stopped one can be resumed by importing the file again, or discarded."""
    return [summary(row) for row in ingest.imports(profile.database)]


def discard(profile: Profile, import_id: int) -> None:
    """Throw away what a stopped import had kept aside. Raises `LookupError`."""
    ingest.discard(profile.database, import_id)


def summary(row: ImportRow) -> ImportSummary:
    return ImportSummary(
        import_id=row.id,
        provider=row.source.provider,
        label=row.source.label,
        file_name=row.file_name,
        format=row.format,
        state=row.state,
        started_at=row.started_at,
        finished_at=row.finished_at,
        exported_at=row.exported_at,
        counts=row.report.counts,
        notes=tuple((str(note.kind), note.where, note.reason) for note in row.report.notes),
    )
