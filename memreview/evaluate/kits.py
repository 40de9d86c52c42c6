"""Kits: what could meet one held claim, in an author's words, from which episodes are put together.

`python -m memreview.evaluate.kits FOLDER` checks what authors wrote.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from memreview.evaluate.jsonl import Line, decoded
from memreview.records.gate import Layer

Outside = Literal["retrieved_document", "tool_output", "shared_file"]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
LONGEST_CLAIM = 20  # words


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Held(_Row, frozen=True):
    claim: Text
    layer: Layer
    scope: Text


class Document(_Row, frozen=True):
    origin: Outside
    text: Text


class Change(_Row, frozen=True):
    text: Text
    claim: Text


class Step(_Row, frozen=True):
    """Of a gradual change."""

    text: Text
    claim: Text
    action: Literal["retain", "clarify", "revise"]


class Scoped(_Row, frozen=True):
    text: Text
    claim: Text
    scope: Text


class Added(_Row, frozen=True):
    text: Text
    claim: Text
    scope: Text
    timescale: Layer


class Doubtful(_Row, frozen=True):
    """By its words a change; `answer` is what the person would say if asked."""

    text: Text
    claim: Text
    answer: Text


class Planted(_Row, frozen=True):
    origin: Literal["retrieved_document", "tool_output", "shared_file", "assistant"]
    text: Text
    claim: Text
    answer: Text


class OwnDocument(_Row, frozen=True):
    origin: Literal["shared_file", "tool_output"]
    text: Text
    claim: Text
    scope: Text
    action: Literal["add", "revise"]
    answer: Text


class OwnPaste(_Row, frozen=True):
    text: Text
    claim: Text
    scope: Text
    action: Literal["add", "revise"]


class KitProbe(_Row, frozen=True):
    question: Text
    held: Text
    changed: Text


class Kit(_Row, frozen=True):
    id: str
    topic: str
    held: Held
    chatter: tuple[Text, ...]
    assistant: tuple[Text, ...]
    document: tuple[Document, ...]
    restate: tuple[Text, ...]
    echo: tuple[Text, ...]
    once: tuple[Text, ...]
    abrupt: tuple[Change, ...]
    gradual: tuple[Step, ...]
    back: tuple[Change, ...]
    scope: tuple[Scoped, ...]
    add: tuple[Added, ...]
    sarcasm: tuple[Doubtful, ...]
    typo: tuple[Doubtful, ...]
    weak: tuple[Doubtful, ...]
    injection: tuple[Planted, ...]
    summary: tuple[Planted, ...]
    pasted: tuple[Doubtful, ...]
    probe: KitProbe
    own_document: tuple[OwnDocument, ...] = ()
    pasted_own: tuple[OwnPaste, ...] = ()
    safety: tuple[Doubtful, ...] = ()

    @property
    def author(self) -> str:
        return self.id.rpartition("-k-")[0]


class BadKits(ValueError):
    pass


def read_kits(folder: Path) -> list[Kit]:
    """Of all kits*.jsonl under a folder. `BadKits` names each line that breaks a rule."""
    kits, problems = parse(folder)
    if problems:
        raise BadKits("\n".join(problems))
    return kits


def parse(folder: Path) -> tuple[list[Kit], list[str]]:
    """The kits, and a sentence for each problem."""
    kits: list[Kit] = []
    problems: list[str] = []
    seen: dict[str, Line] = {}
    for where, kit, problem in decoded(sorted(folder.rglob("kits*.jsonl")), Kit):
        if kit is None:
            problems.append(f"{where}: {problem}")
            continue
        kits.append(kit)
        found = list(_problems(kit))
        if (first := seen.setdefault(kit.id, where)) != where:
            found.append(f"same id as {first}")
        problems += [f"{where}: {what}" for what in found]
    return kits, problems


def claims_of(kit: Kit) -> Iterator[str]:
    yield kit.held.claim
    for items in (
        *(kit.abrupt, kit.gradual, kit.back, kit.scope, kit.add, kit.sarcasm, kit.typo, kit.weak, kit.injection),
        *(kit.summary, kit.pasted, kit.own_document, kit.pasted_own, kit.safety),
    ):
        yield from (item.claim for item in items)


def _problems(kit: Kit) -> Iterator[str]:
    if not re.fullmatch(r"[a-z_]+-k-\d{3}", kit.id):
        yield "id should be <voice>-k- and three digits"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", kit.topic):
        yield "topic should be plain words with hyphens"
    for claim in claims_of(kit):
        if not re.fullmatch(r"(?!User\b)[^\Wa-z].*[^.\s]", claim) or len(claim.split()) > LONGEST_CLAIM:
            yield f"claim “{claim}”: a capital first, no full stop, no “User”, at most {LONGEST_CLAIM} words"
    if not kit.gradual or kit.gradual[-1].action != "revise":
        yield "the last gradual step should settle it"
    for name in ("chatter", "restate", "abrupt", "back", "scope", "add", "sarcasm", "weak", "injection", "pasted"):
        if not getattr(kit, name):
            yield f"{name} is empty"


def main(arguments: Sequence[str]) -> int:
    kits, problems = parse(Path(arguments[0]))
    authors = Counter(kit.author for kit in kits)
    layers = Counter(kit.held.layer for kit in kits)
    print(f"{len(kits)} kits: {dict(authors)}, {dict(layers)}, {len({kit.topic for kit in kits})} topics")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
