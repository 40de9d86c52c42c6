"""One ChatGPT conversation object turned into entries, each with the origin that its structure proves."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from memreview.importers.branches import walk
from memreview.importers.chatgpt_memory import Snapshot, Traces, Write, snapshot, without_frame, written
from memreview.importers.contract import Limits
from memreview.importers.text import clean, clean_all, limit
from memreview.importers.times import moment
from memreview.records import Conversation, Entry, EntryKind, EntryRef, Moment, Note, NoteKind, Origin

_NOTHING: dict[str, Any] = {}
_WEB = ("browser", "web")
_FILES = ("myfiles_browser", "file_search")
_KNOWN_EXTRAS = (
    "is_archived", "is_starred", "is_do_not_remember", "memory_scope", "is_temporary_chat", "default_model_slug",
    "gizmo_id",
)  # fmt: skip
_DROPPED = ("reasoning_recap", "audio_asset_pointer", "real_time_user_audio_video_asset_pointer")
_TEXT_KEYS = ("text", "result", "output_str", "content", "summary", "snippet")
_BRACKET_CITATION = re.compile("【[^【】]{0,200}†[^【】]{0,200}】")
_PRIVATE_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_PLAIN = re.compile(r"[a-z][a-z0-9_.]{0,60}")


class Reading(NamedTuple):
    conversation: Conversation
    entries: tuple[Entry, ...]
    notes: tuple[Note, ...]


class _Event(NamedTuple):
    origin: Origin
    text: str
    kind: EntryKind = EntryKind.MESSAGE
    actor: str = ""
    url: str = ""
    hidden: bool = False


def read_conversation(raw: dict[str, Any], where: str, limits: Limits, traces: Traces) -> Reading:
    """Entries and notes of one conversation; what it shows of the memory goes to `traces`."""
    return _Conversation(raw, where, limits, traces).read()


def conversation_id(raw: dict[str, Any]) -> str:
    """The id that the file gives, else one of the time, the title and the first message, never of the position."""
    named = clean(raw.get("conversation_id")) or clean(raw.get("id"))
    if named:
        return named
    nodes = _dict(raw.get("mapping"))
    parts = (repr(raw.get("create_time")), clean(raw.get("title")), min(map(clean, nodes), default=""))
    return "unnamed-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


class _Conversation:
    def __init__(self, raw: dict[str, Any], where: str, limits: Limits, traces: Traces) -> None:
        self._raw, self._where, self._limits, self._traces = raw, where, limits, traces
        self._id = conversation_id(raw)
        self._created = moment(raw.get("create_time"))
        self._nodes = {key: node for key, node in raw["mapping"].items() if isinstance(node, dict)}
        self._entries: list[Entry] = []
        self._notes: list[Note] = []
        self._broken = len(raw["mapping"]) - len(self._nodes)
        self._unknown: Counter[str] = Counter()
        self._quoted: set[tuple[str, str]] = set()

    def read(self) -> Reading:
        parents = _parents(self._nodes)
        times = {key: moment(_dict(node.get("message")).get("create_time")).us for key, node in self._nodes.items()}
        current = self._raw.get("current_node")
        found = walk(parents, times, current if isinstance(current, str) else None)
        last: dict[str, str | None] = {}  # the nearest entry at or above a node
        asked: dict[str, str | None] = {}  # the nearest message of the person's
        acknowledged = {parents[key] for key, node in self._nodes.items() if _is_bio_ack(node)}
        for key in found.order:
            parent = parents[key]
            above, person = (last.get(parent), asked.get(parent)) if parent else (None, None)
            last[key], asked[key] = above, person
            message = self._nodes[key].get("message")
            if message is None:
                continue
            if not _well_formed(message):
                self._broken += 1
                continue
            own = clean(message.get("id")) or clean(key)
            first = self._read_message(message, own, above, key in found.active)
            if first is not None:
                last[key] = first.native_id
                if first.origin is Origin.USER:
                    asked[key] = first.native_id
                elif first.kind is EntryKind.MEMORY_WRITE:
                    self._remember_write(first, person, key in acknowledged)
        self._summarise(found.guessed, found.cyclic)
        return Reading(self._conversation(), tuple(self._entries), tuple(self._notes))

    def _conversation(self) -> Conversation:
        raw = self._raw
        gizmos = (clean(raw.get(name)) for name in ("gizmo_id", "conversation_template_id"))
        kept = {name: raw.get(name) for name in _KNOWN_EXTRAS}
        extra = {name: clean_all(value) for name, value in kept.items() if value and isinstance(value, (str, bool))}
        return Conversation(
            native_id=self._id,
            title=clean(raw.get("title")),
            created=self._created,
            updated=moment(raw.get("update_time")),
            project=next((gizmo for gizmo in gizmos if gizmo.startswith("g-p-")), ""),
            extra=extra,
        )

    def _read_message(self, message: dict[str, Any], own: str, above: str | None, active: bool) -> Entry | None:
        """Adds the entries of one message and gives the first of them."""
        at = moment(message.get("create_time"))
        first = None
        for number, event in enumerate(self._events(message, at)):
            text, note = limit(event.text, self._limits, self._where)
            if note:
                self._notes.append(note)
            entry = Entry(
                native_id=f"{own}#{number}" if number else own,
                origin=event.origin,
                text=text,
                at=at,
                kind=event.kind,
                active=active,
                hidden=event.hidden,
                actor=event.actor,
                url=event.url,
                parent_id=first.native_id if first else above,
            )
            self._entries.append(entry)
            first = first or entry
        return first

    def _events(self, message: dict[str, Any], at: Moment) -> Iterator[_Event]:
        """The order of the questions matters: a hidden profile is neither a chat turn nor the person's own message."""
        content, metadata = message["content"], _dict(message.get("metadata"))
        kind = content.get("content_type")
        role, name = _speaker(message)
        hidden = metadata.get("is_visually_hidden_from_conversation") is True or message.get("weight") == 0
        if kind == "model_editable_context":
            self._remember_snapshot(content, at)
        elif kind == "user_editable_context":
            self._instruct(
                at, *(without_frame(clean(content.get(key))) for key in ("user_profile", "user_instructions"))
            )
        elif metadata.get("is_user_system_message") is True:
            data = _dict(metadata.get("user_context_message_data"))
            self._instruct(at, clean(data.get("about_user_message")), clean(data.get("about_model_message")))
        elif role == "system" or kind in _DROPPED or (role == "user" and hidden):
            return
        elif role == "user":
            yield from self._of_user(content, metadata)
        elif role == "tool":
            yield from self._of_tool(content, name, hidden)
            yield from self._search_results(metadata)
        else:
            yield from self._of_assistant(message, content, hidden)
            yield from self._search_results(metadata)

    def _of_user(self, content: dict[str, Any], metadata: dict[str, Any]) -> Iterator[_Event]:
        text = self._text(content, spoken="in")
        if text.strip():
            yield _Event(Origin.USER, text)
        files: dict[str, str] = {}
        attachments = metadata.get("attachments")
        for attachment in attachments if isinstance(attachments, list) else ():
            name = clean(_dict(attachment).get("name"))
            identity = clean(_dict(attachment).get("id")) or name
            files[identity] = name or identity
        for pointer in _images(content):
            files.setdefault(pointer, pointer)
        for actor in files.values():
            if actor:
                yield _Event(Origin.SHARED_FILE, "", EntryKind.DOCUMENT, actor=actor)

    def _of_tool(self, content: dict[str, Any], name: str, hidden: bool) -> Iterator[_Event]:
        kind = content.get("content_type")
        url, title = clean(content.get("url")), clean(content.get("title")) or clean(content.get("domain"))
        text = self._text(content)
        if kind == "computer_output":
            state = _dict(content.get("state"))
            url, text = clean(state.get("url")), clean(state.get("title"))
        elif kind == "citable_code_output":
            about = _dict(content.get("metadata"))
            url, title = clean(about.get("display_url")), clean(about.get("display_title"))
        if not text.strip():
            return
        origin = _tool_origin(kind, name, url)
        result = EntryKind.TOOL_RESULT if origin is Origin.TOOL_OUTPUT else EntryKind.DOCUMENT
        actor = name if origin is Origin.TOOL_OUTPUT else title or name
        yield _Event(origin, text, result, actor, url, hidden)

    def _of_assistant(self, message: dict[str, Any], content: dict[str, Any], hidden: bool) -> Iterator[_Event]:
        kind, recipient = content.get("content_type"), clean(message.get("recipient"))
        if kind == "thoughts":
            yield from self._thoughts(content)
            return
        text = self._text(content, spoken="out")
        if not text.strip():
            return
        if recipient.split(".")[0] == "bio":
            yield _Event(Origin.ASSISTANT, text, EntryKind.MEMORY_WRITE, "bio", hidden=hidden)
        elif recipient not in ("", "all") or kind in ("code", "tether_browsing_code"):
            language = clean(content.get("language"))
            actor = recipient if recipient not in ("", "all") else language
            yield _Event(Origin.ASSISTANT, text, EntryKind.TOOL_CALL, actor, hidden=hidden)
        elif message.get("channel") == "analysis":
            yield _Event(Origin.ASSISTANT, text, EntryKind.REASONING, hidden=True)
        else:
            yield _Event(Origin.ASSISTANT, without_citations(text), hidden=hidden)

    def _thoughts(self, content: dict[str, Any]) -> Iterator[_Event]:
        thoughts = content.get("thoughts")
        words = (
            clean(thought.get("content")) or clean(thought.get("summary"))
            for thought in (thoughts if isinstance(thoughts, list) else ())
            if isinstance(thought, dict)
        )
        text = "\n\n".join(filter(None, words))
        if text:
            yield _Event(Origin.ASSISTANT, text, EntryKind.REASONING, hidden=True)

    def _search_results(self, metadata: dict[str, Any]) -> Iterator[_Event]:
        """Snippets of web pages that came with a message, once in a conversation."""
        groups = metadata.get("search_result_groups")
        for group in groups if isinstance(groups, list) else ():
            results = _dict(group).get("entries")
            for result in results if isinstance(results, list) else ():
                url, text = clean(_dict(result).get("url")), clean(_dict(result).get("snippet"))
                if text.strip() and (url, text) not in self._quoted:
                    self._quoted.add((url, text))
                    title = clean(_dict(result).get("title"))
                    yield _Event(Origin.RETRIEVED_DOCUMENT, text, EntryKind.DOCUMENT, title, url, hidden=True)

    def _text(self, content: dict[str, Any], spoken: str = "") -> str:
        """The words of a content object: its text parts and transcripts of the given direction, else its one text."""
        kind, parts = content.get("content_type"), content.get("parts")
        name = kind if isinstance(kind, str) and _PLAIN.fullmatch(kind) else "?"
        if name not in _KNOWN:
            self._unknown[name] += 1
        if isinstance(parts, list):
            words = (clean(part) or _transcript(part, spoken) for part in parts)
            return "\n".join(filter(None, words))
        return clean(parts) or next((text for key in _TEXT_KEYS if (text := clean(content.get(key)))), "")

    def _remember_write(self, entry: Entry, person: str | None, acknowledged: bool) -> None:
        evidence = EntryRef(self._id, person) if person else None
        at = entry.at if entry.at.known else self._created
        for text in written(entry.text):
            self._traces.writes.append(Write(text, at, EntryRef(self._id, entry.native_id), evidence, acknowledged))

    def _remember_snapshot(self, content: dict[str, Any], at: Moment) -> None:
        found: Snapshot = snapshot(clean(content.get("model_set_context")), at if at.known else self._created)
        self._traces.snapshots.append(found)

    def _instruct(self, at: Moment, *texts: str) -> None:
        for text in texts:
            if text.strip():
                self._traces.instruct(text, at if at.known else self._created)

    def _summarise(self, guessed: bool, cyclic: bool) -> None:
        if self._broken:
            self._note(NoteKind.BROKEN, f"{self._broken} of its messages could not be read")
        if guessed:
            self._note(
                NoteKind.GUESSED,
                "it names no current branch that exists; the one with the newest message was taken",
            )
        if cyclic:
            self._note(NoteKind.BROKEN, "some of its messages name each other as parents; their order is not known")
        for kind, count in self._unknown.items():
            self._note(NoteKind.GUESSED, f"{count} messages of the unknown kind {kind} were read as plain text")

    def _note(self, kind: NoteKind, reason: str) -> None:
        self._notes.append(Note(kind, self._where, reason))


