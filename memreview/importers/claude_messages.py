"""One Claude conversation turned into entries, each with the origin that its structure proves."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from memreview.importers.branches import walk
from memreview.importers.claude_memory import Edit, Edits
from memreview.importers.contract import Limits
from memreview.importers.text import clean, clean_all, limit
from memreview.importers.times import moment
from memreview.records import Conversation, Entry, EntryKind, EntryRef, Moment, Note, NoteKind, Origin

_ROOT = "00000000-0000-4000-8000-000000000000"
_EDITS = "memory_user_edits"
_RETRIEVING = ("web_search", "web_fetch", "conversation_search", "recent_chats")
_READING = re.compile(r"(?:^|[_:\-.])(?:search|read|fetch|get|list|query|find)", re.IGNORECASE)
_NOT_SHOWN = re.compile(
    r"^\s*(?:```\s*)?This block is not supported on your current device yet\.?(?:\s*```)?\s*$", re.MULTILINE
)
_SILENT = ("flag", "token_budget", "image", "document")
_PLAIN = re.compile(r"[a-z][a-z0-9_]{0,60}")


class Event(NamedTuple):
    """What one block of a message tells; `main` marks the words of the message itself."""

    origin: Origin
    text: str
    kind: EntryKind = EntryKind.MESSAGE
    actor: str = ""
    url: str = ""
    hidden: bool = False
    main: bool = False


def read_conversation(
    raw: dict[str, Any], where: str, limits: Limits, edits: Edits
) -> tuple[Conversation, tuple[Entry, ...], tuple[Note, ...]]:
    """Entries and notes of one conversation; edits of the memory in it go to `edits`."""
    return _Conversation(raw, where, limits, edits).read()


class _Conversation:
    def __init__(self, raw: dict[str, Any], where: str, limits: Limits, edits: Edits) -> None:
        self._raw, self._where, self._limits, self._edits = raw, where, limits, edits
        self._id = clean(raw.get("uuid")) or _hashed(clean(raw.get("name")), repr(raw.get("created_at")))
        self._project = clean(raw.get("project_uuid"))
        self._entries: list[Entry] = []
        self._notes: list[Note] = []
        self._unknown: Counter[str] = Counter()

    def read(self) -> tuple[Conversation, tuple[Entry, ...], tuple[Note, ...]]:
        raw = self._raw
        messages, broken = self._messages()
        parents = _parents(messages)
        leaf = raw.get("current_leaf_message_uuid")
        found = walk(
            parents, {key: at.us for key, (_, at) in messages.items()}, leaf if isinstance(leaf, str) else None
        )
        last: dict[str, str | None] = {}  # the nearest entry at or above a message
        asked: dict[str, str | None] = {}  # the nearest message of the person's
        for key in found.order:
            parent = parents[key]
            above, person = (last.get(parent), asked.get(parent)) if parent else (None, None)
            message, at = messages[key]
            own = self._add(key, self._events(message), at, above, key in found.active)
            last[key] = own or above
            asked[key] = own if message["sender"] == "human" and own else person
            self._gather_edits(message, at, person)
        if broken:
            self._note(NoteKind.BROKEN, f"{broken} of its messages could not be read")
        if found.guessed and len(found.active) < len(messages):
            self._note(
                NoteKind.GUESSED, "it has branches; the one with the newest message was taken for the current one"
            )
        for kind, count in self._unknown.items():
            self._note(NoteKind.GUESSED, f"{count} blocks of the unknown kind {kind} were read as plain text")
        self._summary()
        return self._conversation(), tuple(self._entries), tuple(self._notes)

    def _conversation(self) -> Conversation:
        raw = self._raw
        kept = {name: raw.get(name) for name in ("model", "is_starred", "is_temporary")}
        return Conversation(
            native_id=self._id,
            title=clean(raw.get("name")),
            created=moment(raw.get("created_at")),
            updated=moment(raw.get("updated_at")),
            project=self._project,
            extra={name: clean_all(value) for name, value in kept.items() if value and isinstance(value, (str, bool))},
        )

    def _messages(self) -> tuple[dict[str, tuple[dict[str, Any], Moment]], int]:
        """The messages by id, in the order of time, and how many can't be read. Equal and unknown times keep the order
        of the file."""
        found: dict[str, tuple[dict[str, Any], Moment]] = {}
        listed = self._raw["chat_messages"]
        for message in listed:
            if isinstance(message, dict) and message.get("sender") in ("human", "assistant"):
                at = moment(message.get("created_at"))
                key = clean(message.get("uuid")) or _hashed(
                    self._id, repr(at.us), message["sender"], clean(message.get("text"))
                )
                found.setdefault(key, (message, at))
        before = 0
        order = {}
        for key, (_, at) in found.items():
            before = at.us if at.us is not None else before
            order[key] = before
        return dict(sorted(found.items(), key=lambda item: order[item[0]])), len(listed) - len(found)

    def _add(self, key: str, events: Iterator[Event], at: Moment, above: str | None, active: bool) -> str | None:
        """Adds the entries of one message: its words have its id, all else a number behind it. Gives the first's id."""
        first = None
        number = 0
        for event in events:
            number += not event.main
            own = key if event.main else f"{key}#{number}"
            text, note = limit(event.text, self._limits, self._where)
            if note:
                self._notes.append(note)
            self._entries.append(
                Entry(
                    native_id=own,
                    origin=event.origin,
                    text=text,
                    at=at,
                    kind=event.kind,
                    active=active,
                    hidden=event.hidden,
                    actor=event.actor,
                    url=event.url,
                    parent_id=first or above,
                )
            )
            first = first or own
        return first

    def _events(self, message: dict[str, Any]) -> Iterator[Event]:
        origin = Origin.USER if message["sender"] == "human" else Origin.ASSISTANT
        blocks = _dicts(message.get("content"))
        words = "\n\n".join(filter(str.strip, map(_words, blocks)))
        if not words:
            words = _NOT_SHOWN.sub("", clean(message.get("text"))).strip("\n")
        if origin is Origin.USER and words.strip():
            yield Event(origin, words, main=True)
        integrations = {clean(block.get("id")): block for block in blocks if block.get("integration_name")}
        for block in blocks:
            yield from self._of_block(block, origin, integrations)
        if origin is Origin.ASSISTANT and words.strip():
            yield Event(origin, words, main=True)
        yield from attached(message)

    def _of_block(
        self, block: dict[str, Any], origin: Origin, integrations: dict[str, dict[str, Any]]
    ) -> Iterator[Event]:
        kind = block.get("type")
        if kind == "thinking":
            thought = clean(block.get("thinking")) or clean(block.get("text"))
            if thought.strip():
                yield Event(Origin.ASSISTANT, thought, EntryKind.REASONING, hidden=True)
        elif kind == "tool_use":
            yield call(clean(block.get("name")), block.get("input"))
        elif kind == "tool_result":
            connected = clean(block.get("tool_use_id")) in integrations
            yield from _results(block, connected)
        elif kind not in ("text", "voice_note", *_SILENT):
            self._unknown[kind if isinstance(kind, str) and _PLAIN.fullmatch(kind) else "?"] += 1
            if text := clean(block.get("text")):
                yield Event(origin, text)

    def _gather_edits(self, message: dict[str, Any], at: Moment, person: str | None) -> None:
        blocks = _dicts(message.get("content"))
        answers = {clean(block.get("tool_use_id")): block for block in blocks if block.get("type") == "tool_result"}
        for number, block in enumerate(blocks):
            if (
                block.get("type") != "tool_use"
                or block.get("name") != _EDITS
                or not isinstance(block.get("input"), dict)
            ):
                continue
            identity = clean(block.get("id"))
            following = blocks[number + 1] if number + 1 < len(blocks) else {}
            answer = answers.get(identity) if identity else following
            said = "\n".join(event.text for event in _results(answer, False)) if answer else ""
            evidence = EntryRef(self._id, person) if person else None
            self._edits.edits.append(Edit(at, self._project, block["input"], said, evidence, self._where))

    def _summary(self) -> None:
        text, note = limit(clean(self._raw.get("summary")), self._limits, self._where)
        if note:
            self._notes.append(note)
        if text.strip():
            at = moment(self._raw.get("updated_at"))
            identity = f"{self._id}#summary"
            self._entries.append(
                Entry(
                    native_id=identity, origin=Origin.ASSISTANT, text=text, at=at, kind=EntryKind.SUMMARY, hidden=True
                )
            )

    def _note(self, kind: NoteKind, reason: str) -> None:
        self._notes.append(Note(kind, self._where, reason))


