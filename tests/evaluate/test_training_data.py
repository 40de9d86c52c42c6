from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memreview.evaluate.training_data import (
    TEST_VOICE,
    BadTrainingData,
    check,
    main,
    read_claims,
    read_pairs,
    read_utterances,
    split,
    voices,
)
from memreview.evaluate.written import read_written
from memreview.resources import RESOURCES

README = RESOURCES / "training" / "README.md"
NO_CLAIM = dict.fromkeys(("claim", "claim_span", "scope", "scope_span", "timescale", "direction", "slot"))


def utterance(number=1, text="I row on the Vltava before work.", *, author="texter", topic="rowing", **label):
    full = {
        "has_claim": True,
        "claim": "Rows on the Vltava before work",
        "claim_span": "I row on the Vltava",
        "scope": "global",
        "scope_span": None,
        "timescale": "stable",
        "direction": "habit",
        "slot": "activity.sport",
        "speech_act": "sincere",
    }
    return {
        "id": f"{author}-u-{number:04}",
        "author": author,
        "topic": topic,
        "text": text,
        "origin": "user",
        "label": full | label,
    }


def pair(number: int = 1, **changes):
    full = {
        "id": f"texter-p-{number:04}",
        "author": "texter",
        "topic": "rowing",
        "older": {"text": "Rows before work.", "at": "2025-01-03T08:00:00+01:00"},
        "newer": {"text": "Boat club wound up, oars are sold.", "at": "2025-06-03T08:00:00+02:00"},
        "relation": "supersedes",
        "nli": "neutral",
        "implicit": True,
        "old_slot": "activity.sport",
        "new_slot": "activity.community",
    }
    return full | changes


def write(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_good_lines_become_frozen_records(tmp_path):
    [record] = read_utterances(write(tmp_path / "utterances.jsonl", utterance()))
    assert record.label.claim_span in record.text
    with pytest.raises(AttributeError):
        record.text = "other"
    [two] = read_pairs(write(tmp_path / "pairs.jsonl", pair()))
    assert two.newer.at > two.older.at


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (utterance(claim_span="I rows on"), "claim_span is not in the text"),
        (utterance(scope="work", scope_span="at work"), "scope_span is not in the text"),
        (utterance(scope="before work"), "scope is global if and only if"),
        (utterance(scope_span="before work"), "scope is global if and only if"),
        (utterance(slot="activity.rowing"), "no slot 'activity.rowing'"),
        (utterance(has_claim=False), "the other labels are null"),
        (utterance(speech_act="past"), "past claims nothing of today"),
        (utterance(speech_act="temporary", has_claim=False, **NO_CLAIM), "temporary is an exception"),
        (utterance(timescale=None), "a claim needs"),
        (utterance(timescale="forever"), "Invalid enum value 'forever'"),
        (utterance(direction="wish"), "Invalid enum value 'wish'"),
        (utterance(claim="User rows on the Vltava"), 'no "User"'),
        (utterance(claim="Rows on the Vltava."), "no full stop"),
        (utterance(claim="rows on the Vltava"), "a capital first"),
        (utterance(text="row " * 81), "81 words"),
        (utterance() | {"origin": "shared_file"}, "a claim in shared_file is quoted"),
        (utterance() | {"id": "texter-1"}, "id should be texter-u-"),
        (utterance() | {"topic": "Rowing!"}, "topic should be plain words"),
        (utterance() | {"note": "x"}, "unknown field `note`"),
        ({key: value for key, value in utterance().items() if key != "origin"}, "missing required field `origin`"),
    ],
)
def test_a_broken_utterance_is_named_with_its_line(tmp_path, row, what):
    good = utterance(7, "Where is the nearest slipway?", has_claim=False, **NO_CLAIM)
    path = write(tmp_path / "utterances.jsonl", good, row)
    with pytest.raises(BadTrainingData) as caught:
        read_utterances(path)
    assert {problem.line for problem in caught.value.problems} == {2}
    assert any(what in str(problem) for problem in caught.value.problems), caught.value


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (pair(nli="entailment"), "supersedes is never entailment"),
        (pair(implicit=False), "explicit supersedes is a contradiction"),
        (pair(relation="scopes"), "only supersedes can be implicit"),
        (pair(relation="coexists", implicit=False, nli="contradiction"), "coexists is never contradiction"),
        (pair(relation="unrelated", implicit=False, new_slot="activity.sport"), "two statements of one slot"),
        (pair(old_slot="rowing"), "no slot 'rowing'"),
        (pair(older={"text": "Rows before work.", "at": "2025-06-03T08:00:00+02:00"}), "older is not before newer"),
        (pair(older={"text": "Rows before work.", "at": "2025-01-03T08:00:00"}), "timezone"),
        (pair(relation="replaces"), "Invalid enum value 'replaces'"),
    ],
)
def test_a_broken_pair_is_named_with_its_line(tmp_path, row, what):
    with pytest.raises(BadTrainingData) as caught:
        read_pairs(write(tmp_path / "pairs.jsonl", row))
    assert any(what in str(problem) and problem.line == 1 for problem in caught.value.problems), caught.value


