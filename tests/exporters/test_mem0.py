"""The way back into mem0's JSON."""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.exporters import CorrectedMemory, ExportFailed, write_back
from memreview.exporters.contract import iso
from memreview.importers.times import moment
from memreview.records import MemoryStatus
from tests.exporters.builders import DELETED, NOW, added, all_corrected, superseded
from tests.importers.builders_stores import UTC, mem0_camel, mem0_item, memories, write

BEES, LISBON, GOAT = "Keeps two bee hives", "Lives in Lisbon", "Owns a goat"
ITEMS = [
    mem0_item(1, BEES, score_kept=1.10, categories=["hobbies"], expiration_date="2026-12-31"),
    mem0_item(2, LISBON, metadata={"scope": "private", "valid_until": "2026-01-31", "n": 2}),
    mem0_item(3, GOAT, metadata=None, created_at="not a date", expiration_date="soon"),
]
SHAPES: dict[str, Any] = {
    "list": ITEMS,
    "v1.1": {"results": ITEMS, "relations": [{"source": "ines", "relationship": "keeps", "target": "bee_hives"}]},
    "page": {"count": 3, "next": None, "previous": None, "results": ITEMS},
    "camelCase": {"results": [mem0_camel(1, BEES), mem0_camel(2, LISBON), mem0_camel(3, GOAT)]},
}


def back(path: Path, memories: list[CorrectedMemory]) -> bytes:
    return write_back("mem0", path.read_bytes(), memories, NOW)


def results(body: bytes) -> list[dict[str, Any]]:
    document = json.loads(body)
    found: list[dict[str, Any]] = document if isinstance(document, list) else document["results"]
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("layout", [None, 2])
def test_untouched_is_byte_for_byte_the_same(tmp_path: Path, shape: str, layout: int | None) -> None:
    path = write(tmp_path / "m.json", json.dumps(SHAPES[shape], indent=layout) + "\n")
    assert back(path, all_corrected(path)) == path.read_bytes()


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_written_back_imports_again_field_by_field(tmp_path: Path, shape: str) -> None:
    path = write(tmp_path / "m.json", SHAPES[shape])
    changes = {LISBON: superseded("Lives in Porto"), GOAT: {"text": "Owns two goats", "scope": "farm"}}
    again = write(tmp_path / "again.json", back(path, [*all_corrected(path, changes), added("Lives in Porto")]))
    found = {record.text: record for record in memories(again).values()}
    assert BEES in found
    assert LISBON not in found
    assert found["Lives in Porto"].created == NOW
    assert (found["Owns two goats"].scope, found["Owns two goats"].updated) == ("farm", NOW)
    assert found[BEES] == {record.text: record for record in memories(path).values()}[BEES]


def test_an_edit_has_a_new_hash_and_time_and_all_else_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", ITEMS)
    edited = results(back(path, all_corrected(path, {BEES: {"text": "Keeps “three” hives\n"}})))
    new = {"memory": "Keeps “three” hives\n", "hash": hashlib.md5("Keeps “three” hives\n".encode()).hexdigest()}
    assert edited == [{**ITEMS[0], **new, "updated_at": iso(NOW)}, *ITEMS[1:]]
    assert list(edited[0]) == list(ITEMS[0])


