"""Content decides what a file is; what is not known is said, with its keys and never with its values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memreview.importers import ImportFailed, open_exports
from memreview.records import NoteKind
from tests.importers.builders_chat import claude_chat, conversation, human, write_json, write_zip

SECRET = "Ines-keeps-bees"


@pytest.mark.parametrize(
    ("value", "product"),
    [
        (
            [{"id": "1", "mapping": {"r": {"message": {"fragments": [{"type": "REQUEST", "content": SECRET}]}}}}],
            "DeepSeek",
        ),
        ([{"header": "Gemini Apps", "title": SECRET, "time": "2026-02-03", "products": ["Gemini Apps"]}], "Gemini"),
        ({"title": SECRET, "conversation_turns": []}, "Workspace"),
        ({"runSettings": {}, "chunkedPrompt": {"chunks": []}}, "AI Studio"),
        ([{"id": "1", "chat": {"history": {"messages": {}, "currentId": None}}}], "Open WebUI"),
        ({"conversationId": "1", "messages": [{"text": SECRET}]}, "LibreChat"),
        ({"conversations": [{"conversation": {}, "responses": [{"response": {"message": SECRET}}]}]}, "Grok"),
        ([{"id": "1", "chatId": "2", "role": "user", "content": SECRET}], "Mistral"),
        ({"facts": [{"uuid": "e", "fact": SECRET, "valid_at": None, "invalid_at": None}]}, "Graphiti"),
        ([{"question_id": "1", "haystack_sessions": []}], "LongMemEval"),
    ],
)
def test_known_by_sight_but_not_supported(tmp_path: Path, value: Any, product: str) -> None:
    with pytest.raises(ImportFailed, match=product) as failed:
        open_exports(write_json(tmp_path / "x.json", value))
    assert "not supported yet" in failed.value.problem
    assert SECRET not in str(failed.value)


def test_unknown_json_is_named_by_its_plain_keys(tmp_path: Path) -> None:
    value = {"widgets": [SECRET], "colour": SECRET, f"{SECRET} and a space": 1}
    with pytest.raises(ImportFailed, match="a JSON object with the keys colour, widgets") as failed:
        open_exports(write_json(tmp_path / "x.json", value))
    assert SECRET not in str(failed.value)
    assert "ChatGPT" in failed.value.expected


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0", "no text"),
        ("[1]".encode("utf-16"), "UTF-16"),
        (b"<html>hello</html>", "html"),
        (b"[]", "JSON list"),
        (b"{}", "JSON object"),
        (b"[" * 1_000_000, "JSON list"),
    ],
)
def test_no_export(tmp_path: Path, raw: bytes, problem: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(raw)
    with pytest.raises(ImportFailed, match=problem):
        open_exports(path)


def test_the_name_does_not_matter(tmp_path: Path) -> None:
    [export] = open_exports(write_json(tmp_path / "memories.json", [conversation("c")]))
    assert export.format == "chatgpt"


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(json.dumps([conversation("c", title="Caf\u00e9")], ensure_ascii=False).encode("cp1252"))
    [export] = open_exports(path)
    with pytest.raises(ImportFailed, match="not encoded in UTF-8"):
        list(export.bundles())


def test_several_exports_in_one_folder(tmp_path: Path) -> None:
    write_json(tmp_path / "a" / "conversations.json", [conversation("c")])
    write_zip(tmp_path / "b.zip", {"conversations.json": [claude_chat("k", human("m", "Hi"))]})
    write_json(tmp_path / "deepseek.json", [{"mapping": {"r": {"message": {"fragments": []}}}}])
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    exports = open_exports(tmp_path)
    assert [export.source.provider for export in exports] == ["chatgpt", "claude"]
    first = next(iter(exports[0].bundles()))
    assert [(note.kind, note.where) for note in first.notes] == [(NoteKind.WARNING, "deepseek.json")]
    assert list(exports[0].bundles(first.cursor)) == list(exports[0].bundles())[1:]
    for export in exports:
        assert list(export.bundles())
        export.close()