def attached(message: dict[str, Any]) -> Iterator[Event]:
    """What the person handed over: pasted documents with their text, files by name only."""
    for document in _dicts(message.get("attachments")):
        text, name = clean(document.get("extracted_content")), clean(document.get("file_name"))
        if text or name:
            yield Event(Origin.SHARED_FILE, text, EntryKind.DOCUMENT, name)
    for file in _dicts(message.get("files")):
        if name := clean(file.get("file_name")) or clean(file.get("file_uuid")):
            yield Event(Origin.SHARED_FILE, "", EntryKind.DOCUMENT, name)


def call(name: str, value: object) -> Event:
    """A tool call; of an artifact its body, of an edit of the memory the words to remember, else the input as JSON."""
    given = value if isinstance(value, dict) else {}
    if name == _EDITS and given.get("command") in ("add", "replace", "remove"):
        words = clean(given.get("control")) or clean(given.get("replacement")) or _json(value)
        return Event(Origin.ASSISTANT, words, EntryKind.MEMORY_WRITE, name)
    body = clean(given.get("content")) or clean(given.get("new_str")) if name == "artifacts" else ""
    return Event(Origin.ASSISTANT, body or _json(value), EntryKind.TOOL_CALL, name)


def _results(block: dict[str, Any], connected: bool) -> Iterator[Event]:
    name, content = clean(block.get("name")), block.get("content")
    origin = _result_origin(name, connected)
    items = [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)
    for item in items:
        text = clean(item.get("text"))
        if not text.strip():
            continue
        if item.get("type") == "knowledge":
            source = origin if origin is Origin.SHARED_FILE else Origin.RETRIEVED_DOCUMENT
            yield Event(source, text, EntryKind.DOCUMENT, clean(item.get("title")) or name, clean(item.get("url")))
        else:
            kind = EntryKind.TOOL_RESULT if origin is Origin.TOOL_OUTPUT else EntryKind.DOCUMENT
            yield Event(origin, text, kind, name)


def _result_origin(name: str, connected: bool) -> Origin:
    if name == "project_knowledge_search":
        return Origin.SHARED_FILE
    if name in _RETRIEVING or (connected and _READING.search(name)):
        return Origin.RETRIEVED_DOCUMENT
    return Origin.TOOL_OUTPUT


def _words(block: dict[str, Any]) -> str:
    return clean(block.get("text")) if block.get("type") in ("text", "voice_note") else ""


def _parents(messages: dict[str, tuple[dict[str, Any], Moment]]) -> dict[str, str | None]:
    """The parent of each message; where the file names none that exists, the message before it."""
    parents: dict[str, str | None] = {}
    before = None
    for key, (message, _) in messages.items():
        parent = message.get("parent_message_uuid")
        if isinstance(parent, str) and (parent in messages or parent == _ROOT) and parent != key:
            parents[key] = parent if parent in messages else None
        else:
            parents[key] = before
        before = key
    return parents


def _json(value: object) -> str:
    return msgspec.json.encode(clean_all(value)).decode()


def _hashed(*parts: str) -> str:
    return "unnamed-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
