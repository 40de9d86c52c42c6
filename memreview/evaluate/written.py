"""Whole episodes as authors write them (`resources/training/README.md`, §7), as cases of `memreview eval gate`.

`python -m memreview.evaluate.written FOLDER [OUT.jsonl]` checks what authors wrote, and writes the cases.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import msgspec

from memreview.evaluate import gate_cases
from memreview.evaluate.gate_cases import SUBTYPES, CaseEvent, Episode, Given, Label, ProfileNode, Track
from memreview.evaluate.jsonl import decoded
from memreview.records.entry import SESSION_GAP, Origin
from memreview.records.gate import Layer

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_START = datetime(2026, 1, 5, 8, tzinfo=UTC)
_HELD_FOR: dict[Layer, timedelta] = {
    "stable": timedelta(days=120),
    "contextual": timedelta(days=21),
    "transient": timedelta(days=3),
}
"""How long before the first event a node was written."""
_CONFIDENCE = 0.9

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
Gap = Annotated[str, msgspec.Meta(pattern=r"^(0|\d+[mhd])$")]


class Claimed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    action: Given
    target: str | None
    claim: Text
    scope: Text
    layer: Layer
    authentic: bool
    answer: str | None = None


class _Node(msgspec.Struct, frozen=True, array_like=True):
    name: str
    layer: Layer
    scope: Text
    claim: Text


class _Said(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    gap: Gap
    origin: Origin
    text: Text
    claimed: Claimed | None = None


class WrittenEpisode(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    topic: str
    track: Track
    subtype: str
    profile: tuple[_Node, ...]
    events: tuple[_Said, ...]

    @property
    def author(self) -> str:
        return self.id.rpartition("-e-")[0]

    def episode(self) -> Episode:
        return Episode(
            episode_id=self.id,
            user_id=self.id,
            track=self.track,
            subtype=self.subtype,
            profile=tuple(
                ProfileNode(
                    node_id=node.name,
                    claim=node.claim,
                    layer=node.layer,
                    scope=node.scope,
                    written_at=_START - _HELD_FOR[node.layer],
                    confidence=_CONFIDENCE,
                )
                for node in self.profile
            ),
            events=tuple(_events(self.events)),
        )


class BadEpisodes(ValueError):
    pass


def read_written(folder: Path) -> list[WrittenEpisode]:
    """Of all episodes*.jsonl under a folder. `BadEpisodes` names each line that breaks a rule."""
    found, problems = parse(folder)
    if problems:
        raise BadEpisodes("\n".join(problems))
    return found


def parse(folder: Path) -> tuple[list[WrittenEpisode], list[str]]:
    """The episodes, and a sentence for each problem."""
    found: list[WrittenEpisode] = []
    problems: list[str] = []
    seen: set[str] = set()
    for where, one, problem in decoded(sorted(folder.rglob("episodes*.jsonl")), WrittenEpisode):
        if one is None:
            problems.append(f"{where}: {problem}")
            continue
        found.append(one)
        problems += [f"{where}: {what}" for what in _problems(one, seen)]
        seen.add(one.id)
    return found, problems


def _problems(one: WrittenEpisode, seen: set[str]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z_]+-e-\d{3}", one.id) or one.id in seen:
        yield "id should be <voice>-e- and three digits of its own"
    if one.subtype not in SUBTYPES[one.track]:
        yield f"{one.track} has no {one.subtype}"
    nodes = {node.name for node in one.profile}
    if len(nodes) < len(one.profile) or not one.events:
        yield "two nodes of one name, or no event"
    for number, said in enumerate(one.events, 1):
        if said.claimed is None:
            continue
        yield from (f"event {number}: {what}" for what in _mistakes(said.claimed, nodes))
        if said.claimed.action in ("add", "scope", "revise"):
            nodes.add(f"e{number}")


def _mistakes(claimed: Claimed, nodes: Set[str]) -> Iterator[str]:
    """`nodes` are those that are held so far, or were."""
    action, target = claimed.action, claimed.target
    if target is not None and target not in nodes:
        yield f"there is no {target} yet"
    if (target is None) != (action == "add") and action in ("add", "scope", "revise", "clarify"):
        yield f"{action} with target {target}"
    if not claimed.authentic and action != "quarantine":
        yield f"{action} of what somebody else planted"
    if action == "clarify" and not claimed.answer:
        yield "clarify without an answer"


def _events(said: Sequence[_Said]) -> Iterator[CaseEvent]:
    at, session = _START, 1
    for number, one in enumerate(said, 1):
        gap = timedelta() if one.gap == "0" else timedelta(**{_UNITS[one.gap[-1]]: int(one.gap[:-1])})
        at, session = at + gap, session + (gap > timedelta(microseconds=SESSION_GAP))
        yield CaseEvent(
            event_id=f"e{number}",
            session_id=f"s{session}",
            at=at,
            origin=one.origin,
            text=one.text,
            label=_label(one.claimed),
            clarification_answer=one.claimed.answer if one.claimed else None,
        )


def _label(one: Claimed | None) -> Label:
    if one is None:
        return Label()
    return Label(
        has_claim=True,
        claim=one.claim,
        scope=one.scope,
        timescale=one.layer,
        authentic=one.authentic,
        action=one.action,
        target_node_id=one.target,
    )


def main(arguments: Sequence[str]) -> int:
    found, problems = parse(Path(arguments[0]))
    authors = Counter(one.author for one in found)
    actions = Counter(said.claimed.action if said.claimed else "nothing" for one in found for said in one.events)
    print(f"{len(found)} episodes: {dict(authors)}; events: {dict(actions)}")
    print("\n".join(problems))
    for out in arguments[1:]:
        gate_cases.write(Path(out), (one.episode() for one in found))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
