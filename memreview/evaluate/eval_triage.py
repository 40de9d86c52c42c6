"""`memreview eval triage`: how well pairs of statements are told apart, beside plain baselines on the same file."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.evaluate.baselines import Guess, keywords, nearness, rules
from memreview.evaluate.metrics import Estimate, accuracy, average_precision, confusion, estimate, f1_scores, macro_f1
from memreview.evaluate.reports import Metrics, Report, confusion_rows, read, rows, sample
from memreview.language.embedder import load_embedder
from memreview.language.model_files import embedder_folder
from memreview.language.relations import NLI, RELATIONS, Judgement, Nli, Pair, Relation, RelationModel, relations_folder

_SUPERSEDES = RELATIONS.index("supersedes")
_WARM_UP = 64  # pairs judged before the clock starts


class Said(msgspec.Struct, frozen=True):
    text: str
    at: Annotated[datetime, msgspec.Meta(tz=True)]


class Case(msgspec.Struct, frozen=True):
    """A line of the file. Training pairs are read too: they have `id`, and more labels."""

    older: Said
    newer: Said
    relation: Relation
    pair_id: str = ""
    id: str = ""
    nli: Nli | None = None
    implicit: bool | None = None

    @property
    def pair(self) -> Pair:
        return Pair(self.older.text, self.newer.text, (self.newer.at - self.older.at).total_seconds() / 86_400)


class TriageReport(Report, frozen=True, kw_only=True):
    """`confusion` is in the order of RELATIONS."""

    command: str = "eval triage"

    def table(self) -> str:
        lines = [f"{self.cases:,} pairs, {self.model}, 95 % bootstrap intervals", ""]
        lines += rows(self.system, self.baselines | self.ablations, "relation model")
        return "\n".join([*lines, *confusion_rows(self.confusion, RELATIONS), *self.problems])


def run(path: Path, *, limit: int | None = None, seed: int = 0, out: Path | None = None) -> TriageReport:
    """Evaluate the shipped model. `limit` takes a random sample of that size; `out` gets one line a case.

    Raises `OSError` if the file can't be read, `ModelUnavailable` if a model can't, `ValueError` without a case.
    """
    cases, problems = read(path, Case, "pairs*.jsonl")
    return evaluate(RelationModel.load(relations_folder()), sample(cases, limit, seed), str(path), seed, out, problems)


def evaluate(
    model: RelationModel,
    cases: Sequence[Case],
    file: str,
    seed: int,
    out: Path | None = None,
    problems: Sequence[str] = (),
) -> TriageReport:
    pairs = [case.pair for case in cases]
    truth = np.array([RELATIONS.index(case.relation) for case in cases], np.int64)
    model.judge(pairs[:_WARM_UP])
    judged, us = _timed(model.judge, pairs)
    timeless = model.judge([Pair(pair.older, pair.newer) for pair in pairs])
    embedder = load_embedder(embedder_folder())
    plain = {}
    for name, baseline in (("keywords", keywords), ("nearness", nearness(embedder)), ("rules", rules(embedder))):
        guesses, spent = _timed(baseline, pairs)
        plain[name] = _measured(cases, guesses, seed) | {"us_per_pair": spent}
    if out is not None:
        _write(out, cases, judged)
    guesses = _guesses(judged)
    return TriageReport(
        file=file,
        cases=len(cases),
        seed=seed,
        model=model.id,
        system=_measured(cases, guesses, seed) | _entailment(cases, judged, seed) | {"us_per_pair": us},
        baselines=plain,
        ablations={"without time": _measured(cases, _guesses(timeless), seed)},
        confusion=confusion(truth, _given(guesses), len(RELATIONS)).tolist(),
        problems=list(problems),
    )


def _measured(cases: Sequence[Case], guesses: Sequence[Guess], seed: int) -> Metrics:
    classes = len(RELATIONS)
    truth = np.array([RELATIONS.index(case.relation) for case in cases], np.int64)
    given, scores = _given(guesses), np.array([score for _, score in guesses], np.float64)
    superseded = truth == _SUPERSEDES
    found = {
        "accuracy": estimate(accuracy, truth, given, seed=seed),
        "macro_f1": estimate(lambda one, other: macro_f1(one, other, classes), truth, given, seed=seed),
        "ap_supersedes": estimate(average_precision, superseded, scores, seed=seed),
    }
    for row, relation in enumerate(RELATIONS):
        found[f"f1.{relation}"] = estimate(_f1_of(row), truth, given, seed=seed)
    if all(case.implicit is not None for case in cases):
        implicit = np.array([case.implicit for case in cases], bool)
        for name, kept in (("implicit", ~superseded | implicit), ("explicit", ~superseded | ~implicit)):
            found[f"ap_supersedes.{name}"] = estimate(average_precision, superseded[kept], scores[kept], seed=seed)
    return found


def _f1_of(row: int) -> Callable[..., float]:
    return lambda truth, given: float(f1_scores(truth, given, len(RELATIONS))[row])


def _entailment(cases: Sequence[Case], judged: Sequence[Judgement], seed: int) -> Metrics:
    labelled = [(case.nli, one) for case, one in zip(cases, judged, strict=True) if case.nli is not None]
    if not labelled:
        return {}
    truth = np.array([NLI.index(label) for label, _ in labelled], np.int64)
    given = np.array([max(range(len(NLI)), key=lambda row: one.nli[NLI[row]]) for _, one in labelled], np.int64)
    return {"nli_accuracy": estimate(accuracy, truth, given, seed=seed)}


def _guesses(judged: Sequence[Judgement]) -> list[Guess]:
    return [(one.relation, one.relations["supersedes"]) for one in judged]


def _given(guesses: Sequence[Guess]) -> NDArray[np.int64]:
    return np.array([RELATIONS.index(relation) for relation, _ in guesses], np.int64)


def _timed(judge: Callable[[Sequence[Pair]], list[Any]], pairs: Sequence[Pair]) -> tuple[list[Any], Estimate]:
    started = time.perf_counter()
    found = judge(pairs)
    us = 1e6 * (time.perf_counter() - started) / max(1, len(pairs))
    return found, Estimate(us, (us, us), len(pairs))


def _write(out: Path, cases: Sequence[Case], judged: Sequence[Judgement]) -> None:
    with out.open("wb") as stream:
        for case, one in zip(cases, judged, strict=True):
            record = {
                "pair_id": case.pair_id or case.id,
                "older": case.older.text,
                "newer": case.newer.text,
                "relation": case.relation,
                "given": one.relation,
                "relations": one.relations,
                "nli": one.nli,
            }
            stream.write(msgspec.json.encode(record) + b"\n")
