"""The lists to keep: JSON, CSV and Markdown; JSON and CSV come in again as they went out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.exporters import LISTS, CorrectedMemory, capabilities, markdown, write_list
from memreview.exporters.contract import iso
from memreview.importers import ImportFailed, generic_csv, generic_json, generic_text, open_exports
from memreview.importers.times import moment
from memreview.records import UNKNOWN, MemoryKind, MemoryRecord, MemoryStatus, Moment, NativeState
from tests.exporters.builders import NOW, added, corrected
from tests.importers.builders_stores import memories, write

BEES = CorrectedMemory(
    native_id="m1",
    provider="mem0",
    text="Keeps two hives",
    original_text="Keeps one hive",
    scope="in Porto",
    valid_until=moment("2027-05-01T00:00:00+01:00"),
    created=moment("2025-06-01T02:10:11.000123-07:00"),
    categories=("hobbies", "a; \"b\"", ""),
    reason="You said so on 3 May.",
    source_label="mem0",
)  # fmt: skip
LISBON = CorrectedMemory(
    native_id="m2",
    provider="mem0",
    text="Lives in Lisbon",
    original_text="Lives in Lisbon",
    status=MemoryStatus.SUPERSEDED,
    superseded_by_text="Lives in Porto",
)


@pytest.mark.parametrize(
    ("time", "written"),
    [
        (UNKNOWN, None),
        (moment("2025-06-01T02:10:11.000123-07:00"), "2025-06-01T02:10:11.000123-07:00"),
        (moment("2025-06-01T02:10:11Z"), "2025-06-01T02:10:11+00:00"),
        (moment(1739520000), "2025-02-14T08:00:00Z"),
        (moment("2025-06-01"), "2025-06-01T00:00:00"),
        (Moment(us=10**20), None),
        (Moment(us=0, offset=5000), None),
    ],
)
def test_times_are_written_as_they_were_told(time: Moment, written: str | None) -> None:
    assert iso(time) == written


def test_json_holds_all_of_a_memory() -> None:
    document = json.loads(write_list("json", [BEES, LISBON]))
    assert document["memories"][0] == {
        "id": "m1",
        "text": "Keeps two hives",
        "status": "active",
        "scope": "in Porto",
        "valid_until": "2027-05-01T00:00:00+01:00",
        "superseded_by": None,
        "original_text": "Keeps one hive",
        "reason": "You said so on 3 May.",
        "kind": "memory",
        "subject": "",
        "categories": ["hobbies", 'a; "b"', ""],
        "created": "2025-06-01T02:10:11.000123-07:00",
        "updated": None,
        "state": "active",
        "added": False,
        "provider": "mem0",
        "source": "mem0",
    }
    assert document["memories"][1]["superseded_by"] == "Lives in Porto"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-x", "@a", "\tx", "\rx", "'=x", "''", "a=b", "x\r\ny", '"'])
def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, text: str) -> None:
    body = write_list("csv", [msgspec.structs.replace(BEES, text=text, reason=text)])
    (row,) = csv.DictReader(io.StringIO(body.decode("utf-8-sig"), newline=""))
    assert not row["text"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert not row["reason"].startswith(("=", "+", "-", "@", "\t", "\r"))
    (record,) = memories(write(tmp_path / "list.csv", body)).values()
    assert record.text == text


@pytest.mark.parametrize("format", ["json", "csv"])
def test_history_comes_in_again_as_history(tmp_path: Path, format: str) -> None:
    listed = [BEES, LISBON, added("Lives in Porto"), corrected(_record(), status=MemoryStatus.DELETED)]
    found = memories(write(tmp_path / f"list.{format}", write_list(format, listed)))
    assert {record.text: record.state for record in found.values()} == {
        "Keeps two hives": NativeState.ACTIVE,
        "Lives in Lisbon": NativeState.HISTORIC,
        "Lives in Porto": NativeState.ACTIVE,
        "Owns a goat": NativeState.DELETED,
    }
    bees = found["m1"]
    assert (bees.scope, bees.expires, bees.created) == (BEES.scope, BEES.valid_until, BEES.created)
    assert bees.categories == ("hobbies", 'a; "b"')


def _record(**more: Any) -> MemoryRecord:
    return MemoryRecord(**{"native_id": "m3", "text": "Owns a goat", **more})


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
MOMENTS = st.just(UNKNOWN) | st.builds(
    Moment, us=st.integers(10**14, 4 * 10**15), offset=st.none() | st.integers(-840, 840)
).map(lambda time: msgspec.structs.replace(time, assumed=time.offset is None and bool(time.us and time.us % 2)))
RECORDS = st.builds(
    MemoryRecord,
    native_id=TEXT.filter(bool),
    text=TEXT.filter(lambda text: bool(text.strip())),
    kind=st.sampled_from(MemoryKind),
    state=st.sampled_from(NativeState),
    created=MOMENTS,
    updated=MOMENTS,
    expires=MOMENTS,
    subject=TEXT,
    scope=TEXT,
    categories=st.lists(TEXT.filter(bool), max_size=3).map(tuple),
)


@pytest.mark.parametrize("format", ["json", "csv"])
@given(records=st.lists(RECORDS, max_size=4, unique_by=lambda record: record.native_id))
def test_any_memory_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, format: str, records: list[MemoryRecord]
) -> None:
    path = tmp_path_factory.mktemp("lists") / f"list.{format}"
    found = memories(write(path, write_list(format, map(corrected, records))))
    assert [msgspec.structs.replace(record, raw={}) for record in found.values()] == records


def test_reader_and_writer_agree_on_what_is_ours() -> None:
    document = json.loads(write_list("json", []))
    header = write_list("csv", []).decode("utf-8-sig").strip().split(",")
    assert document["format"] == generic_json.OWN_FORMAT
    assert tuple(header[: len(generic_csv.OWN_HEADER)]) == generic_csv.OWN_HEADER
    assert markdown.TITLE == generic_text.OWN_PAGE


def test_markdown_is_read_by_people(tmp_path: Path) -> None:
    hostile = "<img src=x> *a* [b](c)\n# d `e` & | ~"
    page = write_list("markdown", [BEES, LISBON, msgspec.structs.replace(BEES, native_id="m9", text=hostile)])
    lines = page.decode().split("\n")
    assert "## Active (2)" in lines
    assert lines[lines.index("## History: superseded (1)") + 2 :] == [
        "- Lives in Lisbon",
        "  - now: Lives in Porto",
        "",
    ]
    assert "  - applies only to: in Porto, until 2027-05-01" in lines
    assert r"- \<img src=x\> \*a\* \[b\](c) \# d \`e\` \& \| \~" in lines
    with pytest.raises(ImportFailed, match="wrote for reading"):
        open_exports(write(tmp_path / "page.md", page))


@pytest.mark.parametrize(("text", "line"), [("1. one", r"- 1\. one"), ("- one", r"- \- one"), ("a_b", r"- a\_b")])
def test_a_memory_is_no_list_of_its_own(text: str, line: str) -> None:
    assert line in write_list("markdown", [added(text, created=NOW)]).decode().split("\n")


@pytest.mark.parametrize("format", [*LISTS, "mem0", "mcp", "letta", "chatgpt", "claude", "gemini"])
def test_what_is_lost_is_said_before_writing(format: str) -> None:
    assert capabilities(format)
    assert all(sentence.endswith(".") for sentence in capabilities(format))
