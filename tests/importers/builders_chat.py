"""Small builders of chat exports, as the vendors write them, for the tests of the importers."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

START = 1739520000.0


def message(
    identity: str, role: str = "user", text: str | None = None, at: float | None = START, **more: Any
) -> dict[str, Any]:
    """A ChatGPT message; `content`, `name` and `metadata` in `more` replace the plain ones."""
    content = more.pop("content", {"content_type": "text", "parts": [text if text is not None else ""]})
    author = {"role": role, "name": more.pop("name", None), "metadata": more.pop("author_metadata", {})}
    base = {
        "id": identity,
        "author": author,
        "create_time": at,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
    }
    return base | more


def node(identity: str, parent: str | None, said: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"id": identity, "message": said, "parent": parent, "children": list(children)}


def chain(*said: dict[str, Any] | None) -> dict[str, Any]:
    """A mapping in which each message answers the one before; the root holds none."""
    mapping = {"root": node("root", None, None)}
    last = "root"
    for one in said:
        identity = str(one["id"]) if one else f"empty-{len(mapping)}"
        mapping[identity] = node(identity, last, one)
        mapping[last]["children"].append(identity)
        last = identity
    return mapping


def conversation(
    identity: str, mapping: Mapping[str, Any] | None = None, current: str | None = "", **more: Any
) -> dict[str, Any]:
    """A ChatGPT conversation; its current node is the last one of `mapping` unless `current` names another."""
    mapping = chain(message(f"{identity}-u1", text="Hello")) if mapping is None else mapping
    return {
        "title": "Moving to Porto",
        "create_time": START,
        "update_time": START + 600,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": list(mapping)[-1] if current == "" else current,
        "plugin_ids": None,
        "conversation_id": identity,
        "id": identity,
        "gizmo_id": None,
        "is_archived": False,
        "safe_urls": [],
    } | more


def human(identity: str, text: str = "", at: str = "2026-03-02T18:04:11.200000Z", **more: Any) -> dict[str, Any]:
    """A Claude message of the person; `content`, `attachments` and so on in `more` replace the plain ones."""
    base = {
        "uuid": identity,
        "sender": "human",
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}],
        "created_at": at,
        "updated_at": at,
        "attachments": [],
        "files": [],
    }
    return base | more


def claude_answer(
    identity: str, text: str = "", at: str = "2026-03-02T18:04:15.000000Z", **more: Any
) -> dict[str, Any]:
    return human(identity, text, at, sender="assistant") | more


def claude_chat(identity: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "uuid": identity,
        "name": "Bee keeping",
        "summary": "",
        "created_at": "2026-03-02T18:04:11.123456Z",
        "updated_at": "2026-03-02T18:20:00.000001Z",
        "account": {"uuid": "acc0"},
        "chat_messages": list(messages),
    } | more


def write_json(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_zip(path: Path, members: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Path:
    """A zip of members given as bytes, or as values to be written as JSON."""
    items = members.items() if isinstance(members, Mapping) else members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in items:
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path
