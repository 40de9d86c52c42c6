"""However a chat export is damaged, it gives bundles and notes or ImportFailed, and no error tells what it said."""

from __future__ import annotations

import copy
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memreview.importers import ImportFailed, open_exports
from tests.importers.builders_chat import chain, claude_answer, claude_chat, conversation, human, message

SECRET = "KEEPSBEES"
SETTINGS = settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
JUNK = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1e300,
        10**30,
        "",
        SECRET,
        "�",
        [],
        {},
        [None],
        [[SECRET]],
        {f"{SECRET} x": SECRET},
        {"parts": 3},
    ]
)

_WRITE = message("b", "assistant", f"User {SECRET}.", recipient="bio")
_SNAPSHOT = {"content_type": "model_editable_context", "model_set_context": f"1. [2024-09-29]. User {SECRET}."}
_PROFILE = {"content_type": "user_editable_context", "user_profile": f"x ```{SECRET}```", "user_instructions": None}
_FOUND = {"search_result_groups": [{"domain": "e.org", "entries": [{"url": "u", "title": "t", "snippet": SECRET}]}]}
_ATTACHED = {"attachments": [{"id": "f", "name": "n"}]}
_QUOTE = {"content_type": "tether_quote", "url": "u", "text": SECRET, "title": "t"}
_THOUGHTS = {"content_type": "thoughts", "thoughts": [{"content": SECRET}]}
_FEEDBACK = {"id": "a", "conversation_id": "c1", "rating": "r", "content": json.dumps({"text": SECRET})}
_DUMPED = {"id": "m", "content": SECRET, "created_timestamp": 1.0e9, "updated_at": "x"}
_SPOKEN = [SECRET, {"content_type": "audio_transcription", "text": SECRET, "direction": "in"}, None]
CHATGPT: dict[str, Any] = {
    "conversations.json": [
        conversation(
            "c1",
            chain(
                message("p", content=_PROFILE),
                message("s", "assistant", content=_SNAPSHOT),
                message("u", content={"content_type": "multimodal_text", "parts": _SPOKEN}, metadata=_ATTACHED),
                _WRITE,
                message("k", "tool", "ok", name="bio"),
                message("q", "tool", content=_QUOTE, name="web"),
                message("t", "assistant", content=_THOUGHTS),
                message("a", "assistant", f"{SECRET} \ue200cite\ue202x\ue201", metadata=_FOUND),
            ),
        ),
        conversation("c2"),
    ],
    "message_feedback.json": [_FEEDBACK],
    "memories.json": {"memories": [_DUMPED], "total": 1},
    "user.json": {"id": "user", "email": SECRET, "chatgpt_plus_user": True},
}  # fmt: skip
_BLOCKS = [
    {"type": "thinking", "thinking": SECRET},
    {"type": "tool_use", "id": "t", "name": "memory_user_edits", "input": {"command": "add", "control": SECRET}},
    {
        "type": "tool_result",
        "tool_use_id": "t",
        "name": "memory_user_edits",
        "content": [{"type": "text", "text": "#1"}],
    },
    {"type": "tool_use", "id": "v", "name": "memory_user_edits", "input": {"command": "remove", "line_number": 1}},
    {
        "type": "tool_result",
        "tool_use_id": "w",
        "name": "web_search",
        "content": [{"type": "knowledge", "text": SECRET}],
    },
    {"type": "text", "text": SECRET},
]
_PASTED = {"file_name": "f", "extracted_content": SECRET}
_DRAWN = {"uuid": "x", "role": "user", "content": {"content": SECRET}}
_DOC = {"uuid": "d", "filename": "f", "content": SECRET, "created_at": "2026-03-01T10:00:00Z"}
CLAUDE: dict[str, Any] = {
    "conversations.json": [
        claude_chat(
            "c1",
            human("m1", SECRET, attachments=[_PASTED], files=[{"file_name": "g"}]),
            claude_answer("m2", "", content=_BLOCKS, parent_message_uuid="m1"),
            summary=SECRET,
        ),
        claude_chat("c2"),
    ],
    "projects/p.json": {"uuid": "p", "name": SECRET, "prompt_template": SECRET, "docs": [_DOC]},
    "memories.json": [{"conversations_memory": f"**{SECRET}**\n{SECRET}.", "project_memories": {"p": SECRET}}],
    "design_chats/g.json": {"uuid": "g", "title": "t", "messages": [_DRAWN]},
    "manifest.json": {"data_files": [{"filename": SECRET, "export_url": SECRET}]},
    "users.json": [{"uuid": "acc", "full_name": SECRET, "email_address": SECRET}],
}  # fmt: skip
EXPORTS = st.sampled_from([CHATGPT, CLAUDE])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += places(inner, (*path, key))
    return found


def mutate(value: Any, data: st.DataObject) -> Any:
    """Drop, retype, or repeat something anywhere in a JSON value."""
    value = copy.deepcopy(value)
    *way, last = data.draw(st.sampled_from([path for path in places(value) if path]))
    holder = value
    for key in way:
        holder = holder[key]
    match data.draw(st.sampled_from(["drop", "junk", "wrap", "double"])):
        case "drop":
            del holder[last]
        case "junk":
            holder[last] = data.draw(JUNK)
        case "wrap":
            holder[last] = [holder[last]]
        case "double" if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case _:
            holder[f"{last}x"[:50] if isinstance(last, str) else last] = holder[last]
    return value


def survives(path: Path) -> None:
    try:
        for export in open_exports(path):
            try:
                for bundle in export.bundles():
                    for note in bundle.notes:
                        assert SECRET not in note.reason + note.where
                    msgspec.json.encode(bundle)  # no surrogate, no NaN object, nothing that can't be stored
            finally:
                export.close()
    except ImportFailed as error:
        shown: BaseException | None = error
        while shown is not None:
            assert SECRET not in str(shown)
            shown = shown.__cause__


def write(folder: str, members: dict[str, bytes]) -> Path:
    path = Path(folder, "x.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return path


def encoded(export: dict[str, Any]) -> dict[str, bytes]:
    return {name: json.dumps(value).encode() for name, value in export.items()}


@pytest.mark.parametrize("export", [CHATGPT, CLAUDE])
def test_the_whole_export_is_read(export: dict[str, Any], tmp_path: Path) -> None:
    [found] = open_exports(write(str(tmp_path), encoded(export)))
    bundles = list(found.bundles())
    assert sum(len(bundle.entries) for bundle in bundles) > 6
    assert sum(len(bundle.memories) for bundle in bundles) >= 1
    found.close()


@SETTINGS
@given(EXPORTS, st.data(), st.integers(1, 3))
def test_changed_values(export: dict[str, Any], data: st.DataObject, times: int) -> None:
    changed = export
    for _ in range(times):
        name = data.draw(st.sampled_from(sorted(changed)))
        if places(changed[name]) != [()]:
            changed = changed | {name: mutate(changed[name], data)}
    with tempfile.TemporaryDirectory() as folder:
        survives(write(folder, encoded(changed)))


@SETTINGS
@given(EXPORTS, st.data())
def test_changed_bytes(export: dict[str, Any], data: st.DataObject) -> None:
    members = encoded(export)
    name = data.draw(st.sampled_from(sorted(members)))
    body = bytearray(members[name])
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del body[data.draw(st.integers(0, len(body) - 1)) :]
    with tempfile.TemporaryDirectory() as folder:
        survives(write(folder, members | {name: bytes(body)}))


@SETTINGS
@given(EXPORTS, st.data())
def test_changed_archives(export: dict[str, Any], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, encoded(export))
        body = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 6))):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(body)
        survives(path)
