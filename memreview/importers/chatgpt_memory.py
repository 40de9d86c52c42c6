"""What a ChatGPT export shows of its memory: writes through the `bio` tool, snapshots of the store, dumps of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from memreview.importers.stream import Malformed, decode
from memreview.importers.text import clean, clean_all, same, text_id
from memreview.importers.times import moment
from memreview.records import (
    UNKNOWN,
    Conversation,
    Entry,
    EntryKind,
    EntryRef,
    MemoryChange,
    MemoryRecord,
    Moment,
    NativeState,
    Origin,
)

INSTRUCTIONS_ID = "custom-instructions"

_NUMBERED = re.compile(r"^\d+\. \[(\d{4}-\d{2}-\d{2})\]\. ", re.MULTILINE)
_NUMBERED_UNDATED = re.compile(r"^\d+\.\s+()", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_FORGET = re.compile(r"^(?:please\s+)?(?:forget|delete|remove)\b[:,]?\s*(?:that\s+|the memory\s+)?", re.IGNORECASE)
_FENCED = re.compile(r"```(?:\w*\n)?(.*)```", re.DOTALL)


@dataclass(frozen=True)
class Write:
    """One call of the bio tool; `evidence` is the person's message that it answers."""

    text: str
    at: Moment
    call: EntryRef
    evidence: EntryRef | None
    acknowledged: bool


@dataclass(frozen=True)
class Snapshot:
    """The whole store as the model was given it at one time: (text, day written) for each memory."""

    at: Moment
    memories: tuple[tuple[str, Moment], ...]


def written(payload: str) -> Iterator[str]:
    """The memories in the payload of one bio call: plain text, a list with a mark on each line, or JSON."""
    payload = payload.strip()
    if payload[:1] in ("{", "["):
        try:
            yield from _from_json(decode(payload.encode()))
            return
        except Malformed:
            pass
    lines = [line for line in payload.splitlines() if line.strip()]
    if len(lines) > 1 and all(map(_BULLET.match, lines)):
        yield from (_BULLET.sub("", line).strip() for line in lines)
    elif payload:
        yield payload


def _from_json(value: Any) -> Iterator[str]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        wrapped = (item.get("content") or item.get("memory") or item.get("text")) if isinstance(item, dict) else item
        if text := clean(wrapped).strip():
            yield text


def snapshot(text: str, at: Moment) -> Snapshot:
    """Split a numbered `model_set_context`; an entry may hold line breaks."""
    marks = list(_NUMBERED.finditer(text)) or list(_NUMBERED_UNDATED.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    entries = ((text[mark.end() : end].strip(), moment(mark[1])) for mark, end in zip(marks, ends, strict=False))
    return Snapshot(at, tuple(entry for entry in entries if entry[0]))


def without_frame(text: str) -> str:
    """The person's own words in a custom-instructions message, which stand between triple backticks."""
    found = _FENCED.search(text)
    return (found[1] if found else text).strip()


@dataclass
class Traces:
    """Gathers over all conversations what only the last one completes: which memories the newest snapshot still
    holds, and when each text of the custom instructions was first seen."""

    writes: list[Write] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    dumped: dict[str, MemoryRecord] = field(default_factory=dict)
    instructions: dict[str, tuple[str, Moment]] = field(default_factory=dict)

    def instruct(self, text: str, at: Moment) -> None:
        known = self.instructions.get(same(text))
        if known is None or _earlier(at, known[1]):
            self.instructions[same(text)] = (known[0] if known else text, at)

    def add_dumped(self, record: Any) -> bool:
        """Take over one memory of a dump of the web endpoint; false when it is none."""
        text = clean(record.get("content") or record.get("text")) if isinstance(record, dict) else ""
        if not same(text):
            return False
        kind = clean(record.get("type"))
        self.dumped[same(text)] = MemoryRecord(
            native_id=text_id(text),
            text=text,
            created=moment(record.get("created_timestamp", record.get("created_at"))),
            updated=moment(record.get("updated_at")),
            categories=(kind,) if kind else (),
            raw=clean_all(record),
        )
        return True

    def memories(self) -> tuple[MemoryRecord, ...]:
        """One record for each distinct text, wherever it was seen: a write, a snapshot and a dump of one memory are
        linked by it.

        It is ACTIVE when the dump, or else the newest snapshot that holds anything, has it; GONE when only an older
        one has; HISTORIC when only a write shows it, which may have failed or been deleted since. An empty snapshot
        says nothing, since memory that is switched off looks the same.
        """
        filled = sorted((one for one in self.snapshots if one.memories), key=lambda one: one.at.us or 0)
        newest = set(self.dumped)
        if filled and not newest:
            newest = {same(text) for text, _ in filled[-1].memories}
        writes: dict[str, list[Write]] = {}
        for write in sorted(self.writes, key=lambda one: (one.at.us is None, one.at.us or 0)):
            if not _FORGET.match(write.text):
                writes.setdefault(same(write.text), []).append(write)
        listed = {same(text): (text, day) for one in filled for text, day in one.memories}
        records = []
        for key in {**writes, **listed, **self.dumped}:
            state = _state(key, newest, listed)
            record = self.dumped.get(key) or _record(key, writes.get(key, []), listed.get(key), state)
            records.append(_with_sources(record, writes.get(key, [])))
        return tuple(records)

    def changes(self) -> tuple[MemoryChange, ...]:
        """A request to forget is a DELETE when it names a memory that was written; else it stays an entry only."""
        known = {same(write.text).casefold(): write.text for write in self.writes if not _FORGET.match(write.text)}
        for one in self.snapshots:
            known.update({same(text).casefold(): text for text, _ in one.memories})
        changes = []
        for write in self.writes:
            asked = _FORGET.match(write.text)
            target = known.get(same(write.text[asked.end() :]).casefold()) if asked else None
            if target:
                changes.append(MemoryChange(native_id=text_id(target), event="DELETE", old_text=target, at=write.at))
        return tuple(changes)

    def custom_instructions(self) -> tuple[Conversation, tuple[Entry, ...]] | None:
        if not self.instructions:
            return None
        entries = tuple(
            Entry(
                native_id=text_id(text),
                origin=Origin.USER,
                text=text,
                at=at,
                kind=EntryKind.CUSTOM_INSTRUCTIONS,
            )
            for text, at in self.instructions.values()
        )
        return Conversation(native_id=INSTRUCTIONS_ID, title="Custom instructions"), entries


def _state(key: str, newest: set[str], listed: dict[str, tuple[str, Moment]]) -> NativeState:
    if key in newest:
        return NativeState.ACTIVE
    return NativeState.GONE if key in listed else NativeState.HISTORIC


def _record(key: str, writes: list[Write], listed: tuple[str, Moment] | None, state: NativeState) -> MemoryRecord:
    text, day = listed or (writes[0].text, UNKNOWN)
    created = writes[0].at if writes and writes[0].at.known else day
    return MemoryRecord(native_id=text_id(key), text=text, state=state, created=created)


def _with_sources(record: MemoryRecord, writes: list[Write]) -> MemoryRecord:
    if not writes:
        return record
    evidence = dict.fromkeys(write.evidence for write in writes if write.evidence)
    calls = [write.call.entry_id for write in writes]
    raw = record.raw | {"calls": calls, "acknowledged": any(write.acknowledged for write in writes)}
    return msgspec.structs.replace(record, evidence=tuple(evidence), raw=raw)


def _earlier(one: Moment, other: Moment) -> bool:
    return one.us is not None and (other.us is None or one.us < other.us)
