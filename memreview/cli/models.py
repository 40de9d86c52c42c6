"""`memreview models`: the model files, and the language model that the person chose."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from memreview.cli import program
from memreview.cli.output import Table, emit, progress_line
from memreview.review import doctor, language_model
from memreview.review.labels import day
from memreview.review.language_model import Bundled, Choice, LeavesComputer, Off, Status, Task
from memreview.review.profile import Profile
from memreview.store.errors import StoreError

JOBS = {
    Task.FORM: "fills a form",
    Task.EXTRACT: "finds what a message claims",
    Task.ENTAIL: "judges what follows from what",
    Task.REWRITE: "words a claim as a note",
    Task.ASK: "words a question",
}


def run(arguments: argparse.Namespace) -> None:
    if arguments.act is None:
        _show(arguments)
        return
    if (arguments.act == "use") != (arguments.what is not None):
        models = f"{program.command(arguments)} models"
        choices = "bundled, off, a .gguf file or a server's address"
        raise ValueError(f"Write {models} probe, or {models} use MODEL. A model is {choices}.")
    profile = Profile.open(arguments.home)
    try:
        with progress_line() as progress:
            choice = _choice(arguments) if arguments.act == "use" else language_model.chosen(profile)
            status = language_model.choose(profile, choice, progress)
    finally:
        profile.close()
        language_model.end()
    emit(arguments, status, lambda: _told(status))


def _choice(arguments: argparse.Namespace) -> Choice:
    what: str = arguments.what
    if what in ("bundled", "off"):
        return Bundled() if what == "bundled" else Off()
    if "://" not in what:
        return language_model.own_file(Path(what))
    try:
        return language_model.own_server(what, arguments.model, elsewhere=arguments.elsewhere)
    except LeavesComputer as error:
        raise ValueError(f"{error} Add --elsewhere if that is what you want.") from error


def _show(arguments: argparse.Namespace) -> None:
    table, values = Table("model", "for", "state"), []
    for file in doctor.models():
        status = file.status()
        values.append({"name": file.name, "purpose": file.purpose, "usable": status.usable, "reason": status.reason})
        table.add(file.name, file.purpose, "ready" if status.usable else status.reason)
    model = _held(arguments)
    value: dict[str, Any] = {"files": values, "language_model": model}
    emit(arguments, value, lambda: f"{table}\n\n{_told(model)}" if model else str(table))


def _held(arguments: argparse.Namespace) -> Status | None:
    """None where there is no profile yet."""
    try:
        profile = Profile.open(arguments.home, create=False)
    except StoreError:
        return None
    try:
        return language_model.status(profile)
    finally:
        profile.close()


def _told(status: Status) -> str:
    lines = [f"Language model: {status.name}" + (f", tried on {day(status.at)}" if status.at else "")]
    if status.sends:
        lines.append("Texts that it works on leave memreview for this server.")
    table = Table("job", "done by", "right", "")
    for job in status.jobs:
        score = f"{job.right} of {job.cases}" if job.cases else ""
        table.add(JOBS[job.task], "the model" if job.by == "model" else "memreview", score, job.reason)
    return "\n".join([*lines, str(table)])
