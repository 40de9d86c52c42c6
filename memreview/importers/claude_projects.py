"""Claude's projects, with the documents and instructions a person put there, and its design chats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memreview.importers.claude_messages import Event, call
from memreview.importers.contract import Limits
from memreview.importers.parts import broken
from memreview.importers.text import clean, limit
from memreview.importers.times import moment
from memreview.records import Bundle, Conversation, Entry, EntryKind, Moment, Note, NoteKind, Origin


class _Page:
    """Gathers the entries of one bundle."""

    def __init__(self, where: str, limits: Limits) -> None:
        self._where, self._limits = where, limits
        self._entries: list[Entry] = []
        self._notes: list[Note] = []

    def add(self, identity: str, event: Event, at: Moment) -> None:
        text, note = limit(event.text, self._limits, self._where)
        self._notes += [note] if note else []
        self._entries.append(
            Entry(
                native_id=identity,
                origin=event.origin,
                text=text,
                at=at,
                kind=event.kind,
                hidden=event.hidden,
                actor=event.actor,
            )
        )

    def bundle(self, conversation: Conversation) -> Bundle:
        return Bundle(cursor="", conversation=conversation, entries=tuple(self._entries), notes=tuple(self._notes))


def read_project(value: Any, where: str, limits: Limits) -> Bundle:
    """A project as a conversation of its own; those that Claude starts everyone with say nothing of the person."""
    if not isinstance(value, dict) or not clean(value.get("uuid")):
        return broken(where, "it is not a project")
    if value.get("is_starter_project") is True:
        return Bundle(cursor="", notes=(Note(NoteKind.SKIPPED, where, "a project that everyone is given"),))
    identity, name = clean(value.get("uuid")), clean(value.get("name"))
    page = _Page(where, limits)
    updated = moment(value.get("updated_at"))
    if (instructions := clean(value.get("prompt_template"))).strip():
        page.add(f"{identity}#instructions", Event(Origin.USER, instructions, EntryKind.CUSTOM_INSTRUCTIONS), updated)
    docs = value.get("docs")
    for number, doc in enumerate(docs if isinstance(docs, list) else ()):
        if isinstance(doc, dict) and (text := clean(doc.get("content"))):
            own = clean(doc.get("uuid")) or f"{identity}#{number}"
            actor = clean(doc.get("filename"))
            page.add(own, Event(Origin.SHARED_FILE, text, EntryKind.DOCUMENT, actor), moment(doc.get("created_at")))
    return page.bundle(
        Conversation(
            native_id=identity, title=name, created=moment(value.get("created_at")), updated=updated, project=name
        )
    )


def read_design_chat(value: Any, where: str, limits: Limits) -> Bundle:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return broken(where, "it is not a design chat")
    page = _Page(where, limits)
    for number, message in enumerate(value["messages"]):
        if isinstance(message, dict):
            at = moment(message.get("created_at"))
            own = clean(message.get("uuid")) or f"{clean(value.get('uuid'))}#{number}"
            for position, event in enumerate(_design_events(message)):
                page.add(f"{own}#{position}" if position else own, event, at)
    project = value.get("project")
    return page.bundle(
        Conversation(
            native_id=clean(value.get("uuid")),
            title=clean(value.get("title")),
            created=moment(value.get("created_at")),
            updated=moment(value.get("updated_at")),
            project=clean(project.get("name")) if isinstance(project, dict) else "",
        )
    )


def _design_events(message: dict[str, Any]) -> Iterator[Event]:
    content = message.get("content")
    content = content if isinstance(content, dict) else {"content": content}
    role = message.get("role") or content.get("role")
    speaker = Origin.USER if role == "user" else Origin.ASSISTANT
    if (text := clean(content.get("content"))).strip():
        yield Event(speaker, text)
    blocks = content.get("contentBlocks")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict):
            yield from _design_block(block, speaker, text)
    attachments = content.get("attachments")
    for attachment in attachments if isinstance(attachments, list) else ():
        if isinstance(attachment, dict) and (shared := clean(attachment.get("content"))):
            yield Event(Origin.SHARED_FILE, shared, EntryKind.DOCUMENT, clean(attachment.get("name")))


def _design_block(block: dict[str, Any], speaker: Origin, text: str) -> Iterator[Event]:
    kind, words = block.get("type"), clean(block.get("text"))
    if kind == "text" and words.strip() and words != text:  # `content` may hold the same words again
        yield Event(speaker, words)
    elif kind == "thinking" and (thought := clean(block.get("thinking")) or words):
        yield Event(Origin.ASSISTANT, thought, EntryKind.REASONING, hidden=True)
    elif kind == "user_interjection" and (said := clean(block.get("message"))):
        yield Event(Origin.USER, said)
    elif kind == "tool_call" and isinstance(tool := block.get("toolCall"), dict):
        name = clean(tool.get("name"))
        yield call(name, tool.get("input"))
        if output := clean(tool.get("output")):
            yield Event(Origin.TOOL_OUTPUT, output, EntryKind.TOOL_RESULT, name)
