"""Importing an export: what a person drops, from opening it to the report of what came in."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from memreview import importers
from memreview.importers.contract import ColumnMapping, Export, ImportFailed, Limits
from memreview.importers.generic import open_pasted
from memreview.language.sentences import normalize
from memreview.records import Bundle, MemoryRecord, Source
from memreview.review import burial, settings
from memreview.review.imports import summary
from memreview.review.profile import Profile
from memreview.review.values import ImportSummary, Progress
from memreview.store import backup, ingest, keywords
from memreview.store.errors import StoreBusy, StoreReadOnly
from memreview.store.ingest import ImportRow

BATCH_ENTRIES = 4_000
BATCH_SECONDS = 1.0
LOCK = "import.lock"
UNNAMED = "unnamed-"
_EDGE = 1 << 20


def import_path(
    profile: Profile, path: Path, *, mapping: ColumnMapping | None = None, progress: Progress
) -> list[ImportSummary]:
    """Import every export that a file or folder holds; a stopped import of the same file goes on where it was.

    Raises `ImportFailed` (nothing of that file is stored), `Cancelled` (what was read is kept aside, see
    `imports.list`), `StoreError`. Exports that came in before a later one failed stay.
    """
    exports = importers.open_exports(path, _limits(profile), mapping)
    return _import_all(profile, exports, fingerprint(path), progress)


def import_pasted(profile: Profile, text: str, label: str, *, progress: Progress) -> list[ImportSummary]:
    """Import a pasted list, one memory a line. Raises as `import_path`."""
    export = open_pasted(text, label)
    return _import_all(profile, [export], hashlib.blake2b(text.encode("utf-8", "replace")).hexdigest(), progress)


def was_taken(profile: Profile, path: Path) -> bool:
    """Whether all of this very file came in before, also where that was undone."""
    return ingest.was_taken(profile.database, fingerprint(path))


def fingerprint(path: Path) -> str:
    """The same for the same bytes: names and sizes for a folder, size and both ends for a file."""
    digest = hashlib.blake2b(digest_size=20)
    files = sorted(found for found in path.rglob("*") if found.is_file()) if path.is_dir() else [path]
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path) if file != path else ''}\0{size}\0".encode("utf-8", "replace"))
        if file == path:
            with file.open("rb") as stream:
                digest.update(stream.read(_EDGE))
                stream.seek(max(0, size - _EDGE))
                digest.update(stream.read(_EDGE))
    return digest.hexdigest()


def _import_all(profile: Profile, exports: Sequence[Export], file_key: str, progress: Progress) -> list[ImportSummary]:
    done = []
    with _import_lock(profile):
        ingest.stop_abandoned(profile.database)
        hours = settings.get(profile, "backup_before_import_hours")
        if profile.database.value("SELECT EXISTS (SELECT 1 FROM imports WHERE state = 'done')"):
            backup.back_up_if_due(profile.database, reason="before-import", every=timedelta(hours=hours))
        shared = Counter((export.source.provider, export.source.account) for export in exports)
        try:
            for export in exports:
                with closing(export):
                    # Of several files of one store none is the whole of it.
                    whole = shared[export.source.provider, export.source.account] == 1
                    done.append(summary(_import_one(profile, export, file_key, whole, progress)))
        except BaseException:
            keywords.index_entries(profile.database, lambda _n, _total: None)  # what came in before can be searched
            raise
        keywords.index_entries(profile.database, lambda n, total: progress("words", n, total))
    return done


def _import_one(profile: Profile, export: Export, file_key: str, whole: bool, progress: Progress) -> ImportRow:
    database = profile.database
    key = f"{file_key}:{export.format}:{export.name}"
    source = ingest.stopped_source(database, key) or _source(profile, export)
    row = ingest.begin(
        database,
        source,
        file_name=export.name,
        format=export.format,
        fingerprint=key,
        exported_at=export.exported.us,
    )
    try:
        for batch in _batches(export.bundles(row.cursor)):
            row = ingest.add(database, row, batch if whole else [_partly(bundle) for bundle in batch])
            progress("reading", batch[-1].done, export.total)
        return ingest.finish(database, row, meaning=normalize, buried=burial.judge(profile))
    except ImportFailed:
        ingest.stop(database, row.id)
        ingest.discard(database, row.id)
        raise
    except BaseException:
        ingest.stop(database, row.id)
        raise


def _partly(bundle: Bundle) -> Bundle:
    return msgspec.structs.replace(bundle, memories_complete=False)


def _batches(bundles: Iterator[Bundle]) -> Iterator[list[Bundle]]:
    """Bundles by the thousand entries or the second, so that a batch commits quickly and cancel is felt at once."""
    batch: list[Bundle] = []
    size, since = 0, time.monotonic()
    for bundle in bundles:
        batch.append(bundle)
        size += len(bundle.entries) + len(bundle.memories) + 1
        if size >= BATCH_ENTRIES or time.monotonic() - since > BATCH_SECONDS:
            yield batch
            batch, size, since = [], 0, time.monotonic()
    if batch:
        yield batch


def _source(profile: Profile, export: Export) -> int:
    """The source that an export belongs to. A file that names no account belongs to the source of its provider that
    already holds the first thing in it, so that a renamed file is still the same store; and a source that was made for
    such a file takes the account's name once an export tells it."""
    database, named = profile.database, export.source
    known = database.all("SELECT id, account FROM sources WHERE provider = ? ORDER BY id", (named.provider,))
    if any(row["account"] == named.account for row in known if named.account):
        return ingest.source_id(database, named)
    candidates = [row["id"] for row in known if not named.account or row["account"].startswith(UNNAMED)]
    same = next(
        (
            source
            for bundle in (_first(export.bundles()) if candidates else ())
            for source in candidates
            if _holds(profile, source, bundle)
        ),
        None,
    )
    if same is None:
        account = named.account or f"{UNNAMED}{len(known) + 1}"
        return ingest.source_id(database, Source(named.provider, account, named.label))
    if named.account:
        ingest.name_source(database, same, named)
    return int(same)


def _first(bundles: Iterator[Bundle], limit: int = 20) -> Iterator[Bundle]:
    for _, bundle in zip(range(limit), bundles, strict=False):
        if bundle.conversation is not None or bundle.memories:
            yield bundle


def _holds(profile: Profile, source: int, bundle: Bundle) -> bool:
    if bundle.conversation is not None:
        sql, keys = "SELECT 1 FROM conversations WHERE source_id = ? AND native_id = ?", [bundle.conversation.native_id]
    else:
        sql = "SELECT 1 FROM memories WHERE source_id = ? AND (native_id = ?2 OR meaning = ?2)"
        keys = [key for record in bundle.memories[:200] for key in _keys(record)]
    return any(profile.database.value(sql, (source, key)) for key in keys)


def _keys(record: MemoryRecord) -> tuple[str, str]:
    return record.native_id, normalize(record.text)


def _limits(profile: Profile) -> Limits:
    return Limits(
        message_chars=settings.get(profile, "max_message_chars"),
        total_bytes=settings.get(profile, "max_total_gigabytes") * 2**30,
    )


@contextmanager
def _import_lock(profile: Profile) -> Iterator[None]:
    lock = FileLock(profile.home / LOCK, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreBusy("Another import is running in this profile.") from None
    except OSError:
        raise StoreReadOnly("The profile folder can't be written.") from None
    try:
        yield
    finally:
        lock.release()
