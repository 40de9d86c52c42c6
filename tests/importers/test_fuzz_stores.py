"""Any damage to a memory store gives bundles with notes or an ImportFailed: no other error, no half of it, no leak."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memreview.exporters import CorrectedMemory, ExportFailed, write_back
from memreview.importers import ImportFailed, open_exports
from memreview.importers.generic import open_pasted
from memreview.records import Bundle, MemoryStatus, Moment
from tests.importers.builders_stores import (
    MCP_LINES,
    history_db,
    history_rows,
    letta_v1,
    letta_v2,
    mem0_items,
    openmemory_backup,
    openmemory_zip,
    write,
)

SECRET = "Zebedee Quill"
GRAPH = [{"source": SECRET, "relationship": "keeps", "target": "bees"}]
PLAIN: dict[str, tuple[str, Callable[[], Any]]] = {
    "mem0": ("m.json", lambda: {"results": mem0_items(3), "relations": GRAPH, "count": 3, "next": None}),
    "mem0-list": ("m.json", lambda: mem0_items(3)),
    "mem0-history": ("h.json", lambda: [{**row, "input": [{"role": "user", "content": SECRET}]} for row in _history()]),
    "openmemory": ("memories.json", openmemory_backup),
    "letta-1": ("a.af", letta_v1),
    "letta-2": ("a.af", letta_v2),
    "passages": ("p.json", lambda: [{"id": "p1", "text": SECRET, "archive_id": "a", "file_id": None, "tags": ["x"]}]),
    "generic": ("g.json", lambda: {"memories": [{"text": SECRET, "id": 1, "created": 1739520000, "tags": ["a"]}]}),
    "own": ("o.json", lambda: {"format": "memreview-memories", "memories": [{"id": "1", "text": SECRET}]}),
    "read_graph": ("g.json", lambda: {"entities": [json.loads(MCP_LINES[0])], "relations": [json.loads(MCP_LINES[2])]}),
}
LINES = {
    "memory.jsonl": "\n".join(MCP_LINES),
    "cavira.jsonl": f'{{"id":"a","uid":"i","content":"{SECRET}","tags":["x"],"created_at":0}}\n' * 2,
    "list.jsonl": f'{{"id":"a","text":"{SECRET}"}}\n{{"id":"b","text":"{SECRET} two"}}\n',
    "list.csv": f'id,text,created\n1,"{SECRET}, ""two""",2025-01-01\n2,x,y\n',
    "list.md": f"# Head\n- {SECRET}\n  more\n* [2025-01-01] - dated\n",
    "list.txt": f"[2025-06-01] - {SECRET}\n[unknown] - more\n",
}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(
        ["", "\ud800", "\0", "deleted", "DELETE", "1970-01-01", "9" * 400, 10**400, [], {}, [[]], {"a": []}]
    ),
    st.text(max_size=5),
)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _history() -> list[dict[str, Any]]:
    return history_rows("2025-05")


def _tells_nothing(failed: Exception) -> None:
    """No word of the person's, in the message or in an error shown as its cause."""
    assert SECRET not in str(failed)
    assert failed.__cause__ is None


def read(path: Path) -> list[Bundle]:
    """All of it; what comes in can be stored (no half characters, no NUL), and errors hold nothing of the person's."""
    try:
        exports = open_exports(path)
        found = [bundle for export in exports for bundle in export.bundles()]
        exports[0].close()
    except ImportFailed as failed:
        _tells_nothing(failed)
        return []
    for bundle in found:
        assert b"\\u0000" not in msgspec.json.encode(msgspec.structs.replace(bundle, original=None))
        ids = [record.native_id for record in bundle.memories]
        assert len(set(ids)) == len(ids)
        assert all(record.text.strip() and record.native_id for record in bundle.memories)
        assert not any(SECRET in note.reason + note.where for note in bundle.notes)
    return found


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [path, *(place for key in keys for place in _places(value[key], (*path, key)))]


def _changed(document: Any, place: tuple[Any, ...], new: Any, drop: bool) -> Any:
    if not place:
        return new
    copy = dict(document) if isinstance(document, dict) else list(document)
    if len(place) == 1 and drop:
        del copy[place[0]]
    else:
        copy[place[0]] = _changed(document[place[0]], place[1:], new, drop)
    return copy


@pytest.mark.parametrize("kind", PLAIN)
@given(data=st.data())
@QUICK
def test_any_value_in_any_place(tmp_path: Path, kind: str, data: st.DataObject) -> None:
    name, make = PLAIN[kind]
    document = make()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(_places(document)))
        document = _changed(document, place, data.draw(JUNK), data.draw(st.booleans()))
    path = write(tmp_path / name, json.dumps(document))
    found = read(path)
    _write_back(path, kind, found, data)


def _write_back(path: Path, kind: str, found: list[Bundle], data: st.DataObject) -> None:
    """What was read can be corrected and written back, or is refused."""
    format = {"mem0": "mem0", "mem0-list": "mem0", "letta-1": "letta", "letta-2": "letta", "read_graph": "mcp"}.get(
        kind
    )
    records = [record for bundle in found for record in bundle.memories]
    if format is None or not records:
        return
    corrections = [
        CorrectedMemory(
            native_id=record.native_id,
            provider="",
            text=data.draw(st.sampled_from([record.text, "Changed"])),
            original_text=record.text,
            status=data.draw(st.sampled_from([MemoryStatus.ACTIVE, MemoryStatus.DELETED])),
            kind=record.kind,
        )
        for record in records
    ]
    try:
        body = write_back(format, path.read_bytes(), corrections, Moment(us=1))
    except ExportFailed as failed:
        _tells_nothing(failed)
    else:
        read(write(path.with_name(f"again-{path.name}"), body))


@pytest.mark.parametrize("name", [*LINES, *PLAIN])
@given(data=st.data())
@QUICK
def test_any_damage_to_the_bytes(tmp_path: Path, name: str, data: st.DataObject) -> None:
    body = LINES[name].encode() if name in LINES else json.dumps(PLAIN[name][1]()).encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(start, min(len(body), start + 40)) | st.just(len(body)))
        body = (
            body[:start]
            + data.draw(st.binary(max_size=6) | st.sampled_from([b"[" * 2_000, b"}{", b"\xff\xfe"]))
            + body[end:]
        )
    read(write(tmp_path / (name if name in LINES else PLAIN[name][0]), body))


@cache
def _binary(kind: str, folder: Path) -> bytes:
    if kind == "zip":
        return openmemory_zip(folder / "fixture.zip").read_bytes()
    return history_db(folder / f"fixture-{kind}.db", kind, history_rows(kind)).read_bytes()


@pytest.mark.parametrize("kind", ["zip", "2024-07", "2026-04"])
@given(data=st.data())
@QUICK
def test_any_damage_to_databases_and_zips(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    body = bytearray(_binary(kind, tmp_path_factory.getbasetemp()))
    for _ in range(data.draw(st.integers(1, 8))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)) | st.just(len(body)))
    read(write(tmp_path / ("m.zip" if kind == "zip" else "history.db"), bytes(body[:cut])))


@given(
    text=st.text()
    | st.lists(st.sampled_from([SECRET, "- ", "\n", "[2025-01-01] - ", "1. ", "# ", "```", "{", "\0"])).map("".join)
)
@QUICK
def test_anything_can_be_pasted(text: str) -> None:
    try:
        (bundle,) = open_pasted(text, text).bundles()
    except ImportFailed as failed:
        _tells_nothing(failed)
    else:
        assert bundle.memories
        msgspec.json.encode(msgspec.structs.replace(bundle, original=None))
