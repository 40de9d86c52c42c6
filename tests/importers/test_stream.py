"""The list scanner: any JSON, cut anywhere, must give what `json` gives; broken JSON must say so."""

from __future__ import annotations

import contextlib
import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memreview.importers import stream
from memreview.importers.contract import Limits
from memreview.importers.stream import BrokenElement, Malformed, Truncated, decode, elements, scan

NASTY = st.text(st.sampled_from('ab"\\[]{},:é☃😀\n'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(allow_nan=False) | NASTY
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NASTY, inner, max_size=4), max_leaves=12
)


class Trickle(io.BytesIO):
    """Gives a few bytes at a time, so that every cut falls everywhere."""

    step = 3

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(self.step, size) if size and size > 0 else size)


def values(raw: bytes, **options: Any) -> list[Any]:
    return [value for _, value, _ in elements(io.BytesIO(raw), **options)]


@given(st.lists(JSON, max_size=6), st.booleans(), st.sampled_from([None, 1]), st.integers(1, 9))
def test_the_same_as_json(wanted: list[Any], escaped: bool, indent: int | None, step: int) -> None:
    raw = json.dumps(wanted, ensure_ascii=escaped, indent=indent).encode()
    trickle = Trickle(raw)
    trickle.step = max(step, 4)  # the first read must hold a byte order mark
    found = list(elements(trickle))
    assert [value for _, value, _ in found] == wanted
    assert [index for index, _, _ in found] == list(range(len(wanted)))
    ends = [done for _, _, done in found]
    assert ends == sorted(ends)
    assert all(end <= len(raw) for end in ends)


@given(st.lists(JSON, max_size=4), JSON, JSON, st.integers(4, 9))
def test_a_named_list_in_an_object(wanted: list[Any], before: Any, after: Any, step: int) -> None:
    raw = json.dumps({"x": before, "items": wanted, "y": after}, ensure_ascii=False).encode()
    trickle = Trickle(raw)
    trickle.step = step
    assert [value for _, value, _ in elements(trickle, key="items")] == wanted


@given(st.lists(st.dictionaries(NASTY, SCALARS, max_size=3), min_size=1, max_size=5), st.data())
def test_any_cut_is_noticed(wanted: list[Any], data: st.DataObject) -> None:
    raw = json.dumps(wanted).encode()
    cut = data.draw(st.integers(0, len(raw) - 1))
    found: list[Any] = []
    with pytest.raises(Malformed):
        found.extend(value for _, value, _ in elements(io.BytesIO(raw[:cut])))
    assert found == wanted[: len(found)]


@settings(max_examples=300)
@given(st.lists(JSON, min_size=1, max_size=4), st.data())
def test_any_flipped_byte_gives_values_or_malformed(wanted: list[Any], data: st.DataObject) -> None:
    raw = bytearray(json.dumps(wanted).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Malformed):
        values(bytes(raw))


def test_start_passes_over_without_decoding() -> None:
    found = list(elements(io.BytesIO(b'[{"a":tru},{"b":1},{"c":2}]'), 1))
    assert [(index, value) for index, value, _ in found] == [(1, {"b": 1}), (2, {"c": 2})]


def test_a_bad_element_fails_alone() -> None:
    assert values(b'[{"a":tru},{"b":1}]') == [BrokenElement("it is not valid JSON"), {"b": 1}]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"[", "middle"),
        (b'[{"a":1}', "middle"),
        (b'["a]', "middle"),
        (b'{"a":1}', "does not begin"),
        (b"hello", "does not begin"),
        (b"[{}]x", "after its end"),
        (b"[{}][{}]", "after its end"),
        (b"[{} {}]", "commas"),
        (b"[{},]", "comma too many"),
        (b"[,{}]", "comma too many"),
        (b"[{}]]", "do not match"),
        (b"[{}}", "do not match"),
        (b"[1,tru]", "not valid JSON"),
        ("[{}]".encode("utf-16"), "UTF-16"),
        ("[{}]".encode("utf-16-le"), "UTF-16"),
        ('[{"a":"é"}]'.encode("cp1252"), "not encoded in UTF-8"),
    ],
)
def test_broken_lists(raw: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason) as failed:
        values(raw)
    assert isinstance(failed.value, Truncated) == (reason in ("empty", "middle"))


def test_what_real_exports_hold() -> None:
    assert values(b'\xef\xbb\xbf[{"a":"\\ud83d"}, {"b":NaN}]')[0] == {"a": "\ud83d"}


def test_a_missing_or_repeated_name() -> None:
    with pytest.raises(Malformed, match="expected"):
        values(b'{"a":[1]}', key="items")
    assert values(b'{"items":[1],"items":[2]}', key="items") == [1]
    assert values(b'{"a":{"items":[1]},"items":[2]}', key="items") == [2]


@pytest.mark.parametrize("depth", [1_000, 1_000_000])
def test_deep_nesting_is_refused_alone(depth: int) -> None:
    raw = b'[{"a":1},' + b"[" * depth + b"]" * depth + b',{"b":2}]'
    assert values(raw) == [{"a": 1}, BrokenElement("its brackets are nested too deeply"), {"b": 2}]
    with pytest.raises(Malformed, match="too deeply"):
        decode(b"[" * depth + b"]" * depth)
    with pytest.raises(Truncated):
        values(b"[" * depth)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert values(b"[" + b"[" * 5 + b"]" * 5 + b"]", limits=Limits(nesting=5)) == [[[[[[]]]]]]
    assert isinstance(values(b"[" + b"[" * 6 + b"]" * 6 + b"]", limits=Limits(nesting=5))[0], BrokenElement)


def test_an_element_that_is_too_large_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_ELEMENT_BYTES", 100)
    monkeypatch.setattr(stream, "_CHUNK", 16)
    raw = json.dumps([{"a": 1}, {"b": "x" * 500}, {"c": 3}]).encode()
    assert values(raw) == [{"a": 1}, BrokenElement("it is too large"), {"c": 3}]


def test_a_list_in_a_page() -> None:
    raw = b'[{"a":"]"}];\nvar more = {"b": [1]};</script>'
    assert [found.raw for found in scan(io.BytesIO(raw), alone=False)] == [b'{"a":"]"}']


def test_memory_does_not_grow_with_the_file() -> None:
    class Endless(io.RawIOBase):
        left = 64

        def read(self, size: int = -1, /) -> bytes:
            self.left -= 1
            if self.left < 0:
                return b""
            return b"[" + ELEMENT if self.left == 63 else b"," + ELEMENT if self.left else b"]"

    ELEMENT = json.dumps({"text": "word " * 200_000}).encode()
    tracemalloc.start()
    try:
        assert sum(1 for _ in scan(Endless())) == 63  # type: ignore[arg-type]
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    finally:
        tracemalloc.stop()
