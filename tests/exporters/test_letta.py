"""The way back into Letta's agent files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.exporters import CorrectedMemory, ExportFailed, write_back
from memreview.importers.times import moment
from tests.exporters.builders import DELETED, NOW, added, all_corrected, corrected, superseded
from tests.importers.builders_stores import HUMAN, letta_v1, letta_v2, memories, write

Maker = Callable[[], dict[str, Any]]


def back(path: Path, memories: list[CorrectedMemory]) -> bytes:
    return write_back("letta", path.read_bytes(), memories, NOW)


def blocks(document: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["core_memory" if "core_memory" in document else "blocks"]
    return found


def human(body: bytes) -> str:
    value: str = blocks(json.loads(body))[0]["value"]
    return value


@pytest.fixture(params=[letta_v1, letta_v2], ids=["v1", "v2"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return write(tmp_path / "helper.af", request.param())


def block_file(folder: Path, value: str, **more: Any) -> Path:
    return write(folder / "a.af", letta_v1(core_memory=[{"label": "human", "value": value, **more}], messages=[]))


@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"separators": (",", ":")}])
@pytest.mark.parametrize("make", [letta_v1, letta_v2])
def test_untouched_is_byte_for_byte_the_same(tmp_path: Path, make: Maker, layout: dict[str, Any]) -> None:
    body = json.dumps(make(), **layout).replace("0.7,", "0.70,") + "\n"
    path = write(tmp_path / "a.af", body)
    assert back(path, all_corrected(path)) == path.read_bytes()


def test_a_correction_changes_its_words_and_nothing_else(path: Path) -> None:
    body = back(path, all_corrected(path, {"Nurse in Lisbon.": {"text": "Nurse in Porto."}}))
    expected = path.read_text(encoding="utf-8").replace("Nurse in Lisbon.", "Nurse in Porto.")
    assert body.decode() == expected


def test_removed_lines_and_sentences(path: Path) -> None:
    gone = ("Name: Ines Duarte.", "Lives in Porto.", "Keeps bees.")
    body = back(path, all_corrected(path, dict.fromkeys(gone, DELETED)))
    assert human(body) == "Nurse in Lisbon.\n- Sees Dr. Silva  on Mondays\r\n"


def test_what_replaces_a_memory_takes_its_place(path: Path) -> None:
    changes = {"Nurse in Lisbon.": superseded("Nurse in\nPorto."), "Keeps bees.": superseded("Gave up bees.")}
    new = [added("Nurse in\nPorto."), added("Gave up bees."), added("Speaks Greek.", scope="work")]
    value = human(back(path, [*all_corrected(path, changes), *new]))
    assert value == (
        "Name: Ines Duarte. Nurse in Porto.\n- Lives in Porto.\n- Sees Dr. Silva  on Mondays\r\n\n"
        "Gave up bees.\nSpeaks Greek. (applies only to: work)"
    )


def test_scope_and_end_date_are_written_in_words(path: Path) -> None:
    scope = {"scope": "work", "valid_until": moment("2027-05-01")}
    value = human(back(path, all_corrected(path, {"Sees Dr. Silva  on Mondays": scope})))
    assert "- Sees Dr. Silva on Mondays (applies only to: work, until 2027-05-01)\r\n" in value


def test_the_persona_can_be_corrected_and_gets_nothing_added(path: Path) -> None:
    changes = {"I am a helpful agent.": {"text": "I am a careful agent."}}
    document = json.loads(back(path, [*all_corrected(path, changes), added("Nurse.")]))
    assert blocks(document)[1]["value"] == "I am a careful agent."
    assert blocks(document)[0]["value"] == HUMAN + "\nNurse."


@pytest.mark.parametrize(
    ("value", "corrected", "expected"),
    [
        ("Likes tea and milk\nLikes tea", {"Likes tea": DELETED}, "Likes tea and milk"),
        ("She Likes tea. Likes tea.", {"Likes tea.": DELETED}, "She Likes tea."),
        ("1. One.\n2. Two.\n3. Three.", {"Two.": DELETED}, "1. One.\n3. Three."),
        ("- One. Two. Three.", {"One.": DELETED}, "- Two. Three."),
        ("One.  Two.  Three.", {"Three.": DELETED}, "One.  Two."),
        ("One. Two. One.", {"One.": {"text": "One. One."}}, "One. One. Two. One. One."),
        ("A (x) [y]*.", {"A (x) [y]*.": {"text": r"\1 \g<0>"}}, r"\1 \g<0>"),
        ("A\0B.", {"AB.": {"text": "C."}}, "C."),
    ],
)
def test_a_memory_is_found_where_it_stands_alone(
    tmp_path: Path, value: str, corrected: dict[str, Any], expected: str
) -> None:
    path = block_file(tmp_path, value)
    assert human(back(path, all_corrected(path, corrected))) == expected


def test_a_block_that_outgrows_its_limit_gets_a_higher_one(tmp_path: Path) -> None:
    path = block_file(tmp_path, "A.", limit=10)
    grown = blocks(json.loads(back(path, all_corrected(path, {"A.": {"text": "A" * 20}}))))[0]
    assert (grown["value"], grown["limit"]) == ("A" * 20, 20)
    over = block_file(tmp_path, "A. " * 10, limit=10)
    assert blocks(json.loads(back(over, all_corrected(over))))[0]["limit"] == 10


def test_added_memories_need_a_block_about_the_person(tmp_path: Path) -> None:
    path = write(tmp_path / "a.af", letta_v1(core_memory=[{"label": "persona", "value": "I."}]))
    with pytest.raises(ExportFailed, match="no block about you"):
        back(path, [added("Nurse.")])
    assert back(path, [added("Nurse.", **DELETED)]) == path.read_bytes()


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"blocks": 7}', b"nope", b"7"])
def test_what_is_no_agent_file_is_refused(body: bytes) -> None:
    with pytest.raises(ExportFailed):
        write_back("letta", body, [], NOW)


PARTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    ["Has a dog", ". ", "! ", "\n", "- ", "2. ", "\r\n", '." ', "Dr. "]
)
LINES = st.lists(PARTS, max_size=12).map("".join)


@given(LINES, st.data())
def test_any_block_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, value: str, data: st.DataObject
) -> None:
    """A removed memory is gone, and all others are there as they were."""
    folder = tmp_path_factory.mktemp("letta")
    path = block_file(folder, value)
    before = memories(path)
    unchanged = [corrected(record, "letta") for record in before.values()]
    assert back(path, unchanged) == path.read_bytes()
    gone = data.draw(st.sets(st.sampled_from(sorted(before)))) if before else set()
    corrections = [corrected(record, "letta", **(DELETED if key in gone else {})) for key, record in before.items()]
    after = memories(write(folder / "again.af", back(path, corrections)))
    assert set(after) == set(before) - gone
