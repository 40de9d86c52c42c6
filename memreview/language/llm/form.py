"""The forms that a model fills: one msgspec type is the JSON schema, the grammar and the check of the answer.

A grammar can be ignored silently, and an unbounded string can run for half an hour: so every string and list of a form
has a bound, and every answer is validated again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from memreview.language.llm.model import BadAnswer, Check, LanguageModel, Talk, UnmeetableSchema, quiet

T = TypeVar("T")
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """`max_tokens` bounds the whole answer."""

    kind: type[T]
    schema: Schema
    max_tokens: int

    @classmethod
    def of(cls, kind: type[T], max_tokens: int) -> Form[T]:
        """Raises `UnmeetableSchema`."""
        whole = msgspec.json.schema(kind)
        schema = _inlined(whole, whole.get("$defs", {}))
        grammar(schema)
        return cls(kind, schema, max_tokens)

    def fill(self, model: LanguageModel, talk: Talk, check: Check = quiet) -> T:
        """Raises `BadAnswer` where the answer is not of this form, whatever the model was held to."""
        return self.read(model.write(talk, self.schema, self.max_tokens, check))

    def read(self, answer: str) -> T:
        try:
            return msgspec.json.decode(answer, type=self.kind)
        except msgspec.MsgspecError as error:  # its words may quote the answer
            raise BadAnswer("The model's answer does not have the form that it was asked for.") from error


def grammar(schema: Schema) -> str:
    """The schema in llama.cpp's notation (GBNF): keys in their order, one space after a colon or comma.

    Raises `UnmeetableSchema` where a string or list has no bound, or the bounds leave nothing.
    """
    rules: dict[str, str] = {}
    root = _rule(schema, "root", rules)
    lines = [f"root ::= {root}", *(f"{name} ::= {body}" for name, body in rules.items())]
    return "\n".join([*lines, 'char ::= [^"\\\\\\x00-\\x1F\\x7F] | "\\\\" ["\\\\/nt]', "digit ::= [0-9]"]) + "\n"


def _rule(schema: Schema, name: str, rules: dict[str, str]) -> str:
    """What stands for `schema` where it is used; longer bodies become rules called after `name`."""
    if "enum" in schema:
        if not schema["enum"]:
            raise UnmeetableSchema("A form has a choice without anything to choose.")
        return "(" + " | ".join(_literal(value) for value in schema["enum"]) + ")"
    match schema.get("type"):
        case "object":
            return _object(schema, name, rules)
        case "array":
            least, most = _bounds(schema, "minItems", "maxItems")
            rules[f"{name}-item"] = _rule(schema["items"], f"{name}-item", rules)
            if most == 0:
                return '"[]"'
            some = f'{name}-item (", " {name}-item){{{max(least - 1, 0)},{most - 1}}}'
            return f'"[" {some} "]"' if least else f'"[" ({some})? "]"'
        case "string":
            least, most = _bounds(schema, "minLength", "maxLength")
            return f'"\\"" char{{{least},{most}}} "\\""'
        case "boolean":
            return '("true" | "false")'
        case "integer":
            least, most = _bounds(schema, "minimum", "maximum")
            return f"digit{{1,{len(str(most))}}}"
    raise UnmeetableSchema("A form asks for a kind of value that a model can't be held to.")


def _object(schema: Schema, name: str, rules: dict[str, str]) -> str:
    fields = []
    for number, (key, value) in enumerate(schema.get("properties", {}).items()):
        rules[f"{name}-{number}"] = _rule(value, f"{name}-{number}", rules)
        fields.append(f'{_literal(key)} ": " {name}-{number}')
    if set(schema.get("required", ())) != set(schema.get("properties", {})):
        raise UnmeetableSchema("A form asks for a field that it does not have, or has one that may be left out.")
    return '"{" ' + ' ", " '.join(fields) + ' "}"' if fields else '"{}"'


def _bounds(schema: Schema, least: str, most: str) -> tuple[int, int]:
    if most not in schema:
        raise UnmeetableSchema("A form has a text, list or number of any size; a model could go on for ever.")
    low, high = schema.get(least, 0), schema[most]
    if not 0 <= low <= high:
        raise UnmeetableSchema("A form asks for more of something than it allows.")
    return low, high


def _literal(value: object) -> str:
    """A JSON value as GBNF writes a string."""
    return json.dumps(json.dumps(value, ensure_ascii=False), ensure_ascii=False)


def _inlined(part: Any, definitions: Mapping[str, Any], depth: int = 0) -> Any:
    """The schema without references. A type that holds itself has no bound."""
    if depth > 16:
        raise UnmeetableSchema("A form holds itself.")
    if isinstance(part, dict):
        if "$ref" in part:
            return _inlined(definitions[part["$ref"].rpartition("/")[2]], definitions, depth + 1)
        return {key: _inlined(value, definitions, depth) for key, value in part.items() if key != "$defs"}
    return [_inlined(one, definitions, depth) for one in part] if isinstance(part, list) else part
