"""Claude's data export in both its packagings, as zips, a folder of them or single files, and captures like it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from memreview.importers.claude_memory import Edits, summary_file
from memreview.importers.claude_messages import read_conversation
from memreview.importers.claude_projects import read_design_chat, read_project
from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, ImportFailed, Limits
from memreview.importers.parts import Part, broken, bundles, whole
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stream import Scanned, decode, elements, scan
from memreview.importers.text import clean
from memreview.records import Bundle, Note, NoteKind, Source

_MEMORY_KEYS = {"conversations_memory", "project_memories", "memory_files"}
# What completes the memory only after the last file; a resumed import looks for it in what it passes over.
_TRACES = (b"memory_user_edits", *(key.encode() for key in sorted(_MEMORY_KEYS)))
_PLAIN_FILE = re.compile(r"[\w.-]{1,80}")
_NOT_READ = {"login_history.json": "log-ins"}


def sniff(probe: Probe) -> bool:
    return probe.json and (
        _kind(probe) is not None or probe.member.base in _NOT_READ or "reflections/" in probe.member.name
    )


def _kind(probe: Probe) -> str | None:
    """What a file of the export holds."""
    keys = probe.keys
    if "chat_messages" in keys or "conversations.item.chat_messages" in probe.seen:
        return "conversations"
    if "data_files.item.export_url" in probe.seen:
        return "manifest"
    if keys & _MEMORY_KEYS:
        return "memories"
    if keys >= {"uuid", "name"} and keys & {"prompt_template", "is_starter_project", "docs"}:
        return "projects"
    if keys >= {"uuid", "title", "messages"}:
        return "design chats"
    return "users" if keys >= {"uuid", "full_name", "email_address"} else None


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    kinds: dict[str | None, list[Probe]] = {}
    for probe in sorted(probes, key=lambda one: one.member.name):
        kinds.setdefault(_kind(probe), []).append(probe)
    files = [(kind, probe) for kind in _READERS for probe in kinds.get(kind, [])]
    if not files:
        if manifest := kinds.get("manifest"):
            raise _only_manifest(container, manifest[0], limits)
        return []
    export = _Export(
        container, limits, files, _project_names(container, kinds.get("projects", []), limits), _left_out(probes)
    )
    total = sum(probe.member.size for _, probe in files)
    return [FileExport(Source("claude", _account(probes), "Claude"), "claude", container, export.bundles, total)]


def _only_manifest(container: Container, probe: Probe, limits: Limits) -> ImportFailed:
    with container.reading(probe.member) as stream:
        listed = decode(stream.read(limits.message_chars), limits)["data_files"]
    names = (clean(item.get("filename")) for item in listed if isinstance(item, dict))
    plain = ", ".join(list(filter(_PLAIN_FILE.fullmatch, names))[:12])
    problem = "it is only the list of the files of a Claude export, which holds no conversations itself"
    expected = f"the files that it lists, downloaded into one folder ({plain or 'zip files'})"
    return ImportFailed(container.path, problem, expected, container.place(probe.member))


def _account(probes: Sequence[Probe]) -> str:
    """The account's id, from whichever file tells it."""
    users = {clean(probe.seen.get("item.uuid")) for probe in probes if _kind(probe) == "users"}
    if len(users) == 1:
        return users.pop()
    paths = ("item.account.uuid", "account.uuid", "item.account_uuid", "account_uuid")
    return next((name for probe in probes for path in paths if (name := clean(probe.seen.get(path)))), "")


def _project_names(container: Container, probes: Sequence[Probe], limits: Limits) -> dict[str, str]:
    names = {}
    for probe in probes:
        if probe.shape is Shape.ARRAY:
            with container.reading(probe.member) as stream:
                found = [value for _, value, _ in elements(stream, limits=limits) if isinstance(value, dict)]
        else:
            found = [probe.seen]
        names.update({clean(one.get("uuid")): clean(one.get("name")) for one in found})
    return {identity: name for identity, name in names.items() if identity and name}


def _left_out(probes: Sequence[Probe]) -> tuple[Note, ...]:
    known = {
        probe.member.name: _NOT_READ.get(probe.member.base, "reflections") for probe in probes if _kind(probe) is None
    }
    return tuple(Note(NoteKind.SKIPPED, name, reason) for name, reason in known.items())


@dataclass(frozen=True)
class _Export:
    container: Container
    limits: Limits
    files: list[tuple[str, Probe]]
    projects: dict[str, str]
    notes: tuple[Note, ...]

    def bundles(self, start: str | None) -> Iterator[Bundle]:
        edits = Edits()
        parts = [
            Part(probe.member, partial(_cut, probe, self.limits), partial(_READERS[kind], self, edits), _TRACES)
            for kind, probe in self.files
        ]
        return bundles(self.container, parts, partial(self._last, edits), start)

    def _last(self, edits: Edits) -> Iterator[Bundle]:
        """Memories are whole only beside the conversations: edits that are seen there stand in no memory file."""
        memories, changes, notes = edits.replay()
        kinds = {kind for kind, _ in self.files}
        complete = {"conversations", "memories"} <= kinds
        notes = (*self.notes, *notes)
        if memories or changes or notes:
            yield Bundle(cursor="", memories=memories, changes=changes, notes=notes, memories_complete=complete)

    def conversation(self, edits: Edits, value: Any, where: str) -> Bundle:
        if not isinstance(value, dict) or not isinstance(value.get("chat_messages"), list):
            return broken(where, "it is not a conversation: it has no chat_messages")
        conversation, entries, notes = read_conversation(value, where, self.limits, edits)
        return Bundle(cursor="", conversation=conversation, entries=entries, notes=notes)

    def design_chat(self, edits: Edits, value: Any, where: str) -> Bundle:
        return read_design_chat(value, where, self.limits)

    def project(self, edits: Edits, value: Any, where: str) -> Bundle:
        return read_project(value, where, self.limits)

    def memory(self, edits: Edits, value: Any, where: str) -> Bundle:
        if not isinstance(value, dict) or not value.keys() & _MEMORY_KEYS:
            return broken(where, "it is not Claude's memory")
        edits.summaries.update({record.native_id: record for record in summary_file(value, self.projects)})
        return Bundle(cursor="")


# What can be read, in the order of reading.
_READERS: dict[str, Callable[[_Export, Edits, Any, str], Bundle]] = {
    "conversations": _Export.conversation,
    "design chats": _Export.design_chat,
    "projects": _Export.project,
    "memories": _Export.memory,
}


def _cut(probe: Probe, limits: Limits, stream: BinaryIO) -> Iterator[Scanned]:
    if probe.shape is Shape.ARRAY:
        return scan(stream, None, limits)
    if "conversations.item.chat_messages" in probe.seen:
        return scan(stream, "conversations", limits)
    return whole(stream, limits)
