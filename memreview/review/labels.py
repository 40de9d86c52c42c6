"""Steps of the history in words. The journal keeps verbs and numbers; only this module turns them into sentences."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memreview.language import state_schema
from memreview.review.values import Step
from memreview.store.journal import JournalEntry

_CASES = {
    "approve": "Approve {}",
    "reject": "Reject {}",
    "scope": "Limit {}",
    "edit": "Edit {}",
    "delete": "Forget {}",
    "snooze": "Snooze {}",
    "restore": "Restore {}",
    "release": "Let {} count",
    "keep": "Keep {} in quarantine",
    "never": "Forget {} and their source",
    "answer": "Answer {}",
}


def about(slot: str) -> str:
    """What a slot or a domain is called: "Home town"; "" for one that the schema doesn't have."""
    schema = state_schema.load()
    if slot in schema:
        return schema.slot(slot).title
    return next((domain.title for domain in schema.domains if domain.id == slot), "")


_NOUNS = {
    "cases": ("case",),
    "claims": ("claim",),
    "questions": ("question",),
    "memories": ("memory", "memories"),
}


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def label(verb: str, detail: dict[str, Any]) -> str:
    """ "Reject 14 cases", "Import chats.zip"."""
    if verb in _CASES:
        counted = [(detail.get(name, 0), name) for name in ("cases", "claims", "questions", "memories")]
        parts = [plural(count, *_NOUNS[name]) for count, name in counted if count]
        return _CASES[verb].format(" and ".join(parts) or plural(0, *_NOUNS["memories"]))
    if verb == "import":
        return f"Import {detail.get('file', '')}".strip()
    if verb == "audit":
        return f"Audit: {plural(detail.get('proposed', 0), 'new case')}"
    if verb == "gate":
        held = detail.get("quarantined", 0)
        found = f": {plural(held, 'claim')} held back" if held else ""
        return f"{_read(detail)} for what is new{found}"
    if verb == "save-filter":
        return f"Save the filter “{detail.get('name', '')}”"
    if verb == "forget-filter":
        return f"Remove the filter “{detail.get('name', '')}”"
    return verb.capitalize()


def _read(detail: dict[str, Any]) -> str:
    """ "Read 3 messages and 1 memory". Older steps noted no memories."""
    messages, memories = detail.get("messages", detail.get("events", 0)), detail.get("memories", 0)
    read = [plural(messages, "message")] if messages else []
    read += [plural(memories, *_NOUNS["memories"])] if memories else []
    return f"Read {' and '.join(read)}" if read else "Looked"


def step(entry: JournalEntry, changes: int = 0) -> Step:
    return Step(
        id=entry.id,
        at=entry.at,
        actor=entry.actor,
        verb=entry.verb,
        label=label(entry.verb, entry.detail),
        state=entry.state,
        changes=changes,
    )


def day(at: int | None) -> str:
    """The UTC day of a time in microseconds, or "unknown"; 0 is how the ledger writes that."""
    return "unknown" if not at else datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d")


def day_in_words(at: int) -> str:
    """The UTC day of a time in microseconds, within a sentence: "3 February 2026"."""
    moment = datetime.fromtimestamp(at / 1e6, UTC)
    return f"{moment.day} {moment:%B %Y}"


def quoted(text: str, width: int = 160) -> str:
    """An imported text within a sentence: on one line, in quotation marks, without a full stop of its own."""
    return f"“{one_line(text, width).rstrip('. ')}”"


def one_line(text: str, width: int | None = 100) -> str:
    """An imported text on one line of a terminal, without control characters; with a width of None never cut."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if width is None or len(flat) <= width else f"{flat[: width - 1]}…"
