"""Memory stores as the programs write them, for the tests of importers and exporters. One fictional person: Ines."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from memreview.importers import open_exports
from memreview.records import Bundle, Entry, MemoryRecord, Note

PACIFIC = "2025-06-01T02:10:11.000123-07:00"
UTC = "2025-07-01T10:00:00.000123+00:00"


def write(path: Path, value: Any) -> Path:
    """A file with these bytes, this text, or this JSON value."""
    body = value if isinstance(value, (bytes, str)) else json.dumps(value, ensure_ascii=False)
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    return path


def bundles(path: Path) -> list[Bundle]:
    """All bundles of the one export in `path`."""
    (export,) = open_exports(path)
    try:
        return list(export.bundles())
    finally:
        export.close()


def memories(path: Path) -> dict[str, MemoryRecord]:
    return {record.native_id: record for bundle in bundles(path) for record in bundle.memories}


def texts(path: Path) -> list[str]:
    return [record.text for bundle in bundles(path) for record in bundle.memories]


def notes(path: Path) -> list[Note]:
    return [note for bundle in bundles(path) for note in bundle.notes]


def entries(path: Path) -> list[Entry]:
    return [entry for bundle in bundles(path) for entry in bundle.entries]


def mem0_item(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"7a3e0000-0000-4000-8000-{number:012d}",
        "memory": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "metadata": {"source": "chat"},
        "created_at": PACIFIC,
        "updated_at": None,
        "user_id": "ines",
        **more,
    }


def mem0_items(count: int) -> list[dict[str, Any]]:
    return [mem0_item(number, f"Owns bee hive number {number}") for number in range(count)]


def mem0_camel(number: int, text: str) -> dict[str, Any]:
    item = mem0_item(number, text, createdAt=UTC, updatedAt=UTC, userId="ines")
    return {key: value for key, value in item.items() if "_" not in key}


# The four schemas of history.db, by their time, and for each an ADD, an UPDATE and a DELETE of one memory.
HISTORY_SCHEMAS = {
    "2024-07": "id TEXT PRIMARY KEY, memory_id TEXT, prev_value TEXT, new_value TEXT, event TEXT, timestamp DATETIME,"
    " is_deleted INTEGER",
    "2024-08": "id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, new_value TEXT, event TEXT,"
    " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER",
    "2025-05": "id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME,"
    " updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT",
    "2026-04": "id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME,"
    " updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT",
}
MESSAGES = (
    "CREATE TABLE messages (id TEXT, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME)"
)


def history_rows(schema: str) -> list[dict[str, Any]]:
    first, second = "2025-01-05T09:00:00.000000-08:00", "2025-02-05T09:00:00.000000-08:00"
    rows = [
        ("h1", "m1", None, "Lives in Lisbon", "ADD", first, None, 0),
        ("h2", "m1", "Lives in Lisbon", "Lives in Porto", "UPDATE", first, second, 0),
        ("h3", "m2", None, "Keeps bees", "ADD", first, None, 0),
        ("h4", "m2", "Keeps bees", None, "DELETE", None, None, 1),
    ]
    old, new = ("prev_value", "new_value") if schema == "2024-07" else ("old_memory", "new_memory")
    keys = ("id", "memory_id", old, new, "event", "created_at", "updated_at", "is_deleted")
    made = [dict(zip(keys, row, strict=True)) for row in rows]
    if schema == "2024-07":
        made = [{**row, "timestamp": row["updated_at"] or row["created_at"]} for row in made]
        made = [{key: value for key, value in row.items() if key not in ("created_at", "updated_at")} for row in made]
    return made


def history_db(path: Path, schema: str, rows: Iterable[dict[str, Any]], table: str = "history") -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE TABLE {table} ({HISTORY_SCHEMAS[schema]})")
        if schema == "2026-04":
            database.execute(MESSAGES)
        for row in rows:
            marks = ", ".join("?" for _ in row)
            database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        database.commit()
    return path


def openmemory_backup(**meta: Any) -> dict[str, Any]:
    def memory(native_id: str, text: str, state: str, **more: Any) -> dict[str, Any]:
        base = {"user_id": "u-1", "app_id": "app-1", "metadata": None, "created_at": UTC, "updated_at": UTC}
        dates = {"archived_at": None, "deleted_at": None, "category_ids": ["cat-1"]}
        return {"id": native_id, "content": text, "state": state, **base, **dates, **more}

    return {
        "user": {"id": "u-1", "user_id": "ines", "name": None, "email": None, "metadata": {}},
        "apps": [{"id": "app-1", "owner_id": "u-1", "name": "claude", "is_active": True}],
        "categories": [{"id": "cat-1", "name": "hobbies"}, {"id": "cat-2", "name": None}],
        "memories": [
            memory("m-1", "Keeps two bee hives", "active", category_ids=["cat-1", "cat-2"]),
            memory("m-2", "Works nights", "paused", category_ids=[]),
            memory("m-3", "Lives in Lisbon", "archived", archived_at=UTC),
            memory("m-4", "Owns a goat", "deleted", deleted_at=UTC),
        ],
        "memory_categories": [{"memory_id": "m-2", "category_id": "cat-1"}],
        "status_history": [
            {"id": "h-1", "memory_id": "m-4", "old_state": "active", "new_state": "deleted", "changed_at": UTC}
        ],
        "access_controls": [],
        "export_meta": {"app_id_filter": None, "from_date": None, "to_date": None, "generated_at": UTC, **meta},
    }


def openmemory_zip(path: Path, backup: dict[str, Any] | None = None, lines: bytes | None = None) -> Path:
    packed = gzip.compress(lines if lines is not None else b'{"id":"m-9","content":"Again","state":"active"}\n')
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("memories.json", json.dumps(backup or openmemory_backup()))
        archive.writestr("memories.jsonl.gz", packed)
    return path


MCP_LINES = (
    '{"type":"entity","name":"Ines_Duarte","entityType":"person","observations":["Porto nurse","Keeps bees"]}',
    '{"type":"entity","name":"Bees","entityType":"hobby","observations":[]}',
    '{"type":"relation","from":"Ines_Duarte","to":"Bees","relationType":"keeps"}',
)


def text_part(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def tool_call(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def letta_messages() -> list[dict[str, Any]]:
    def event(kind: str, text: str) -> list[dict[str, str]]:
        return text_part(json.dumps({"type": kind, "message": text, "time": "2025-03-31 08:51:08 PM PDT-0700"}))

    return [
        {"role": "system", "content": text_part("You are …"), "created_at": "2025-03-31T15:51:08+00:00"},
        {"role": "user", "content": event("login", "Ines logged in"), "created_at": "2025-03-31T15:51:09+00:00"},
        {"role": "user", "content": event("user_message", "I moved to Porto"), "created_at": None},
        {
            "role": "assistant",
            "content": text_part("store it"),
            "created_at": "2025-04-01T03:51:10+00:00",
            "tool_calls": [tool_call("call_1", "core_memory_append", label="human", content="Lives in Porto.")],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": text_part('{"status": "OK"}'), "tool_calls": None},
        {
            "role": "assistant",
            "content": text_part("greet"),
            "tool_calls": [tool_call("call_2", "send_message", message="Welcome to Porto!")],
        },
        {"role": "user", "content": text_part("What did I say about bees?")},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                tool_call("call_3", "conversation_search", query="bees"),
                tool_call("call_4", "archival_memory_insert", content="Asked about bees", tags=["bees"]),
                {"id": "call_5", "type": "function", "function": {"name": "send_message", "arguments": "not JSON"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_3", "content": text_part("I keep bees")},
        {"role": "summary", "content": text_part("They spoke of Porto")},
        {"role": "approval", "content": []},
    ]


HUMAN = (
    "Name: Ines Duarte. Nurse in Lisbon.\n- Lives in Porto.\n- Sees Dr. Silva  on Mondays\r\n\nKeeps bees. Keeps bees."
)


def letta_v1(**more: Any) -> dict[str, Any]:
    return {
        "agent_type": "memgpt_agent",
        "name": "helper",
        "description": None,
        "version": "0.7.2",
        "core_memory": [
            {"label": "human", "value": HUMAN, "limit": 5000, "metadata_": {}, "created_at": UTC, "updated_at": UTC},
            {"label": "persona", "value": "I am a helpful agent.", "limit": 5000},
        ],
        "in_context_message_indices": [0, 1, 2],
        "messages": letta_messages(),
        "llm_config": {"temperature": 0.70, "context_window": 32000},
        "created_at": UTC,
        **more,
    }


def letta_v2(*names: str) -> dict[str, Any]:
    agents = [
        {"id": f"agent-{number}", "name": name, "block_ids": ["block-0"], "messages": letta_messages()}
        for number, name in enumerate(names or ("helper",))
    ]
    return {
        "agents": agents,
        "groups": [],
        "blocks": [
            {"id": "block-0", "label": "human", "value": HUMAN, "limit": 20000, "read_only": False, "metadata": {}},
            {"id": "block-1", "label": "persona", "value": "I am a helpful agent.", "limit": 20000},
        ],
        "files": [],
        "metadata": {"revision_id": "abc"},
        "created_at": UTC,
    }
