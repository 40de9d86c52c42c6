from __future__ import annotations

import itertools
from collections import Counter
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from memreview.evaluate import crowd, gate_cases, kits, written
from memreview.evaluate.crowd import ALIKE, crowded
from memreview.evaluate.episodes import CHANGEPOINT, GREATEST_GAP, LEAST_GAP, LONGEST, SHORTEST, generate
from memreview.evaluate.eval_claims import TRAINING
from memreview.evaluate.gate_cases import SUBTYPES, Episode
from memreview.evaluate.written import read_written
from memreview.language.embedder import load_embedder
from memreview.language.model_files import embedder_folder

FORMAL = TRAINING / "formal"


@pytest.fixture(scope="module")
def episodes() -> list[Episode]:
    return generate(kits.read_kits(FORMAL), 24, seed=5)


def test_the_authors_kits_break_no_rule() -> None:
    assert kits.parse(TRAINING)[1] == []


def test_a_kit_that_breaks_a_rule_is_named(tmp_path: Path) -> None:
    line = (FORMAL / "kits-01.jsonl").read_bytes().splitlines()[0]
    bad = line.replace(b'"claim":"Wants', b'"claim":"wants', 1)
    (tmp_path / "kits-01.jsonl").write_bytes(b"\n".join([line, bad, b'{"id":"x"}']))
    found, problems = kits.parse(tmp_path)
    assert len(found) == 2
    assert [problem.split(": ", 1)[0].rsplit(":", 1)[1] for problem in problems] == ["2", "2", "3"]
    with pytest.raises(kits.BadKits, match="capital first"):
        kits.read_kits(tmp_path)


def test_the_same_seed_gives_the_same_episodes(episodes: list[Episode]) -> None:
    again = generate(kits.read_kits(FORMAL), 24, seed=5)
    assert again == episodes
    assert generate(kits.read_kits(FORMAL), 24, seed=6) != episodes


def test_each_user_has_an_episode_of_each_track(episodes: list[Episode]) -> None:
    assert Counter(Counter(one.user_id for one in episodes).values()) == {5: 24}
    assert {(one.track, one.subtype) for one in episodes} == {
        (track, subtype) for track, subtypes in SUBTYPES.items() for subtype in subtypes
    }


def test_lengths_gaps_and_changepoints_are_the_papers(episodes: list[Episode]) -> None:
    for one in episodes:
        assert SHORTEST <= len(one.events) <= LONGEST
        times = [event.at for event in one.events]
        gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
        assert all(LEAST_GAP <= gap <= GREATEST_GAP for gap in gaps)
        assert max(node.written_at for node in one.profile) < times[0]
        if one.subtype == "abrupt":
            changes = [place for place, event in enumerate(one.events, 1) if event.label.action == "revise"]
            assert any(CHANGEPOINT[0] <= place <= CHANGEPOINT[1] for place in changes)
    every = [
        later.at - earlier.at for one in episodes for earlier, later in zip(one.events, one.events[1:], strict=False)
    ]
    assert timedelta(hours=5) < sorted(every)[len(every) // 2] < timedelta(hours=12)


def test_nothing_changes_in_a_stationary_episode(episodes: list[Episode]) -> None:
    for one in episodes:
        if one.track == "T0":
            assert {event.label.action for event in one.events} == {"retain"}


def test_labels_follow_the_true_state(episodes: list[Episode]) -> None:
    for one in episodes:
        held = {node.node_id for node in one.profile}
        for event in one.events:
            label = event.label
            assert label.has_claim == (label.claim is not None) == (label.authentic is not None)
            if label.action in ("revise", "scope", "clarify"):
                assert label.target_node_id in held
            if label.action == "revise":
                held.discard(label.target_node_id or "")
            if label.action in ("revise", "scope", "add"):
                held.add(event.event_id)
            if label.authentic is False:
                assert label.action == "quarantine"


def test_no_text_is_said_twice_of_one_claim(episodes: list[Episode]) -> None:
    for one in episodes:
        claims = [event.text for event in one.events if event.label.has_claim]
        assert len(set(claims)) == len(claims)


def test_a_file_is_read_as_it_was_written_and_bad_lines_are_named(episodes: list[Episode], tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    gate_cases.write(path, episodes[:3])
    assert gate_cases.read(path) == (episodes[:3], [])
    twice = msgspec.structs.replace(episodes[0], events=episodes[0].events * 2)
    lines = [b"{", msgspec.json.encode({"track": "T9"}), msgspec.json.encode(twice), b"\xff", b"[" * 100_000]
    path.write_bytes(path.read_bytes() + b"\n".join(lines))
    found, problems = gate_cases.read(path)
    assert found == episodes[:3]
    assert [problem.split(":")[1] for problem in problems] == ["4", "5", "6", "7", "8"]


def test_a_system_is_shown_no_label(episodes: list[Episode]) -> None:
    event = episodes[0].events[0]
    assert set(event.seen.__slots__) == {"id", "session", "at", "origin", "text", "dated"}


def test_a_fuller_ledger_holds_what_others_hold_and_nothing_on_the_same_matter() -> None:
    embedder = load_embedder(embedder_folder())
    episodes = [one.episode() for one in read_written(TRAINING / "office")]
    fuller = crowded(episodes, [0, 20], embedder, 1)
    assert fuller == crowded(episodes, [0, 20], embedder, 1)
    added = [len(one.profile) - len(few.profile) for one, few in zip(fuller, episodes, strict=True)]
    assert set(added) == {0, 20}
    for one, few in zip(fuller, episodes, strict=True):
        assert one.profile[: len(few.profile)] == few.profile
        assert one.events == few.events
        assert len({node.node_id for node in one.profile}) == len(one.profile)
        parts = few.profile, one.profile[len(few.profile) :]
        own, others = (embedder.encode([node.claim for node in part]) for part in parts)
        assert not len(others) or (others @ own.T).max() < ALIKE


def test_what_authors_wrote_becomes_cases_and_fuller_ones(tmp_path: Path) -> None:
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    assert not written.main([str(TRAINING / "office"), str(few)])
    crowd.main([str(few), str(many), "30"])
    for path, more in ((few, 0), (many, 30)):
        found, problems = gate_cases.read(path)
        assert not problems
        assert [one.episode_id for one in found] == [one.id for one in read_written(TRAINING / "office")]
        assert {len(one.profile) - len(of.profile) for one, of in zip(found, gate_cases.read(few)[0], strict=True)} == {
            more
        }