def test_a_line_that_is_not_json_is_a_problem_and_the_next_is_still_read(tmp_path):
    path = write(tmp_path / "utterances.jsonl", utterance())
    path.write_bytes(b"{oops\n" + path.read_bytes() + b"\n\xff\n")
    report = check(tmp_path)
    assert report.utterances == 1
    assert [problem.line for problem in report.problems] == [1, 4]  # blank lines are none


def test_the_same_text_in_other_letters_or_the_same_id_is_a_problem_across_files(tmp_path):
    write(tmp_path / "a" / "utterances.jsonl", utterance(1))
    write(tmp_path / "b" / "utterances-2.jsonl", utterance(1, "i row on the Vltava, before WORK", claim_span="i row"))
    [same_id, same_text] = check(tmp_path).problems
    assert "same id as" in same_id.what
    assert "same text as" in same_text.what
    assert same_text.path.parent.name == "b"


def test_the_check_counts_labels_and_finds_near_duplicates_and_worn_frames(tmp_path, capsys):
    companions = {"Vltava": "aunt", "Ganges": "boss", "Murray": "vicar", "Yukon": "twin"}
    rowers = [
        utterance(n, f"I row on the {river} with my {friend} before dawn.", claim_span=f"I row on the {river}")
        for n, (river, friend) in enumerate(companions.items(), 1)
    ]
    other = utterance(5, "Which varnish keeps an oak oar from cracking in a dry winter?", has_claim=False, **NO_CLAIM)
    near = utterance(6, "Which varnish keeps an oak oar from cracking in dry winters?", has_claim=False, **NO_CLAIM)
    write(tmp_path / "utterances.jsonl", *rowers, other, near)
    write(tmp_path / "pairs.jsonl", pair())

    report = check(tmp_path)

    assert report.problems == ()
    assert report.counts["utterances: has_claim"] == {"true": 4, "false": 2}
    assert report.counts["claims: slot"] == {"activity.sport": 4}
    assert report.counts["pairs: implicit through"] == {"another slot": 1}
    assert ("texter-u-0005", "texter-u-0006") in report.near_duplicates
    assert 0 < report.near_duplicate_rate < 1
    assert ("texter", "i … on the … with my … before …", 4) in report.frames
    assert main([str(tmp_path)]) == 0
    assert "texter-u-0005 ~ texter-u-0006" in capsys.readouterr().out


def test_a_phrase_is_reported_once_at_its_longest(tmp_path):
    tails = ("gulls", "a kettle of tea", "nobody but me", "thunder near Riga")
    texts = [f"{len(tail)} oars later the harbour master of Split said hello, {tail}" for tail in tails]
    rows = [utterance(number, text, has_claim=False, **NO_CLAIM) for number, text in enumerate(texts)]
    write(tmp_path / "utterances.jsonl", *rows)
    assert check(tmp_path).frames == (("texter", "oars later the harbour master of split said hello", 4),)


def test_status_one_while_a_line_is_broken(tmp_path, capsys):
    write(tmp_path / "utterances.jsonl", utterance(slot="sea"))
    assert main([str(tmp_path)]) == 1
    assert "utterances.jsonl:1: no slot 'sea'" in capsys.readouterr().out


def test_the_split_keeps_authors_and_topics_apart(tmp_path):
    rows = [
        utterance(1, "a b one", topic="rowing", has_claim=False, **NO_CLAIM),
        utterance(2, "a b two", topic="varnish", has_claim=False, **NO_CLAIM),
        utterance(1, "a b three", topic="rowing", author="unseen", has_claim=False, **NO_CLAIM),
    ]
    training, test = split(read_utterances(write(tmp_path / "utterances.jsonl", *rows)), "unseen")
    assert [record.id for record in training] == ["texter-u-0002"]
    assert [record.id for record in test] == ["unseen-u-0001"]


def test_the_examples_of_the_instructions_obey_them(tmp_path):
    first, second, third = (
        json.loads(block) for block in re.findall(r"```json\n(.+?)```", README.read_text("utf-8"), re.S)
    )
    assert read_utterances(write(tmp_path / "utterances.jsonl", first))
    assert read_pairs(write(tmp_path / "pairs.jsonl", second))
    assert read_written(write(tmp_path / "episodes.jsonl", third).parent)


def test_what_is_in_the_repository_passes_its_own_check():
    read_utterances(RESOURCES / "training")
    read_pairs(RESOURCES / "training")


def test_statements_are_read_and_bad_lines_named(tmp_path: Path) -> None:
    (tmp_path / "statements-01.tsv").write_text("diet.dislikes\tdislike\tstable\tsprouts\tsprouts? over my dead body\n")
    (claim,) = read_claims(tmp_path)
    assert (claim.slot, claim.direction, claim.text) == ("diet.dislikes", "dislike", "sprouts? over my dead body")
    (tmp_path / "statements-02.tsv").write_text("diet.nothing\tlike\tstable\tx\ty\none column\na\tlove\tstable\tx\ty\n")
    with pytest.raises(BadTrainingData) as error:
        read_claims(tmp_path)
    assert [problem.line for problem in error.value.problems] == [1, 2, 3]


def test_the_test_voice_is_never_trained_on() -> None:
    found = voices(RESOURCES / "training")
    assert TEST_VOICE not in found
    assert "formal" in found
