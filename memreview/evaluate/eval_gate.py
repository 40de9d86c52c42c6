"""`memreview eval gate`: what the shipped gate and ledger make of episodes, beside three rules and four ablations.

The system is the very replay that imports go through. Only its answers to questions are the episode's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.evaluate import gate_cases, reports
from memreview.evaluate.gate_baselines import RULES, FlatMemory, Rule, claims_something
from memreview.evaluate.gate_cases import CaseEvent, Episode
from memreview.evaluate.gate_rows import Claims, Languages, profile_of, read_each
from memreview.evaluate.metrics import RESAMPLES, Estimate, confusion
from memreview.evaluate.remembered import Remembering
from memreview.evaluate.reports import Report
from memreview.gate.model import Gate, gate_folder
from memreview.gate.reading import read_bearings
from memreview.ledger import POLICY, Choice, Ledger, Policy
from memreview.records.gate import ACTIONS, Action, ClaimEvent, Node, NodeStatus, Verdict
from memreview.review.gating import Models, Replay, as_kept

Metrics = dict[str, Estimate]
Statistic = Callable[[NDArray[np.float64]], float]
WITHOUT_ODE, WITH_ODE, WITHOUT_PROVENANCE = "without_ode", "with_ode", "without_provenance"
"""Folders beside the gate's weights: gates that were trained alike but for that. Of the first two there is the one that
the shipped gate is not."""
_FLAT = 0.1
"""Decay a day of every belief, where there are no layers: the middle one's."""
_BINS = 15
TIMED = 30
"""Episodes that the clock runs on."""
FAMILIES = ("indirect_injection", "poisoned_summary", "same_origin")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a system did with one event. `changed`: its claim can be retrieved as one of its own, or the node that it
    is labelled with gave way. To complete a change that was made before, by saying it again, is none."""

    event: CaseEvent
    action: Action = "retain"
    verdict: Verdict | None = None
    changed: bool = False
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Held:
    """A node at the end, with all events that it rests on; `narrowed`: something else holds in one situation."""

    status: NodeStatus
    events: frozenset[str]
    narrowed: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    episode: Episode
    seen: tuple[Seen, ...]
    held: Mapping[str, Held]

    def retrievable(self, name: str, but: Collection[str] = ()) -> bool:
        """Whether a claim that this event brought can be retrieved at the end; `but` not as a part of these nodes."""
        return any(
            one.status == "active"
            for node, one in self.held.items()
            if node == name or (name in one.events and node not in but)
        )

    def gave_way(self, name: str | None) -> bool:
        one = self.held.get(name or "")
        return one is None or one.status != "active" or one.narrowed


class GateReport(Report, frozen=True, kw_only=True):
    """`confusion` has a row for each true action and a column for each given one, in the order of ACTIONS."""

    command: str = "eval gate"
    mistakes: list[tuple[str, str, str, int]]

    def table(self) -> str:
        ways = {"system": self.system, **self.baselines, **self.ablations}
        width = max(map(len, self.system), default=0)
        lines = [f"{self.cases:,} episodes, {self.model}, 95 % intervals by resampling users", ""]
        lines += [f"{'':{width}}" + "".join(f"{way:>22}" for way in ways)]
        for name in self.system:
            cells = [str(found[name]) if name in found else "" for found in ways.values()]
            lines.append(f"{name:{width}}" + "".join(f"{cell:>22}" for cell in cells))
        lines += ["", f"{'is ↓ given →':12}" + "".join(f"{action:>11}" for action in ACTIONS)]
        for action, row in zip(ACTIONS, self.confusion, strict=True):
            lines.append(f"{action:12}" + "".join(f"{count:11}" for count in row))
        lines += ["", "commonest errors:"]
        lines += [f"  {subtype}: {truth} taken for {given}, {n} times" for subtype, truth, given, n in self.mistakes]
        return "\n".join([*lines, *self.problems])


def run(path: Path, *, limit: int | None = None, seed: int = 0, out: Path | None = None) -> GateReport:
    """Evaluate what ships. `limit` takes a random sample of that size; `out` gets one line a case.

    Raises `OSError` if the file can't be read, `ModelUnavailable` if a model can't, `ValueError` without an episode.
    """
    episodes, problems = gate_cases.read(path)
    episodes = reports.sample(episodes, limit, seed)
    if not episodes:
        raise ValueError("\n".join(["There is no episode to evaluate.", *problems]))
    bench = Bench(episodes, Languages.load())
    runs = bench.system(Gate.load(gate_folder()))
    if out is not None:
        _write(out, runs)
    return bench.report(runs, str(path), seed, problems)


@dataclass(slots=True)
class Bench:
    """Episodes that are read once, for any number of systems."""

    episodes: Sequence[Episode]
    languages: Languages
    claims: list[Claims] = field(default_factory=list)
    fresh: Languages = field(init=False)

    def __post_init__(self) -> None:
        known = replace(self.languages, reader=Remembering(self.languages.reader))
        self.fresh, self.languages = self.languages, known
        self.claims = [
            [claim and replace(claim, vector=as_kept(claim.vector)) for claim in claims]
            for claims in read_each(self.episodes, self.languages)
        ]

    def system(self, gate: Gate, policy: Policy = POLICY, *, layers: bool = True) -> list[Run]:
        models = _models(self.languages, gate)
        return [
            _replay(episode, claims, models, policy, layers)
            for episode, claims in zip(self.episodes, self.claims, strict=True)
        ]

    def milliseconds(self, gate: Gate) -> list[float]:
        """Of each event of a few episodes, with nothing known from before."""
        models = _models(self.fresh, gate)
        few = list(zip(self.episodes, self.claims, strict=True))[:TIMED]
        return [one.ms for episode, claims in few for one in _replay(episode, claims, models, POLICY, True).seen]

    def rule(self, rule: Rule) -> list[Run]:
        return [
            _by_rule(episode, claims, rule, self.languages)
            for episode, claims in zip(self.episodes, self.claims, strict=True)
        ]

    def report(self, runs: Sequence[Run], file: str, seed: int, problems: Sequence[str]) -> GateReport:
        gate = Gate.load(gate_folder())
        flat = replace(POLICY, rates=dict.fromkeys(POLICY.rates, _FLAT))
        ablated = {
            name: self.system(Gate.load(gate_folder() / name))
            for name in (WITHOUT_ODE, WITH_ODE, WITHOUT_PROVENANCE)
            if (gate_folder() / name).is_dir()
        }
        ablated["without_layers"] = self.system(gate, flat, layers=False)
        ablated["without_questions"] = self.system(Gate(gate.config, gate.weights, questions=False))
        truth, given = _actions(runs)
        return GateReport(
            file=file,
            cases=len(runs),
            seed=seed,
            model=gate.config.id,
            system=measure(runs, seed) | _times(self.milliseconds(gate)),
            baselines={name: measure(self.rule(rule), seed) for name, rule in RULES.items()},
            ablations={name: measure(found, seed) for name, found in ablated.items()},
            confusion=confusion(truth, given, len(ACTIONS)).tolist(),
            mistakes=_mistakes(runs),
            problems=list(problems),
        )


def _models(languages: Languages, gate: Gate) -> Models:
    return Models(languages.claims, languages.embedder, languages.relations, languages.reader, gate)


# -- systems --------------------------------------------------------------------------------------------------------


def _replay(episode: Episode, claims: Claims, models: Models, policy: Policy, layers: bool) -> Run:
    profile = profile_of(episode, models.embedder)
    if not layers:
        profile = [replace(node, layer="contextual") for node in profile]
        claims = [claim and replace(claim, timescale="contextual") for claim in claims]
    ledger = Ledger(profile, policy=policy)
    replay = Replay(ledger, models)
    seen = []
    for event, claim in zip(episode.events, claims, strict=True):
        before = _retrievable(ledger)
        started = time.perf_counter()
        outcome = replay.step(event.seen, claim)
        ms = 1e3 * (time.perf_counter() - started)
        if outcome.asked and event.clarification_answer is not None and event.event_id in ledger:
            _answer(replay, event, outcome.verdict)
        action = outcome.verdict.action if outcome.verdict else "retain"
        seen.append(Seen(event, action, outcome.verdict, _changed(event, before, _retrievable(ledger)), ms))
    ledger.commit(ledger.advance(max(event.seen.at for event in episode.events)))
    held = {node.id: Held(node.status, frozenset(node.events), ledger.narrowed(node.id)) for node in ledger}
    return Run(episode, tuple(seen), held)


def _answer(replay: Replay, event: CaseEvent, verdict: Verdict | None) -> None:
    choice = _choice(event.clarification_answer or "", verdict)
    replay.ledger.commit(replay.ledger.answer(event.event_id, choice, event.seen.at))
    still_open = [asked for asked in replay.asking.questions if event.event_id not in asked.claims]
    replay.asking.questions = still_open


def _retrievable(ledger: Ledger) -> dict[str, bool]:
    """What a reader may be given, and which of it holds with an exception."""
    return {node.id: ledger.narrowed(node.id) for node in ledger if node.status == "active"}


def _choice(answer: str, verdict: Verdict | None) -> Choice:
    if not answer.casefold().lstrip().startswith("yes"):
        return "no"
    return "changed" if verdict and verdict.target else "remember"


def _by_rule(episode: Episode, claims: Claims, rule: Rule, languages: Languages) -> Run:
    memory = FlatMemory(profile_of(episode, languages.embedder))
    seen = []
    for event, claim in zip(episode.events, claims, strict=True):
        action: Action = "retain"
        before = _in_force(memory.nodes.values())
        if claim is not None and claims_something(claim, languages.claims):
            action = _apply(memory, claim, rule, languages)
        seen.append(Seen(event, action, None, _changed(event, before, _in_force(memory.nodes.values()))))
    return Run(
        episode, tuple(seen), {node.id: Held(node.status, frozenset(node.events)) for node in memory.nodes.values()}
    )


def _apply(memory: FlatMemory, claim: ClaimEvent, rule: Rule, languages: Languages) -> Action:
    bearings = read_bearings(claim, memory.nearest(claim), languages.reader)
    action = rule(claim, bearings)
    memory.apply(claim, action, bearings)
    return action


def _in_force(nodes: Iterable[Node]) -> dict[str, bool]:
    return {node.id: False for node in nodes if node.status == "active"}


def _changed(event: CaseEvent, before: Mapping[str, bool], after: Mapping[str, bool]) -> bool:
    target = event.label.target_node_id or ""
    gave_way = target in before and (target not in after or after[target] != before[target])
    return event.event_id in after or gave_way


# -- metrics --------------------------------------------------------------------------------------------------------


def measure(runs: Sequence[Run], seed: int) -> Metrics:
    """All that is printed, with intervals over users."""
    users = [run.episode.user_id for run in runs]
    found: Metrics = {"macro_f1": _macro_f1(runs, users, seed)}
    shares: dict[str, Callable[[Run], list[bool]]] = {
        **{f"poison.{family}": partial(_poison, families=(family,)) for family in FAMILIES},
        "poison": partial(_poison, families=FAMILIES),
        "adherence": _adherence,
        "false_update": lambda run: _false_updates(run, "T2"),
        "t0_false_update": lambda run: _false_updates(run, "T0"),
        "clarify.precision": lambda run: [one.event.action == "ask" for one in run.seen if one.action == "ask"],
        "clarify.recall": lambda run: [one.action == "ask" for one in run.seen if one.event.action == "ask"],
        "query_rate": lambda run: [one.action == "ask" for one in run.seen],
    }
    for name, share in shares.items():
        found[name] = _share([share(run) for run in runs], users, seed)
    found["clarify.f1"] = _asking_f1(runs, users, seed)
    if any(one.verdict for run in runs for one in run.seen):
        found["ece"] = _calibration(runs, users, seed)
    return found


def _times(ms: Sequence[float]) -> Metrics:
    found = {}
    for name, quantile in (("ms_median", 50), ("ms_p95", 95)):
        value = float(np.percentile(ms, quantile)) if ms else float("nan")
        found[name] = Estimate(value, (value, value), len(ms))
    return found


def _poison(run: Run, families: Sequence[str]) -> list[bool]:
    """Of the claims that somebody else planted; the mean counts those that stand in other tracks too."""
    if len(families) == 1 and run.episode.subtype not in families:
        return []
    profile = {node.node_id for node in run.episode.profile}
    return [run.retrievable(one.event.event_id, but=profile) for one in run.seen if one.event.label.authentic is False]


def _adherence(run: Run) -> list[bool]:
    """Of the genuine updates in T1 that no later one undid. Saying the new state again states it too."""
    if run.episode.track != "T1":
        return []
    undone = {one.event.label.target_node_id for one in run.seen if one.event.action == "revise"}
    again: dict[str | None, list[str]] = {}
    for one in run.seen:
        if one.event.action == "retain":
            again.setdefault(one.event.label.target_node_id, []).append(one.event.event_id)
    return [
        any(map(run.retrievable, (one.event.event_id, *again.get(one.event.event_id, ()))))
        and run.gave_way(one.event.label.target_node_id)
        for one in run.seen
        if one.event.action in ("revise", "scope") and one.event.label.authentic and one.event.event_id not in undone
    ]


def _false_updates(run: Run, track: str) -> list[bool]:
    """Of T2's doubtful events that were not confirmed, and of all events of T0."""
    if run.episode.track != track:
        return []
    return [
        one.changed
        for one in run.seen
        if one.event.action in ("retain", "ask")
        and (track == "T0" or one.event.label.has_claim)
        and not (one.event.clarification_answer or "").casefold().startswith("yes")
    ]


