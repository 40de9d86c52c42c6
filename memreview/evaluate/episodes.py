"""Puts kits together into longitudinal episodes in the manner of D-PrefGuard (Capture §4, Appendix D); seeded.

`python -m memreview.evaluate.episodes KITS OUT.jsonl [USERS [SEED]]` writes them in the form that `memreview eval gate`
reads.
"""

from __future__ import annotations

import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from memreview.evaluate import gate_cases
from memreview.evaluate.gate_cases import (
    SUBTYPES,
    CaseEvent,
    CaseProbe,
    Episode,
    Given,
    Label,
    ProfileNode,
    Track,
)
from memreview.evaluate.kits import Doubtful, Kit, OwnDocument, OwnPaste, Planted, read_kits
from memreview.evaluate.training_data import PLAINLY, Utterance
from memreview.language.sentences import content_tokens
from memreview.records.entry import SESSION_GAP, Origin
from memreview.records.gate import GLOBAL_SCOPE, Layer

SHORTEST, LONGEST = 12, 20  # events
CHANGEPOINT = (5, 12)
"""Between which events the first change of the focus falls."""
MEDIAN_GAP, LEAST_GAP, GREATEST_GAP = timedelta(hours=8), timedelta(minutes=5), timedelta(days=14)
SPREAD = 1.6
"""Of the logarithm of the gaps."""
KITS_A_USER = 6
_CONFIRMED = 0.4
"""Share of the changes of what is not stable that are said again."""
_TRIES = 500
_SAME = 0.4
"""Share of a gradual change's content words that an abrupt one has if it comes to the same."""
_HELD_FOR: dict[Layer, tuple[int, int]] = {"stable": (500, 9_000), "contextual": (120, 1_500), "transient": (20, 150)}
"""Hours before the first event."""
_START = datetime(2026, 1, 1, 8, tzinfo=UTC)

_SIDE: dict[str, float] = {
    "restate": 0.03,
    "once": 0.06,
    "echo": 0.03,
    "add": 0.30,
    "scope": 0.36,
    "abrupt": 0.36,
    "own": 0.12,
    "weak": 0.09,
    "sarcasm": 0.03,
    "typo": 0.02,
    "injection": 0.10,
    "summary": 0.06,
    "pasted": 0.12,
    "safety": 0.04,
}
"""How often a kind stands beside the focus of a track."""
_STATIONARY = ("restate", "once", "echo")
_FITS = {"back": "changed", "again": "changed"}
"""The state in which a kind makes sense, where it is not that the claim is held."""
_ATTACKS = {"indirect_injection": "injection", "poisoned_summary": "summary", "same_origin": "pasted"}
"""The kind of each family of contamination."""


@dataclass(frozen=True, slots=True)
class _Said:
    """An event before it has a time. `node` is the profile's that the kit holds; events may have taken its place."""

    origin: str
    text: str
    action: Given = "retain"
    claim: str | None = None
    scope: str | None = None
    timescale: Layer | None = None
    authentic: bool | None = None
    answer: str | None = None
    node: str | None = None
    replaces: bool = False
    key: bool = False
    """Whether the changepoint is here."""


