"""Changing a JSON text in places: what is not changed keeps every character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.exporters import ExportFailed
from memreview.exporters.splice import Piece, items, members, piece, rewritten, with_items, with_members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
LAYOUTS: list[dict[str, Any]] = [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}]


@given(st.dictionaries(st.text(), VALUES, min_size=1), VALUES, st.sampled_from(LAYOUTS), st.data())
def test_one_changed_member_leaves_the_others_as_written(
    document: dict[str, Any], value: Any, layout: dict[str, Any], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(document)) | st.text())
    before = Piece(document, json.dumps(document, **layout))
    after = with_members(before, {key: piece(value)})
    assert json.loads(after.written) == after.value == {**document, key: value}
    kept = {name: part.written for name, part in members(after).items() if name != key}
    assert kept == {name: part.written for name, part in members(before).items() if name != key}


@given(st.lists(VALUES), VALUES, st.sampled_from(LAYOUTS), st.data())
def test_kept_items_are_as_written(
    document: list[Any], value: Any, layout: dict[str, Any], data: st.DataObject
) -> None:
    before = Piece(document, json.dumps(document, **layout))
    kept = data.draw(st.lists(st.sampled_from(items(before)))) if document else []
    after = with_items(before, [*kept, piece(value)])
    assert json.loads(after.written) == after.value == [*(part.value for part in kept), value]
    assert [part.written for part in items(after)] == [*(part.written for part in kept), piece(value).written]


def test_the_layout_of_a_list_is_kept() -> None:
    text = '[\n  {"a": 1.10},\n  {"b": 1E5}\n]'
    before = Piece(json.loads(text), text)
    assert with_items(before, items(before)).written == text
    assert with_items(before, items(before)[:1]).written == '[\n  {"a": 1.10}\n]'
    assert with_items(before, []).written == "[]"


def test_a_key_that_is_there_twice_counts_once() -> None:
    before = Piece({"a": 2}, '{"a": 1, "a": 2}')
    assert with_members(before, {"a": piece(3)}).written == '{"a": 1, "a": 3}'


@pytest.mark.parametrize("body", [b"", b"{", b"[1,", b"\xff\xfe\x00", b"[" * 100_000, b"nope"])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(ExportFailed):
        rewritten(body, lambda root: root)


@pytest.mark.parametrize(
    "body", [b'  {"a": "\\ud83d"}\n', b'["\xff\xfe"]', '["\u2028"]'.encode(), b"[NaN, 1e999, 1.0]\n"]
)
def test_strange_files_come_out_as_they_went_in(body: bytes) -> None:
    assert rewritten(body, lambda root: root) == body


def test_byte_order_marks_go() -> None:
    assert rewritten(b'\xef\xbb\xbf{"a": 1}', lambda root: root) == b'{"a": 1}'
    assert rewritten('["é"]'.encode("utf-16"), lambda root: root) == '["é"]'.encode()
