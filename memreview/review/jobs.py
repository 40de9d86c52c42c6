"""Long work by name, as the worker runs it and the command line too. Arguments and results are plain values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from memreview.importers.contract import ColumnMapping
from memreview.resources import sample_files
from memreview.review import audits, doctor, gate_runs, importing, language_model, reading, search
from memreview.review.profile import Profile
from memreview.review.values import AuditSummary, Progress

Job = Callable[[Profile, dict[str, Any], Progress], Any]


def import_(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: path, mapping (column names) or null, audit (default true)."""
    mapping = msgspec.convert(args["mapping"], ColumnMapping) if args.get("mapping") else None
    done = importing.import_path(profile, Path(args["path"]), mapping=mapping, progress=progress)
    return _with_audit(profile, done, args, progress)


def paste(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: text, label, audit (default true)."""
    done = importing.import_pasted(profile, args["text"], args.get("label", "Pasted list"), progress=progress)
    return _with_audit(profile, done, args, progress)


def sample(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """Import the bundled sample: one made-up person's exports."""
    done = [row for path in sample_files() for row in importing.import_path(profile, path, progress=progress)]
    return _with_audit(profile, done, args, progress)


def audit(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: full (default true), else only what is new since the last one."""
    return audited(profile, progress, full=args.get("full", True))


def gate(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """Read what is new through the authenticity gate."""
    return gate_runs.run(profile, progress)


def index(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """Embed what is new, so that search by meaning finds it."""
    audits.prepare(profile, progress)
    return {"windows": profile.index().size if profile.embedder_or_none() else 0}


def backup(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    return {"path": str(doctor.back_up(profile).path)}


def find(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: words, limit (default 30)."""
    return search.search(profile, args["words"], limit=args.get("limit", 30))


def ping(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    return "pong"


def use_model(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: choice (`language_model.Choice` as plain values), or path of a GGUF file."""
    if "path" in args:
        return language_model.choose(profile, language_model.own_file(Path(args["path"])), progress)
    return language_model.choose(profile, msgspec.convert(args["choice"], language_model.Choice), progress)


def probe_model(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    return language_model.probe(profile, progress)


def note(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: text. What it claims, as an assistant would note it."""
    hypothesis = reading.own(profile, [args["text"]])[0]
    return language_model.note(profile, args["text"], hypothesis, lambda: progress("model", 0, 1))


def question(profile: Profile, args: dict[str, Any], progress: Progress) -> Any:
    """args: older, newer, plain (how the rules put it)."""
    return language_model.question(
        profile, args["older"], args["newer"], args["plain"], lambda: progress("model", 0, 1)
    )


CHANGES: dict[str, Job] = {
    "import": import_, "paste": paste, "sample": sample, "audit": audit, "gate": gate, "index": index,
    "backup": backup,
}  # fmt: skip
"""One at a time: they write."""

QUESTIONS: dict[str, Job] = {"search": find, "ping": ping}
"""Beside a change: they only read."""

MODEL: dict[str, Job] = {"use_model": use_model, "probe_model": probe_model, "note": note, "question": question}
"""Beside both, one at a time: they wait for the language model."""

LANES = {"changes": CHANGES, "questions": QUESTIONS, "model": MODEL}


def audited(profile: Profile, progress: Progress, *, full: bool = True) -> AuditSummary:
    """The audit, and the gate beside it: what is looked at after an import. Raises `Cancelled`: what is done stays."""
    summary = audits.run(profile, progress, full=full)
    return msgspec.structs.replace(summary, gate=gate_runs.run(profile, progress))


def _with_audit(profile: Profile, done: list[Any], args: dict[str, Any], progress: Progress) -> Any:
    summary = audited(profile, progress, full=False) if args.get("audit", True) else None
    return {"imports": done, "audit": summary}
