"""Claude's memory: the summary it writes about a person, cut into sentences, and the edits made to it in chats."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from syntok import segmenter

from memreview.importers.text import clean, same, text_id
from memreview.importers.times import moment
from memreview.records import (
    UNKNOWN,
    EntryRef,
    MemoryChange,
    MemoryKind,
    MemoryRecord,
    Moment,
    NativeState,
    Note,
    NoteKind,
)

_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<hash>.+?)\s*#*|\*\*(?P<bold>[^*]+?)\*\*:?)\s*$")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d+[.)])\s+")
_BASIS = re.compile(r"\s*\[(stated|inferred)\](?P<dot>\.?)$")
_LISTED = re.compile(r"^\s*(\d+)[.)]\s+(.+?)\s*$", re.MULTILINE)
_ADDED = re.compile(r"#(\d+)")


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """(heading, sentence) for each sentence of a summary, in exact words; a heading is a line of its own, in bold or
    after `#`, in any language."""
    heading = ""
    for block in _blocks(text):
        found = _HEADING.match(block)
        if found:
            heading = (found["hash"] or found["bold"]).strip(" *:")
            continue
        for sentence in _split(block):
            yield heading, sentence


def _blocks(text: str) -> Iterator[str]:
    """Headings, bullets and paragraphs; a paragraph may run over several lines."""
    held: list[str] = []
    for line in text.splitlines():
        alone = _HEADING.match(line) or _BULLET.match(line)
        if held and (alone or not line.strip()):
            yield " ".join(held)
            held = []
        if _HEADING.match(line):
            yield line
        elif line.strip():
            held.append(_BULLET.sub("", line).strip())
    if held:
        yield " ".join(held)


def _split(block: str) -> Iterator[str]:
    starts = [sentence[0].offset for paragraph in segmenter.analyze(block) for sentence in paragraph if sentence]
    for start, end in zip(starts, [*starts[1:], len(block)], strict=False):
        if sentence := block[start:end].strip():
            yield sentence


def summaries(text: str, scope: str = "", updated: Moment = UNKNOWN) -> Iterator[MemoryRecord]:
    """The records of one summary; the same sentence in two projects is two memories."""
    for heading, sentence in sentences(text):
        basis = _BASIS.search(sentence)
        words = sentence[: basis.start()] + basis["dot"] if basis else sentence
        if not same(words):
            continue
        yield MemoryRecord(
            native_id=text_id(f"{scope}\n{words}" if scope else words),
            text=words,
            kind=MemoryKind.SUMMARY,
            updated=updated,
            scope=scope,
            categories=(heading,) if heading else (),
            raw={"basis": basis[1]} if basis else {},
        )


def summary_file(value: dict[str, Any], projects: dict[str, str]) -> tuple[MemoryRecord, ...]:
    """The memories in one object of a memories file; a project's are scoped by its name, else by its id."""
    records = list(summaries(clean(value.get("conversations_memory"))))
    for project, text in _of_projects(value.get("project_memories")):
        records += summaries(text, projects.get(project, project))
    files = value.get("memory_files")
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            records += summaries(clean(file.get("content")), updated=moment(file.get("updated_at")))
    return tuple({record.native_id: record for record in records}.values())


def _of_projects(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from ((clean(project), clean(text)) for project, text in value.items())
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield clean(item.get("project_uuid")), clean(item.get("memory"))


class Edit(NamedTuple):
    """One call of `memory_user_edits`; `answer` is what the tool said."""

    at: Moment
    project: str
    input: dict[str, Any]
    answer: str
    evidence: EntryRef | None
    where: str


@dataclass
class _List:
    """The numbered list as far as it is known: numbers shift down after a removal."""

    texts: dict[int, str] = field(default_factory=dict)
    whole: bool = False

    def show(self, answer: str) -> None:
        self.texts = {int(number): text for number, text in _LISTED.findall(answer) if len(number) < 5}
        self.whole = True

    def add(self, text: str, answer: str) -> None:
        told = _ADDED.search(answer)
        if told and len(told[1]) < 5:
            self.texts[int(told[1])] = text
        elif self.whole:
            self.texts[max(self.texts, default=0) + 1] = text

    def remove(self, number: int) -> str | None:
        text = self.texts.pop(number, None)
        self.texts = {n - (n > number): kept for n, kept in self.texts.items()}
        return text


@dataclass
class Edits:
    """Replays the edits of all conversations in the order of time. What a removal took away is said only where the
    list was known at that moment. `summaries` are the records of the memory files, which an edit of the same words
    gives its evidence to."""

    summaries: dict[str, MemoryRecord] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    _lists: dict[str, _List] = field(default_factory=lambda: defaultdict(_List))
    _records: dict[str, MemoryRecord] = field(default_factory=dict)
    _changes: list[MemoryChange] = field(default_factory=list)
    _notes: list[Note] = field(default_factory=list)

    def replay(self) -> tuple[tuple[MemoryRecord, ...], tuple[MemoryChange, ...], tuple[Note, ...]]:
        for edit in sorted(self.edits, key=lambda one: (one.at.us is None, one.at.us or 0)):
            self._apply(edit, self._lists[edit.project])
        for key, record in self.summaries.items():
            edited = self._records.get(key)
            evidence = edited.evidence if edited else ()
            self._records[key] = msgspec.structs.replace(record, evidence=evidence)
        return tuple(self._records.values()), tuple(self._changes), tuple(self._notes)

    def _apply(self, edit: Edit, known: _List) -> None:
        command, number = edit.input.get("command"), edit.input.get("line_number")
        if command == "view":
            known.show(edit.answer)
            for text in known.texts.values():
                self._put(text, NativeState.ACTIVE, edit, since=UNKNOWN)
        elif command == "add" and (text := clean(edit.input.get("control")).strip()):
            known.add(text, edit.answer)
            self._put(text, NativeState.HISTORIC, edit, since=edit.at)
            self._changes.append(MemoryChange(native_id=_id(text, edit), event="ADD", new_text=text, at=edit.at))
        elif command in ("remove", "replace") and isinstance(number, int):
            new = clean(edit.input.get("replacement")).strip() if command == "replace" else ""
            old = known.texts.get(number) if new else known.remove(number)
            if new:
                known.texts[number] = new
                self._put(new, NativeState.HISTORIC, edit, since=edit.at)
            self._drop(old, new, edit)

    def _put(self, text: str, state: NativeState, edit: Edit, since: Moment) -> None:
        key = _id(text, edit)
        held = self._records.get(key)
        if held:
            self._records[key] = msgspec.structs.replace(held, state=state)
            return
        evidence = (edit.evidence,) if edit.evidence and since.known else ()
        self._records[key] = MemoryRecord(
            native_id=key, text=text, state=state, created=since, scope=edit.project, evidence=evidence
        )

    def _drop(self, old: str | None, new: str, edit: Edit) -> None:
        if old is None:
            reason = "an edit of the memory names a line of a list that the export does not show at that time"
            self._notes.append(Note(NoteKind.GUESSED, edit.where, reason))
            return
        self._put(old, NativeState.DELETED, edit, since=UNKNOWN)
        event = "UPDATE" if new else "DELETE"
        self._changes.append(
            MemoryChange(native_id=_id(old, edit), event=event, old_text=old, new_text=new, at=edit.at)
        )


def _id(text: str, edit: Edit) -> str:
    return text_id(f"{edit.project}\n{text}" if edit.project else text)
