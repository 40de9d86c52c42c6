"""`memreview eval claims`: how well the claim model reads messages, beside plain baselines on the same file."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from memreview.evaluate import training_data
from memreview.evaluate.metrics import Estimate, accuracy, confusion, estimate, macro_f1
from memreview.evaluate.reports import Metrics, Report, confusion_rows, read, rows, sample
from memreview.language import state_schema
from memreview.language.claims import (
    GLOBAL,
    SPEECH_ACTS,
    ClaimModel,
    Direction,
    SpeechAct,
    claims_folder,
)
from memreview.language.embedder import TextEmbedder, load_embedder
from memreview.language.model_files import embedder_folder
from memreview.language.sentences import content_tokens
from memreview.language.state_schema import Timescale
from memreview.resources import RESOURCES

TRAINING = RESOURCES / "training"
SCOPE_OVERLAP = 0.5
"""Least F1 of the content words at which a narrow scope counts as the labelled one."""
_SHOWN = 5  # commonest mistakes of each label
_WARM_UP = 64  # texts read before the clock starts


class Label(msgspec.Struct, frozen=True):
    has_claim: bool
    speech_act: SpeechAct
    claim: str | None = None
    claim_span: str | None = None
    scope: str | None = None
    scope_span: str | None = None
    timescale: Timescale | None = None
    direction: Direction | None = None
    slot: str | None = None


class Case(msgspec.Struct, frozen=True):
    """A line of the file."""

    id: str
    text: str
    origin: str
    label: Label


@dataclass(frozen=True, slots=True)
class Reading:
    """What a system says of a text. The labels are its best guess of a claim even if it says that there is none."""

    has_claim: bool
    speech_act: SpeechAct
    timescale: Timescale | None
    direction: Direction | None
    slot: str | None
    scope: str | None
    claim: str | None = None


class ClaimReport(Report, frozen=True, kw_only=True):
    """`confusion` of the speech acts is in the order of SPEECH_ACTS; `mistakes` are the commonest ones: which label,
    what it is, what was given, how often."""

    command: str = "eval claims"
    mistakes: list[tuple[str, str, str, int]]

    def table(self) -> str:
        lines = [f"{self.cases:,} texts, {self.model}, 95 % bootstrap intervals", ""]
        lines += rows(self.system, self.baselines, "claim model")
        return "\n".join([*lines, *confusion_rows(self.confusion, SPEECH_ACTS), *self.problems])


def run(path: Path, *, limit: int | None = None, seed: int = 0, out: Path | None = None) -> ClaimReport:
    """Evaluate the shipped model. `limit` takes a random sample of that size; `out` gets one line a case.

    Raises `OSError` if the file can't be read, `ModelUnavailable` if a model can't, `ValueError` without a case.
    """
    cases, problems = read(path, Case, "utterances*.jsonl")
    return evaluate(ClaimModel.load(claims_folder()), sample(cases, limit, seed), str(path), seed, out, problems)


def evaluate(
    model: ClaimModel,
    cases: Sequence[Case],
    file: str,
    seed: int,
    out: Path | None = None,
    problems: Sequence[str] = (),
) -> ClaimReport:
    system = _model_reader(model)
    system(cases[:_WARM_UP])
    given, us = _timed(system, cases)
    plain: dict[str, Metrics] = {}
    embedder = load_embedder(embedder_folder())
    for name, baseline in (("keywords", keywords), ("nearest", nearest(embedder, known()))):
        plain[name] = measured(cases, baseline(cases), seed)
    if out is not None:
        _write(out, cases, given)
    said, heard = _acts(cases, given)
    return ClaimReport(
        file=file,
        cases=len(cases),
        seed=seed,
        model=model.id,
        system=measured(cases, given, seed) | {"us_per_text": us},
        baselines=plain,
        ablations={},
        confusion=confusion(said, heard, len(SPEECH_ACTS)).tolist(),
        mistakes=_mistakes(cases, given),
        problems=list(problems),
    )


# --- metrics


def measured(cases: Sequence[Case], given: Sequence[Reading], seed: int) -> Metrics:
    """`abstention.*` are of saying that there is no claim. What a claim says is measured on the texts that have one,
    whether it was seen or not."""
    truth = np.array([case.label.has_claim for case in cases], bool)
    found = np.array([one.has_claim for one in given], bool)
    acts = _acts(cases, given)
    metrics = {
        "claim.f1": estimate(_f1, truth, found, seed=seed),
        "claim.precision": estimate(_precision, truth, found, seed=seed),
        "claim.recall": estimate(_recall, truth, found, seed=seed),
        "abstention.precision": estimate(_precision, ~truth, ~found, seed=seed),
        "abstention.recall": estimate(_recall, ~truth, ~found, seed=seed),
        "speech_act.macro_f1": estimate(lambda a, b: macro_f1(a, b, len(SPEECH_ACTS)), *acts, seed=seed),
        "speech_act.accuracy": estimate(accuracy, *acts, seed=seed),
    }
    claims = [(case.label, one) for case, one in zip(cases, given, strict=True) if case.label.has_claim]
    for name, right in (
        ("scope.accuracy", _same_scope),
        ("scope.narrow", lambda label, one: (label.scope == GLOBAL) == (one.scope == GLOBAL)),
        ("timescale.accuracy", lambda label, one: label.timescale == one.timescale),
        ("direction.accuracy", lambda label, one: label.direction == one.direction),
        ("slot.top1", lambda label, one: label.slot == one.slot),
        ("slot.domain", lambda label, one: _domain(label.slot) == _domain(one.slot)),
    ):
        metrics[name] = estimate(_share, np.array([right(*pair) for pair in claims], float), seed=seed)
    if any(one.claim for one in given):
        spans = [overlap(label.claim_span, one.claim or "") for label, one in claims if label.claim_span]
        metrics["claim_span.f1"] = estimate(_share, np.array(spans, float), seed=seed)
    return metrics


def _mistakes(cases: Sequence[Case], given: Sequence[Reading]) -> list[tuple[str, str, str, int]]:
    found: list[tuple[str, str, str, int]] = []
    for name in ("has_claim", "speech_act", "timescale", "direction", "slot"):
        kept = [
            (str(getattr(case.label, name)), str(getattr(one, name)))
            for case, one in zip(cases, given, strict=True)
            if case.label.has_claim or name in ("has_claim", "speech_act")
        ]
        wrong = Counter(pair for pair in kept if pair[0] != pair[1])
        found += [(name, truth, guess, count) for (truth, guess), count in wrong.most_common(_SHOWN)]
    return found


def overlap(one: str, other: str) -> float:
    """F1 of the content words."""
    words, others = Counter(content_tokens(one)), Counter(content_tokens(other))
    if not words or not others:
        return float(one.split() == other.split())
    return 2 * (words & others).total() / (words.total() + others.total())


def _same_scope(label: Label, one: Reading) -> bool:
    if label.scope == GLOBAL or one.scope == GLOBAL:
        return label.scope == one.scope
    return overlap(label.scope or "", one.scope or "") >= SCOPE_OVERLAP


def _domain(slot: str | None) -> str | None:
    return slot and slot.partition(".")[0]


def _share(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _precision(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    return _share(truth[found])


def _recall(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    return _share(found[truth])


def _f1(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    both = truth.sum() + found.sum()
    return float(2 * (truth & found).sum() / both) if both else float("nan")


def _acts(cases: Sequence[Case], given: Sequence[Reading]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The labelled and the given speech acts, as indices."""
    said = np.array([SPEECH_ACTS.index(case.label.speech_act) for case in cases], np.int64)
    return said, np.array([SPEECH_ACTS.index(one.speech_act) for one in given], np.int64)


