"""How well the audit does on hand-written pairs, beside the plain rule "near and newer means replaced".

`dev.jsonl` was open while the rules were written, `heldout.jsonl` was written before them and read once they stood.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from memreview.audit.lifecycle import audit
from memreview.audit.lifecycle.evidence import Vectors
from memreview.language.embedder import Embedder, load_embedder
from memreview.records.transition import TransitionKind
from tests.audit.worlds import Case, cases

MODEL = Path(__file__).parents[2] / "models" / "all-MiniLM-L6-v2"


class Embedded:
    """Each text is embedded once for all cases."""

    def __init__(self) -> None:
        self._embedder = load_embedder(MODEL)
        assert isinstance(self._embedder, Embedder)
        self._known: dict[str, Vectors] = {}

    def vectors(self, texts: list[str]) -> Vectors:
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(unknown, self._embedder.encode(unknown), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32).reshape(len(texts), -1)


@functools.cache
def embedded() -> Embedded:
    return Embedded()


@functools.cache
def pairs(name: str) -> tuple[Case, ...]:
    """With all their texts embedded at one go."""
    found = tuple(cases(name))
    texts = {case.newer for case in found} | {window.text for case in found for window in case.world.statements}
    embedded().vectors([*texts, *(memory.text for case in found for memory in case.world.memories)])
    return found


def precision_recall(wanted: list[bool], given: list[bool]) -> tuple[float, float]:
    hits = sum(want and give for want, give in zip(wanted, given, strict=True))
    return hits / max(1, sum(given)), hits / sum(wanted)


def audited(name: str, *, with_embedder: bool) -> tuple[float, float]:
    given = []
    for case in pairs(name):
        world = case.world
        result = audit(world.memories, world.statements, world.entries, embedded() if with_embedder else None)
        given.append(any(found.kind is not TransitionKind.DUPLICATE for found in result.transitions))
    return precision_recall([case.relation == "supersedes" for case in pairs(name)], given)


def baseline(name: str) -> tuple[float, float]:
    """Near and newer; the threshold is the best for the development pairs."""

    def scores(name: str) -> list[float]:
        return [
            float(one @ other) for one, other in (embedded().vectors([case.older, case.newer]) for case in pairs(name))
        ]

    def at(name: str, least: float) -> tuple[float, float]:
        wanted = [case.relation == "supersedes" for case in pairs(name)]
        return precision_recall(wanted, [score >= least for score in scores(name)])

    def f1(figures: tuple[float, float]) -> float:
        return 2 * figures[0] * figures[1] / max(1e-9, sum(figures))

    return at(name, max(np.arange(0.1, 0.9, 0.05), key=lambda least: f1(at("dev", float(least)))))


@pytest.mark.parametrize("with_embedder", [True, False])
@pytest.mark.parametrize(("name", "least"), [("dev", (0.97, 0.94)), ("heldout", (0.95, 0.85))])
def test_changes_are_found_and_look_alikes_left_alone(
    name: str, least: tuple[float, float], with_embedder: bool
) -> None:
    precision, recall = audited(name, with_embedder=with_embedder)
    plain = baseline(name)
    print(f"{name}: precision {precision:.3f} recall {recall:.3f}; near and newer: {plain[0]:.3f} {plain[1]:.3f}")
    assert precision >= least[0]
    assert recall >= least[1]
    assert precision > plain[0] + 0.2


def test_the_development_pairs_hold_enough_look_alikes() -> None:
    relations = [case.relation for case in pairs("dev")]
    assert len(relations) >= 150
    assert sum(relation not in ("supersedes", "duplicates") for relation in relations) >= 70


def test_duplicates_are_found_among_pairs() -> None:
    right = wrong = 0
    for case in pairs("dev"):
        found = audit(case.world.memories, case.world.statements, case.world.entries, embedded()).transitions
        folded = any(transition.kind is TransitionKind.DUPLICATE for transition in found)
        right += folded and case.relation == "duplicates"
        wrong += folded and case.relation != "duplicates"
    assert (right, wrong) == (9, 0)