_RETRIEVED = ("tether_browsing_display", "sonic_webpage", "citable_code_output")
_OUTPUT = ("execution_output", "system_error", "computer_output")
_KNOWN = {"text", "multimodal_text", "code", "tether_browsing_code", "tether_quote", *_RETRIEVED, *_OUTPUT}


def _tool_origin(kind: object, name: str, url: str) -> Origin:
    family = name.split(".", maxsplit=1)[0]
    if kind == "tether_quote":
        return Origin.SHARED_FILE if family in _FILES or url.startswith("file") else Origin.RETRIEVED_DOCUMENT
    if kind in _OUTPUT:
        return Origin.TOOL_OUTPUT
    if kind in _RETRIEVED or family in _WEB:
        return Origin.RETRIEVED_DOCUMENT
    return Origin.SHARED_FILE if family in _FILES else Origin.TOOL_OUTPUT


def without_citations(text: str) -> str:
    """An answer without its citation marks, found by their delimiters alone; marks that stand for words give them."""
    if "\ue200" in text:
        text = _PRIVATE_MARK.sub(_shown, text)
    return _BRACKET_CITATION.sub("", text) if "【" in text else text


def _shown(mark: re.Match[str]) -> str:
    kind, *rest = mark[1].split("\ue202")
    if kind == "url" and rest:
        return rest[0]
    if kind == "entity" and rest:
        try:
            value = json.loads(rest[0])
        except (ValueError, RecursionError):
            return ""
        return value[1] if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str) else ""
    return ""


