"""Arguments, and what becomes of errors: the world's in one line, ours as a traceback."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memreview import __version__
from memreview.cli import commands, deciding, models
from memreview.exporters import ExportFailed
from memreview.importers.contract import ImportFailed
from memreview.language.onnx_model import ModelUnavailable
from memreview.records import TransitionKind
from memreview.review import exports
from memreview.review.memories import BadFilter
from memreview.review.values import Cancelled, Verb
from memreview.store.errors import StoreError
from memreview.store.journal import UndoBlocked

BAD_INPUT = (ImportFailed, ExportFailed, StoreError, ModelUnavailable, BadFilter, UndoBlocked, LookupError, ValueError)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; without one, open the window."""
    arguments = build_parser().parse_args(argv)
    try:
        return int(arguments.run(arguments) or 0)
    except Cancelled:
        print("Stopped. What was done stays.", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted. Run the same command again to go on.", file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except OSError as error:
        print(f"memreview: {error.strerror or error}. What was done stays.", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer can go nowhere
    except (KeyError, IndexError, UnicodeError):
        raise  # kinds of the errors below, but bugs of ours
    except BAD_INPUT as error:
        advice = getattr(error, "advice", "")
        print(f"memreview: {error} {advice}".rstrip(), file=sys.stderr)
    return 1


def _number(text: str) -> int:
    """An id or a limit that SQLite can hold."""
    if not text.isdecimal() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number that it can be")
    return int(text)


def build_parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--home", type=Path, metavar="DIR", help="profile folder (else MEMREVIEW_HOME, else the platform's)"
    )
    common.add_argument("--json", action="store_true", help="print one JSON value on standard output")
    parser = argparse.ArgumentParser(
        prog="memreview", parents=[common], description="Review what an AI assistant remembers about you."
    )
    parser.add_argument("--version", action="version", version=f"memreview {__version__}")
    parser.set_defaults(run=commands.window)
    commands_of = parser.add_subparsers(metavar="COMMAND")

    def add(name: str, run: object, help: str) -> argparse.ArgumentParser:
        # SUPPRESS: an option given before the command is not reset by the command's own default.
        options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
        options.add_argument("--home", type=Path, metavar="DIR", help=argparse.SUPPRESS)
        options.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
        made = commands_of.add_parser(name, parents=[options], help=help, description=help)
        made.set_defaults(run=run)
        return made

    _add_review(add)
    _add_upkeep(add)
    return parser


def _add_review(add: commands.Add) -> None:
    command = add("import", commands.import_, "Import an export: a zip, a folder, a file, or - for a pasted list")
    command.add_argument("paths", nargs="+", metavar="PATH")
    command.add_argument("--text-column", help="for a CSV file or list: the column that holds the memory")
    command.add_argument("--time-column", help="the column that holds the time")
    command.add_argument("--no-audit", action="store_true", help="only import")
    add("audit", commands.audit, "Look for memories that no longer hold, and for what is not to be trusted")

    command = add("queue", commands.queue_, "List what waits for a decision, worst first")
    command.add_argument("case", nargs="?", type=_number, help="show one case whole")
    command.add_argument("--limit", type=_number, default=20)
    command.add_argument("--kind", choices=[kind.value for kind in TransitionKind], help="only one kind")

    command = add("quarantine", commands.quarantine_, "List what was held back, or show one claim whole")
    command.add_argument("claim", nargs="?", type=_number)
    command.add_argument("--limit", type=_number, default=20)
    command.add_argument("--all", action="store_true", help="also what was left out after 14 days, or kept out by you")
    command = add("questions", commands.questions_, "List the questions for you, or show one whole")
    command.add_argument("question", nargs="?", type=_number)
    command.add_argument("--limit", type=_number, default=20)
    command = add("why", commands.why_, "The life of one memory: said, stored, corroborated, decided")
    command.add_argument("id", type=_number)
    command.add_argument("--claim", action="store_true", help="the number is a claim's, as in quarantine")
    command = add("watch", commands.watch, "Import each export that arrives in a folder, and check what is new")
    command.add_argument("folder", type=Path)
    command.add_argument("--once", action="store_true", help="look once and end")

    command = add("decide", commands.decide, "Decide cases, memories, claims or questions; one undoable step")
    command.formatter_class, command.epilog = argparse.RawDescriptionHelpFormatter, deciding.guide()
    verbs = [*(verb.value for verb in Verb), *deciding.ALSO]
    command.add_argument("verb", choices=verbs, metavar="DECISION", help="one of those below")
    command.add_argument("cases", nargs="*", type=_number, metavar="CASE", help="the number of a case")
    command.add_argument(
        "--memory", type=_number, action="append", default=[], metavar="ID", help="decide a memory instead"
    )
    command.add_argument(
        "--claim", type=_number, action="append", default=[], metavar="ID", help="decide a claim in quarantine"
    )
    command.add_argument(
        "--question", type=_number, action="append", default=[], metavar="ID", help="answer a question"
    )
    command.add_argument("--answer", default="", help="one of the question's answers, or text")
    layers = "for release: stable (for good), contextual (for some weeks) or transient (for days)"
    command.add_argument("--layer", default="", help=layers)
    command.add_argument("--scope", default="", help="where it holds, for limit, release and answer")
    command.add_argument("--until", help="a date, for limit and later: 2026-12-31")
    command.add_argument("--text", default="", help="the new wording, for edit and approve")
    command.add_argument("--preview", action="store_true", help="only show what would change")

    command = add("undo", commands.undo, "Take back the last decision, or the step with this number")
    command.add_argument("step", nargs="?", type=_number)
    add("redo", commands.redo, "Do again what was undone last")
    command = add("history", commands.history_, "List everything that was done")
    command.add_argument("--limit", type=_number, default=20)

    command = add("memories", commands.memories_, "List memories; the filter is as in the window")
    command.add_argument("filter", nargs="*", help="is:active source:chatgpt before:2025-06 words …")
    command.add_argument("--limit", type=_number, default=50)

    command = add("search", commands.search_, "Search memories and conversations, by words and by meaning")
    command.add_argument("words", nargs="+")
    command.add_argument("--limit", type=_number, default=10)
    command.add_argument("--words-only", action="store_true", help="load no model")

    command = add("export", commands.export, "Write the corrected memories")
    command.add_argument("format", choices=list(exports.FORMATS))
    command.add_argument("path", type=Path)
    command.add_argument("--force", action="store_true", help="replace a file that is there")
    command = add("tell", commands.tell, "A text to paste that tells an assistant what was decided")
    command.add_argument("assistant", choices=["chatgpt", "claude", "gemini"])
    command.add_argument("--all-sources", action="store_true", help="also what other assistants and stores remember")
    command = add("report", commands.report_, "What is remembered, what looks wrong, what was decided")
    command.add_argument("--all", action="store_true", help="every case, not the worst dozen")


def _add_upkeep(add: commands.Add) -> None:
    command = add("demo", commands.demo, "Import the sample, audit it, print the review, open the window")
    command.add_argument("--no-window", action="store_true")
    command = add("bench", commands.bench, "Measure the budgets beside a plain baseline")
    command.add_argument(
        "what", nargs="*", help="startup import embed language search audit gate ui; all of them if none is named"
    )
    command.add_argument("--size", choices=["small", "full"], default="small")
    command = add("doctor", commands.doctor_, "Check the profile; list, make and restore backups")
    command.add_argument("--back-up", action="store_true")
    command.add_argument(
        "--restore", metavar="BACKUP", nargs="?", const="newest", help="a backup's file name, or the newest"
    )
    command = add("models", models.run, "Model files, and the language model: which one, and what it is good for")
    command.add_argument("act", nargs="?", choices=["use", "probe"], help="choose a language model, or try it again")
    command.add_argument("what", nargs="?", metavar="MODEL", help="bundled, off, a .gguf file, or a server's address")
    command.add_argument("--model", default="", help="for a server: the name of its model")
    command.add_argument("--elsewhere", action="store_true", help="the server may be on another computer")
    command = add("eval", commands.evaluate, "Measure a model on a file of labelled cases, beside plain baselines")
    command.add_argument("what", choices=["triage", "claims", "gate"])
    command.add_argument("file", type=Path)
    command.add_argument("--limit", type=_number, help="a random sample of that many cases")
    command.add_argument("--seed", type=_number, default=0)
    command.add_argument("--out", type=Path, metavar="FILE.jsonl", help="one record a case, to see why")
    command = add("train", commands.train, "Make the shipped model files again (needs the train extra)")
    command.add_argument("what", choices=["embedder", "encoder", "relations", "gate"])
    command.add_argument("--snli", type=Path, metavar="FILE", help="relations: SNLI pairs, as JSON Lines")