# --- systems

Reader = Callable[[Sequence[Case]], list[Reading]]


def _model_reader(model: ClaimModel) -> Reader:
    """The labels of a claim are asked of every text, so that they can be measured where a claim was overlooked."""

    def answer(cases: Sequence[Case]) -> list[Reading]:
        texts, origins = [case.text for case in cases], [case.origin for case in cases]
        return [
            Reading(
                has_claim=one.claim_probability >= model.threshold,
                speech_act=one.speech_act,
                timescale=one.timescale,
                direction=one.direction,
                slot=one.slot,
                scope=one.scope,
                claim=text[slice(*one.claim_span)] if one.claim_span else None,
            )
            for text, one in zip(texts, model.read(texts, origins, abstain=False), strict=True)
        ]

    return answer


_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|my|me|we|we're|we've|our|always|never|prefer|from now on)\b", re.I)
_ACTS: tuple[tuple[SpeechAct, re.Pattern[str]], ...] = (
    ("quoted", re.compile(r"[\"“”‘«]|\b(?:says|wrote|translate|proofread)\b", re.I)),
    ("sarcastic", re.compile(r"\b(?:oh great|yeah right|sure,|just what|lovely|brilliant|love it when)\b", re.I)),
    ("hypothetical", re.compile(r"\b(?:if|would|imagine|suppose|what if|wish)\b", re.I)),
    ("past", re.compile(r"\b(?:used to|as a (?:child|kid|student|boy|girl)|back (?:in|when)|years ago|once)\b", re.I)),
    ("temporary", re.compile(r"\b(?:this (?:week|once|month|time)|just for|until|for now|only)\b", re.I)),
    (
        "other_person",
        re.compile(
            r"\b(?:he|she|his|her|they|(?:my|our) (?:mum|dad|sister|brother|son|daughter|wife|husband|boss))\b",
            re.I,
        ),
    ),
)
_SCOPE = re.compile(
    r"\b(?:when|while|during|until|at work|for (?:the|this|my)|on \w+days?|in (?:the|my)) ?[^,.;!?]*", re.I
)
_TIMESCALES: tuple[tuple[Timescale, re.Pattern[str]], ...] = (
    ("transient", re.compile(r"\b(?:today|tomorrow|tonight|this week|until|on \w+day|just this|yesterday)\b", re.I)),
    (
        "contextual",
        re.compile(r"\b(?:this (?:year|term|month|summer)|project|course|for now|plan|looking for)\b", re.I),
    ),
)
_DIRECTIONS: tuple[tuple[Direction, re.Pattern[str]], ...] = (
    ("instruction", re.compile(r"\b(?:from now on|always|please|call me|answers?|don't (?:use|tell|say))\b", re.I)),
    ("constraint", re.compile(r"\b(?:can't|cannot|allergic|not allowed|afford|budget|no \w+ until)\b", re.I)),
    ("goal", re.compile(r"\b(?:want to|going to|plan|planning|saving|hope|training for|will|trying to)\b", re.I)),
    ("dislike", re.compile(r"\b(?:hate|can't stand|don't like|dislike|never again)\b", re.I)),
    ("like", re.compile(r"\b(?:love|like|prefer|favou?rite|enjoy)\b", re.I)),
    ("habit", re.compile(r"\b(?:every|always|usually|each|\w+days|often)\b", re.I)),
)


