"""Letta agent files (`.af` v1 and v2): memory blocks and the agent's conversation; and dumps of archival passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memreview.importers import letta_messages
from memreview.importers.container import Container
from memreview.importers.contract import ColumnMapping, Limits
from memreview.importers.letta_messages import Writes, segments
from memreview.importers.sniff import FileExport, Probe, Shape
from memreview.importers.stores import UNIT, Gathered, Store, after, first, named, opened, strings
from memreview.importers.text import clean, clean_all
from memreview.importers.times import moment
from memreview.records import (
    UNKNOWN,
    Bundle,
    Conversation,
    Entry,
    EntryKind,
    MemoryKind,
    MemoryRecord,
    NativeState,
    NoteKind,
    Origin,
    Source,
)

EXPECTED = "a Letta agent file (.af)"
CUT = "an agent file holds only the agent's recent messages"
PERSONA = "persona"


def sniff(probe: Probe) -> bool:
    return _is_agent(probe) or _is_passages(probe)


def _is_agent(probe: Probe) -> bool:
    v1 = {"agent_type", "core_memory"} <= probe.keys
    return probe.shape is Shape.OBJECT and (v1 or {"agents", "blocks"} <= probe.keys)


def _is_passages(probe: Probe) -> bool:
    seen = probe.seen
    return probe.shape is Shape.ARRAY and {"item.text", "item.archive_id"} <= seen.keys()


def read(
    container: Container, probes: Sequence[Probe], limits: Limits, mapping: ColumnMapping | None
) -> list[FileExport]:
    return [
        _passages(opened(container, probe.member), limits)
        if _is_passages(probe)
        else _agent_file(opened(container, probe.member), limits)
        for probe in probes
    ]


def _agent_file(store: Store, limits: Limits) -> FileExport:
    document = store.document(EXPECTED, limits)
    if not isinstance(document, dict):
        raise store.failed("it holds no agent", EXPECTED)
    agents = _objects(document.get("agents")) if "agents" in document else [document]
    blocks = _objects(first(document, "blocks", "core_memory"))
    names = _distinct([clean(agent.get("name")) for agent in agents])

    def stream(start: str | None) -> Iterator[Bundle]:
        return after(_bundles(store, dict(zip(names, agents, strict=True)), blocks, limits), start)

    return FileExport(
        Source(provider="letta", account=names[0] if len(names) == 1 else "", label=store.member.base),
        "letta",
        store.container,
        stream,
        len(store.body),
        moment(document.get("created_at")) if "agents" in document else UNKNOWN,
    )


def _distinct(names: list[str]) -> list[str]:
    """Agent ids are local to a file, so that the name is all that tells agents apart."""
    counts: dict[str, int] = {}
    distinct = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        distinct.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return distinct


def _bundles(store: Store, agents: dict[str, Any], blocks: list[dict[str, Any]], limits: Limits) -> Iterator[Bundle]:
    writes = Writes()
    messages = 0
    for name, agent in agents.items():
        bundle = letta_messages.conversation(store, name, agent, writes, limits)
        messages += len(bundle.entries)
        yield bundle
    gathered = Gathered(store, limits)
    for block in blocks:
        _add_block(gathered, block, writes)
    for write in writes.archival():
        gathered.add(write, store.member.name)
    if messages:
        gathered.note(NoteKind.WARNING, store.member.name, CUT)
    yield gathered.bundle(memories_complete=True)


def _add_block(gathered: Gathered, block: dict[str, Any], writes: Writes) -> None:
    """A block is one text; each line or sentence of it is one memory. The persona block is about the agent."""
    label = clean(block.get("label"))
    persona = label == PERSONA
    where = f"{gathered.store.member.name}, block {label if label.isidentifier() else '?'}"
    if not isinstance(block.get("value"), str):
        gathered.note(NoteKind.BROKEN, where, "it holds no text")
        return
    about = clean_all({key: value for key, value in block.items() if key != "value"})
    for number, text in enumerate(dict.fromkeys(segments(clean(block["value"]))), 1):
        written = writes.of(text)
        record = MemoryRecord(
            native_id=label + UNIT + text,
            text=text,
            kind=MemoryKind.PROFILE if persona else MemoryKind.MEMORY,
            created=written.at if written else UNKNOWN,
            subject="assistant" if persona else "",
            categories=(label,) if label else (),
            evidence=written.evidence if written else (),
            raw={"block": about},
        )
        gathered.add(record, f"{where}, memory {number}")


def _passages(store: Store, limits: Limits) -> FileExport:
    items = store.listed(None, "a list of Letta's passages", limits)

    def stream(start: str | None) -> Iterator[Bundle]:
        return after(_passage_bundles(store, items, limits), start)

    source = Source(provider="letta", label=store.member.base)
    return FileExport(source, "letta-passages", store.container, stream, len(store.body))


def _passage_bundles(store: Store, items: list[Any], limits: Limits) -> Iterator[Bundle]:
    """Passages of a file that the person gave are documents; the others are what the agent stored."""
    gathered = Gathered(store, limits)
    files: dict[str, list[Entry]] = {}
    for number, item in enumerate(items, 1):
        row = item if isinstance(item, dict) else {}
        text, native_id = clean(row.get("text")), named(row.get("id"))
        if not text.strip() or not native_id:
            gathered.broken(store.item(number), item)
        elif row.get("file_id"):
            entry = Entry(
                native_id=native_id,
                origin=Origin.SHARED_FILE,
                text=text,
                at=moment(row.get("created_at")),
                kind=EntryKind.DOCUMENT,
                actor=clean(row.get("file_name")),
            )
            files.setdefault(named(row["file_id"]), []).append(entry)
        else:
            record = MemoryRecord(
                native_id=native_id,
                text=text,
                state=NativeState.DELETED if row.get("is_deleted") is True else NativeState.ACTIVE,
                created=moment(row.get("created_at")),
                updated=moment(row.get("updated_at")),
                categories=strings(row.get("tags")),
                raw=clean_all({key: value for key, value in row.items() if key != "embedding"}),
            )
            gathered.add(record, store.item(number))
    for file_id, entries in files.items():
        conversation = Conversation(native_id=f"file-{file_id}", title=entries[0].actor)
        yield Bundle(cursor=conversation.native_id, conversation=conversation, entries=tuple(entries))
    yield gathered.bundle(keep=False)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