def test_scope_and_end_date_go_to_metadata(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", ITEMS)
    scope = {"scope": "at work", "valid_until": moment("2027-05-01T00:00:00+01:00")}
    scoped = results(back(path, all_corrected(path, dict.fromkeys((BEES, LISBON, GOAT), scope))))
    expected = {"scope": "at work", "valid_until": "2027-05-01T00:00:00+01:00"}
    assert [item["metadata"] for item in scoped] == [
        {"source": "chat", **expected},
        {"n": 2, **expected},
        expected,
    ]


def test_a_scope_can_be_taken_off(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", ITEMS)
    (_, lisbon, _) = results(back(path, all_corrected(path, {LISBON: {"scope": ""}})))
    assert lisbon["metadata"] == {"scope": "", "valid_until": "2026-01-31", "n": 2}


@pytest.mark.parametrize("status", [status for status in MemoryStatus if status is not MemoryStatus.ACTIVE])
def test_only_active_memories_go_back(tmp_path: Path, status: MemoryStatus) -> None:
    path = write(tmp_path / "m.json", SHAPES["page"])
    body = back(path, all_corrected(path, {LISBON: {"status": status}}))
    assert [item["memory"] for item in results(body)] == [BEES, GOAT]
    assert json.loads(body)["count"] == 2


def test_an_added_memory_is_owned_as_the_others_and_written_twice_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", ITEMS)
    corrections = [*all_corrected(path), added("Lives in Porto", scope="private")]
    item = results(back(path, corrections))[-1]
    uuid.UUID(item["id"])
    assert (item["user_id"], item["created_at"], item["updated_at"]) == ("ines", iso(NOW), None)
    assert item["metadata"] == {"scope": "private"}
    assert back(path, corrections) == back(path, corrections)
    camel = write(tmp_path / "camel.json", SHAPES["camelCase"])
    assert results(back(camel, [added("Nurse")]))[-1]["createdAt"] == iso(NOW)
    assert results(back(camel, [added("Nurse")]))[-1]["userId"] == "ines"


def test_an_added_memory_that_was_deleted_again_is_not_written(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", ITEMS)
    assert back(path, [*all_corrected(path), added("Nurse", **DELETED)]) == path.read_bytes()


def test_relations_can_be_removed_and_reworded(tmp_path: Path) -> None:
    graph = [
        {"source": "ines", "relationship": "lives_in", "target": "lisbon", "x": 1.0},
        {"source": "ines", "relationship": "keeps", "target": "bee_hives"},
        {"source": "ines", "relationship": "owns", "target": "goat"},
    ]
    path = write(tmp_path / "m.json", {"results": ITEMS, "relations": graph})
    changes = {"ines – lives in – lisbon": {"text": "ines – lives in – porto city"}, "ines – owns – goat": DELETED}
    written = json.loads(back(path, all_corrected(path, changes)))
    assert written["relations"] == [{**graph[0], "target": "porto_city"}, graph[1]]
    assert written["results"] == ITEMS


def test_items_without_an_id_are_found_by_their_text(tmp_path: Path) -> None:
    path = write(tmp_path / "m.json", [{"memory": BEES, "hash": "a"}, {"memory": GOAT, "hash": "b"}])
    assert results(back(path, all_corrected(path, {GOAT: DELETED}))) == [{"memory": BEES, "hash": "a"}]


@pytest.mark.parametrize("body", [b"{}", b'{"results": 7}', b"7", b"nope", b'[{"memory_id": "1", "event": "ADD"'])
def test_what_is_no_list_of_memories_is_refused(body: bytes) -> None:
    with pytest.raises(ExportFailed):
        write_back("mem0", body, [], NOW)


TEXTS = st.text(min_size=1).filter(lambda text: text.strip() != "")


@given(st.lists(TEXTS, max_size=6), st.data())
def test_any_text_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("mem0")
    items = [mem0_item(number, text, created_at=UTC) for number, text in enumerate(texts)]
    path = write(folder / "m.json", json.dumps({"results": items}))
    before = memories(path)
    chosen = data.draw(st.sets(st.sampled_from(sorted(before)))) if before else set()
    new = data.draw(TEXTS.map(lambda text: text.replace("\0", "") or "x"))
    corrections = [
        CorrectedMemory(
            native_id=key, provider="mem0", text=new if key in chosen else record.text, original_text=record.text
        )
        for key, record in before.items()
    ]
    after = memories(write(folder / "again.json", back(path, corrections)))
    assert list(after) == list(before)
    for key, record in after.items():
        assert record.text == (new if key in chosen else before[key].text)
        assert record.created == before[key].created
