"""Looking at memories and the conversations behind them: filters, pages, one memory's whole story."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime

from memreview.language import state_schema
from memreview.review import labels, queue, views
from memreview.review.profile import Profile
from memreview.review.values import MemoryDetail
from memreview.review.views import context, conversation, rows
from memreview.store import journal
from memreview.store import memories as stored
from memreview.store.memories import FLAGS, SORTS, MemoryFilter

__all__ = [
    "FLAGS",
    "SORTS",
    "STATUSES",
    "BadFilter", "context", "conversation", "count", "detail", "forget", "ids", "ids_of", "parse", "problem", "rows",
    "save", "saved", "slots",
]  # fmt: skip

STATUSES = ("active", "superseded", "quarantined", "evicted", "deleted")
_FIELDS = ("is", "source", "kind", "slot", "scope", "before", "after")
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


class BadFilter(ValueError):
    """What is wrong with a typed filter, in words for the person."""


def parse(query: str) -> MemoryFilter:
    """`is:active source:chatgpt -scope:work before:2025-06 free words`; a leading minus negates. Raises `BadFilter`."""
    words: list[str] = []
    terms: list[tuple[str, str, bool]] = []
    for token in _tokens(query):
        positive = not (token.startswith("-") and ":" in token)
        name, colon, value = token.removeprefix("-").partition(":") if not positive else token.partition(":")
        if not colon or name.casefold() not in _FIELDS:
            words.append(token)
        elif value:
            terms.append((*_term(name.casefold(), value), positive))
        else:
            raise BadFilter(f"“{name}:” needs a value.")
    # A space after the last word says that it is finished, which the keyword search understands.
    return MemoryFilter(words=" ".join(words) + (" " if query.endswith(" ") and words else ""), terms=tuple(terms))


def problem(query: str) -> str:
    """What is wrong with a typed filter, or ""."""
    try:
        parse(query)
    except BadFilter as error:
        return str(error)
    return ""


def ids(profile: Profile, query: str = "", *, sort: str = "created", descending: bool = True) -> list[int]:
    """Ids of all that match. Raises `BadFilter`."""
    if sort not in SORTS:
        raise BadFilter(f"Can't sort by “{sort}”.")
    return stored.ids(profile.database, parse(query), sort=sort, descending=descending)


def ids_of(profile: Profile, wanted: MemoryFilter) -> list[int]:
    """Ids of all that match a filter that was parsed already."""
    return stored.ids(profile.database, wanted)


def slots() -> tuple[str, ...]:
    """What `slot:` can ask for: the domains, and the slots of the state schema."""
    schema = state_schema.load()
    return (*(domain.id for domain in schema.domains), *(slot.id for slot in schema.slots))


def count(profile: Profile, query: str = "") -> int:
    """How many match. Raises `BadFilter`."""
    return stored.count(profile.database, parse(query))


def detail(profile: Profile, memory_id: int) -> MemoryDetail:
    """Raises `LookupError`."""
    database = profile.database
    found = stored.rows(database, [memory_id])
    if memory_id not in found:
        raise LookupError(f"no memory {memory_id}")
    evidence = [entry_id for _, entry_id in stored.evidence(database, memory_id)]
    guessed = not evidence
    cases = queue.items(profile, queue.of_memory(profile, memory_id))
    if guessed:
        evidence = queue.quoted_entries(profile, memory_id)
    contexts = [views.source(profile, entry_id, found[memory_id]["text"]) for entry_id in evidence[:10]]
    return MemoryDetail(
        row=views.memory_row(found[memory_id]),
        imported_text=found[memory_id]["imported_text"],
        versions=tuple(
            (version["at"], version["event"], version["old_text"], version["new_text"])
            for version in stored.versions(database, memory_id)
        ),
        sources=tuple(found for found in contexts if found is not None),
        sources_are_guessed=guessed and bool(contexts),
        cases=tuple(cases),
        steps=tuple(labels.step(entry) for entry in journal.of_row(database, "memories", memory_id)),
    )


def saved(profile: Profile) -> list[tuple[str, str]]:
    """Saved filters as (name, query)."""
    return [(row["name"], row["query"]) for row in profile.database.all("SELECT * FROM saved_filters ORDER BY name")]


def save(profile: Profile, name: str, query: str) -> None:
    """Save or replace a filter. Raises `BadFilter`."""
    parse(query)
    with journal.action(profile.database, "save-filter", name=name) as act:
        held = profile.database.value("SELECT id FROM saved_filters WHERE name = ?", (name,))
        if held is None:
            act.insert("saved_filters", name=name, query=query)
        else:
            act.update("saved_filters", held, query=query)


def forget(profile: Profile, name: str) -> None:
    with journal.action(profile.database, "forget-filter", name=name) as act:
        held = profile.database.value("SELECT id FROM saved_filters WHERE name = ?", (name,))
        if held is not None:
            act.delete("saved_filters", held)


def _tokens(query: str) -> list[str]:
    """Split at spaces; double quotes keep a phrase together. An open quote is taken as a plain character."""
    lexer = shlex.shlex(query, posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.quotes, lexer.escape = True, "", '"', ""
    try:
        return list(lexer)
    except ValueError:
        return query.replace('"', " ").split()


def _term(name: str, value: str) -> tuple[str, str]:
    if name == "is":
        wanted = {"stale": "superseded", "live": "active"}.get(value.casefold(), value.casefold())
        if wanted in STATUSES:
            return "status", wanted
        if wanted in FLAGS:
            return "flag", wanted
        raise BadFilter(f"“is:{value}” is not known. Try {', '.join(f'is:{each}' for each in (*STATUSES, *FLAGS))}.")
    if name in ("before", "after"):
        return name, str(_day(name, value))
    return name, value if name in ("scope", "slot") else value.casefold()


def _day(name: str, value: str) -> int:
    match = _DATE.fullmatch(value)
    try:
        year, month, day = (int(part or 1) for part in match.groups()) if match else (0, 0, 0)
        return int(datetime(year, month, day, tzinfo=UTC).timestamp() * 1_000_000)
    except ValueError:
        raise BadFilter(f"“{name}:{value}” is not a date. Write 2025, 2025-06 or 2025-06-30.") from None