@dataclass(slots=True)
class _Thread:
    """What is said about one kit in an episode, in order; no text twice."""

    kit: Kit
    node: str
    random: random.Random
    said: list[_Said] = field(default_factory=list)
    state: Literal["held", "changed", "other"] = "held"

    def tell(self, kind: str, *, key: bool = False) -> bool:
        """Adds what the kit has of a kind, if it fits the state and is not used up."""
        if self.state != _FITS.get(kind, "held") and kind != "add":
            return False
        used = {one.text for one in self.said}
        fresh = [one for one in getattr(self, f"_{kind}")() if one.text not in used]
        if not fresh:
            return False
        chosen = self.random.choice(fresh)
        self.said.append(replace(chosen, key=key))
        if chosen.replaces:
            self.state = {"abrupt": "changed", "back": "held"}.get(kind, "other")  # type: ignore[assignment]
        elif kind == "weak" and (chosen.answer or "").casefold().startswith("yes"):
            self.state = "other"
        return True

    def confirm(self) -> None:
        """The new state once more, surely if the old one was stable: one sentence does not overwrite that."""
        if self.kit.held.layer == "stable" or self.random.random() < _CONFIRMED:
            self.tell("again" if self.state == "changed" else "restate")

    def gradually(self) -> None:
        for place, step in enumerate(self.kit.gradual):
            last = place == len(self.kit.gradual) - 1
            self.said.append(
                self._user(
                    step.text,
                    step.action,
                    step.claim,
                    replaces=last,
                    key=last,
                    answer="not yet" if step.action == "clarify" else None,
                )
            )
        self.state = "changed"

    def filler(self) -> Iterator[_Said]:
        kit = self.kit
        yield from (_Said("user", text) for text in kit.chatter)
        yield from (_Said("assistant", text) for text in kit.assistant)
        yield from (_Said(one.origin, one.text) for one in kit.document)

    def _user(self, text: str, action: Given, claim: str, **more: object) -> _Said:
        given: dict[str, object] = {
            "scope": self.kit.held.scope,
            "timescale": self.kit.held.layer,
            "authentic": True,
            "node": self.node,
        }
        return _Said("user", text, action, claim, **(given | more))  # type: ignore[arg-type]

    def _restate(self) -> Iterator[_Said]:
        return (self._user(text, "retain", self.kit.held.claim) for text in self.kit.restate)

    def _once(self) -> Iterator[_Said]:
        return (self._user(text, "retain", text, timescale="transient") for text in self.kit.once)

    def _echo(self) -> Iterator[_Said]:
        held = self.kit.held
        for text in self.kit.echo:
            yield _Said("assistant", text, "retain", held.claim, held.scope, held.layer, True, node=self.node)

    def _abrupt(self) -> Iterator[_Said]:
        return (self._user(one.text, "revise", one.claim, replaces=True) for one in self.kit.abrupt)

    def _again(self) -> Iterator[_Said]:
        """The new state once more."""
        changed = next(one for one in reversed(self.said) if one.replaces)
        state = set(content_tokens(changed.claim or ""))
        gradual = changed.text == self.kit.gradual[-1].text
        for one in self.kit.abrupt:
            if not gradual or len(state & set(content_tokens(one.claim))) >= _SAME * len(state):
                yield self._user(one.text, "retain", one.claim)

    def _back(self) -> Iterator[_Said]:
        return (self._user(one.text, "revise", one.claim, replaces=True) for one in self.kit.back)

    def _scope(self) -> Iterator[_Said]:
        for one in self.kit.scope:
            yield self._user(one.text, "scope", one.claim, scope=one.scope, timescale="contextual")

    def _add(self) -> Iterator[_Said]:
        for one in self.kit.add:
            yield self._user(one.text, "add", one.claim, scope=one.scope, timescale=one.timescale, node=None)

    def _doubtful(self, items: Iterable[Doubtful], action: Given, authentic: bool) -> Iterator[_Said]:
        for one in items:
            yield self._user(one.text, action, one.claim, authentic=authentic, answer=one.answer)

    def _sarcasm(self) -> Iterator[_Said]:
        return self._doubtful(self.kit.sarcasm, "retain", True)

    def _typo(self) -> Iterator[_Said]:
        return self._doubtful(self.kit.typo, "retain", True)

    def _weak(self) -> Iterator[_Said]:
        return self._doubtful(self.kit.weak, "clarify", True)

    def _pasted(self) -> Iterator[_Said]:
        return self._doubtful(self.kit.pasted, "quarantine", False)

    def _safety(self) -> Iterator[_Said]:
        return self._doubtful(self.kit.safety, "quarantine", True)

    def _injection(self) -> Iterator[_Said]:
        return self._planted(self.kit.injection)

    def _summary(self) -> Iterator[_Said]:
        return self._planted(self.kit.summary)

    def _planted(self, items: Iterable[Planted]) -> Iterator[_Said]:
        held = self.kit.held
        for one in items:
            yield _Said(
                *(one.origin, one.text, "quarantine", one.claim, held.scope, held.layer, False, one.answer, self.node)
            )

    def _own(self) -> Iterator[_Said]:
        """The person's own file or paste: it may replace what is held."""
        for one in self.kit.own_document:
            yield self._owned(one.origin, one, one.answer)
        for paste in self.kit.pasted_own:
            yield self._owned("user", paste, None)

    def _owned(self, origin: str, one: OwnDocument | OwnPaste, answer: str | None) -> _Said:
        revises = one.action == "revise"
        return _Said(
            *(origin, one.text, one.action, one.claim, one.scope, self.kit.held.layer, True, answer),
            node=self.node if revises else None,
            replaces=revises,
        )


