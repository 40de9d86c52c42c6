"""The sample in git is what its prose makes, and expected.json says of it only what stands in it."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import make_sample
import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "resources" / "samples"
AT_LEAST = {
    "explicit": 6,
    "same_subject": 6,
    "duplicate": 3,
    "implicit": 6,
    "propagated": 3,
    "scoped": 4,
    "sarcasm": 2,
    "hypothetical": 2,
    "other_person": 2,
    "past": 2,
    "temporary": 2,
    "planted_web": 1,
    "planted_document": 1,
    "planted_tool": 1,
    "planted_paste": 1,
    "summary_drift": 3,
    "overclaim": 3,
    "wrong_spread": 1,
    "no_source": 2,
    "ambiguous": 2,
    "control": 8,
}
ANSWERS = {"transition", "scope", "quarantine", "question", "unsupported", "rollback", "merge", "none"}


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_zip(name: str) -> dict[str, Any]:
    return {member: json.loads(data) for member, data in members((SAMPLES / name).read_bytes()).items()}


@pytest.fixture(scope="module")
def chatgpt() -> dict[str, Any]:
    return read_zip("chatgpt/chatgpt-export.zip")


@pytest.fixture(scope="module")
def claude() -> dict[str, Any]:
    return read_zip("claude-export.zip")


@pytest.fixture(scope="module")
def mem0() -> list[dict[str, Any]]:
    results = json.loads((SAMPLES / "mem0.json").read_text(encoding="utf-8"))["results"]
    assert isinstance(results, list)
    return results


@pytest.fixture(scope="module")
def mcp() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / "mcp-memory.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    loaded = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


@pytest.fixture(scope="module")
def messages(chatgpt: dict[str, Any], claude: dict[str, Any]) -> dict[tuple[str, str, str], tuple[float, str]]:
    """(source, conversation, message) to its time in seconds and its text."""
    found = {}
    for talk in chatgpt["conversations.json"]:
        for node in talk["mapping"].values():
            if node["message"] and node["message"]["create_time"]:
                content = node["message"]["content"]
                parts = [part for part in content.get("parts", []) if isinstance(part, str)]
                text = content.get("text") or "\n".join(parts)
                found["chatgpt", talk["id"], node["id"]] = (node["message"]["create_time"], text)
    for talk in claude["conversations.json"]:
        for each in talk["chat_messages"]:
            found["claude", talk["uuid"], each["uuid"]] = (stamp(each["created_at"]), each["text"])
    return found


def stamp(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.fixture(scope="module")
def memories(
    chatgpt: dict[str, Any], claude: dict[str, Any], mem0: list[dict[str, Any]], mcp: list[dict[str, Any]]
) -> dict[tuple[str, str | None], str]:
    """(source, native id) to the memory's text; all of Claude's text is one, without an id."""
    found: dict[tuple[str, str | None], str] = {("mem0", each["id"]): each["memory"] for each in mem0}
    for line in mcp:
        found |= {("mcp", f"{line['name']}\u001f{text}"): text for text in line.get("observations", [])}
    (memory,) = claude["memories.json"]
    found["claude", None] = memory["conversations_memory"]
    for talk in chatgpt["conversations.json"]:
        for node in talk["mapping"].values():
            if node["message"] and node["message"]["recipient"] == "bio":
                found["chatgpt", node["id"]] = node["message"]["content"]["parts"][0]
            elif node["message"] and node["message"]["content"]["content_type"] == "model_editable_context":
                context = node["message"]["content"]["model_set_context"]
                for number, text in re.findall(r"^(\d+)\. \[\d{4}-\d\d-\d\d\]\. (.*)$", context, re.MULTILINE):
                    found["chatgpt", f"{node['id']}#{number}"] = text
    return found


def test_the_artifacts_are_what_the_prose_makes() -> None:
    for name, data in make_sample.build().items():
        written = (SAMPLES / name).read_bytes()
        if name.endswith(".zip"):  # the compressed bytes differ with the zlib at hand
            assert members(written) == members(data), name
        else:
            assert written == data, name


def test_the_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < 2_000_000


def test_chatgpt_conversations_are_whole_trees(chatgpt: dict[str, Any]) -> None:
    talks = chatgpt["conversations.json"]
    assert len(talks) >= 80
    assert len({talk["id"] for talk in talks}) == len(talks)
    for talk in talks:
        mapping = talk["mapping"]
        assert talk["current_node"] in mapping
        (root,) = [node for node in mapping.values() if node["parent"] is None]
        assert root["message"] is None
        for key, node in mapping.items():
            assert key == node["id"]
            assert node["parent"] is None or key in mapping[node["parent"]]["children"]
            assert all(mapping[child]["parent"] == key for child in node["children"])


def test_chatgpt_holds_every_trait_of_a_real_export(chatgpt: dict[str, Any]) -> None:
    talks = chatgpt["conversations.json"]
    nodes = [node for talk in talks for node in talk["mapping"].values() if node["message"]]
    kinds = {node["message"]["content"]["content_type"] for node in nodes}
    assert kinds >= {
        "text",
        "multimodal_text",
        "code",
        "execution_output",
        "thoughts",
        "tether_quote",
        "tether_browsing_display",
        "sonic_webpage",
        "user_editable_context",
        "model_editable_context",
    }
    dumped = json.dumps(talks, ensure_ascii=False)
    parts = ('"audio_transcription"', '"image_asset_pointer"', '"attachments"')
    for trait in ("\ue200cite\ue202", "\ue200filecite\ue202", *parts):
        assert trait in dumped, trait
    assert any(talk["gizmo_type"] == "snorlax" for talk in talks)
    assert any(talk["title"] is None for talk in talks)
    assert any(node["message"]["create_time"] is None for node in nodes)
    assert any(node["message"]["author"]["name"] == "myfiles_browser" for node in nodes)
    bios = sum(node["message"]["recipient"] == "bio" for node in nodes)
    acks = sum(node["message"]["author"]["name"] == "bio" for node in nodes)
    assert 0 < acks < bios


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_chatgpt_has_an_edited_prompt_and_a_regenerated_answer(chatgpt: dict[str, Any], role: str) -> None:
    forks = [
        {talk["mapping"][child]["message"]["author"]["role"] for child in node["children"]}
        for talk in chatgpt["conversations.json"]
        for node in talk["mapping"].values()
        if len(node["children"]) > 1
    ]
    assert {role} in forks


def test_a_snapshot_lost_an_entry(memories: dict[tuple[str, str | None], str]) -> None:
    entries: dict[str, set[str]] = {}
    for (source, native_id), text in memories.items():
        if source == "chatgpt" and native_id and "#" in native_id:
            entries.setdefault(native_id.partition("#")[0], set()).add(text)
    first, second = entries.values()
    assert first - second
    assert second - first
    assert first & second


def test_claude_has_its_members_and_blocks(claude: dict[str, Any]) -> None:
    assert {"conversations.json", "users.json", "memories.json"} < set(claude)
    assert any(name.startswith("projects/") for name in claude)
    talks = claude["conversations.json"]
    assert len(talks) >= 12
    messages = [each for talk in talks for each in talk["chat_messages"]]
    assert all(each["sender"] in ("human", "assistant") and each["content"] for each in messages)
    assert any(attachment["extracted_content"] for each in messages for attachment in each["attachments"])
    names = Counter(block.get("name") for each in messages for block in each["content"])
    assert names["memory_user_edits"] == names["web_search"] == 2
    assert any(
        inner["type"] == "knowledge"
        for each in messages
        for block in each["content"]
        if block["type"] == "tool_result"
        for inner in block["content"]
    )


def test_mem0_is_a_get_all_of_version_1_1(mem0: list[dict[str, Any]]) -> None:
    assert 30 <= len(mem0) <= 45
    assert len({each["id"] for each in mem0}) == len(mem0)
    for each in mem0:
        assert each["hash"] == hashlib.md5(each["memory"].encode()).hexdigest()
        assert datetime.fromisoformat(each["created_at"]).tzinfo
        assert each["updated_at"] is None or stamp(each["updated_at"]) > stamp(each["created_at"])
    assert any(each["updated_at"] for each in mem0)


def test_mcp_memory_is_entities_then_relations(mcp: list[dict[str, Any]]) -> None:
    kinds = [line["type"] for line in mcp]
    assert kinds == sorted(kinds)
    assert kinds.count("entity") >= 12
    names = {line["name"] for line in mcp if line["type"] == "entity"}
    assert {line["from"] for line in mcp if line["type"] == "relation"} <= names


def test_every_quotation_and_memory_is_literal(
    expected: dict[str, Any],
    messages: dict[tuple[str, str, str], tuple[float, str]],
    memories: dict[tuple[str, str | None], str],
) -> None:
    for problem in expected["problems"]:
        for side in (problem["old"], problem["new"]):
            if entry := side["entry"]:
                _, text = messages[entry["source"], entry["conversation_id"], entry["message_id"]]
                assert entry["quote"] in text, problem["id"]
        stored = [
            problem["old"]["memory"],
            problem["new"]["memory"],
            *problem.get("also", []),
            *problem.get("affected", []),
        ]
        for memory in filter(None, stored):
            text = memories[memory["source"], memory["native_id"]]
            assert (memory["text"] in text) if memory["source"] == "claude" else (memory["text"] == text), problem["id"]


def test_the_old_comes_before_the_new(
    expected: dict[str, Any], messages: dict[tuple[str, str, str], tuple[float, str]]
) -> None:
    for problem in expected["problems"]:
        old, new = problem["old"]["entry"], problem["new"]["entry"]
        if old and new:
            old_at, new_at = (
                messages[each["source"], each["conversation_id"], each["message_id"]][0] for each in (old, new)
            )
            assert old_at < new_at, problem["id"]


def test_no_memory_is_older_than_what_it_was_drawn_from(
    expected: dict[str, Any], mem0: list[dict[str, Any]], messages: dict[tuple[str, str, str], tuple[float, str]]
) -> None:
    created = {each["id"]: stamp(each["created_at"]) for each in mem0}
    for problem in expected["problems"]:
        for side in (problem["old"], problem["new"]):
            if side["entry"] and side["memory"] and side["memory"]["source"] == "mem0":
                entry = side["entry"]
                said = messages[entry["source"], entry["conversation_id"], entry["message_id"]][0]
                assert said < created[side["memory"]["native_id"]], problem["id"]


def test_each_kind_of_problem_is_planted(expected: dict[str, Any]) -> None:
    problems = expected["problems"]
    assert len({problem["id"] for problem in problems}) == len(problems)
    counts = Counter(problem["kind"] for problem in problems)
    assert set(counts) == set(AT_LEAST)
    assert all(counts[kind] >= least for kind, least in AT_LEAST.items()), counts
    assert counts["explicit"] + counts["same_subject"] >= 12
    assert sum(count for kind, count in counts.items() if kind.startswith("planted_")) >= 4
    assert {problem["expected"] for problem in problems} == ANSWERS
    assert all(len(problem["affected"]) >= 3 for problem in problems if problem["kind"] == "wrong_spread")
    assert all(problem["expected"] == "none" for problem in problems if problem["kind"] == "control")


def test_a_transition_names_all_that_the_audit_needs(expected: dict[str, Any]) -> None:
    for problem in expected["problems"]:
        if problem["expected"] == "transition":
            old, new = problem["old"], problem["new"]
            assert all([old["value"], old["memory"], old["entry"], new["value"], new["entry"]]), problem["id"]


def test_the_times_are_the_fourteen_months(messages: dict[tuple[str, str, str], tuple[float, str]]) -> None:
    months = {datetime.fromtimestamp(at, UTC).strftime("%Y-%m") for at, _ in messages.values()}
    assert (len(months), min(months), max(months)) == (14, "2025-09", "2026-10")


@pytest.mark.parametrize("word", ["judo", "black belt", "window seat"])
def test_what_has_no_source_is_said_nowhere(word: str, messages: dict[tuple[str, str, str], tuple[float, str]]) -> None:
    assert not any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for _, text in messages.values())


def test_the_wording_edited_away_is_off_the_current_path(chatgpt: dict[str, Any], expected: dict[str, Any]) -> None:
    (problem,) = [each for each in expected["problems"] if each["id"] == "edited-away"]
    entry = problem["new"]["entry"]
    (talk,) = [each for each in chatgpt["conversations.json"] if each["id"] == entry["conversation_id"]]
    path, node = set(), talk["current_node"]
    while node:
        path.add(node)
        node = talk["mapping"][node]["parent"]
    assert entry["message_id"] in talk["mapping"].keys() - path


@pytest.mark.parametrize("kind", ["planted_web", "planted_document", "planted_tool"])
def test_what_others_planted_is_in_what_a_tool_brought(
    kind: str, chatgpt: dict[str, Any], expected: dict[str, Any]
) -> None:
    nodes = {key: node for talk in chatgpt["conversations.json"] for key, node in talk["mapping"].items()}
    for problem in expected["problems"]:
        if problem["kind"] == kind:
            assert nodes[problem["old"]["entry"]["message_id"]]["message"]["author"]["role"] == "tool"
