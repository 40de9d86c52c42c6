from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from memreview.gate.features import NAMES, NODES, PROVENANCE, features, kept_columns, target
from memreview.gate.reading import EXCERPT_WORDS, HELD_WORDS, NEAREST, by_concern, excerpt, meeting, read_bearings
from memreview.language.gate_reader import READINGS, Impression, Meeting
from memreview.language.relations import NLI, RELATIONS, Judgement
from memreview.language.seeker import Seeker
from memreview.records.entry import DAY, Origin
from memreview.records.gate import Bearing, ClaimEvent, Event, Node

NOW = int(1_000 * DAY)


def node(name: str = "n1", **changes: object) -> Node:
    found = Node(
        id=name,
        claim="Wants answers in Dutch",
        layer="stable",
        scope="global",
        status="active",
        written_at=NOW - int(10 * DAY),
        corroborated_at=NOW - int(3 * DAY),
        confidence=0.9,
        slot="assistant.language",
        origins=(Origin.USER,),
        events=(),
        corroborations=2,
        revised_at=None,
        vector=np.ones(384, np.float32),
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def bearing(held: Node, relation: str = "unrelated", similarity: float = 0.5, **more: object) -> Bearing:
    relations = {name: 0.96 if name == relation else 0.01 for name in RELATIONS}
    given = {"reading": (1 / len(READINGS),) * len(READINGS), "authentic": 0.5, "concern": similarity} | more
    return Bearing(held, similarity, relations, dict.fromkeys(NLI, 1 / 3), **given)  # type: ignore[arg-type]


def claim(**changes: object) -> ClaimEvent:
    found = ClaimEvent(
        event=Event("e1", "s1", NOW, Origin.USER, "No more Dutch please"),
        claim="No more Dutch please",
        direction="instruction",
        scope="global",
        timescale="stable",
        confidence=0.8,
        speech_act="sincere",
        slot="assistant.language",
        vector=np.zeros(384, np.float32),
        query=np.zeros(384, np.float32),
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def column(row: np.ndarray, name: str) -> float:
    return float(row[NAMES.index(name)])


def test_columns_say_what_their_names_say() -> None:
    row = features(
        claim(), [bearing(node(), "supersedes", reading=(0.1, 0.1, 0.1, 0.1, 0.4, 0.1, 0.1), authentic=0.9)], NOW
    )
    assert row.shape == (len(NAMES),)
    assert column(row, "origin.user") == 1
    assert column(row, "origin.assistant") == 0
    assert column(row, "node0.supersedes") == pytest.approx(0.96)
    assert column(row, "node0.log_age") == pytest.approx(np.log(4))
    assert column(row, "node0.log_since_revision") == pytest.approx(np.log(11))
    assert column(row, "node0.same_slot") == column(row, "node0.stable") == column(row, "node0.same_scope") == 1
    assert column(row, "node0.reading.revise") == pytest.approx(np.log(0.4))
    assert column(row, "node0.authentic") == pytest.approx(np.log(9), abs=1e-5)
    assert column(row, "node1.held") == column(row, "node1.reading.revise") == 0


def test_nothing_held_is_a_row_too() -> None:
    assert np.isfinite(features(claim(), [], NOW)).all()


def test_the_clock_may_jump_back() -> None:
    row = features(claim(), [bearing(node())], NOW - int(99 * DAY))
    assert column(row, "node0.log_age") == 0


def test_only_the_nodes_of_the_greatest_concern_have_columns() -> None:
    near = [bearing(node(f"n{place}"), similarity=place / 10) for place in range(6)]
    about = bearing(node("about"), "scopes", 0.1, concern=0.9)
    row = features(claim(), [*near, about], NOW)
    assert column(row, "node0.scopes") == pytest.approx(0.96)
    assert sum(column(row, f"node{place}.held") for place in range(NODES)) == NODES
    assert [one.node.id for one in by_concern([*near, about])][:2] == ["about", "n5"]


def test_the_order_in_which_nodes_come_does_not_matter() -> None:
    near = [bearing(node(f"n{place}"), similarity=0.5) for place in range(5)]
    assert (features(claim(), near, NOW) == features(claim(), near[::-1], NOW)).all()


def test_the_target_is_in_force_and_an_addition_has_none() -> None:
    held = [bearing(node("q", status="quarantined"), "supersedes"), bearing(node("n"), "unrelated")]
    assert target("revise", held) == "n"
    assert target("add", held) is None
    assert target("ask", []) is None


def test_columns_can_be_dropped_by_prefix() -> None:
    kept = kept_columns(PROVENANCE)
    assert not any(kept[NAMES.index(f"origin.{origin}")] for origin in Origin)
    assert kept[NAMES.index("node0.confidence")]
    assert kept_columns(()).all()


def test_an_excerpt_has_the_claim_in_it() -> None:
    words = " ".join(f"word{place}" for place in range(400))
    for place in (0, 200, 399):
        part = excerpt(words, f"word{place}")
        assert f"word{place}" in part.split()
        assert len(part.split()) == EXCERPT_WORDS
    assert excerpt("short as it is", "it") == "short as it is"


def test_the_reader_is_asked_of_all_nodes_at_once_in_their_order() -> None:
    asked: list[Meeting] = []
    known = Judgement(dict.fromkeys(RELATIONS, 0.2), dict.fromkeys(NLI, 1 / 3))

    class Listening:
        seeker = Seeker(np.zeros((384, 384), np.float32))

        def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
            asked.extend(meetings)
            flat = (1 / len(READINGS),) * len(READINGS)
            return [tuple(Impression(flat, 0.5, known, float(held == "n2")) for held in one.held) for one in meetings]

    bearings = read_bearings(claim(), [node(f"n{place}", claim=f"n{place}") for place in range(NEAREST)], Listening())
    assert [one.held for one in asked] == [("n0", "n1", "n2", "n3")]
    assert [one.node.id for one in bearings] == ["n2", "n0", "n1", "n3"]


def test_of_what_is_held_the_reader_sees_the_first_words() -> None:
    long = " ".join(f"word{place}" for place in range(60))
    asked = meeting(claim(), [node("n", claim=long)])
    assert asked.held == (" ".join(long.split()[:HELD_WORDS]),)
