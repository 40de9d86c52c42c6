"""Lists of no particular program, and pasted text."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from memreview.importers import ColumnMapping, ImportFailed, open_exports
from memreview.importers.contract import Export
from memreview.importers.generic import NeedsMapping, open_pasted
from memreview.importers.times import moment
from memreview.records import MemoryRecord, NoteKind
from tests.importers.builders_stores import UTC, bundles, memories, notes, texts, write


def pasted(text: str) -> list[MemoryRecord]:
    return held(open_pasted(text, "ChatGPT settings"))


def held(export: Export) -> list[MemoryRecord]:
    return [record for bundle in export.bundles() for record in bundle.memories]


@pytest.mark.parametrize("key", ["text", "memory", "content", "fact", "value"])
def test_json_lines_with_a_key_that_speaks_of_text(tmp_path: Path, key: str) -> None:
    rows = [{"id": n, key: text, "created_at": UTC, "tags": ["a"]} for n, text in enumerate(("Keeps bees", "Nurse"))]
    path = write(tmp_path / "list.jsonl", "\n".join(map(json.dumps, rows)) + "\nbroken\n")
    bees, nurse = memories(path).values()
    assert (bees.native_id, bees.text, bees.created, bees.categories) == ("0", "Keeps bees", moment(UTC), ("a",))
    assert nurse.native_id == "1"
    assert [(note.kind, note.where) for note in notes(path)] == [
        (NoteKind.BROKEN, "list.jsonl, line 3"),
        (NoteKind.GUESSED, "list.jsonl"),
    ]
    assert not bundles(path)[0].memories_complete


@pytest.mark.parametrize(
    "document",
    [
        [{"text": "Keeps bees"}, {"text": "Nurse"}],
        ["Keeps bees", "Nurse"],
        {"facts": [{"fact": "Keeps bees"}, {"fact": "Nurse"}]},
        {"memories": [{"content": "Keeps bees", "embedding": [0.1]}, {"content": "Nurse"}]},
    ],
)
def test_json_lists(tmp_path: Path, document: Any) -> None:
    assert texts(write(tmp_path / "list.json", document)) == ["Keeps bees", "Nurse"]


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "Hello"}],
        [{"sender": "human", "text": "Hello"}],
        {"data": [{"conversation_id": "1", "content": "Hello"}]},
        [{"full_name": "Ines"}],
        {"a": 1},
        [1, 2],
    ],
)
def test_conversations_and_unknown_json_are_no_lists_of_memories(tmp_path: Path, document: Any) -> None:
    with pytest.raises(ImportFailed, match="not a known export"):
        open_exports(write(tmp_path / "x.json", document))


@pytest.mark.parametrize(
    "header", ["id,text,created,tags", "ID;Memory;Date saved;Category", "uuid\tcontent\ttimestamp\ttags"]
)
def test_tables_by_their_headers(tmp_path: Path, header: str) -> None:
    delimiter = next(mark for mark in ",;\t" if mark in header)
    row = delimiter.join(["7", '"Keeps ""bees"",\nand; hives"', "2025-06-01", "hobby"])
    path = write(tmp_path / "list.csv", f"\ufeff{header}\r\n{row}\r\n")
    (record,) = memories(path).values()
    assert (record.native_id, record.text) == ("7", 'Keeps "bees",\nand; hives')
    assert (record.created, record.categories) == (moment("2025-06-01"), ("hobby",))
    assert [note.kind for note in notes(path)] == [NoteKind.GUESSED]


def test_a_table_that_does_not_tell_asks(tmp_path: Path) -> None:
    rows = [f"{number},Keeps bee {number}" for number in range(9)]
    path = write(tmp_path / "list.csv", "nr,what\n" + "\n".join(rows))
    with pytest.raises(NeedsMapping) as asked:
        open_exports(path)
    assert asked.value.columns == ["nr", "what"]
    assert asked.value.rows == [row.split(",") for row in rows[:5]]
    assert "bee" not in str(asked.value)
    assert "what" not in str(asked.value).replace("what was", "")


def test_the_chosen_columns_count(tmp_path: Path) -> None:
    path = write(tmp_path / "list.csv", "nr,what,text,when,where,kind\n1,Keeps bees,no,2025-06-01,Porto,hobby\n")
    mapping = ColumnMapping(text="what", created="when", native_id="nr", scope="where", category="kind")
    (export,) = open_exports(path, mapping=mapping)
    (record,) = held(export)
    assert (record.native_id, record.text, record.scope) == ("1", "Keeps bees", "Porto")
    assert (record.created, record.categories) == (moment("2025-06-01"), ("hobby",))
    with pytest.raises(NeedsMapping):
        open_exports(path, mapping=ColumnMapping(text="gone"))


def test_markdown_bullets_under_headings(tmp_path: Path) -> None:
    page = (
        "# About me\nSome prose.\n\n## Work\n* Nurse in Porto\n  since 2025\n- [x] Works nights\n\n"
        "**Home:**\n1. Keeps bees\n2) Owns a goat\n---\n```\n+ Drinks tea\n```\n"
    )
    found = memories(write(tmp_path / "about.md", page)).values()
    assert [(record.text, record.categories) for record in found] == [
        ("Nurse in Porto\nsince 2025", ("Work",)),
        ("Works nights", ("Work",)),
        ("Keeps bees", ("Home:",)),
        ("Owns a goat", ("Home:",)),
        ("Drinks tea", ("Home:",)),
    ]
    assert [note.kind for note in notes(tmp_path / "about.md")] == [NoteKind.SKIPPED]


def test_the_list_that_claude_asks_other_assistants_for(tmp_path: Path) -> None:
    text = (
        "[2025-06-01] - Prefers metric units.\n[unknown] - Keeps bees [in Porto]\n"
        "- [2025-07-02] – Nurse.\n- Has a dog\n"
    )
    for found in (pasted("Here is what I know:\n```\n" + text + "```\nThat is all."), held(file(tmp_path, text))):
        assert [record.text for record in found] == [
            "Prefers metric units.", "Keeps bees [in Porto]", "Nurse.", "Has a dog",
        ]  # fmt: skip
        known = [record.created for record in found]
        assert known == [moment("2025-06-01"), moment(None), moment("2025-07-02"), moment(None)]


def file(tmp_path: Path, text: str) -> Export:
    return open_exports(write(tmp_path / "list.txt", text))[0]


def test_the_numbered_list_of_chatgpt() -> None:
    found = pasted(
        "1. [2024-09-29]. User keeps bees.\n\n2. [2024-09-30]. User is allergic\nto walnuts.\n\n3. [2025]. x"
    )
    assert [record.text for record in found] == ["User keeps bees.", "User is allergic\nto walnuts.", "x"]
    assert found[0].created == moment("2024-09-29")
    assert not found[2].created.known


def test_one_memory_a_line() -> None:
    export = open_pasted("Keeps bees\n\n  Nurse in Porto\r\n- Has a dog\nKeeps bees\n\0", "pasted")
    (bundle,) = export.bundles()
    assert [record.text for record in bundle.memories] == ["Keeps bees", "Nurse in Porto", "Has a dog"]
    assert [note.reason for note in bundle.notes] == ["it is in the file a second time"]
    assert not bundle.memories_complete
    assert (export.source.provider, export.source.label, export.name) == ("pasted", "pasted", "pasted text")


def test_ids_follow_from_the_text_and_not_from_its_place() -> None:
    first, second = pasted("Keeps bees\nNurse"), pasted("Nurse\n* Keeps   bees")
    assert {record.native_id for record in first} == {record.native_id for record in second}


@pytest.mark.parametrize("text", ["", " \n\n", "```\n```", "# Heading only"])
def test_nothing_pasted(text: str) -> None:
    with pytest.raises(ImportFailed, match="no memory"):
        open_pasted(text, "pasted")


def test_pasted_json_is_not_taken_for_words() -> None:
    with pytest.raises(ImportFailed, match="it is JSON"):
        open_pasted('{"role": "user"}', "pasted")


def test_lines_that_are_no_list_are_taken_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "diary.txt", "I went to the market.\nIt rained.\n")
    assert texts(path) == ["I went to the market.", "It rained."]
    assert [(note.kind, note.where) for note in notes(path)] == [(NoteKind.WARNING, "diary.txt")]
    assert "each of its lines (2) was taken as one memory" in notes(path)[0].reason
    assert not next(iter(open_pasted("I went to the market.\nIt rained.\n", "ChatGPT").bundles())).notes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_with_a_mark_are_no_guess(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "list.txt", "- Lives in São João\n- Drinks “tea”\n".encode(encoding))
    assert texts(path) == ["Lives in São João", "Drinks “tea”"]
    assert notes(path) == []
    table = write(tmp_path / "list.csv", "id\ttext\r\n1\tSão João\r\n".encode(encoding))
    assert texts(table) == ["São João"]
    with pytest.raises(ImportFailed, match="encoding is broken"):
        open_exports(write(tmp_path / "cut.txt", "one\ntwo".encode("utf-16") + b"\xd8"))


def test_windows_1252_is_a_guess_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "list.txt", "- Lives in São João\n- Drinks “tea”\n".encode("cp1252"))
    assert texts(path) == ["Lives in São João", "Drinks “tea”"]
    assert [note.kind for note in notes(path)] == [NoteKind.GUESSED]


def test_texts_beside_an_export_are_not_its_memories(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("memory.jsonl", '{"type":"entity","name":"Ines","observations":["Nurse"]}\n{"type":"x"}')
        archive.writestr("file-abc-notes.txt", "Not a memory\n")
    assert texts(path) == ["Nurse"]


def test_several_pages_of_bullets_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "- Keeps bees\n")
    write(tmp_path / "b.md", "- Nurse\n")
    exports = open_exports(tmp_path)
    assert [export.source.label for export in exports] == ["a.md", "b.md"]
    assert [record.text for export in exports for record in held(export)] == ["Keeps bees", "Nurse"]