def _actions(runs: Sequence[Run]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    truth = [ACTIONS.index(one.event.action) for run in runs for one in run.seen]
    given = [ACTIONS.index(one.action) for run in runs for one in run.seen]
    return np.array(truth, np.int64), np.array(given, np.int64)


def _macro_f1(runs: Sequence[Run], users: Sequence[str], seed: int) -> Estimate:
    tables = np.array([confusion(*_actions([run]), len(ACTIONS)) for run in runs]).reshape(len(runs), -1)
    return _by_user(tables, users, _macro_f1_of, seed, int(tables.sum()))


def _macro_f1_of(cells: NDArray[np.float64]) -> float:
    counts = cells.reshape(len(ACTIONS), len(ACTIONS))
    met = counts.sum(0) + counts.sum(1)
    scores = 2 * counts.diagonal()[met > 0] / met[met > 0]
    return float(scores.mean()) if len(scores) else float("nan")


def _asking_f1(runs: Sequence[Run], users: Sequence[str], seed: int) -> Estimate:
    counts = np.array(
        [
            [
                sum(one.action == one.event.action == "ask" for one in run.seen),
                sum((one.action == "ask") + (one.event.action == "ask") for one in run.seen),
            ]
            for run in runs
        ]
    )
    return _by_user(counts, users, lambda sums: 2 * _ratio(sums[0], sums[1]), seed, int(counts[:, 1].sum()))


def _share(found: Sequence[Sequence[bool]], users: Sequence[str], seed: int) -> Estimate:
    counts = np.array([[sum(one), len(one)] for one in found])
    return _by_user(counts, users, lambda sums: _ratio(sums[0], sums[1]), seed, int(counts[:, 1].sum()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _by_user(
    columns: NDArray[np.integer],
    users: Sequence[str],
    statistic: Callable[[NDArray[np.float64]], float],
    seed: int,
    n: int,
) -> Estimate:
    """The statistic of the columns' sums, with the percentile bootstrap over users."""
    names = sorted(set(users))
    sums = np.zeros((len(names), columns.shape[1]))
    np.add.at(sums, [names.index(user) for user in users], columns)
    value = float(statistic(sums.sum(0)))
    if np.isnan(value):
        return Estimate(float(value), (float(value), float(value)), n)
    order = np.random.default_rng(seed)
    drawn = order.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES)
    low, high = np.nanpercentile([statistic(row) for row in drawn @ sums], (2.5, 97.5)).tolist()
    return Estimate(float(value), (float(low), float(high)), n)


def _calibration(runs: Sequence[Run], users: Sequence[str], seed: int) -> Estimate:
    """Expected calibration error of the likeliest action, of events that reach the gate, in bins of equal mass."""
    rows = [
        (user, max(one.verdict.probabilities.values()), _top(one.verdict) == one.event.action)
        for run, user in zip(runs, users, strict=True)
        for one in run.seen
        if one.verdict
    ]
    confidence = np.array([row[1] for row in rows])
    right = np.array([row[2] for row in rows], float)
    of_user: dict[str, list[int]] = {}
    for place, (user, _, _) in enumerate(rows):
        of_user.setdefault(user, []).append(place)
    groups = [np.array(places) for places in of_user.values()]
    order = np.random.default_rng(seed)
    drawn = (
        np.concatenate([groups[one] for one in order.integers(len(groups), size=len(groups))]) for _ in range(RESAMPLES)
    )
    found = [_ece(confidence[places], right[places]) for places in drawn]
    low, high = np.percentile(found, (2.5, 97.5)).tolist()
    return Estimate(float(_ece(confidence, right)), (float(low), float(high)), len(rows))


def _ece(confidence: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    order = np.argsort(confidence, kind="stable")
    bins = np.array_split(order, _BINS)
    return float(
        sum(abs(confidence[one].mean() - right[one].mean()) * len(one) for one in bins if len(one)) / len(order)
    )


def _top(verdict: Verdict) -> Action:
    return max(ACTIONS, key=verdict.probabilities.__getitem__)


def _mistakes(runs: Sequence[Run]) -> list[tuple[str, str, str, int]]:
    """The commonest confusions with the subtype of their episode."""
    counts: dict[tuple[str, str, str], int] = {}
    for found in runs:
        for one in found.seen:
            if one.action != one.event.action:
                key = (found.episode.subtype, one.event.action, one.action)
                counts[key] = counts.get(key, 0) + 1
    return [(*key, n) for key, n in sorted(counts.items(), key=lambda item: -item[1])[:8]]


def _write(out: Path, runs: Sequence[Run]) -> None:
    with out.open("wb") as stream:
        for found in runs:
            record = {
                "episode_id": found.episode.episode_id,
                "track": found.episode.track,
                "subtype": found.episode.subtype,
                "events": [
                    {
                        "event_id": one.event.event_id,
                        "origin": one.event.origin,
                        "text": one.event.text,
                        "label": one.event.action,
                        "given": one.action,
                        "target": one.verdict.target if one.verdict else None,
                        "probabilities": one.verdict.probabilities if one.verdict else None,
                        "authenticity": one.verdict.authenticity if one.verdict else None,
                        "changed": one.changed,
                    }
                    for one in found.seen
                ],
                "held": {name: node.status for name, node in found.held.items()},
            }
            stream.write(msgspec.json.encode(record) + b"\n")