def keywords(cases: Sequence[Case]) -> list[Reading]:
    """By cue words; the slot by words shared with its description."""
    words = {
        slot.id: set(content_tokens(" ".join([slot.title, slot.definition, *slot.examples])))
        for slot in state_schema.load().slots
    }
    return [_by_keywords(case, words) for case in cases]


def _by_keywords(case: Case, words: dict[str, set[str]]) -> Reading:
    text = case.text
    act: SpeechAct = next((act for act, cue in _ACTS if cue.search(text)), "sincere")
    said = set(content_tokens(text))
    scope = _SCOPE.search(text)
    return Reading(
        has_claim=bool(_FIRST_PERSON.search(text)) and "?" not in text and act not in ("hypothetical", "past"),
        speech_act=act,
        timescale=next((one for one, cue in _TIMESCALES if cue.search(text)), "stable"),
        direction=next((one for one, cue in _DIRECTIONS if cue.search(text)), "fact"),
        slot=max(words, key=lambda slot: len(words[slot] & said)),
        scope=scope[0] if scope else GLOBAL,
    )


def known() -> list[training_data.Utterance]:
    """The training utterances."""
    return [
        record for voice in training_data.voices(TRAINING) for record in training_data.read_utterances(TRAINING / voice)
    ]


def nearest(embedder: TextEmbedder, examples: Sequence[training_data.Utterance]) -> Reader:
    """What the nearest training text is labelled with; of what a claim says, the nearest text with a claim."""
    claims = [record for record in examples if record.label.has_claim]
    everything, claimed = (embedder.encode([record.text for record in records]) for records in (examples, claims))

    def answer(cases: Sequence[Case]) -> list[Reading]:
        vectors = embedder.encode([case.text for case in cases])
        found = []
        for one, other in zip((vectors @ everything.T).argmax(1), (vectors @ claimed.T).argmax(1), strict=True):
            label, of_claim = examples[one].label, claims[other].label
            found.append(
                Reading(
                    has_claim=label.has_claim,
                    speech_act=label.speech_act,
                    timescale=of_claim.timescale,
                    direction=of_claim.direction,
                    slot=of_claim.slot,
                    scope=of_claim.scope,
                )
            )
        return found

    return answer


def _timed(reader: Reader, cases: Sequence[Case]) -> tuple[list[Reading], Estimate]:
    started = time.perf_counter()
    found = reader(cases)
    us = 1e6 * (time.perf_counter() - started) / max(1, len(cases))
    return found, Estimate(us, (us, us), len(cases))


def _write(out: Path, cases: Sequence[Case], given: Sequence[Reading]) -> None:
    with out.open("wb") as stream:
        for case, one in zip(cases, given, strict=True):
            record = {"id": case.id, "text": case.text, "label": case.label, "given": msgspec.to_builtins(one)}
            stream.write(msgspec.json.encode(record) + b"\n")
