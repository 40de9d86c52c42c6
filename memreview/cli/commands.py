"""One function a command: call `review`, print the value. Nothing is decided here."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from memreview.cli import deciding, imported, program, told
from memreview.cli.deciding import CASE, CLAIM, MEMORY, QUESTION, Decided
from memreview.cli.output import Table, emit, progress_line, width
from memreview.importers.contract import ColumnMapping, ImportFailed
from memreview.records import MemoryStatus, Origin
from memreview.review import (
    belief_views,
    decisions,
    doctor,
    exports,
    history,
    importing,
    jobs,
    memories,
    quarantine,
    questions,
    queue,
    report,
    search,
    watching,
    why,
)
from memreview.review.labels import day, one_line, plural
from memreview.review.profile import Profile
from memreview.review.values import (
    Case,
    Decision,
    GateSummary,
    ImportSummary,
    MemoryRow,
    QuarantineCase,
    Question,
    Step,
    Verb,
)
from memreview.review.words import ACTIONS, ACTORS, KINDS, LIFE, ORIGINS, PROVIDERS, STANDINGS, STEP_STATES

Add = Callable[[str, Any, str], argparse.ArgumentParser]
Arguments = argparse.Namespace


def window(arguments: Arguments) -> int:
    """The only command that needs Qt."""
    if not _has_display():
        without = f"The commands work without one: {program.command(arguments)} --help"
        raise LookupError(f"There is no display to open a window on. {without}")
    try:
        from memreview.ui.app import main as open_window
    except ImportError as error:
        raise LookupError(f"The window needs PySide6, which is not installed ({error.name}).") from error
    return open_window(arguments.home, [])


def import_(arguments: Arguments) -> None:
    mapping = ColumnMapping(arguments.text_column, arguments.time_column) if arguments.text_column else None
    with _profile(arguments) as profile, progress_line() as progress:
        done: list[ImportSummary] = []
        try:
            for path in arguments.paths:
                if not path.strip():
                    raise ValueError("Name a file or a folder to import.")
                if path == "-":
                    done += importing.import_pasted(profile, _piped(), "Pasted list", progress=progress)
                else:
                    done += importing.import_path(profile, Path(path), mapping=mapping, progress=progress)
        except ImportFailed:
            if not arguments.no_audit:  # what came in before must not count unchecked
                jobs.gate(profile, {}, progress)
            raise
        audit = None if arguments.no_audit else jobs.audited(profile, progress, full=False)
        brought = [] if arguments.json else imported.lines(profile, done, program.command(arguments))
        emit(arguments, {"imports": done, "audit": audit}, lambda: _reviewed(arguments, profile, brought))


def _piped() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"Standard input is no text in UTF-8 (byte {error.start:,})."
        raise LookupError(
            f"{found} Save it as a file and import that: other encodings are recognized there."
        ) from error


def audit(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile, progress_line() as progress:
        summary = jobs.audited(profile, progress)
        emit(arguments, summary, lambda: _reviewed(arguments, profile))


def _reviewed(arguments: Arguments, profile: Profile, also: Sequence[str] = ()) -> str:
    """The report, what else there is to say, and what to type next."""
    following = f"Next: {program.command(arguments)} {_next(arguments, profile)}"
    return "\n".join([report.text(profile, width=width()), "", *also, following])


def _next(arguments: Arguments, profile: Profile) -> str:
    """The command that shows what waits."""
    counts = queue.counts(profile)
    if getattr(arguments, "no_audit", False):
        return "audit"
    waiting = ((counts.pending, "queue"), (counts.quarantined, "quarantine"), (counts.questions, "questions"))
    return next((command for count, command in waiting if count), "memories")


def _missing(arguments: Arguments, thing: Decided, number: int) -> LookupError:
    lists = f"{program.command(arguments)} {thing.listed}"
    return LookupError(f"There is no {thing.noun} {number}. This lists what there is: {lists}")


def queue_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        if arguments.case is not None:
            if not queue.items(profile, [arguments.case]):
                raise _missing(arguments, CASE, arguments.case)
            case = queue.case(profile, arguments.case)
            emit(arguments, case, lambda: _case_text(case))
            return
        ids = queue.ids(profile, kind=arguments.kind)
        items = queue.items(profile, ids[: arguments.limit])
        table = Table("case", "kind", "old", "new", "since")
        for item in items:
            table.add(item.id, KINDS[item.kind], item.old_text, item.new_claim, day(item.new_at))
        shown = f"{table}\n{len(items):,} of {len(ids):,}"
        emit(arguments, items, lambda: shown if ids else "Nothing waits for a decision.")


def watch(arguments: Arguments) -> None:
    with _profile(arguments) as profile, progress_line() as progress:
        rounds = 1 if arguments.once else None
        for taken in watching.watch(profile, arguments.folder, progress, rounds=rounds):
            emit(arguments, taken, partial(_taken_text, arguments, profile, taken))


def quarantine_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        if arguments.claim is not None:
            if not quarantine.items(profile, [arguments.claim]):
                raise _missing(arguments, CLAIM, arguments.claim)
            case = quarantine.case(profile, arguments.claim)
            emit(arguments, case, lambda: _quarantine_text(arguments, case))
            return
        ids = quarantine.ids(profile, evicted=arguments.all)
        items = quarantine.items(profile, ids[: arguments.limit])
        table = Table("claim", "from", "since", "days left", "remembered", "says")
        for item in items:
            left = f"{item.days_left:.0f}" if item.status == "quarantined" else "none"
            remembered = "yes" if item.remembered else ""
            table.add(item.id, item.provenance.words, day(item.at), left, remembered, item.remembered or item.claim)
        shown = f"{table}\n{len(items):,} of {len(ids):,}"
        emit(arguments, items, lambda: shown if ids else "Nothing is held back.")


def questions_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        if arguments.question is not None:
            if not questions.items(profile, [arguments.question]):
                raise _missing(arguments, QUESTION, arguments.question)
            question = questions.get(profile, arguments.question)
            emit(arguments, question, lambda: _question_text(arguments, question))
            return
        ids = questions.ids(profile)
        items = questions.items(profile, ids[: arguments.limit])
        table = Table("question", "since", "")
        for item in items:
            table.add(item.id, day(item.at), item.text)
        shown = f"{table}\n{len(items):,} of {len(ids):,}"
        emit(arguments, items, lambda: shown if ids else "There is no question for you.")


def why_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        there = belief_views.node_rows if arguments.claim else memories.rows
        if not there(profile, [arguments.id]):
            raise _missing(arguments, CLAIM if arguments.claim else MEMORY, arguments.id)
        life = why.of_node(profile, arguments.id) if arguments.claim else why.of_memory(profile, arguments.id)
        table = Table("when", "what", "")
        for line in life.lines:
            table.add(day(line.at), LIFE[line.kind], f"{line.text}{' (undone)' if line.undone else ''}")
        emit(arguments, life, lambda: f"{one_line(life.title, None)}\n{table}")


def decide(arguments: Arguments) -> None:
    decision = Decision(
        verb=deciding.ALSO.get(arguments.verb) or Verb(arguments.verb),
        transitions=tuple(arguments.cases),
        nodes=tuple(arguments.claim),
        questions=tuple(arguments.question),
        layer=arguments.layer,
        answer=arguments.answer,
        memories=tuple(arguments.memory),
        scope=arguments.scope,
        text=arguments.text,
        until=_until(arguments.until),
    )
    _complete(arguments, decision)
    targets = (decision.transitions, decision.memories, decision.nodes, decision.questions)
    if not any(targets):
        raise ValueError("Name at least one case, or a memory with --memory, a claim with --claim, a question.")
    deciding.check(decision)
    with _profile(arguments, create=False) as profile:
        known = {row.id for row in memories.rows(profile, decision.memories)}
        known_cases = {item.id for item in queue.items(profile, decision.transitions)}
        claims = {item.id for item in belief_views.node_rows(profile, decision.nodes)}
        asked = questions.items(profile, decision.questions)
        open_ones = {item.id for item in asked}
        for thing, ids, held in zip(deciding.THINGS, targets, (known_cases, known, claims, open_ones), strict=True):
            for missing in sorted(set(ids) - held):
                raise _missing(arguments, thing, missing)
        if decision.verb is Verb.ANSWER:
            for question in [questions.get(profile, item.id) for item in asked]:
                deciding.check_answer(decision, question, program.command(arguments))
        done = told.lines(profile, decision)
        if arguments.preview:
            preview = decisions.preview(profile, decision)
            changes = [*done, "", told.counts(preview), "Nothing is changed yet: leave out --preview to do it."]
            emit(arguments, preview, lambda: "\n".join(changes) if preview.counts else "Nothing would change.")
        else:
            step = decisions.decide(profile, decision)
            takes_back = f"Step {step.id}; this takes it back: {program.command(arguments)} undo"
            emit(arguments, step, lambda: "\n".join([*told.at_most(done), takes_back]))


def _complete(arguments: Arguments, decision: Decision) -> None:
    """The options that a verb needs, by their names; raises `ValueError` where one is left out."""
    if decision.verb is Verb.SNOOZE and decision.until is None:
        raise ValueError("Say until when, for example --until 2026-12-31.")
    if decision.verb is Verb.SCOPE and not decision.scope and decision.until is None:
        raise ValueError('Say where it holds, or until when: --scope "at work", or --until 2026-12-31.')
    if decision.verb is Verb.EDIT and not decision.text.strip():
        raise ValueError('Say the new wording: --text "Lives in Porto". To remove a memory, use forget.')
    if decision.verb is Verb.ANSWER and not decision.answer:
        lists = f"{program.command(arguments)} questions NUMBER"
        raise ValueError(f"Say the answer, for example --answer no. This lists them: {lists}")


def undo(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        step = _unblocked(arguments, profile, lambda: history.undo(profile, arguments.step))
        again = _checked_again(profile, step)
        emit(arguments, step, lambda: f"Undone: {step.label}.{again}" if step else "There is nothing to undo.")


def redo(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        step = _unblocked(arguments, profile, lambda: history.redo(profile))
        again = _checked_again(profile, step)
        emit(arguments, step, lambda: f"Done again: {step.label}.{again}" if step else "There is nothing to redo.")


def _unblocked(arguments: Arguments, profile: Profile, act: Callable[[], Step | None]) -> Step | None:
    """Raises `LookupError` with what to type where later steps stand in the way."""
    try:
        return act()
    except history.UndoBlocked as blocked:
        first = [
            f"  {program.command(arguments)} undo {step.id}  ({step.label}, {_minute(step.at)})"
            for step in history.named(profile, blocked.blockers)
        ]
        told = "A later step rests on it. Undo that first:"
        if len(first) > 1:
            told = f"{len(first):,} later steps rest on it. Undo these first, in this order:"
        raise LookupError("\n".join([told, *first])) from blocked


def _checked_again(profile: Profile, step: Step | None) -> str:
    """What is unread after it is checked at once, so that nothing that was held back counts meanwhile."""
    if step is None or not history.leaves_unchecked(step):
        return ""
    with progress_line() as progress:
        found = jobs.gate(profile, {}, progress)
    if found == GateSummary():
        return ""  # nothing had to be read
    held = plural(found.quarantined, "claim is", "claims are")
    return f" {found.reason}" if found.reason else f" What was not checked yet was checked: {held} held back."


def history_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        steps = history.steps(profile, limit=arguments.limit)
        table = Table("step", "when", "who", "what", "state")
        for step in steps:
            table.add(step.id, _minute(step.at), ACTORS[step.actor], step.label, STEP_STATES[step.state])
        emit(arguments, steps, lambda: str(table) if steps or not arguments.limit else "Nothing was done yet.")


def memories_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        ids = memories.ids(profile, " ".join(arguments.filter))
        rows = memories.rows(profile, ids[: arguments.limit])
        table = Table("id", "where it stands", "from", "since", "memory")
        for row in rows:
            table.add(row.id, _standing(row), _holder(row), day(row.created_at), row.text)
        emit(arguments, {"count": len(ids), "memories": rows}, lambda: f"{table}\n{len(rows):,} of {len(ids):,}")


def _standing(row: MemoryRow) -> str:
    return "Stayed deleted" if row.stayed_deleted else STANDINGS[MemoryStatus(row.status)]


def _holder(row: MemoryRow) -> str:
    return "You" if row.added else PROVIDERS.get(row.provider, row.provider)


def search_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        hits = search.search(
            profile, " ".join(arguments.words), limit=arguments.limit, meaning=not arguments.words_only
        )
        table = Table("what", "id", "when", "origin", "text")
        for hit in hits:
            shown = hit.text if width() is None else hit.text[max(0, hit.start - 30) : hit.end + 120]
            what = "message" if hit.target == "entry" else "memory"
            table.add(what, hit.id, day(hit.at), ORIGINS[Origin(hit.origin)], shown)
        emit(arguments, hits, lambda: str(table) if hits else "Nothing found.")


def export(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        if arguments.path.exists() and not arguments.force:
            raise ValueError("There is a file of this name already. Choose another, or add --force.")
        losses = exports.losses(profile, arguments.format)
        count = exports.export(profile, arguments.format, arguments.path)
        written = os.fsencode(arguments.path).decode("utf-8", "replace")
        value = {"path": written, "memories": count, "not_carried": losses}
        lines = [f"{count:,} memories written to {written}.", *(f"  Note: {loss}" for loss in losses)]
        emit(arguments, value, lambda: "\n".join(lines))


def tell(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        parts = exports.tell(profile, arguments.assistant, all_sources=arguments.all_sources)
        nothing = "Nothing was decided about what this assistant remembers."
        emit(arguments, parts, lambda: "\n\n---\n\n".join(parts) or nothing)


def report_(arguments: Arguments) -> None:
    with _profile(arguments, create=False) as profile:
        top = None if arguments.all else report.TOP
        emit(arguments, report.build(profile, top=top), lambda: report.text(profile, top=top or 10**9, width=width()))


def demo(arguments: Arguments) -> int:
    """A throw-away profile, unless one is named."""
    home = arguments.home or Path(tempfile.mkdtemp(prefix="memreview-sample-"))
    arguments.home = home
    with _profile(arguments) as profile, progress_line() as progress:
        jobs.sample(profile, {}, progress)
        where = f"This made-up profile is in {home}."
        emit(arguments, report.build(profile), lambda: _reviewed(arguments, profile, [where]))
    if arguments.no_window or arguments.json or not _has_display():
        return 0
    return window(arguments)


def bench(arguments: Arguments) -> int:
    from memreview.evaluate import bench as benches

    results = benches.run(arguments.what, full=arguments.size == "full")
    emit(arguments, results, lambda: benches.table(results))
    return 0


def doctor_(arguments: Arguments) -> int:
    if arguments.restore:
        return _restore(arguments)
    with _profile(arguments, create=False) as profile:
        if arguments.back_up:
            made = doctor.back_up(profile)
            emit(arguments, {"path": str(made.path), "bytes": made.size}, lambda: f"Backup written to {made.path}.")
            return 0
        findings = doctor.check(profile)
        table = Table("", "check", "finding")
        for finding in findings:
            table.add("ok" if finding.ok else "!!", finding.name, f"{finding.detail} {finding.advice}".strip())
        emit(arguments, findings, lambda: str(table))
        return 0 if all(finding.ok for finding in findings) else 1


def evaluate(arguments: Arguments) -> int:
    if not arguments.file.exists():
        raise LookupError(f"There is no file {arguments.file}.")
    report: Any = importlib.import_module(f"memreview.evaluate.eval_{arguments.what}").run(
        arguments.file, limit=arguments.limit, seed=arguments.seed, out=arguments.out
    )
    emit(arguments, report, report.table)
    return int(report.status)


def train(arguments: Arguments) -> None:
    if arguments.what == "embedder":
        from memreview.evaluate import export_embedder

        measured = export_embedder.main()
        emit(arguments, measured, lambda: "The embedder was exported again.")
    elif arguments.what == "relations":
        from memreview.evaluate import train_relations

        judged = train_relations.main(arguments.snli, _to_stderr)
        emit(arguments, judged, judged.table)
    elif arguments.what == "gate":
        from memreview.evaluate import train_gate

        measured_gate = train_gate.main(_to_stderr)
        emit(arguments, measured_gate, measured_gate.table)
    else:
        from memreview.evaluate import train_encoder

        report = train_encoder.main(_to_stderr)
        emit(arguments, report, report.table)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _restore(arguments: Arguments) -> int:
    home = arguments.home or _home()
    found = doctor.backups_in(home)
    wanted = found[:1] if arguments.restore == "newest" else [b for b in found if b.path.name == arguments.restore]
    if not wanted:
        raise LookupError("There is no such backup.")
    kept = doctor.restore(home, wanted[0].path)
    emit(
        arguments,
        {"restored": wanted[0].path.name, "kept": str(kept) if kept else None},
        lambda: f"Restored {wanted[0].path.name}." + (f" What stood there is kept as {kept.name}." if kept else ""),
    )
    return 0


def _case_text(case: Case) -> str:
    item = case.item
    lines = [f"Case {item.id}: {one_line(item.old_text, None)}", f"  → {one_line(item.new_claim, None)}"]
    lines += [f"  {KINDS[item.kind]}", ""]
    for name, context in (("You said then", case.old_context), ("You said later", case.new_context)):
        if context is None:
            lines.append(f"{name}: no conversation known.")
            continue
        entry = next(entry for entry in context.entries if entry.id == context.focus)
        quoted = " … ".join(entry.text[start:end] for start, end in entry.highlights)
        lines.append(f"{name} ({day(entry.at)}, “{one_line(context.title, 60)}”): “{one_line(quoted, None)}”")
    lines += ["", "Why:", *(f"  - {reason}" for reason in case.reasons)]
    lines += ["If you approve:", *(f"  - {effect}" for effect in case.effects)]
    return "\n".join(lines)


def _taken_text(arguments: Arguments, profile: Profile, taken: watching.Taken) -> str:
    if taken.error:
        return f"{taken.name}: {taken.error}"
    return _reviewed(arguments, profile, imported.lines(profile, taken.imports, program.command(arguments)))


def _quarantine_text(arguments: Arguments, case: QuarantineCase) -> str:
    claim = case.item.id
    lines = [f"Claim {claim}: “{one_line(case.quote, None)}”", "", *(f"  - {reason}" for reason in case.reasons)]
    if case.reading is not None:
        shares = sorted(case.reading.probabilities.items(), key=lambda pair: -pair[1])
        likely = ", ".join(f"{ACTIONS[action]} {share:.0%}" for action, share in shares if share >= 0.005)
        lines.append(f"  - How it was taken: {likely}.")
    lines += [f"  - It contradicts: {one_line(node.claim, None)}" for node in case.contradicts[:3]]
    lines += [f"    and {more} more"] if (more := len(case.contradicts) - 3) > 0 else []
    held = [memory for memory in case.memories if memory.status in quarantine.HELD]
    lines += [f"  - Remembered as: {one_line(memory.text, None)}" for memory in held]
    if case.item.status == "quarantined":
        days = plural(round(case.item.days_left), "day")
        lines += ["", f"It would count if ({days} left):", *(f"  - {words}" for words in case.corroboration.words)]
    else:
        lines += ["", *case.corroboration.words]
    for verb, effects in case.effects.items():
        decided = f"{program.command(arguments)} decide {deciding.word(Verb(verb))} --claim {claim}"
        lines += [decided, f"  {' '.join(effects)}"]
    return "\n".join(lines)


def _question_text(arguments: Arguments, question: Question) -> str:
    lines = [f"Question {question.item.id}: {one_line(question.item.text, None)}", ""]
    answered = deciding.answering(program.command(arguments), question.item.id)
    for answer in question.answers:
        scoped = ' --scope "…"' if answer.wants_scope and not answer.scope else ""
        lines += [f"{answered} {answer.key}{scoped}", f"  {answer.label}. {' '.join(answer.effects)}"]
    return "\n".join([*lines, f'{answered} text --text "…"', "  Your own words are remembered instead."])


def _until(value: str | None) -> int | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"“{value}” is not a date. Write 2026-12-31.") from None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def _minute(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M")


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin") or "QT_QPA_PLATFORM" in os.environ:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _home() -> Path:
    from memreview.review.profile import home_folder

    return home_folder()


class _profile:
    """The profile of `--home`, closed at the end."""

    def __init__(self, arguments: Arguments, *, create: bool = True) -> None:
        self._profile = Profile.open(arguments.home, create=create)

    def __enter__(self) -> Profile:
        return self._profile

    def __exit__(self, *error: object) -> None:
        self._profile.close()
