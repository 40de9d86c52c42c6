"""The MCP memory server's file in all the forms and states that it is met in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memreview.importers import ImportFailed, open_exports
from memreview.records import UNKNOWN, MemoryKind, NativeState, NoteKind
from tests.importers.builders_stores import MCP_LINES, bundles, memories, notes, texts, write

TEXTS = ["Porto nurse", "Keeps bees", "Ines Duarte – keeps – Bees"]


def test_one_observation_is_one_memory_and_one_relation_too(tmp_path: Path) -> None:
    path = write(tmp_path / "memory.jsonl", "\n".join(MCP_LINES))
    found = list(memories(path).values())
    assert [record.text for record in found] == TEXTS
    assert [record.kind for record in found] == [MemoryKind.MEMORY, MemoryKind.MEMORY, MemoryKind.RELATION]
    assert found[1].native_id == "Ines_Duarte\x1fKeeps bees"
    assert (found[1].subject, found[1].categories) == ("Ines Duarte", ("person",))
    assert all(record.created == record.updated == UNKNOWN for record in found)
    assert all(record.state is NativeState.ACTIVE for record in found)
    (bundle,) = bundles(path)
    assert bundle.memories_complete
    assert bundle.original is not None
    assert bundle.original.body == path.read_bytes()
    assert [note.kind for note in bundle.notes] == [NoteKind.WARNING]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("\n".join(MCP_LINES) + "\n", id="newline at the end"),
        pytest.param("".join(MCP_LINES), id="all on one line"),
        pytest.param("\n\n  \n" + "\n\r\n".join(MCP_LINES), id="blank lines"),
        pytest.param("\ufeff" + "\n".join(MCP_LINES), id="byte order mark"),
        pytest.param("[" + ",".join(MCP_LINES) + "]", id="array"),
        pytest.param(
            '{"entities":[' + ",".join(MCP_LINES[:2]) + '],"relations":[' + MCP_LINES[2] + "]}", id="read_graph"
        ),
    ],
)
def test_every_form_gives_the_same_memories(tmp_path: Path, body: str) -> None:
    assert texts(write(tmp_path / "graph.json", body)) == TEXTS


def test_old_and_foreign_key_names(tmp_path: Path) -> None:
    rows = [
        {"type": "entity", "entityName": "Ines", "entity_type": "person", "observations": ["Nurse"]},
        {"type": "relation", "from_id": "Ines", "to_id": "Ines", "relation_type": "knows_well"},
    ]
    path = write(tmp_path / "memory.json", "\n".join(map(json.dumps, rows)))
    assert texts(path) == ["Nurse", "Ines – knows well – Ines"]


@pytest.mark.parametrize("body", ["{}", "[]"])
def test_a_server_that_stored_nothing(tmp_path: Path, body: str) -> None:
    (bundle,) = bundles(write(tmp_path / "memory.json", body))
    assert bundle.memories == ()
    assert bundle.memories_complete


def test_a_cut_last_line_and_a_broken_one_are_reported_by_number(tmp_path: Path) -> None:
    body = "\n".join([MCP_LINES[0], '{"type":"entity","name":', MCP_LINES[2], MCP_LINES[1][:30]])
    path = write(tmp_path / "memory.jsonl", body)
    assert texts(path) == TEXTS
    broken = [note.where for note in notes(path) if note.kind is NoteKind.BROKEN]
    assert broken == ["memory.jsonl, line 2", "memory.jsonl, line 4"]
    assert not bundles(path)[0].memories_complete


def test_entities_of_one_name_are_one_and_other_spellings_are_not(tmp_path: Path) -> None:
    names = ("Ines", "Ines", "ines")
    rows = [{"type": "entity", "name": name, "entityType": "person", "observations": ["Nurse"]} for name in names]
    rows[1]["observations"] = ["Nurse", "Keeps bees"]
    found = memories(write(tmp_path / "memory.jsonl", "\n".join(map(json.dumps, rows))))
    assert list(found) == ["Ines\x1fNurse", "Ines\x1fKeeps bees", "ines\x1fNurse"]


def test_a_relation_to_nobody_stays_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "memory.jsonl", MCP_LINES[0] + "\n" + MCP_LINES[2])
    assert texts(path)[-1] == "Ines Duarte – keeps – Bees"
    assert "memory.jsonl, line 2" in [note.where for note in notes(path)]


def test_observations_that_are_no_text_or_look_like_data(tmp_path: Path) -> None:
    entity = {"type": "entity", "name": "Ines", "observations": ['{"type":"entity"}', 7, "", "a\u2028b", ["x"]]}
    path = write(tmp_path / "memory.jsonl", json.dumps(entity, ensure_ascii=False) + "\n" + MCP_LINES[1])
    assert texts(path) == ['{"type":"entity"}', "a\u2028b"]
    assert len([note for note in notes(path) if note.kind is NoteKind.BROKEN]) == 3


def test_an_entity_with_thousands_of_observations(tmp_path: Path) -> None:
    entity = {"type": "entity", "name": "Ines", "observations": [f"Saw swarm {n}" for n in range(5_000)]}
    assert len(texts(write(tmp_path / "memory.jsonl", json.dumps(entity)))) == 5_000


def test_only_broken_lines_fail(tmp_path: Path) -> None:
    body = '{"type":"entity","name":"Secret","observations":["x"]'
    with pytest.raises(ImportFailed) as failed:
        open_exports(write(tmp_path / "memory.jsonl", body))
    assert "Secret" not in str(failed.value)
