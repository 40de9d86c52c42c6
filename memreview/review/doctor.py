"""Is everything whole: the database, its indexes, the model files, the versions; and backups to go back to."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from memreview import __version__
from memreview.language import model_files
from memreview.language.model_files import ModelFile
from memreview.review.profile import Profile
from memreview.review.values import Finding
from memreview.store import backup, integrity
from memreview.store.backup import Backup
from memreview.store.database import FILE_NAME

LOW_DISK = 500 * 2**20


def check(profile: Profile) -> list[Finding]:
    """Every check, in order; `ok` false for what the person should look at. Writes nothing but the
    meaning index, which it brings up to date."""
    kept = [made.path.name for made in backups(profile)]
    found = [
        Finding(name="profile folder", ok=True, detail=str(profile.home)),
        Finding(name="versions", ok=True, detail=f"memreview {__version__}, SQLite {sqlite3.sqlite_version}"),
        *(
            Finding(name=name, ok=not problem, detail=problem or "whole", advice=advice if problem else "")
            for name, problem, advice in integrity.check(profile.database)
        ),
        _vectors(profile),
        _language_model(profile),
        _disk(profile.home),
        Finding(name="backups", ok=True, detail=", ".join(kept) or "none yet"),
    ]
    for file in model_files.catalogue():
        status = file.status(verify=True)
        found.append(
            Finding(name=f"model {file.name}", ok=status.usable or file.optional, detail=status.reason or "present")
        )
    return found


def backups(profile: Profile) -> list[Backup]:
    """Newest first."""
    return backups_in(profile.home)


def backups_in(home: Path) -> list[Backup]:
    """The same for a folder whose database may not open."""
    return backup.backups(home)


def back_up(profile: Profile) -> Backup:
    return backup.back_up(profile.database, reason="by-hand")


def difference(profile: Profile, path: Path) -> dict[str, tuple[int, int]]:
    """(now, after a restore) of what is counted."""
    now, then = backup.counts(profile.database.path), backup.counts(path)
    return {name: (now[name], then[name]) for name in now}


def restore(home: Path, path: Path) -> Path | None:
    """Put a backup in place; no profile of this folder may be open. What stood there is kept; returns where."""
    kept = backup.restore(home / FILE_NAME, path)
    shutil.rmtree(home / "cache", ignore_errors=True)  # the FAISS index belongs to the database that was replaced
    return kept


def models() -> list[ModelFile]:
    return model_files.catalogue()


def _vectors(profile: Profile) -> Finding:
    """The FAISS file against the database. It is a cache: when it is off, the next search rebuilds it."""
    from memreview.language.onnx_model import ModelUnavailable

    try:
        profile.embedder()
    except ModelUnavailable as error:
        return Finding(
            name="meaning index", ok=False, detail=f"Not in use. {error}", advice="Search and audit go by words alone."
        )
    added = profile.index().refresh(profile.database)
    return Finding(
        name="meaning index",
        ok=True,
        detail=f"{profile.index().size:,} texts" + (f", {added:,} added now" * bool(added)),
    )


def _language_model(profile: Profile) -> Finding:
    """The bundled one may be missing: its jobs are done by rules. One that the person chose should be there."""
    from memreview.review import language_model

    status = language_model.status(profile)
    ok = not status.problem or isinstance(status.choice, language_model.Bundled)
    return Finding(
        name="language model",
        ok=ok,
        detail=status.problem or status.name,
        advice="" if ok else "Choose one in Settings, or: memreview models use bundled",
    )


def _disk(home: Path) -> Finding:
    free = shutil.disk_usage(home).free
    return Finding(
        name="disk",
        ok=free > LOW_DISK,
        detail=f"{free // 2**20:,} MiB free",
        advice="" if free > LOW_DISK else "Free some space: imports and backups need it.",
    )
