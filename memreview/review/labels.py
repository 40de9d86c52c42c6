"""Steps of the history in words. The journal keeps verbs and numbers; only this module turns them into sentences."""

from __future__ import annotations

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
}


def about(slot: str) -> str:
    """What a slot or a domain is called: "Home town"; "" for one that the schema doesn't have."""
    schema = state_schema.load()
    if slot in schema:
        return schema.slot(slot).title
    return next((domain.title for domain in schema.domains if domain.id == slot), "")


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def label(verb: str, detail: dict[str, Any]) -> str:
    """ "Reject 14 cases", "Import chats.zip"."""
    if verb in _CASES:
        cases, memories = detail.get("cases", 0), detail.get("memories", 0)
        parts = [plural(cases, "case")] if cases else []
        parts += [plural(memories, "memory", "memories")] if memories or not cases else []
        return _CASES[verb].format(" and ".join(parts))
    if verb == "import":
        return f"Import {detail.get('file', '')}".strip()
    if verb == "audit":
        return f"Audit: {plural(detail.get('proposed', 0), 'new case')}"
    if verb == "save-filter":
        return f"Save the filter “{detail.get('name', '')}”"
    if verb == "forget-filter":
        return f"Remove the filter “{detail.get('name', '')}”"
    return verb.capitalize()


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
