"""ChatGPT's data export: a zip, its unpacked folder, single files of it, or dumps that browser extensions make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from memreview.importers.chatgpt_memory import Traces
from memreview.importers.chatgpt_messages import conversation_id, read_conversation
from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.parts import Part, broken, bundles, whole
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stream import (
    Malformed,
    Scanned,
    decode,
    elements,
    scan,
)
from memreview.importers.text import clean, limit
from memreview.importers.times import moment
from memreview.records import Bundle, Conversation, Entry, Note, NoteKind, Origin, Source

_PAGE_DATA = b"jsonData = "
_FEEDBACK_ID = "message-feedback"
# What completes the memory only after the last conversation; a resumed import looks for it in what it passes over.
_TRACES = (b'"bio"', b"model_editable_context", b"user_editable_context", b"is_user_system_message")
_NOT_READ = {
    "shared_conversations.json": "links to shared conversations, without messages",
    "model_comparisons.json": "answers to choose between",
    "group_chats.json": "group chats, which do not tell who wrote what",
    "shopping.json": "shopping",
    "sora.json": "videos",
    "user_settings.json": "settings",
    "library_files.json": "a list of files",
    "conversation_asset_file_names.json": "a list of file names",
    "codex.json": "coding tasks",
    "export_manifest.json": "a list of files",
}


def sniff(probe: Probe) -> bool:
    return _is_page(probe) or (
        probe.json
        and (
            _is_conversations(probe)
            or _is_dump(probe)
            or _is_feedback(probe)
            or "chatgpt_plus_user" in probe.keys
            or probe.member.base in _NOT_READ
            or "textdocs/" in probe.member.name
        )
    )


def _is_conversations(probe: Probe) -> bool:
    start = _list_of_conversations(probe)
    return start is not None and not probe.has(f"{start}mapping.*.fragments")


def _list_of_conversations(probe: Probe) -> str | None:
    """The path before the keys of a conversation: in a list, in an object's list, or the object itself."""
    for start in ("item.", "conversations.item.", ""):
        if f"{start}mapping" in probe.seen and probe.shape is not Shape.LINES:
            return start
    return None


def _is_dump(probe: Probe) -> bool:
    """Memories as the web page gets them; other products' lists have marks of their own."""
    item = "memories.item."
    others = (
        "apps",
        "export_meta",
        "export_metadata",
        f"{item}content_hash",
        f"{item}app_id",
        f"{item}state",
    )
    own = ("memory_num_tokens", "memory_max_tokens", f"{item}created_timestamp")
    generic = probe.seen.keys() >= {f"{item}id", f"{item}content", f"{item}created_at"}
    return (generic or any(key in probe.seen for key in own)) and not any(key in probe.seen for key in others)


def _is_feedback(probe: Probe) -> bool:
    return probe.shape is Shape.ARRAY and probe.keys >= {"rating", "conversation_id"}


def _is_page(probe: Probe) -> bool:
    return probe.shape is Shape.HTML and _PAGE_DATA in probe.head and b'"mapping"' in probe.head


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    chats = [probe for probe in probes if probe.json and _is_conversations(probe)]
    pages = [probe for probe in probes if _is_page(probe)] if not chats else []
    dumps = [probe for probe in probes if probe.json and _is_dump(probe)]
    if not (chats or pages or dumps):
        return []
    feedback = [probe for probe in probes if _is_feedback(probe)]
    source = Source("chatgpt", _account(container, probes, limits), "ChatGPT")
    reading = _Export(container, limits, sorted(chats + pages, key=_by_name), feedback, dumps, _left_out(probes))
    total = sum(probe.member.size for probe in chats + pages + feedback + dumps)
    return [FileExport(source, "chatgpt", container, reading.bundles, total)]


def _by_name(probe: Probe) -> str:
    return probe.member.name


def _account(container: Container, probes: Sequence[Probe], limits: Limits) -> str:
    for probe in probes:
        if probe.json and "chatgpt_plus_user" in probe.keys:
            return clean(probe.seen.get("id"))
    return ""


def _left_out(probes: Sequence[Probe]) -> tuple[Note, ...]:
    reasons = ((probe.member.name, _NOT_READ.get(probe.member.base)) for probe in probes)
    return tuple(Note(NoteKind.SKIPPED, name, reason) for name, reason in reasons if reason)


