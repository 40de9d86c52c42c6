"""The way back into the MCP memory server's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.exporters import CorrectedMemory, write_back
from memreview.importers.times import moment
from tests.exporters.builders import DELETED, NOW, added, all_corrected, corrected, superseded
from tests.importers.builders_stores import MCP_LINES, memories, texts, write

NURSE, BEES, KEEPS = "Porto nurse", "Keeps bees", "Ines Duarte – keeps – Bees"


def back(path: Path, memories: list[CorrectedMemory]) -> str:
    return write_back("mcp", path.read_bytes(), memories, NOW).decode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "memory.jsonl", "\n".join(MCP_LINES))


@pytest.mark.parametrize("end", ["", "\n"])
def test_untouched_is_byte_for_byte_the_same(tmp_path: Path, end: str) -> None:
    odd = '{"type":"entity", "name" : "Ol\\u00e1", "observations":["\u2028", 7, "x", "x"], "more": 1.10}'
    path = write(tmp_path / "memory.jsonl", "\n".join([MCP_LINES[0], odd, *MCP_LINES[1:]]) + end)
    assert back(path, all_corrected(path)) == path.read_text(encoding="utf-8")


def test_only_the_corrected_lines_change(path: Path) -> None:
    changes = {NURSE: {"text": "Lisbon nurse"}, BEES: DELETED}
    lines = back(path, all_corrected(path, changes)).split("\n")
    assert lines == [MCP_LINES[0].replace('"Porto nurse","Keeps bees"', '"Lisbon nurse"'), *MCP_LINES[1:]]


def test_an_entity_without_observations_stays_for_its_relations(path: Path) -> None:
    lines = back(path, all_corrected(path, {NURSE: DELETED, BEES: superseded(None)})).split("\n")
    assert json.loads(lines[0])["observations"] == []
    assert lines[1:] == list(MCP_LINES[1:])


def test_a_relation_can_be_removed_reworded_or_put_in_words(path: Path) -> None:
    assert back(path, all_corrected(path, {KEEPS: DELETED})) == "\n".join(MCP_LINES[:2])
    kept = all_corrected(path, {KEEPS: {"text": "Ines Duarte – looks after – Bees"}})
    assert back(path, kept).split("\n")[2] == MCP_LINES[2].replace('"keeps"', '"looks_after"')
    freely = all_corrected(path, {KEEPS: {"text": "Gave the bees away"}})
    again = write(path.with_name("again.jsonl"), back(path, freely))
    assert texts(again) == [NURSE, BEES, "Gave the bees away"]


def test_what_replaces_a_memory_goes_to_its_entity_and_the_rest_to_the_user(path: Path) -> None:
    changes = {BEES: superseded("Gave up bees"), KEEPS: superseded("Feeds wild bees")}
    new = [added("Gave up bees"), added("Feeds wild bees"), added("Speaks Greek")]
    again = write(path.with_name("again.jsonl"), back(path, [*all_corrected(path, changes), *new]))
    assert [record.native_id for record in memories(again).values()] == [
        "Ines_Duarte\x1fPorto nurse",
        "Ines_Duarte\x1fGave up bees",
        "Ines_Duarte\x1fFeeds wild bees",
        "User\x1fSpeaks Greek",
    ]


def test_scope_and_end_date_are_written_in_words(path: Path) -> None:
    scope = {"scope": "work", "valid_until": moment("2027-05-01")}
    written = back(path, all_corrected(path, {NURSE: scope}))
    assert "Porto nurse (applies only to: work, until 2027-05-01)" in written


def test_an_edit_to_what_is_there_already_leaves_one(path: Path) -> None:
    lines = back(path, all_corrected(path, {NURSE: {"text": BEES}})).split("\n")
    assert json.loads(lines[0])["observations"] == [BEES]


@pytest.mark.parametrize(
    "body",
    [
        "[" + ", ".join(MCP_LINES) + "]",
        '{"entities": [' + ",".join(MCP_LINES[:2]) + '], "relations": [' + MCP_LINES[2] + "]}",
        "".join(MCP_LINES),
        MCP_LINES[2] + "\n" + MCP_LINES[0] + "\n" + MCP_LINES[1],
    ],
)
def test_every_form_comes_out_as_lines_entities_first(tmp_path: Path, body: str) -> None:
    path = write(tmp_path / "graph.json", body)
    assert back(path, all_corrected(path)) == "\n".join(MCP_LINES)


def test_a_graph_without_types_gets_them(tmp_path: Path) -> None:
    graph = '{"entities": [{"name":"Ines","observations":["x"]},{}], "relations": []}'
    path = write(tmp_path / "graph.json", graph)
    lines = back(path, all_corrected(path)).split("\n")
    assert lines == ['{"type":"entity","name":"Ines","observations":["x"]}', '{"type":"entity"}']


def test_broken_lines_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "memory.jsonl", MCP_LINES[0] + "\nbroken\n" + MCP_LINES[2] + '\n{"type":"ent')
    assert back(path, all_corrected(path)).split("\n") == [MCP_LINES[0], MCP_LINES[2]]


def test_entities_that_are_there_twice_are_both_corrected(tmp_path: Path) -> None:
    path = write(tmp_path / "memory.jsonl", MCP_LINES[0] + "\n" + MCP_LINES[0])
    assert BEES not in back(path, all_corrected(path, {BEES: DELETED}))


NAMES = st.text(st.characters(exclude_characters="\x1f\0", exclude_categories=["Cs"]), min_size=1)
GRAPHS = st.lists(st.tuples(NAMES, st.lists(st.text(min_size=1), max_size=4)), max_size=4)


@given(GRAPHS, st.data())
def test_any_graph_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, graph: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("mcp")
    rows = [{"type": "entity", "name": name, "entityType": "x", "observations": seen} for name, seen in graph]
    rows.append({"type": "entity", "name": "Ines", "entityType": "x", "observations": []})
    path = write(folder / "memory.jsonl", "\n".join(map(json.dumps, rows)))
    before = memories(path)
    gone = data.draw(st.sets(st.sampled_from(sorted(before)))) if before else set()
    corrections = [corrected(record, "mcp", **(DELETED if key in gone else {})) for key, record in before.items()]
    after = memories(write(folder / "again.jsonl", back(path, corrections)))
    assert after == {key: record for key, record in before.items() if key not in gone}
