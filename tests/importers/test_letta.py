"""Letta agent files of both versions, and dumps of passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memreview.importers import ImportFailed, open_exports
from memreview.importers.letta_messages import segments
from memreview.importers.times import moment
from memreview.records import Entry, EntryKind, MemoryKind, NativeState, NoteKind, Origin
from tests.importers.builders_stores import UTC, bundles, entries, letta_v1, letta_v2, memories, notes, write

HUMAN_TEXTS = ["Name: Ines Duarte.", "Nurse in Lisbon.", "Lives in Porto.", "Sees Dr. Silva  on Mondays", "Keeps bees."]


@pytest.fixture(params=[letta_v1, letta_v2], ids=["v1", "v2"])
def agent_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return write(tmp_path / "helper.af", request.param())


def test_blocks_are_split_into_memories(agent_file: Path) -> None:
    found = memories(agent_file)
    human = [record for record in found.values() if record.categories == ("human",)]
    assert [record.text for record in human] == HUMAN_TEXTS
    assert [record.native_id for record in human] == [f"human\x1f{text}" for text in HUMAN_TEXTS]
    assert {record.kind for record in human} == {MemoryKind.MEMORY}


def test_the_persona_block_is_about_the_agent(agent_file: Path) -> None:
    persona = memories(agent_file)["persona\x1fI am a helpful agent."]
    assert (persona.kind, persona.state) == (MemoryKind.PROFILE, NativeState.ACTIVE)
    assert persona.subject == "assistant"


def test_who_is_speaking(agent_file: Path) -> None:
    def shown(entry: Entry) -> tuple[Origin, EntryKind, str, bool]:
        return entry.origin, entry.kind, entry.text, entry.hidden

    user, agent, tool = Origin.USER, Origin.ASSISTANT, Origin.TOOL_OUTPUT
    assert [shown(entry) for entry in entries(agent_file)] == [
        (user, EntryKind.MESSAGE, "I moved to Porto", False),
        (agent, EntryKind.REASONING, "store it", True),
        (agent, EntryKind.MEMORY_WRITE, "Lives in Porto.", True),
        (tool, EntryKind.TOOL_RESULT, '{"status": "OK"}', True),
        (agent, EntryKind.REASONING, "greet", True),
        (agent, EntryKind.MESSAGE, "Welcome to Porto!", False),
        (user, EntryKind.MESSAGE, "What did I say about bees?", False),
        (agent, EntryKind.TOOL_CALL, 'conversation_search {"query": "bees"}', True),
        (agent, EntryKind.MEMORY_WRITE, "Asked about bees", True),
        (agent, EntryKind.MESSAGE, "not JSON", False),
        (Origin.RETRIEVED_DOCUMENT, EntryKind.TOOL_RESULT, "I keep bees", True),
        (agent, EntryKind.SUMMARY, "They spoke of Porto", True),
    ]


def test_what_is_no_event_is_counted(agent_file: Path) -> None:
    skipped = sorted(note.reason for note in notes(agent_file) if note.kind is NoteKind.SKIPPED)
    assert skipped == ["1 approvals", "1 machine events (logins, heartbeats, alerts)", "1 system prompts"]


def test_the_time_inside_a_message_counts_where_it_has_none(agent_file: Path) -> None:
    assert entries(agent_file)[0].at == moment("2025-03-31T20:51:08-07:00")


def test_a_write_is_the_evidence_of_what_it_wrote(agent_file: Path) -> None:
    porto = memories(agent_file)["human\x1fLives in Porto."]
    texts = {entry.native_id: entry.text for entry in entries(agent_file)}
    assert [texts[ref.entry_id] for ref in porto.evidence] == ["I moved to Porto", "Lives in Porto."]
    assert porto.created == moment("2025-04-01T03:51:10+00:00")


def test_archival_memory_is_known_by_its_writes_only(agent_file: Path) -> None:
    archival = memories(agent_file)["archival\x1fAsked about bees"]
    assert (archival.state, archival.categories) == (NativeState.HISTORIC, ("bees",))
    assert len(archival.evidence) == 2


def test_the_file_is_kept_and_the_blocks_are_the_whole_store(agent_file: Path) -> None:
    last = bundles(agent_file)[-1]
    assert last.memories_complete
    assert last.original is not None
    assert last.original.body == agent_file.read_bytes()


def test_entries_keep_their_ids_when_messages_are_numbered_anew(tmp_path: Path) -> None:
    def ids(name: str, messages: list[dict[str, Any]]) -> list[str]:
        numbered = [{**message, "id": f"message-{number}"} for number, message in enumerate(messages)]
        return [entry.native_id for entry in entries(write(tmp_path / name, letta_v1(messages=numbered)))]

    messages = letta_v1()["messages"]
    whole = ids("whole.af", messages)
    assert len(set(whole)) == len(whole)
    assert ids("later.af", messages[3:]) == whole[1:]


def test_agents_of_one_name_are_two_conversations(tmp_path: Path) -> None:
    found = bundles(write(tmp_path / "two.af", letta_v2("helper", "helper")))
    ids = [bundle.conversation.native_id for bundle in found if bundle.conversation]
    assert ids == ["agent-helper", "agent-helper (2)"]


def test_newer_agents_answer_in_their_content(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "Hello"},
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "greet"}, {"type": "text", "text": "Hi!"}],
        },
    ]
    found = entries(write(tmp_path / "new.af", letta_v1(messages=messages)))
    assert [(entry.kind, entry.text, entry.hidden) for entry in found] == [
        (EntryKind.MESSAGE, "Hello", False),
        (EntryKind.REASONING, "greet", True),
        (EntryKind.MESSAGE, "Hi!", False),
    ]


@pytest.mark.parametrize("text", ["42", '{"a": 1}', "[]", '{"type": 7}', "{not JSON"])
def test_what_the_person_typed_may_look_like_json(tmp_path: Path, text: str) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}]
    (entry,) = entries(write(tmp_path / "a.af", letta_v1(messages=messages)))
    assert (entry.origin, entry.text) == (Origin.USER, text)


def test_a_block_without_text_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "a.af", letta_v1(core_memory=[{"label": "human", "value": None}, 7]))
    assert [note.where for note in notes(path) if note.kind is NoteKind.BROKEN] == ["a.af, block human"]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("Dr. Silva is her GP. Likes tea!", ["Dr. Silva is her GP.", "Likes tea!"]),
        ("1. Keeps bees\n  * Owns a goat\n\n", ["Keeps bees", "Owns a goat"]),
        ('She said "no." Then yes', ['She said "no."', "Then yes"]),
        ("likes e.g. tea. J. Silva", ["likes e.g. tea.", "J. Silva"]),
        ("\r\n- \n", []),
    ],
)
def test_lines_and_sentences(value: str, found: list[str]) -> None:
    assert list(segments(value)) == found


def test_passages_and_what_came_from_files(tmp_path: Path) -> None:
    rows = [
        {"id": "passage-1", "text": "Keeps bees", "created_at": UTC, "tags": ["b"], "archive_id": "", "embedding": [1]},
        {"id": "passage-2", "text": "Page one", "archive_id": None, "file_id": "file-1", "file_name": "hive.txt"},
        {"id": "passage-3", "text": "Owns a goat", "archive_id": "a", "is_deleted": True},
        {"id": "passage-4", "text": None},
    ]  # fmt: skip
    path = write(tmp_path / "passages.json", rows)
    bees, goat = memories(path).values()
    assert (bees.created, bees.categories) == (moment(UTC), ("b",))
    assert "embedding" not in bees.raw
    assert goat.state is NativeState.DELETED
    assert [(entry.origin, entry.actor) for entry in entries(path)] == [(Origin.SHARED_FILE, "hive.txt")]
    assert [note.where for note in notes(path)] == ["passages.json, item 4"]


def test_a_cut_file_fails_as_a_whole(tmp_path: Path) -> None:
    body = write(tmp_path / "a.af", letta_v1()).read_text(encoding="utf-8")
    with pytest.raises(ImportFailed) as failed:
        open_exports(write(tmp_path / "cut.af", body[: len(body) // 2]))
    assert "Ines" not in str(failed.value)
