"""ChatGPT exports, item by item of what real ones hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from memreview.importers import ImportFailed, Limits, open_exports
from memreview.records import Bundle, Entry, EntryKind, EntryRef, MemoryRecord, NativeState, NoteKind, Origin
from tests.importers.builders_chat import START, chain, conversation, message, node, write_json, write_zip


def read(path: Path, start: str | None = None) -> list[Bundle]:
    [export] = open_exports(path)
    try:
        return list(export.bundles(start))
    finally:
        export.close()


def entries_of(tmp_path: Path, *said: dict[str, Any] | None, **more: Any) -> list[Entry]:
    path = write_json(tmp_path / "conversations.json", [conversation("c1", chain(*said), **more)])
    return [entry for bundle in read(path) for entry in bundle.entries]


def memories(bundles: Sequence[Bundle]) -> dict[str, MemoryRecord]:
    return {memory.text: memory for bundle in bundles for memory in bundle.memories}


def notes(bundles: Sequence[Bundle]) -> list[tuple[NoteKind, str, str]]:
    return [(note.kind, note.where, note.reason) for bundle in bundles for note in bundle.notes]


def bio(identity: str, text: str, at: float | None = START, **more: Any) -> dict[str, Any]:
    return message(identity, "assistant", text, at, recipient="bio", **more)


def ack(identity: str) -> dict[str, Any]:
    return message(identity, "tool", "Model set context updated.", name="bio", recipient="assistant")


def snapshot(identity: str, text: str, at: float | None = START) -> dict[str, Any]:
    context = {"content_type": "model_editable_context", "model_set_context": text}
    return message(identity, "assistant", at=at, content=context)


class TestContainers:
    def test_zip_with_shards_in_a_folder(self, tmp_path: Path) -> None:
        path = write_zip(
            tmp_path / "3f9c.zip",
            {
                "export/conversations-000.json": [conversation("a")],
                "export/conversations-001.json": [conversation("b")],
                "export/user.json": {"id": "user-7", "email": "x@example.org", "chatgpt_plus_user": True},
                "export/sora.json": {},
                "__MACOSX/export/._conversations-000.json": b"\0\5",
                "export/file-1-holiday.png": b"\x89PNG",
            },
        )
        [export] = open_exports(path)
        bundles = list(export.bundles())
        assert (export.source.provider, export.source.account, export.format) == ("chatgpt", "user-7", "chatgpt")
        assert [b.conversation.native_id for b in bundles if b.conversation] == ["a", "b"]
        assert export.total >= bundles[-1].done > bundles[0].done > 0
        assert notes(bundles) == [(NoteKind.SKIPPED, "export/sora.json", "videos")]

    def test_unpacked_folder(self, tmp_path: Path) -> None:
        write_json(tmp_path / "chats" / "conversations.json", [conversation("a")])
        (tmp_path / "chats" / "chat.html").write_text("<script>var jsonData = [{}];</script>")
        assert [b.conversation.native_id for b in read(tmp_path / "chats") if b.conversation] == ["a"]

    def test_a_part_in_each_of_several_zips(self, tmp_path: Path) -> None:
        (tmp_path / "all").mkdir()
        write_zip(tmp_path / "all" / "1.zip", {"conversations-000.json": [conversation("a")]})
        write_zip(tmp_path / "all" / "2.zip", {"conversations-001.json": [conversation("b")]})
        assert [b.conversation.native_id for b in read(tmp_path / "all") if b.conversation] == ["a", "b"]

    @pytest.mark.parametrize("shape", ["single", "named list"])
    def test_what_browser_extensions_save(self, tmp_path: Path, shape: str) -> None:
        one = conversation("a")
        value = one if shape == "single" else {"exported": "now", "conversations": [one]}
        [bundle] = read(write_json(tmp_path / "saved.json", value))
        assert bundle.conversation is not None
        assert bundle.conversation.native_id == "a"

    def test_the_page_alone(self, tmp_path: Path) -> None:
        page = (
            f"<html><script>var jsonData = {json.dumps([conversation('a')])};\nvar assetsJson = {{}};</script></html>"
        )
        path = tmp_path / "chat.html"
        path.write_text(page, encoding="utf-8")
        assert [b.conversation.native_id for b in read(path) if b.conversation] == ["a"]

    def test_the_same_conversation_in_two_files(self, tmp_path: Path) -> None:
        path = write_zip(
            tmp_path / "x.zip",
            {"conversations.json": [conversation("a")], "conversations-000.json": [conversation("a")]},
        )
        bundles = read(path)
        assert [b.conversation.native_id for b in bundles if b.conversation] == ["a"]
        assert [kind for kind, _, _ in notes(bundles)] == [NoteKind.SKIPPED]


class TestBrokenFiles:
    def test_one_bad_element_among_good_ones(self, tmp_path: Path) -> None:
        path = write_json(tmp_path / "conversations.json", [conversation("a"), {"mapping": 3}, None, conversation("b")])
        bundles = read(path)
        assert [b.conversation.native_id for b in bundles if b.conversation] == ["a", "b"]
        assert [where for _, where, _ in notes(bundles)] == ["conversations.json, item 2", "conversations.json, item 3"]

    def test_a_file_that_ends_early(self, tmp_path: Path) -> None:
        path = tmp_path / "conversations.json"
        path.write_bytes(json.dumps([conversation("a"), conversation("b")]).encode()[:-40])
        with pytest.raises(ImportFailed, match="ends in the middle"):
            read(path)

    def test_nothing_that_can_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(ImportFailed, match="nothing in it can be read"):
            read(write_json(tmp_path / "conversations.json", [{"title": "x", "mapping": []}, {"mapping": None}]))

    def test_broken_messages_are_counted(self, tmp_path: Path) -> None:
        mapping = chain(message("u1", text="Hi")) | {
            "x": 4,
            "y": node("y", "u1", {"author": None}),
            "z": node("z", "u1", []),
        }  # type: ignore[arg-type]
        bundles = read(write_json(tmp_path / "conversations.json", [conversation("a", mapping, current="u1")]))
        assert [entry.text for entry in bundles[0].entries] == ["Hi"]
        assert notes(bundles) == [
            (NoteKind.BROKEN, "conversations.json, item 1", "3 of its messages could not be read")
        ]


class TestConversation:
    def test_fields(self, tmp_path: Path) -> None:
        one = conversation("a", gizmo_id="g-p-67aa", is_do_not_remember=True, title=None)
        [bundle] = read(write_json(tmp_path / "conversations.json", [one]))
        chat = bundle.conversation
        assert chat is not None
        assert (chat.title, chat.project, chat.created.us) == ("", "g-p-67aa", int(START * 1_000_000))
        assert chat.extra["is_do_not_remember"] is True

    def test_a_custom_gpt_is_no_project(self, tmp_path: Path) -> None:
        [bundle] = read(write_json(tmp_path / "conversations.json", [conversation("a", gizmo_id="g-abc")]))
        assert bundle.conversation is not None
        assert bundle.conversation.project == ""

    def test_without_an_id_it_gets_one_from_its_content(self, tmp_path: Path) -> None:
        one = conversation("a")
        del one["id"], one["conversation_id"]
        first = read(write_json(tmp_path / "1.json", [one]))[0].conversation
        second = read(write_json(tmp_path / "2.json", [conversation("other"), one]))[1].conversation
        assert first is not None
        assert first == second


class TestBranches:
    MAPPING: ClassVar = {
        "root": node("root", None, None, "s"),
        "s": node("s", "root", message("s", "system", at=None), "u1", "u1b"),
        "u1": node("u1", "s", message("u1", text="first wording", at=START + 1), "a1", "a1b"),
        "u1b": node("u1b", "s", message("u1b", text="edited wording", at=START + 5), "a2"),
        "a1": node("a1", "u1", message("a1", "assistant", "first answer", START + 2)),
        "a1b": node("a1b", "u1", message("a1b", "assistant", "second answer", START + 3)),
        "a2": node("a2", "u1b", message("a2", "assistant", "answer to the edit", START + 6)),
    }

    def active(self, tmp_path: Path, mapping: dict[str, Any], current: str | None) -> tuple[set[str], list[Bundle]]:
        bundles = read(write_json(tmp_path / "conversations.json", [conversation("a", mapping, current)]))
        return {entry.native_id for entry in bundles[0].entries if entry.active}, bundles

    def test_current_node_on_the_first_of_the_siblings(self, tmp_path: Path) -> None:
        active, bundles = self.active(tmp_path, self.MAPPING, "a1")
        assert active == {"u1", "a1"}
        assert len(bundles[0].entries) == 5
        assert notes(bundles) == []

    @pytest.mark.parametrize("current", [None, "nowhere"])
    def test_without_a_current_node_the_newest_leaf(self, tmp_path: Path, current: str | None) -> None:
        active, bundles = self.active(tmp_path, self.MAPPING, current)
        assert active == {"u1b", "a2"}
        assert [kind for kind, _, _ in notes(bundles)] == [NoteKind.GUESSED]

    def test_parents_without_children_lists(self, tmp_path: Path) -> None:
        mapping = {key: {**value, "children": []} for key, value in reversed(self.MAPPING.items())}
        active, bundles = self.active(tmp_path, mapping, "a1")
        assert active == {"u1", "a1"}
        order = [entry.native_id for entry in bundles[0].entries]
        assert order.index("u1") < order.index("a1")

    def test_a_cycle(self, tmp_path: Path) -> None:
        mapping = {
            "x": node("x", "y", message("x", text="one"), "y"),
            "y": node("y", "x", message("y", "assistant", "two"), "x"),
        }
        active, bundles = self.active(tmp_path, mapping, "y")
        assert active == {"x", "y"}
        assert len(bundles[0].entries) == 2
        assert any("parents" in reason for _, _, reason in notes(bundles))

    def test_a_chain_of_forty_thousand(self, tmp_path: Path) -> None:
        said = [message(f"m{n}", ("user", "assistant")[n % 2], f"text {n}", None) for n in range(40_000)]
        found = entries_of(tmp_path, *said)
        assert len(found) == 40_000
        assert [entry.native_id for entry in found[:3]] == ["m0", "m1", "m2"]
        assert all(entry.active for entry in found)
        assert found[-1].parent_id == "m39998"


class TestTimes:
    @pytest.mark.parametrize("at", [None, 0, -5, float("nan"), "soon"])
    def test_a_missing_time_is_unknown(self, tmp_path: Path, at: Any) -> None:
        [entry] = entries_of(tmp_path, message("u1", text="Hi", at=at))
        assert not entry.at.known


class TestOrigins:
    def one(self, tmp_path: Path, said: dict[str, Any]) -> tuple[Origin, EntryKind, str]:
        [entry] = entries_of(tmp_path, said)
        return entry.origin, entry.kind, entry.text

    def test_tool_results(self, tmp_path: Path) -> None:
        quote = {"content_type": "tether_quote", "url": "https://e.org/bees", "domain": "e.org", "text": "Bees"}
        browsed = {"content_type": "tether_browsing_display", "result": "L1", "summary": None}
        web = {"content_type": "sonic_webpage", "url": "https://e.org", "text": "", "snippet": "S"}
        mail = {"content_type": "citable_code_output", "output_str": "mail"}
        cases = [
            (quote, "web", Origin.RETRIEVED_DOCUMENT, "Bees"),
            (quote, "myfiles_browser", Origin.SHARED_FILE, "Bees"),
            (quote | {"url": "file-Ab"}, "browser", Origin.SHARED_FILE, "Bees"),
            ({"content_type": "execution_output", "text": "42"}, "python", Origin.TOOL_OUTPUT, "42"),
            ({"content_type": "system_error", "name": "E", "text": "boom"}, "python", Origin.TOOL_OUTPUT, "boom"),
            (browsed, "browser", Origin.RETRIEVED_DOCUMENT, "L1"),
            (web, "web", Origin.RETRIEVED_DOCUMENT, "S"),
            (mail, "api_tool", Origin.RETRIEVED_DOCUMENT, "mail"),
            ({"content_type": "text", "parts": ["page"]}, "web.run", Origin.RETRIEVED_DOCUMENT, "page"),
            ({"content_type": "text", "parts": ["page"]}, "file_search", Origin.SHARED_FILE, "page"),
            ({"content_type": "text", "parts": ["page"]}, "canmore.create_textdoc", Origin.TOOL_OUTPUT, "page"),
        ]  # fmt: skip
        for content, name, origin, text in cases:
            found = self.one(tmp_path, message("t", "tool", content=content, name=name))
            assert (found[0], found[2]) == (origin, text), (content, name)

    def test_a_web_page_under_the_role_of_the_assistant(self, tmp_path: Path) -> None:
        said = message("t", "assistant", "a page", author_metadata={"real_author": "tool:web"})
        assert self.one(tmp_path, said)[0] is Origin.RETRIEVED_DOCUMENT

    def test_search_results_in_the_metadata(self, tmp_path: Path) -> None:
        groups = [
            {"domain": "e.org", "entries": [{"url": "https://e.org/1", "title": "T", "snippet": "Always buy X."}]}
        ]
        said = [message(f"a{n}", "assistant", "Answer", metadata={"search_result_groups": groups}) for n in range(2)]
        found = entries_of(tmp_path, *said)
        assert [(e.native_id, e.origin) for e in found] == [
            ("a0", Origin.ASSISTANT),
            ("a0#1", Origin.RETRIEVED_DOCUMENT),
            ("a1", Origin.ASSISTANT),
        ]
        assert (found[1].text, found[1].url) == ("Always buy X.", "https://e.org/1")

    def test_calls_and_reasoning(self, tmp_path: Path) -> None:
        code = {"content_type": "code", "language": "python", "text": "print(1)"}
        thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "think"}, None]}
        found = entries_of(
            tmp_path,
            message("c", "assistant", content=code, recipient="python"),
            message("t", "assistant", content=thoughts),
            message("r", "assistant", content={"content_type": "reasoning_recap", "content": "Thought for 12s"}),
            message("n", "assistant", "quiet", channel="analysis"),
            message("p", "assistant", "I'll look", channel="commentary"),
        )
        assert [(e.native_id, e.kind, e.hidden) for e in found] == [
            ("c", EntryKind.TOOL_CALL, False),
            ("t", EntryKind.REASONING, True),
            ("n", EntryKind.REASONING, True),
            ("p", EntryKind.MESSAGE, False),
        ]
        assert found[0].actor == "python"

    def test_voice_and_image(self, tmp_path: Path) -> None:
        parts = [
            {"content_type": "audio_transcription", "text": "I keep bees", "direction": "in", "decoding_id": None},
            {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_9"},
            None,
            {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-AbC"},
            {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_2"},
        ]
        attachments = [{"id": "file-AbC", "name": "hive.jpg"}, {"id": "file-D", "name": None}]
        said = message(
            "u1", content={"content_type": "multimodal_text", "parts": parts}, metadata={"attachments": attachments}
        )
        found = entries_of(tmp_path, said)
        assert [(e.native_id, e.origin, e.text, e.actor) for e in found] == [
            ("u1", Origin.USER, "I keep bees", ""),
            ("u1#1", Origin.SHARED_FILE, "", "hive.jpg"),
            ("u1#2", Origin.SHARED_FILE, "", "file-D"),
            ("u1#3", Origin.SHARED_FILE, "", "file_2"),
        ]

    def test_the_assistants_voice_is_not_the_persons(self, tmp_path: Path) -> None:
        parts = [{"content_type": "audio_transcription", "text": "You keep bees", "direction": "out"}]
        content = {"content_type": "multimodal_text", "parts": parts}
        assert self.one(tmp_path, message("a", "assistant", content=content))[0] is Origin.ASSISTANT
        assert entries_of(tmp_path, message("u", content=content)) == []

    def test_hidden_user_and_system_messages_are_left_out(self, tmp_path: Path) -> None:
        hidden = message("h", text="profile", metadata={"is_visually_hidden_from_conversation": True})
        assert [
            e.native_id for e in entries_of(tmp_path, message("s", "system", "x"), hidden, message("u", text="y"))
        ] == ["u"]

    @pytest.mark.parametrize(("kind", "shown"), [("hologram", "hologram"), (["text"], "?"), ("Words of mine", "?")])
    def test_an_unknown_kind_is_kept_and_counted(self, tmp_path: Path, kind: Any, shown: str) -> None:
        said = message("a", "assistant", content={"content_type": kind, "text": "kept"})
        bundles = read(write_json(tmp_path / "conversations.json", [conversation("c", chain(said))]))
        assert [e.text for e in bundles[0].entries] == ["kept"]
        assert notes(bundles)[0][2] == f"1 messages of the unknown kind {shown} were read as plain text"


class TestText:
    def test_citation_marks_go_from_answers_only(self, tmp_path: Path) -> None:
        marked = 'Bees \ue200cite\ue202turn0search1\ue201rest【12†source】 in \ue200entity\ue202["city","Porto"]\ue201.'
        found = entries_of(tmp_path, message("u", text=marked), message("a", "assistant", marked))
        assert found[0].text == marked
        assert found[1].text == "Bees rest in Porto."

    def test_words_that_look_like_marks_stay(self, tmp_path: Path) -> None:
        [entry] = entries_of(tmp_path, message("a", "assistant", "cite turn0search1 【like this】"))
        assert entry.text == "cite turn0search1 【like this】"

    def test_surrogates_and_nul(self, tmp_path: Path) -> None:
        path = tmp_path / "conversations.json"
        path.write_text(
            json.dumps([conversation("c\0d", chain(message("u\ud83d", text="a\ud83d\0b\u202e")), title="\udc00")])
        )
        [bundle] = read(path)
        assert bundle.conversation is not None
        assert (bundle.conversation.native_id, bundle.conversation.title) == ("cd", "\ufffd")
        assert (bundle.entries[0].native_id, bundle.entries[0].text) == ("u\ufffd", "a\ufffdb\u202e")


class TestMemory:
    def test_writes_with_and_without_an_answer(self, tmp_path: Path) -> None:
        said = [
            message("u1", text="I start in Porto on 3 March."),
            bio("b1", "User starts a job in Porto on 3 March 2025.", channel="commentary"),
            ack("k1"),
            message("a1", "assistant", "Noted."),
            message("u2", text="And I keep bees."),
            bio("b2", "User keeps bees."),
        ]
        bundles = read(write_json(tmp_path / "conversations.json", [conversation("c1", chain(*said))]))
        kinds = {e.native_id: (e.origin, e.kind) for e in bundles[0].entries}
        assert kinds["b1"] == (Origin.ASSISTANT, EntryKind.MEMORY_WRITE)
        assert kinds["k1"] == (Origin.TOOL_OUTPUT, EntryKind.TOOL_RESULT)
        found = memories(bundles)
        job, bees = found["User starts a job in Porto on 3 March 2025."], found["User keeps bees."]
        assert (job.state, job.evidence, job.raw) == (
            NativeState.HISTORIC,
            (EntryRef("c1", "u1"),),
            {"calls": ["b1"], "acknowledged": True},
        )
        assert (bees.evidence, bees.raw["acknowledged"]) == ((EntryRef("c1", "u2"),), False)
        assert job.created.us == int(START * 1_000_000)

    def test_snapshots_decide_what_still_holds(self, tmp_path: Path) -> None:
        old = "1. [2024-09-29]. User keeps bees.\n\n2. [2024-09-30]. User is allergic to walnuts.\nAnd to 2. hazelnuts."
        new = "1. [2024-09-29]. User keeps  bees\n\n2. [2025-02-14]. User lives in Porto."
        chats = [
            conversation("new", chain(snapshot("s2", new, START + 500), message("u", text="Hi"))),
            conversation(
                "old", chain(snapshot("s1", old), message("v", text="I keep bees"), bio("b", "User keeps bees."))
            ),
        ]
        bundles = read(write_json(tmp_path / "conversations.json", chats))
        found = memories(bundles)
        assert {text: memory.state for text, memory in found.items()} == {
            "User keeps  bees": NativeState.ACTIVE,
            "User lives in Porto.": NativeState.ACTIVE,
            "User is allergic to walnuts.\nAnd to 2. hazelnuts.": NativeState.GONE,
        }
        assert found["User keeps  bees"].evidence == (EntryRef("old", "v"),)
        assert found["User lives in Porto."].created.assumed
        assert not any(
            "keeps" in e.text
            for b in bundles
            for e in b.entries
            if e.kind is EntryKind.MESSAGE and e.origin is Origin.ASSISTANT
        )

    def test_ids_come_from_the_text_alone(self, tmp_path: Path) -> None:
        one = read(
            write_json(
                tmp_path / "1.json", [conversation("c", chain(snapshot("s", "1. [2024-09-29]. User keeps bees.")))]
            )
        )
        two = read(write_json(tmp_path / "2.json", [conversation("c", chain(bio("b", "User keeps bees")))]))
        assert memories(one)["User keeps bees."].native_id == memories(two)["User keeps bees"].native_id

    def test_an_empty_snapshot_says_nothing(self, tmp_path: Path) -> None:
        full = "1. [2024-09-29]. User keeps bees."
        chats = [conversation("c", chain(snapshot("s1", full), snapshot("s2", "", START + 9)))]
        assert memories(read(write_json(tmp_path / "c.json", chats)))["User keeps bees."].state is NativeState.ACTIVE

    def test_a_request_to_forget(self, tmp_path: Path) -> None:
        said = [
            bio("b1", "User keeps bees."),
            message("u", text="I sold them"),
            bio("b2", "Forget that user keeps bees.", START + 9),
        ]
        bundles = read(write_json(tmp_path / "c.json", [conversation("c", chain(*said))]))
        assert list(memories(bundles)) == ["User keeps bees."]
        [change] = [change for bundle in bundles for change in bundle.changes]
        assert (change.event, change.old_text) == ("DELETE", "User keeps bees.")
        assert change.native_id == memories(bundles)["User keeps bees."].native_id

    @pytest.mark.parametrize(
        ("payload", "expected"),
        [
            ("- Keeps bees\n- Lives in Porto", ["Keeps bees", "Lives in Porto"]),
            ('{"content": "Keeps bees"}', ["Keeps bees"]),
            ('["Keeps bees", {"text": "Lives in Porto"}]', ["Keeps bees", "Lives in Porto"]),
            ("Keeps bees.\nThree hives.", ["Keeps bees.\nThree hives."]),
        ],
    )
    def test_forms_of_a_write(self, tmp_path: Path, payload: str, expected: list[str]) -> None:
        said = bio("b", "", content={"content_type": "code", "language": "json", "text": payload})
        assert list(memories(read(write_json(tmp_path / "c.json", [conversation("c", chain(said))])))) == expected

    def test_a_dump_of_an_extension(self, tmp_path: Path) -> None:
        dump = {
            "memories": [
                {
                    "id": "m-1",
                    "content": "User keeps bees.",
                    "created_timestamp": START,
                    "updated_at": "2025-02-14T10:00:00Z",
                },
                {"id": "m-2"},
            ],
            "memory_num_tokens": 10,
        }
        [bundle] = read(write_json(tmp_path / "memories.json", dump))
        [memory] = bundle.memories
        assert (memory.text, memory.state, memory.raw["id"]) == ("User keeps bees.", NativeState.ACTIVE, "m-1")
        assert memory.updated.offset == 0
        assert [note.where for note in bundle.notes] == ["memories.json, item 2"]
        assert not bundle.memories_complete

    def test_a_whole_dump_is_complete(self, tmp_path: Path) -> None:
        dump = {
            "memories": [{"id": "m", "content": "Keeps bees", "created_at": "2025-02-14", "type": "fact"}],
            "total": 1,
        }
        [bundle] = read(write_json(tmp_path / "memories.json", dump))
        assert bundle.memories_complete
        assert bundle.memories[0].categories == ("fact",)


class TestCustomInstructions:
    OLD: ClassVar = {
        "is_user_system_message": True,
        "user_context_message_data": {"about_user_message": "Nurse", "about_model_message": "Be brief"},
    }
    NEW: ClassVar = {
        "content_type": "user_editable_context",
        "user_profile": "The user provided the following information:\n```Nurse```",
        "user_instructions": "The user provided this:\n```Be kind```",
    }

    def test_both_forms_once_for_each_text(self, tmp_path: Path) -> None:
        chats = [
            conversation("a", chain(message("s", "system", metadata=self.OLD, at=START + 50), message("u", text="Hi"))),
            conversation("b", chain(message("p", "user", content=self.NEW, at=START), message("v", text="Ho"))),
        ]
        bundles = read(write_json(tmp_path / "conversations.json", chats))
        assert [[e.text for e in b.entries] for b in bundles[:2]] == [["Hi"], ["Ho"]]
        told = bundles[-1].entries
        assert {e.text: e.at.us for e in told} == {
            "Nurse": int(START * 1e6),
            "Be brief": int((START + 50) * 1e6),
            "Be kind": int(START * 1e6),
        }
        assert {(e.origin, e.kind) for e in told} == {(Origin.USER, EntryKind.CUSTOM_INSTRUCTIONS)}


def test_feedback_comments_are_the_persons(tmp_path: Path) -> None:
    feedback = [
        {"id": "a1", "conversation_id": "c", "rating": "thumbs_down", "content": '{"text": "Wrong city", "tags": []}'}
        | {"create_time": "2025-02-14T10:00:00.000000Z"},
        {"id": "a2", "conversation_id": "c", "rating": "thumbs_up", "content": "{}", "create_time": None},
        {"id": "a3", "conversation_id": "c", "rating": "thumbs_up", "content": "not json"},
    ]  # fmt: skip
    path = write_zip(tmp_path / "x.zip", {"conversations.json": [conversation("c")], "message_feedback.json": feedback})
    last = read(path)[-1]
    assert [(e.native_id, e.origin, e.text) for e in last.entries] == [("feedback:a1", Origin.USER, "Wrong city")]
    assert last.entries[0].at.known


def test_going_on_after_each_bundle_gives_the_rest(tmp_path: Path) -> None:
    listed = snapshot("s", "1. [2024-09-29]. User keeps bees.")
    chats = [
        conversation("a", chain(listed, message("u", text="x"), bio("b", "User keeps bees."))),
        conversation("b", chain(message("p", content=TestCustomInstructions.NEW), message("v", text="y"))),
        conversation("c"),
    ]  # fmt: skip
    path = write_zip(tmp_path / "x.zip", {"conversations-000.json": chats[:2], "conversations-001.json": chats[2:]})
    bundles = read(path)
    assert len(bundles) == 5
    for position, bundle in enumerate(bundles):
        assert read(path, bundle.cursor) == bundles[position + 1 :]


def test_long_texts_are_cut_with_a_note(tmp_path: Path) -> None:
    path = write_json(tmp_path / "c.json", [conversation("c", chain(message("u", text="x" * 100)))])
    [export] = open_exports(path, Limits(message_chars=10))
    [bundle] = export.bundles()
    assert bundle.entries[0].text == "x" * 10
    assert bundle.notes[0].kind is NoteKind.WARNING
