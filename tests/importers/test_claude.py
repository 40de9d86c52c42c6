"""Claude exports, item by item of what real ones hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreview.importers import ImportFailed, open_exports
from memreview.records import Bundle, Entry, EntryKind, EntryRef, MemoryKind, NativeState, NoteKind, Origin
from tests.importers.builders_chat import claude_answer, claude_chat, human, write_json, write_zip

MEMORY = {
    "conversations_memory": "**Work context**\n\nInes is a nurse. She starts in Porto on 3 March.\n\n"
    "**Personal context**\n- Keeps bees [stated]\n- Doesn't eat walnuts [inferred].\n",
    "project_memories": {"p1": "# Purpose & context\nA hive log\nfor spring."},
    "account_uuid": "acc0",
}
PROJECT = {
    "uuid": "p1", "name": "Hives", "description": "", "is_private": True, "is_starter_project": False,
    "prompt_template": "Answer in metres.", "created_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-02T00:00:00Z",
    "docs": [{"uuid": "d1", "filename": "hive.md", "content": "1 March: syrup", "created_at": "2026-03-01T10:00:00Z"}],
}  # fmt: skip
ROOT = "00000000-0000-4000-8000-000000000000"


def read(path: Path, start: str | None = None) -> list[Bundle]:
    [export] = open_exports(path)
    assert export.source.provider == "claude"
    try:
        return list(export.bundles(start))
    finally:
        export.close()


def chat(tmp_path: Path, *messages: dict[str, Any], **more: Any) -> Bundle:
    return read(write_json(tmp_path / "conversations.json", [claude_chat("c1", *messages, **more)]))[0]


def told(entries: tuple[Entry, ...]) -> list[tuple[str, Origin, EntryKind, str]]:
    return [(entry.native_id, entry.origin, entry.kind, entry.text) for entry in entries]


def tool(name: str, given: dict[str, Any], identity: str | None = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": given, "integration_name": None} | more


def result(name: str, content: Any, identity: str | None = "t1") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "name": name, "content": content, "is_error": False}


class TestPackaging:
    def test_one_zip(self, tmp_path: Path) -> None:
        path = write_zip(
            tmp_path / "data-2026.zip",
            {
                "conversations.json": [claude_chat("c1", human("m1", "Hi"))],
                "users.json": [{"uuid": "acc0", "full_name": "Ines", "email_address": "i@example.org"}],
                "projects.json": [PROJECT],
                "memories.json": [MEMORY],
            },
        )
        [export] = open_exports(path)
        assert (export.source.account, export.format) == ("acc0", "claude")
        bundles = list(export.bundles())
        assert [b.conversation.native_id for b in bundles if b.conversation] == ["c1", "p1"]
        assert bundles[-1].memories_complete
        assert {m.scope for m in bundles[-1].memories} == {"", "Hives"}
        assert 0 <= export.total - bundles[-1].done < 4  # the closing bracket

    def test_a_folder_of_zips_by_category(self, tmp_path: Path) -> None:
        folder = tmp_path / "claude"
        folder.mkdir()
        write_json(
            folder / "manifest-1.json",
            {"instructions": "x", "data_files": [{"filename": "a.zip", "export_url": "https://x"}]},
        )
        write_zip(
            folder / "light_metadata-000.zip",
            {"users.json": [{"uuid": "acc0", "full_name": "I", "email_address": "i"}], "login_history.json": []},
        )
        write_zip(folder / "conversations-000.zip", {"conversations.json": [claude_chat("c1", human("m1", "Hi"))]})
        write_zip(folder / "conversations-001.zip", {"conversations.json": [claude_chat("c2", human("m2", "Ho"))]})
        write_zip(folder / "projects-000.zip", {"projects/p1.json": PROJECT})
        write_zip(folder / "memories-000.zip", {"memories/acc0.json": MEMORY})
        bundles = read(folder)
        assert [b.conversation.native_id for b in bundles if b.conversation] == ["c1", "c2", "p1"]
        assert {m.scope for b in bundles for m in b.memories} == {"", "Hives"}
        assert [n.where for b in bundles for n in b.notes] == ["light_metadata-000.zip/login_history.json"]

    def test_the_manifest_alone(self, tmp_path: Path) -> None:
        files = [
            {"filename": f"{name}-000.zip", "export_url": "https://secret"} for name in ("conversations", "memories")
        ]
        path = write_json(tmp_path / "manifest-1.json", {"instructions": "x", "total_files": 2, "data_files": files})
        with pytest.raises(ImportFailed, match=r"conversations-000\.zip, memories-000\.zip") as failed:
            open_exports(path)
        assert "secret" not in str(failed.value)

    def test_a_list_of_claude_is_not_taken_for_chatgpt(self, tmp_path: Path) -> None:
        assert chat(tmp_path, human("m1", "Hi")).conversation is not None


class TestMessages:
    def test_blocks_of_an_answer(self, tmp_path: Path) -> None:
        content = [
            {"type": "thinking", "thinking": "look at the log", "summaries": []},
            tool("web_search", {"query": "syrup"}),
            result("web_search", [
                {"type": "knowledge", "title": "Feeding bees", "url": "https://e.org/bees", "text": "Feed in spring"},
                {"type": "knowledge", "title": "Gone", "is_missing": True},
            ]),
            {"type": "text", "text": "On 1 March.", "citations": []},
        ]  # fmt: skip
        document = {"file_name": "hive.txt", "file_size": 512, "extracted_content": "1 March: 2 l syrup"}
        asked = human("m1", "When?", attachments=[document], files=[{"file_uuid": "f", "file_name": "hive.jpg"}])
        answer = claude_answer("m2", "On 1 March.", content=content, parent_message_uuid="m1")
        bundle = chat(tmp_path, asked, answer, summary="**Overview**\n\nBees.")
        assert told(bundle.entries) == [
            ("m1", Origin.USER, EntryKind.MESSAGE, "When?"),
            ("m1#1", Origin.SHARED_FILE, EntryKind.DOCUMENT, "1 March: 2 l syrup"),
            ("m1#2", Origin.SHARED_FILE, EntryKind.DOCUMENT, ""),
            ("m2#1", Origin.ASSISTANT, EntryKind.REASONING, "look at the log"),
            ("m2#2", Origin.ASSISTANT, EntryKind.TOOL_CALL, '{"query":"syrup"}'),
            ("m2#3", Origin.RETRIEVED_DOCUMENT, EntryKind.DOCUMENT, "Feed in spring"),
            ("m2", Origin.ASSISTANT, EntryKind.MESSAGE, "On 1 March."),
            ("c1#summary", Origin.ASSISTANT, EntryKind.SUMMARY, "**Overview**\n\nBees."),
        ]
        assert (bundle.entries[5].url, bundle.entries[5].actor) == ("https://e.org/bees", "Feeding bees")
        assert bundle.entries[3].hidden
        assert bundle.notes == ()

    def test_text_only_in_blocks_or_only_beside_them(self, tmp_path: Path) -> None:
        captured = human("m1", "In blocks") | {"text": ""}
        old = claude_answer("m2", "No blocks")
        del old["content"]
        assert [entry.text for entry in chat(tmp_path, captured, old).entries] == ["In blocks", "No blocks"]

    def test_turns_with_only_an_attachment_or_only_a_tool(self, tmp_path: Path) -> None:
        attached = human("m1", content=[], attachments=[{"file_name": "a.txt", "extracted_content": "pasted"}])
        placeholder = "```\nThis block is not supported on your current device yet.\n```"
        used = claude_answer("m2", content=[tool("bash_tool", {"command": "ls"}), result("bash_tool", "a.txt")])
        bundle = chat(tmp_path, attached, used | {"text": placeholder})
        assert told(bundle.entries) == [
            ("m1#1", Origin.SHARED_FILE, EntryKind.DOCUMENT, "pasted"),
            ("m2#1", Origin.ASSISTANT, EntryKind.TOOL_CALL, '{"command":"ls"}'),
            ("m2#2", Origin.TOOL_OUTPUT, EntryKind.TOOL_RESULT, "a.txt"),
        ]

    @pytest.mark.parametrize(
        ("name", "integration", "origin"),
        [
            ("web_fetch", None, Origin.RETRIEVED_DOCUMENT),
            ("conversation_search", None, Origin.RETRIEVED_DOCUMENT),
            ("recent_chats", None, Origin.RETRIEVED_DOCUMENT),
            ("project_knowledge_search", None, Origin.SHARED_FILE),
            ("read_mail", "Mail", Origin.RETRIEVED_DOCUMENT),
            ("send_mail", "Mail", Origin.TOOL_OUTPUT),
            ("repl", None, Origin.TOOL_OUTPUT),
        ],
    )
    def test_where_a_result_comes_from(
        self, tmp_path: Path, name: str, integration: str | None, origin: Origin
    ) -> None:
        content = [tool(name, {}, integration_name=integration), result(name, [{"type": "text", "text": "found"}])]
        assert chat(tmp_path, claude_answer("m", content=content)).entries[-1].origin is origin

    def test_artifacts_and_calls_without_an_id(self, tmp_path: Path) -> None:
        made = tool("artifacts", {"id": "a", "command": "create", "content": "# Plan"}, None)
        changed = tool("artifacts", {"id": "a", "command": "update", "old_str": "Plan", "new_str": "Hive plan"}, None)
        bundle = chat(tmp_path, claude_answer("m", content=[made, changed, result("artifacts", "OK", None)]))
        assert [entry.text for entry in bundle.entries] == ["# Plan", "Hive plan", "OK"]

    def test_voice_and_unknown_blocks(self, tmp_path: Path) -> None:
        said = human(
            "m",
            content=[{"type": "voice_note", "title": "t", "text": "spoken"}, {"type": "hologram", "text": "?"}, None],
        )
        bundle = chat(tmp_path, said)
        assert told(bundle.entries)[0] == ("m", Origin.USER, EntryKind.MESSAGE, "spoken")
        assert [note.reason for note in bundle.notes] == [
            "1 blocks of the unknown kind hologram were read as plain text"
        ]

    def test_broken_messages_are_counted(self, tmp_path: Path) -> None:
        bundle = chat(tmp_path, human("m1", "Hi"), None, human("m2", "?", sender="cat"))  # type: ignore[arg-type]
        assert [entry.text for entry in bundle.entries] == ["Hi"]
        assert [(note.kind, note.reason) for note in bundle.notes] == [
            (NoteKind.BROKEN, "2 of its messages could not be read")
        ]

    def test_an_empty_conversation_without_a_name(self, tmp_path: Path) -> None:
        bundle = chat(tmp_path, name="")
        assert bundle.conversation is not None
        assert (bundle.conversation.title, bundle.entries, bundle.notes) == ("", (), ())


class TestBranches:
    def test_a_retry(self, tmp_path: Path) -> None:
        bundle = chat(
            tmp_path,
            human("m1", "Q", "2026-03-02T10:00:00Z", parent_message_uuid=ROOT),
            claude_answer("m2", "first", "2026-03-02T10:01:00Z", parent_message_uuid="m1"),
            claude_answer("m3", "second", "2026-03-02T10:02:00Z", parent_message_uuid="m1"),
        )
        assert {entry.native_id: entry.active for entry in bundle.entries} == {"m1": True, "m2": False, "m3": True}
        assert [note.kind for note in bundle.notes] == [NoteKind.GUESSED]

    def test_a_capture_names_its_leaf(self, tmp_path: Path) -> None:
        bundle = chat(
            tmp_path,
            human("m1", "Q", parent_message_uuid=ROOT),
            claude_answer("m2", "first", parent_message_uuid="m1"),
            claude_answer("m3", "second", parent_message_uuid="m1"),
            current_leaf_message_uuid="m2",
        )
        assert [entry.native_id for entry in bundle.entries if entry.active] == ["m1", "m2"]
        assert bundle.notes == ()

    def test_without_parents_the_order_of_time(self, tmp_path: Path) -> None:
        late, early = human("late", "2", "2026-03-02T10:05:00Z"), human("early", "1", "2026-03-02T10:00:00Z")
        bundle = chat(tmp_path, late, early)
        assert [(entry.native_id, entry.active, entry.parent_id) for entry in bundle.entries] == [
            ("early", True, None),
            ("late", True, "early"),
        ]


class TestMemory:
    @pytest.mark.parametrize("shape", ["list", "object"])
    def test_summaries(self, tmp_path: Path, shape: str) -> None:
        path = write_json(tmp_path / "acc0.json", [MEMORY] if shape == "list" else MEMORY)
        bundle = read(path)[-1]
        assert [(m.text, m.categories, m.scope, m.raw) for m in bundle.memories] == [
            ("Ines is a nurse.", ("Work context",), "", {}),
            ("She starts in Porto on 3 March.", ("Work context",), "", {}),
            ("Keeps bees", ("Personal context",), "", {"basis": "stated"}),
            ("Doesn't eat walnuts.", ("Personal context",), "", {"basis": "inferred"}),
            ("A hive log for spring.", ("Purpose & context",), "p1", {}),
        ]
        assert {m.kind for m in bundle.memories} == {MemoryKind.SUMMARY}
        assert not bundle.memories_complete

    def test_memory_files_have_times(self, tmp_path: Path) -> None:
        files = [{"path": "/profile.md", "content": "# Ines\nKeeps bees.", "updated_at": "2026-09-20T07:00:00Z"}, None]
        value = {"memory_files": files, "project_memories": [{"project_uuid": "p", "memory": "Hives."}]}
        bundle = read(write_json(tmp_path / "m.json", value))[-1]
        assert [(m.text, m.updated.known, m.scope) for m in bundle.memories] == [
            ("Hives.", False, "p"),
            ("Keeps bees.", True, ""),
        ]

    def edits(self, tmp_path: Path, *calls: tuple[dict[str, Any], str]) -> Bundle:
        said = []
        for number, (given, answer) in enumerate(calls):
            at = f"2026-03-02T10:{number:02}:00Z"
            said.append(human(f"u{number}", "please", at))
            content = [tool("memory_user_edits", given), result("memory_user_edits", answer)]
            said.append(claude_answer(f"a{number}", "", at, content=content))
        return read(write_json(tmp_path / "conversations.json", [claude_chat("c1", *said)]))[-1]

    def test_edits_are_replayed(self, tmp_path: Path) -> None:
        bundle = self.edits(
            tmp_path,
            ({"command": "add", "control": "Keeps bees"}, "Added memory #1: Keeps bees"),
            ({"command": "view"}, "1. Keeps bees\n2. Lives in Lisbon\n3. Likes tea"),
            ({"command": "remove", "line_number": 1}, "Removed"),
            ({"command": "replace", "line_number": 1, "replacement": "Lives in Porto"}, "Replaced"),
            ({"command": "remove", "line_number": 2}, "Removed"),
        )
        assert {m.text: m.state for m in bundle.memories} == {
            "Keeps bees": NativeState.DELETED,
            "Lives in Lisbon": NativeState.DELETED,
            "Likes tea": NativeState.DELETED,
            "Lives in Porto": NativeState.HISTORIC,
        }
        assert [(c.event, c.old_text, c.new_text) for c in bundle.changes] == [
            ("ADD", "", "Keeps bees"),
            ("DELETE", "Keeps bees", ""),
            ("UPDATE", "Lives in Lisbon", "Lives in Porto"),
            ("DELETE", "Likes tea", ""),
        ]
        assert bundle.memories[0].evidence == (EntryRef("c1", "u0"),)

    def test_an_edit_and_a_summary_of_the_same_words_are_one(self, tmp_path: Path) -> None:
        content = [tool("memory_user_edits", {"command": "add", "control": "Ines is a nurse"})]
        chats = [claude_chat("c1", human("m1", "Remember it"), claude_answer("m2", content=content))]
        path = write_zip(tmp_path / "x.zip", {"conversations.json": chats, "memories.json": [MEMORY]})
        found = {memory.text: memory for memory in read(path)[-1].memories}
        assert len(found) == 5
        assert found["Ines is a nurse."].state is NativeState.ACTIVE
        assert found["Ines is a nurse."].evidence == (EntryRef("c1", "m1"),)

    def test_what_an_unknown_line_held_is_not_guessed(self, tmp_path: Path) -> None:
        bundle = self.edits(tmp_path, ({"command": "remove", "line_number": 3}, "Removed"))
        assert (bundle.memories, bundle.changes) == ((), ())
        assert [note.kind for note in bundle.notes] == [NoteKind.GUESSED]

    def test_an_edit_is_a_memory_write(self, tmp_path: Path) -> None:
        content = [tool("memory_user_edits", {"command": "add", "control": "Keeps bees"})]
        [entry] = chat(tmp_path, claude_answer("m", content=content)).entries
        assert (entry.kind, entry.origin, entry.text) == (EntryKind.MEMORY_WRITE, Origin.ASSISTANT, "Keeps bees")


class TestProjects:
    def test_documents_and_instructions(self, tmp_path: Path) -> None:
        [bundle] = read(write_json(tmp_path / "p1.json", PROJECT))
        assert told(bundle.entries) == [
            ("p1#instructions", Origin.USER, EntryKind.CUSTOM_INSTRUCTIONS, "Answer in metres."),
            ("d1", Origin.SHARED_FILE, EntryKind.DOCUMENT, "1 March: syrup"),
        ]

    def test_starter_projects_are_left_out(self, tmp_path: Path) -> None:
        [bundle] = read(write_json(tmp_path / "projects.json", [PROJECT | {"is_starter_project": True}]))
        assert (bundle.conversation, [note.kind for note in bundle.notes]) == (None, [NoteKind.SKIPPED])

    def test_a_design_chat(self, tmp_path: Path) -> None:
        blocks = [
            {"type": "thinking", "thinking": "hm"},
            {"type": "tool_call", "toolCall": {"name": "edit", "input": {"a": 1}, "output": "done"}},
            {"type": "user_interjection", "message": "Make it green"},
            {"type": "text", "text": "Here it is"},
        ]
        value = {
            "uuid": "g1", "title": "Logo", "project": {"uuid": "p1", "name": "Hives"},
            "messages": [
                {"uuid": "m1", "role": "user", "content": {"content": "A logo", "attachments": [{"content": "brief"}]}},
                {"uuid": "m2", "role": "assistant", "content": {"content": None, "contentBlocks": blocks}},
            ],
        }  # fmt: skip
        [bundle] = read(write_json(tmp_path / "design_chats" / "g1.json", value).parent)
        assert bundle.conversation is not None
        assert bundle.conversation.project == "Hives"
        assert told(bundle.entries) == [
            ("m1", Origin.USER, EntryKind.MESSAGE, "A logo"),
            ("m1#1", Origin.SHARED_FILE, EntryKind.DOCUMENT, "brief"),
            ("m2", Origin.ASSISTANT, EntryKind.REASONING, "hm"),
            ("m2#1", Origin.ASSISTANT, EntryKind.TOOL_CALL, '{"a":1}'),
            ("m2#2", Origin.TOOL_OUTPUT, EntryKind.TOOL_RESULT, "done"),
            ("m2#3", Origin.USER, EntryKind.MESSAGE, "Make it green"),
            ("m2#4", Origin.ASSISTANT, EntryKind.MESSAGE, "Here it is"),
        ]


def test_going_on_after_each_bundle_gives_the_rest(tmp_path: Path) -> None:
    added = [tool("memory_user_edits", {"command": "add", "control": "Keeps bees"})]
    chats = [
        claude_chat("c1", human("m1", "Hi"), claude_answer("m2", content=added)),
        claude_chat("c2"),
        claude_chat("c3"),
    ]
    path = write_zip(
        tmp_path / "x.zip", {"conversations.json": chats, "projects/p1.json": PROJECT, "memories.json": [MEMORY]}
    )
    bundles = read(path)
    assert len(bundles) == 6
    assert [len(bundle.memories) for bundle in bundles] == [0, 0, 0, 0, 0, 5]  # an edit says what the summary does
    for position, bundle in enumerate(bundles):
        assert read(path, bundle.cursor) == bundles[position + 1 :]