def generate(kits: Sequence[Kit], users: int, seed: int, crowd: int = 0) -> list[Episode]:
    """Five episodes a user, one a track. Each user is one author's, with a few of the author's kits. Up to `crowd`
    more claims are held that no event speaks of."""
    by_author: dict[str, list[Kit]] = defaultdict(list)
    for kit in kits:
        by_author[kit.author].append(kit)
    authors = sorted(by_author)
    episodes: list[Episode] = []
    for user in range(users if kits else 0):
        order = random.Random(f"{seed}-{user}")
        theirs = by_author[authors[user % len(authors)]]
        chosen = order.sample(theirs, min(KITS_A_USER, len(theirs)))
        for track in get_args(Track):
            subtypes = SUBTYPES[track]
            subtype = subtypes[(user // len(authors)) % len(subtypes)]
            focus = [kit for kit in chosen if kit.safety] or [kit for kit in theirs if kit.safety]
            first = order.choice(focus if track == "T4" and focus else chosen)
            others = [kit for kit in chosen if kit is not first]
            order.shuffle(others)
            name = f"ep-{len(episodes) + 1:04}", f"u-{user + 1:03}"
            bystanders = [kit for kit in theirs if kit not in (first, *others)]
            order.shuffle(bystanders)
            silent = bystanders[: order.randint(0, crowd)]
            episodes.append(_episode(name, track, subtype, [first, *others], silent, order))
    return episodes


def plain(utterances: Sequence[Utterance], claims: Sequence[str], seed: int, crowd: int) -> list[Episode]:
    """What a history mostly is: an author's messages in a row, none of which concerns what is held."""
    by_author: dict[str, list[Utterance]] = defaultdict(list)
    for one in utterances:
        if not one.label.has_claim or one.label.speech_act in PLAINLY:
            by_author[one.author].append(one)
    episodes: list[Episode] = []
    for author, theirs in sorted(by_author.items()):
        order = random.Random(f"{seed}-{author}")
        order.shuffle(theirs)
        for start in range(0, len(theirs), LONGEST):
            at = _START + timedelta(seconds=order.randint(30 * 86_400, 120 * 86_400))
            said = [(-1, _said_plainly(one)) for one in theirs[start : start + LONGEST]]
            name = f"{author}-{start // LONGEST + 1:03}"
            held = order.sample(claims, order.randint(0, min(crowd, len(claims))))
            episodes.append(
                Episode(
                    episode_id=f"plain-{name}",
                    user_id=name,
                    track="T0",
                    subtype="stationary",
                    profile=tuple(
                        _held(f"n{place}", claim, "stable", GLOBAL_SCOPE, at, order)
                        for place, claim in enumerate(held, 1)
                    ),
                    events=tuple(_timed(said, at, order)),
                )
            )
    return episodes


def _said_plainly(one: Utterance) -> _Said:
    label = one.label
    if not label.has_claim:
        return _Said(one.origin, one.text)
    action = PLAINLY[label.speech_act]
    return _Said(
        *(one.origin, one.text, action, label.claim, label.scope, label.timescale),
        authentic=action != "quarantine",
    )


def _held(node: str, claim: str, layer: Layer, scope: str, start: datetime, order: random.Random) -> ProfileNode:
    return ProfileNode(
        node_id=node,
        claim=claim,
        layer=layer,
        scope=scope,
        written_at=start - timedelta(hours=order.randint(*_HELD_FOR[layer])),
        confidence=round(order.uniform(0.75, 0.95), 2),
    )


def _episode(
    name: tuple[str, str],
    track: Track,
    subtype: str,
    kits: Sequence[Kit],
    silent: Sequence[Kit],
    order: random.Random,
) -> Episode:
    held = order.randint(2, min(4, len(kits)))
    threads = [_Thread(kit, f"n{place + 1}", order) for place, kit in enumerate(kits[:held])]
    _focus(subtype, threads, order)
    if track != "T0":
        _beside(threads, order)
    filler = [said for kit in kits for said in _Thread(kit, "", order).filler()]
    order.shuffle(filler)
    said = _laid_out(_merged([thread.said for thread in threads], order), filler, order)
    threads += [_Thread(kit, f"n{held + place + 1}", order) for place, kit in enumerate(silent)]
    start = _START + timedelta(seconds=order.randint(30 * 86_400, 120 * 86_400))
    profile = tuple(
        _held(thread.node, thread.kit.held.claim, thread.kit.held.layer, thread.kit.held.scope, start, order)
        for thread in threads
    )
    events = tuple(_timed(said, start, order))
    probe = threads[0].kit.probe
    changed = threads[0].state == "changed"
    current, other = (probe.changed, probe.held) if changed else (probe.held, probe.changed)
    last = events[-1].event_id
    return Episode(
        episode_id=name[0],
        user_id=name[1],
        track=track,
        subtype=subtype,
        profile=profile,
        events=events,
        probes=(CaseProbe(after_event_id=last, question=probe.question, current=current, not_current=other),),
    )


def _focus(subtype: str, threads: Sequence[_Thread], order: random.Random) -> None:
    """What the track is about."""
    first = threads[0]
    match subtype:
        case "stationary":
            for thread in threads:
                for kind in order.choices(_STATIONARY, k=order.randint(1, 2)):
                    thread.tell(kind)
        case "abrupt":
            _perhaps(first, "restate", 0.3, order)
            first.tell("abrupt", key=True)
            first.confirm()
        case "gradual":
            first.gradually()
            first.confirm()
        case "recurring":
            first.tell("abrupt", key=True)
            first.confirm()
            first.tell("back")
            first.confirm()
        case "context_switch":
            first.tell("scope", key=True)
            _perhaps(first, "restate", 0.5, order)
            _perhaps(first, "scope", 0.6, order)
        case "sarcasm" | "typo" | "weak_evidence":
            kind = subtype.removesuffix("_evidence")
            first.tell(kind)
            for thread in threads:
                _perhaps(thread, kind, 0.6, order)
        case "safety_conflict":
            first.tell("safety")
            _perhaps(first, "restate", 0.4, order)
        case _:
            kind = _ATTACKS[subtype]
            first.tell(kind)
            for thread in threads[1:3]:
                _perhaps(thread, kind, 0.6, order)
            _perhaps(first, "restate", 0.3, order)


def _beside(threads: Sequence[_Thread], order: random.Random) -> None:
    for place, thread in enumerate(threads):
        for kind in order.choices(list(_SIDE), list(_SIDE.values()), k=order.randint(1, 2)):
            if place or kind == "add":
                thread.tell(kind)
        if thread.state == "changed":
            thread.confirm()


def _perhaps(thread: _Thread, kind: str, chance: float, order: random.Random) -> None:
    if order.random() < chance:
        thread.tell(kind)


def _merged(lists: Sequence[Sequence[_Said]], order: random.Random) -> list[tuple[int, _Said]]:
    """(thread, event), each thread in its own order."""
    turns = [thread for thread, said in enumerate(lists) for _ in said]
    order.shuffle(turns)
    rest = [iter(said) for said in lists]
    return [(thread, next(rest[thread])) for thread in turns]


def _laid_out(
    claimed: Sequence[tuple[int, _Said]], filler: Sequence[_Said], order: random.Random
) -> list[tuple[int, _Said]]:
    """Events that claim something among those that don't, the changepoint where it belongs."""
    length = max(order.randint(SHORTEST, LONGEST), min(LONGEST, len(claimed) + 4))
    claimed = claimed[:length]
    key = next((place for place, (_, said) in enumerate(claimed) if said.key), None)
    places: list[int] = []
    for _ in range(_TRIES):
        places = sorted(order.sample(range(length), len(claimed)))
        if key is None or CHANGEPOINT[0] <= places[key] + 1 <= CHANGEPOINT[1]:
            break
    laid = dict(zip(places, claimed, strict=True))
    rest = iter([*filler, *filler])
    return [laid.get(place) or (-1, next(rest)) for place in range(length)]


def _timed(said: Sequence[tuple[int, _Said]], start: datetime, order: random.Random) -> Iterator[CaseEvent]:
    at, session = start, 1
    holder: dict[int, str] = {}
    for number, (thread, one) in enumerate(said, 1):
        if number > 1:
            gap = _gap(order)
            session += gap > timedelta(microseconds=SESSION_GAP)
            at += gap
        name = f"e{number}"
        target = one.node and holder.get(thread, one.node)
        if one.replaces:
            holder[thread] = name
        yield CaseEvent(
            event_id=name,
            session_id=f"s{session}",
            at=at,
            origin=Origin(one.origin),
            text=one.text,
            label=Label(
                has_claim=one.claim is not None,
                claim=one.claim,
                scope=one.scope,
                timescale=one.timescale,
                authentic=one.authentic,
                action=one.action,
                target_node_id=target,
            ),
            clarification_answer=one.answer,
        )


def _gap(order: random.Random) -> timedelta:
    """Log-normal, drawn again outside its bounds; whole seconds."""
    while True:
        gap = timedelta(seconds=round(order.lognormvariate(math.log(MEDIAN_GAP.total_seconds()), SPREAD)))
        if LEAST_GAP <= gap <= GREATEST_GAP:
            return gap


def main(arguments: Sequence[str]) -> int:
    kits, out, users, seed = (*arguments, *("96", "0")[max(0, len(arguments) - 2) :])
    gate_cases.write(Path(out), generate(read_kits(Path(kits)), int(users), int(seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
