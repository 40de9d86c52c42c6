"""A folder that is looked at again and again: each export that arrives in it is imported and goes through the gate."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from memreview.importers.contract import ImportFailed
from memreview.review import importing, jobs
from memreview.review.profile import Profile
from memreview.review.values import AuditSummary, ImportSummary, Progress
from memreview.store.errors import StoreBusy

PAUSE = 5.0
"""Seconds between two looks; a file that was still growing at the last one is left for the next."""

_Stamp = tuple[int, int]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one file: its imports and the audit after them, or the `error` that says why it can't be read."""

    name: str
    imports: list[ImportSummary] = []
    audit: AuditSummary | None = None
    error: str = ""


def watch(
    profile: Profile, folder: Path, progress: Progress, *, pause: float = PAUSE, rounds: int | None = None
) -> Iterator[Taken]:
    """Take each new or changed file in the folder that didn't come in before, the oldest first. Only what is new in it
    is read; what can't be checked while the database is busy is checked at the next look. Looks `rounds` times, or
    until it is stopped. Raises `LookupError` without a folder, `StoreBusy` where the last look left something
    unchecked."""
    if not folder.is_dir():
        raise LookupError(f"There is no folder {folder.name}.")
    jobs.gate(profile, {}, progress)  # what an earlier watch took and had no time to check
    seen: dict[Path, _Stamp] = {}
    growing = _stamps(folder)
    unchecked: list[Taken] = []
    while rounds is None or rounds > 0:
        time.sleep(pause)
        now = _stamps(folder)
        for path, stamp in sorted(now.items(), key=lambda found: found[1][1]):  # an older export must not undo a newer
            if growing.get(path) != stamp or seen.get(path) == stamp:
                continue
            with suppress(StoreBusy, FileNotFoundError):  # the next look finds it
                if not importing.was_taken(profile, path):
                    unchecked.append(_take(profile, path, progress))
                seen[path] = stamp
            yield from _checked(profile, unchecked, progress)
        growing = now
        rounds = None if rounds is None else rounds - 1
        yield from _checked(profile, unchecked, progress, last=rounds == 0)


def _take(profile: Profile, path: Path, progress: Progress) -> Taken:
    try:
        return Taken(name=path.name, imports=importing.import_path(profile, path, progress=progress))
    except ImportFailed as error:
        return Taken(name=path.name, error=str(error))


def _checked(profile: Profile, unchecked: list[Taken], progress: Progress, *, last: bool = False) -> Iterator[Taken]:
    """What was taken, each once it is checked, and taken off the list. A busy database leaves the rest on it, unless
    this is the `last` try."""
    while unchecked:
        try:
            taken = _check(profile, unchecked[0], progress)
        except StoreBusy:
            if last:
                raise
            return
        del unchecked[0]
        yield taken


def _check(profile: Profile, taken: Taken, progress: Progress) -> Taken:
    if taken.error:
        jobs.gate(profile, {}, progress)  # what came in before the failure must not count unchecked
        return taken
    return msgspec.structs.replace(taken, audit=jobs.audited(profile, progress, full=False))


def _stamps(folder: Path) -> dict[Path, _Stamp]:
    """Size and time of change of each file that stands directly in the folder; hidden and partial downloads are left
    out."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith(".") and path.suffix not in (".part", ".crdownload", ".tmp"):
            with suppress(FileNotFoundError):  # moved away meanwhile
                status = path.stat()
                found[path] = (status.st_size, status.st_mtime_ns)
    return found