@dataclass(frozen=True)
class _Export:
    container: Container
    limits: Limits
    chats: list[Probe]
    feedback: list[Probe]
    dumps: list[Probe]
    notes: tuple[Note, ...]

    def bundles(self, start: str | None) -> Iterator[Bundle]:
        traces = Traces()
        seen: set[tuple[str, str]] = set()

        def read(value: Any, where: str) -> Bundle:
            return self._conversation(value, where, traces, seen)

        chats = [Part(probe.member, partial(_cut, probe, self.limits), read, _TRACES) for probe in self.chats]
        return bundles(self.container, chats, partial(self._last, traces), start)

    def _conversation(self, value: Any, where: str, traces: Traces, seen: set[tuple[str, str]]) -> Bundle:
        if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
            return broken(where, "it is not a conversation: it has no mapping")
        version = conversation_id(value), repr(value.get("update_time"))
        if version in seen:
            reason = "this conversation stands in the export twice"
            return Bundle(cursor="", notes=(Note(NoteKind.SKIPPED, where, reason),))
        seen.add(version)
        conversation, entries, notes = read_conversation(value, where, self.limits, traces)
        return Bundle(cursor="", conversation=conversation, entries=entries, notes=notes)

    def _last(self, traces: Traces) -> Iterator[Bundle]:
        notes = list(self.notes)
        if self.feedback:
            yield self._comments()
        instructions = traces.custom_instructions()
        if instructions:
            yield Bundle(cursor="", conversation=instructions[0], entries=instructions[1])
        complete = self._read_dumps(traces, notes)
        memories, changes = traces.memories(), traces.changes()
        if memories or changes or notes:
            yield Bundle(
                cursor="",
                memories=memories,
                changes=changes,
                notes=tuple(notes),
                memories_complete=complete and not self.chats,
            )

    def _read_dumps(self, traces: Traces, notes: list[Note]) -> bool:
        """Adds the memories of dumps to `traces`; true when there is one, and each of them is whole."""
        complete = bool(self.dumps)
        for probe in self.dumps:
            with self.container.reading(probe.member) as stream:
                for index, value, _ in elements(stream, key="memories", limits=self.limits):
                    if not traces.add_dumped(value):
                        complete = False
                        notes.append(
                            Note(
                                NoteKind.BROKEN,
                                f"{probe.member.name}, item {index + 1}",
                                "it is not a memory",
                            )
                        )
            told = probe.seen.get("total", probe.seen.get("count"))
            complete = complete and (not isinstance(told, int) or told <= index + 1)
        return complete

    def _comments(self) -> Bundle:
        entries, notes = [], []
        for probe in self.feedback:
            with self.container.reading(probe.member) as stream:
                for index, value, _ in elements(stream, limits=self.limits):
                    where = f"{probe.member.name}, item {index + 1}"
                    if not isinstance(value, dict):
                        notes.append(Note(NoteKind.BROKEN, where, "it is not a comment"))
                        continue
                    text, note = limit(_comment(value), self.limits, where)
                    notes += [note] if note else []
                    if text.strip():
                        entries.append(
                            Entry(
                                native_id=f"feedback:{clean(value.get('id'))}",
                                origin=Origin.USER,
                                text=text,
                                at=moment(value.get("create_time")),
                            )
                        )
        conversation = Conversation(native_id=_FEEDBACK_ID, title="Feedback on answers")
        return Bundle(cursor="", conversation=conversation, entries=tuple(entries), notes=tuple(notes))


def _cut(probe: Probe, limits: Limits, stream: BinaryIO) -> Iterator[Scanned]:
    """The conversations of a file of any of the three shapes, or of the page's script."""
    if probe.shape is Shape.HTML:
        stream.read(probe.head.index(_PAGE_DATA) + len(_PAGE_DATA))
        return scan(stream, None, limits, alone=False)
    start = _list_of_conversations(probe)
    if start == "":
        return whole(stream, limits)
    return scan(stream, "conversations" if start == "conversations.item." else None, limits)


def _comment(value: dict[str, Any]) -> str:
    """The person's comment: `content` is JSON within a string."""
    try:
        content = decode(clean(value.get("content")).encode())
    except Malformed:
        return ""
    return clean(content.get("text")) if isinstance(content, dict) else ""
