"""Small worlds for the audit's tests: what was said and noted, and the cases of `data/*.jsonl` as such worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memreview.audit.lifecycle.evidence import EvidenceEntry, HeldMemory, Statement
from memreview.language.sentences import windows
from memreview.records.entry import Origin

DATA = Path(__file__).with_name("data")
START = datetime(2025, 1, 1, tzinfo=UTC)


def day(number: float) -> int:
    """That many days after the start, in UTC microseconds."""
    return round((START + timedelta(days=number)).timestamp() * 1_000_000)


@dataclass
class World:
    entries: dict[int, EvidenceEntry] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    memories: list[HeldMemory] = field(default_factory=list)

    def say(self, text: str, at: float | None, *, origin: Origin = Origin.USER, active: bool = True) -> int:
        """Each message in a conversation of its own; `at` in days."""
        entry = EvidenceEntry(
            len(self.entries) + 1, len(self.entries) + 1, text, None if at is None else day(at), origin, active
        )
        self.entries[entry.id] = entry
        for window in windows(text):
            number = len(self.statements) + 1
            cut = text[window.start : window.end]
            self.statements.append(
                Statement(
                    number, entry.id, entry.conversation_id, entry.at, window.start, window.end, cut, origin, active
                )
            )
        return entry.id

    def note(self, text: str, at: float | None = None, **more: Any) -> int:
        memory = HeldMemory(len(self.memories) + 1, text, created=None if at is None else day(at), **more)
        self.memories.append(memory)
        return memory.id

    @property
    def held(self) -> dict[int, HeldMemory]:
        return {memory.id: memory for memory in self.memories}


@dataclass(frozen=True)
class Case:
    id: str
    relation: str
    older: str
    newer: str
    world: World


def cases(name: str) -> Iterator[Case]:
    """Triage pairs (older and newer text, relation), with what the person had said when the older one was noted."""
    for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        world = World()
        days = [
            (datetime.fromisoformat(row[side]["at"]) - START).total_seconds() / 86_400 for side in ("older", "newer")
        ]
        said = world.say(row["older_said"], days[0])
        world.note(row["older"]["text"], days[0] + 0.001, evidence=(said,) if row["linked"] else ())
        if row["newer_is"] == "memory":
            world.note(row["newer"]["text"], days[1])
        else:
            world.say(row["newer"]["text"], days[1])
        yield Case(row["pair_id"], row["relation"], row["older"]["text"], row["newer"]["text"], world)
