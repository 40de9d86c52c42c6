"""Entries: what was said, read or produced in a conversation, each with its origin and time."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from memreview.records.moment import UNKNOWN, Moment

DAY = 86_400_000_000
"""In microseconds."""
SESSION_GAP = DAY // 24
"""Microseconds of silence after which what is said belongs to another session."""


class Origin(StrEnum):
    """Who is speaking. Computed by the importer from the file's structure, never from a text."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_OUTPUT = "tool_output"
    RETRIEVED_DOCUMENT = "retrieved_document"
    SHARED_FILE = "shared_file"


class EntryKind(StrEnum):
    MESSAGE = "message"
    CUSTOM_INSTRUCTIONS = "custom_instructions"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    MEMORY_WRITE = "memory_write"
    DOCUMENT = "document"
    SUMMARY = "summary"


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """`native_id` is unique within its source; `project` the id or name of the project it belongs to."""

    native_id: str
    title: str = ""
    created: Moment = UNKNOWN
    updated: Moment = UNKNOWN
    project: str = ""
    extra: dict[str, Any] = msgspec.field(default_factory=dict)


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One event. A message that yields several (words and an attachment) gives several entries whose `native_id`s are
    `<message id>`, `<message id>#1`, …, stable from export to export.

    `active` is false for a branch that is not on the current path; `hidden` for what the person was never shown.
    `actor` names the tool, file or speaker; `url` where a retrieved document came from.
    """

    native_id: str
    origin: Origin
    text: str
    at: Moment = UNKNOWN
    kind: EntryKind = EntryKind.MESSAGE
    active: bool = True
    hidden: bool = False
    actor: str = ""
    url: str = ""
    parent_id: str | None = None


class EntryRef(msgspec.Struct, frozen=True):
    """An entry named from elsewhere in the same source."""

    conversation_id: str
    entry_id: str
