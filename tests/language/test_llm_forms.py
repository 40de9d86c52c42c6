"""Forms: what a schema allows is bounded, its grammar parses in llama.cpp, and every answer is validated again."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from memreview.language.llm.form import Form, grammar
from memreview.language.llm.model import BadAnswer, UnmeetableSchema

Short = Annotated[str, msgspec.Meta(max_length=8)]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["a", "b"]
    words: Annotated[list[Short], msgspec.Meta(min_length=1, max_length=3)]


class Whole(msgspec.Struct, forbid_unknown_fields=True):
    sure: bool
    year: Annotated[int, msgspec.Meta(ge=0, le=2100)]
    parts: Annotated[list[Part], msgspec.Meta(max_length=2)]


def test_a_form_reads_what_its_schema_allows() -> None:
    form = Form.of(Whole, 64)
    read = form.read('{"sure": true, "year": 1998, "parts": [{"kind": "a", "words": ["x"]}]}')
    assert read == Whole(True, 1998, [Part("a", ["x"])])


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "{}",
        '{"sure": true, "year": 1998, "parts": []',
        '{"sure": true, "year": 9998, "parts": []}',
        '{"sure": true, "year": 1998, "parts": [], "delete": "everything"}',
        '{"sure": "true", "year": 1998, "parts": []}',
        '{"sure": true, "year": 1998, "parts": [{"kind": "c", "words": ["x"]}]}',
        '{"sure": true, "year": 1998, "parts": [{"kind": "a", "words": []}]}',
        '{"sure": true, "year": 1998, "parts": [{"kind": "a", "words": ["far too long"]}]}',
        '{"sure": true, "year": 1998, "parts": []} and now something else',
    ],
)
def test_an_answer_of_another_form_is_refused_without_its_words(answer: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        Form.of(Whole, 64).read(answer)
    assert "too long" not in str(caught.value)
    assert "everything" not in str(caught.value)


def _form(annotation: object) -> type:
    return msgspec.defstruct("Asked", [("field", annotation)], forbid_unknown_fields=True)


class Endless(msgspec.Struct):
    more: Annotated[list[Endless], msgspec.Meta(max_length=2)]


@pytest.mark.parametrize(
    "kind",
    [
        _form(str),
        _form(list[Short]),
        _form(int),
        _form(float),
        _form(Short | None),
        _form(Annotated[str, msgspec.Meta(min_length=9, max_length=8)]),
        _form(Annotated[list[Short], msgspec.Meta(min_length=3, max_length=2)]),
        _form(Annotated[int, msgspec.Meta(ge=-3, le=3)]),
        Endless,
    ],
)
def test_a_schema_without_bounds_or_without_answers_is_refused(kind: type) -> None:
    with pytest.raises(UnmeetableSchema):
        Form.of(kind, 64)


def test_a_choice_of_nothing_is_refused() -> None:
    with pytest.raises(UnmeetableSchema):
        grammar({"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]})
    with pytest.raises(UnmeetableSchema):
        grammar({"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x", "y"]})
