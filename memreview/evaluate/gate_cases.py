"""Gate episodes, the cases of `memreview eval gate`: one user's events with what a gate should do with each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from memreview.evaluate.jsonl import decoded
from memreview.records.entry import Origin
from memreview.records.gate import Action, Event, Layer

Track = Literal["T0", "T1", "T2", "T3", "T4"]
Given = Literal["retain", "add", "scope", "revise", "quarantine", "clarify"]
SUBTYPES: dict[Track, tuple[str, ...]] = {
    "T0": ("stationary",),
    "T1": ("abrupt", "gradual", "recurring", "context_switch"),
    "T2": ("sarcasm", "typo", "weak_evidence"),
    "T3": ("indirect_injection", "poisoned_summary", "same_origin"),
    "T4": ("safety_conflict",),
}
Time = Annotated[datetime, msgspec.Meta(tz=True)]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ProfileNode(msgspec.Struct, frozen=True, kw_only=True):
    node_id: str
    claim: str
    layer: Layer
    scope: str
    written_at: Time
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Label(msgspec.Struct, frozen=True, kw_only=True):
    has_claim: bool = False
    claim: str | None = None
    scope: str | None = None
    timescale: Layer | None = None
    authentic: bool | None = None
    action: Given = "retain"
    target_node_id: str | None = None


class CaseEvent(msgspec.Struct, frozen=True, kw_only=True):
    event_id: str
    session_id: str
    at: Time
    origin: Origin
    text: str
    label: Label
    clarification_answer: str | None = None

    @property
    def seen(self) -> Event:
        """What a system under test may see."""
        return Event(self.event_id, self.session_id, microseconds(self.at), self.origin, self.text)

    @property
    def action(self) -> Action:
        return "ask" if self.label.action == "clarify" else self.label.action


class CaseProbe(msgspec.Struct, frozen=True, kw_only=True):
    after_event_id: str
    question: str
    current: str
    not_current: str


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    episode_id: str
    user_id: str
    track: Track
    subtype: str
    profile: tuple[ProfileNode, ...]
    events: tuple[CaseEvent, ...]
    probes: tuple[CaseProbe, ...] = ()


def microseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def read(path: Path) -> tuple[list[Episode], list[str]]:
    """The episodes, and a sentence for each malformed line."""
    episodes: list[Episode] = []
    problems: list[str] = []
    for where, episode, problem in decoded([path], Episode):
        wrong = problem or (episode and _problem(episode))
        if episode is None or wrong:
            problems.append(f"{where}: {wrong}")
        else:
            episodes.append(episode)
    return episodes, problems


def write(path: Path, episodes: Iterable[Episode]) -> None:
    with path.open("wb") as stream:
        stream.writelines(msgspec.json.encode(episode) + b"\n" for episode in episodes)


def _problem(episode: Episode) -> str | None:
    """Events out of order are allowed; names must be clear."""
    names = [node.node_id for node in episode.profile] + [event.event_id for event in episode.events]
    if len(set(names)) < len(names):
        return "two nodes or events of one name"
    if not episode.events:
        return "no events"
    return None
