"""The messages of a Letta agent as entries: who is speaking, what the person saw, and what was written to memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memreview.importers.contract import Limits
from memreview.importers.stores import UNIT, Store, strings
from memreview.importers.text import clean, limit
from memreview.importers.times import moment
from memreview.records import (
    Bundle,
    Conversation,
    Entry,
    EntryKind,
    EntryRef,
    MemoryRecord,
    Moment,
    NativeState,
    Note,
    NoteKind,
    Origin,
)
from memreview.records.blocks import memory_spans

SEND = "send_message"
ARCHIVAL_INSERT = "archival_memory_insert"
# Tools that write to memory, and the argument that holds what they write.
WRITTEN = {
    "core_memory_append": ("content",),
    "core_memory_replace": ("new_content",),
    "memory_insert": ("new_str",),
    "memory_replace": ("new_str",),
    "memory_rethink": ("new_memory",),
    "rethink_memory": ("new_memory",),
    "memory": ("file_text", "new_string", "new_str", "insert_text", "content"),
    ARCHIVAL_INSERT: ("content",),
}
RESULTS = {
    "archival_memory_search": Origin.RETRIEVED_DOCUMENT,
    "conversation_search": Origin.RETRIEVED_DOCUMENT,
    "web_search": Origin.RETRIEVED_DOCUMENT,
    "fetch_webpage": Origin.RETRIEVED_DOCUMENT,
    "open_files": Origin.SHARED_FILE,
    "grep_files": Origin.SHARED_FILE,
    "semantic_search_files": Origin.SHARED_FILE,
}
SKIPPED_ROLES = {"system": "system prompts", "approval": "approvals"}


def segments(block: str) -> Iterator[str]:
    """The memories in a block: the sentences of its lines."""
    for line, spans in memory_spans(block):
        yield from (line[start:end] for start, end in spans)


@dataclass(frozen=True)
class Write:
    """A write to memory: what the tool was given, when, and the entries that show it, best first."""

    tool: str
    text: str
    at: Moment
    evidence: tuple[EntryRef, ...]
    tags: tuple[str, ...] = ()


@dataclass
class Writes:
    """All writes of a file, by each line or sentence that they wrote; the latest of a text counts."""

    all: list[Write] = field(default_factory=list)
    by_text: dict[str, Write] = field(default_factory=dict)

    def add(self, write: Write) -> None:
        self.all.append(write)
        for segment in segments(write.text):
            self.by_text[_folded(segment)] = write

    def of(self, text: str) -> Write | None:
        return self.by_text.get(_folded(text))

    def archival(self) -> Iterator[MemoryRecord]:
        """What went to archival memory, which is not in the file: whether it is still there is unknown."""
        latest = {write.text: write for write in self.all if write.tool == ARCHIVAL_INSERT}
        for text, write in latest.items():
            yield MemoryRecord(
                native_id="archival" + UNIT + text,
                text=text,
                state=NativeState.HISTORIC,
                created=write.at,
                categories=write.tags,
                evidence=write.evidence,
            )


def _folded(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def conversation(store: Store, name: str, agent: dict[str, Any], writes: Writes, limits: Limits) -> Bundle:
    """The agent's messages as one conversation; its writes to memory go to `writes`."""
    messages = agent.get("messages")
    found = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    native_id = f"agent-{name}"
    reading = _Reading(native_id, store, limits, monologue=any(SEND in _tools(message) for message in found))
    for number, message in enumerate(found, 1):
        reading.message(message, number, writes)
    return Bundle(
        cursor=native_id,
        conversation=Conversation(native_id=native_id, title=name, created=moment(agent.get("created_at"))),
        entries=tuple(reading.entries),
        notes=tuple(reading.report()),
    )


def _tools(message: dict[str, Any]) -> list[str]:
    return [name for _, name, _ in _calls(message)]