def _parents(nodes: dict[str, dict[str, Any]]) -> dict[str, str | None]:
    """The parent of each node. Some exports leave out `children`, so they count only where a parent is not named."""
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parent = node.get("parent")
        parents[key] = parent if isinstance(parent, str) and parent in nodes else None
    for key, node in nodes.items():
        children = node.get("children")
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and child in nodes and parents[child] is None and child != key:
                parents[child] = key
    return parents


def _well_formed(message: object) -> bool:
    return (
        isinstance(message, dict)
        and isinstance(message.get("content"), dict)
        and isinstance(message.get("author"), dict)
        and message["author"].get("role") in ("user", "assistant", "system", "tool")
    )


def _speaker(message: dict[str, Any]) -> tuple[str, str]:
    """The role and the tool's name; a real author that is a tool outweighs the role."""
    author = message["author"]
    real = clean(_dict(author.get("metadata")).get("real_author"))
    if real.startswith("tool:"):
        return "tool", real.removeprefix("tool:")
    return author["role"], clean(author.get("name"))


def _is_bio_ack(node: dict[str, Any]) -> bool:
    author = _dict(_dict(node.get("message")).get("author"))
    return author.get("role") == "tool" and author.get("name") == "bio"


def _images(content: dict[str, Any]) -> Iterator[str]:
    parts = content.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("content_type") == "image_asset_pointer":
            yield clean(part.get("asset_pointer")).split("://")[-1]


def _transcript(part: object, spoken: str) -> str:
    """Speech counts for the one who spoke: direction "in" is the person, "out" the assistant."""
    if not isinstance(part, dict) or part.get("content_type") != "audio_transcription":
        return ""
    return clean(part.get("text")) if part.get("direction") in (spoken, None) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else _NOTHING