def _calls(message: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Id, tool and arguments (a string that should be JSON) of each call."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and clean(function.get("name")):
            yield clean(call.get("id")), clean(function["name"]), clean(function.get("arguments"))


class _Reading:
    """Goes through the messages in order. `monologue`: this agent speaks through `send_message`, so that what stands
    beside its calls is thought and was never shown."""

    def __init__(self, conversation: str, store: Store, limits: Limits, monologue: bool) -> None:
        self.entries: list[Entry] = []
        self._conversation, self._store, self._limits, self._monologue = conversation, store, limits, monologue
        self._ids: dict[str, int] = {}
        self._tool_of: dict[str, str] = {}
        self._said: EntryRef | None = None
        self._skipped: dict[str, int] = {}
        self._notes: list[Note] = []

    def report(self) -> list[Note]:
        skipped = [
            Note(NoteKind.SKIPPED, self._store.member.name, f"{count} {what}") for what, count in self._skipped.items()
        ]
        return [*self._notes, *skipped]

    def message(self, message: dict[str, Any], number: int, writes: Writes) -> None:
        role, at = clean(message.get("role")), moment(message.get("created_at"))
        text, thought = _content(message)
        native_id = self._native_id(role, at, text, message)
        if role == "user":
            self._user(native_id, text, at, number)
        elif role == "assistant":
            self._assistant(native_id, text, thought, at, number, writes, message)
        elif role == "tool":
            tool = self._tool_of.get(clean(message.get("tool_call_id")), clean(message.get("name")))
            origin = RESULTS.get(tool, Origin.TOOL_OUTPUT)
            self._add(native_id, origin, text, at, number, kind=EntryKind.TOOL_RESULT, hidden=True, actor=tool)
        elif role == "summary":
            self._add(native_id, Origin.ASSISTANT, text, at, number, kind=EntryKind.SUMMARY, hidden=True)
        else:
            self._skip(SKIPPED_ROLES.get(role, "messages of an unknown role"))

    def _user(self, native_id: str, text: str, at: Moment, number: int) -> None:
        """Only a `user_message` is the person; logins, heartbeats and alerts are the machine in the person's role."""
        envelope = _json(text)
        if isinstance(envelope, dict) and isinstance(envelope.get("type"), str):
            if envelope["type"] != "user_message":
                self._skip("machine events (logins, heartbeats, alerts)")
                return
            text = clean(envelope.get("message"))
            at = at if at.known else moment(envelope.get("time"))
        entry = self._add(native_id, Origin.USER, text, at, number)
        self._said = EntryRef(self._conversation, entry.native_id) if entry else self._said

    def _assistant(
        self, native_id: str, text: str, thought: str, at: Moment, number: int, writes: Writes, message: dict[str, Any]
    ) -> None:
        kind = EntryKind.REASONING if self._monologue else EntryKind.MESSAGE
        parts = [(EntryKind.REASONING, thought, ""), (kind, text, "")]
        wrote: list[tuple[int, str, str, tuple[str, ...]]] = []
        for call_id, tool, arguments in _calls(message):
            self._tool_of[call_id] = tool
            given = _json(arguments)
            values = given if isinstance(given, dict) else {}
            written = next((clean(values[key]) for key in WRITTEN.get(tool, ()) if clean(values.get(key))), "")
            if tool == SEND:
                parts.append((EntryKind.MESSAGE, clean(values.get("message")) or arguments, ""))
            elif written:
                wrote.append((len(parts), tool, written, strings(values.get("tags"))))
                parts.append((EntryKind.MEMORY_WRITE, written, tool))
            else:
                parts.append((EntryKind.TOOL_CALL, f"{tool} {arguments}".strip(), tool))
        made: dict[int, Entry] = {}
        for index, (kind, words, actor) in enumerate(parts):
            hidden = kind is not EntryKind.MESSAGE
            own = f"{native_id}#{len(made)}" if made else native_id
            entry = self._add(own, Origin.ASSISTANT, words, at, number, kind=kind, hidden=hidden, actor=actor)
            if entry:
                made[index] = entry
        for index, tool, written, tags in wrote:
            shown = EntryRef(self._conversation, made[index].native_id)
            evidence = (self._said, shown) if self._said else (shown,)
            writes.add(Write(tool, written, at, evidence, tags))

    def _add(self, native_id: str, origin: Origin, text: str, at: Moment, number: int, **more: Any) -> Entry | None:
        if not text.strip():
            return None
        text, cut = limit(text, self._limits, self._store.item(number, "message"))
        if cut:
            self._notes.append(cut)
        entry = Entry(native_id=native_id, origin=origin, text=text, at=at, **more)
        self.entries.append(entry)
        return entry

    def _skip(self, what: str) -> None:
        self._skipped[what] = self._skipped.get(what, 0) + 1

    def _native_id(self, role: str, at: Moment, text: str, message: dict[str, Any]) -> str:
        """Ids in the file are numbered anew at each export, so that one is made of what doesn't change."""
        told = json.dumps(
            [role, at.us, text, [list(call) for call in _calls(message)], clean(message.get("tool_call_id"))]
        )
        digest = hashlib.sha256(told.encode()).hexdigest()[:24]
        self._ids[digest] = self._ids.get(digest, 0) + 1
        return digest if self._ids[digest] == 1 else f"{digest}~{self._ids[digest]}"


def _content(message: dict[str, Any]) -> tuple[str, str]:
    """What a message says and, apart from it, what its author thought. A tool's answer may stand in `tool_returns`."""
    content = message.get("content")
    if isinstance(content, str):
        return clean(content), ""
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    text = "\n".join(clean(part.get("text")) for part in parts if part.get("type") == "text")
    thought = "\n".join(clean(part.get("reasoning")) for part in parts if part.get("type") == "reasoning")
    returns = message.get("tool_returns")
    if not text.strip() and isinstance(returns, list):
        text = "\n".join(clean(one.get("func_response")) for one in returns if isinstance(one, dict))
    return text, thought


def _json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
