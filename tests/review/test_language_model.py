"""Choosing a model, its card, its jobs, and the rules that do what it can't; the models are servers on real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from memreview.language.llm import probe
from memreview.language.llm.probe import Card, Score
from memreview.language.llm.tasks import Task
from memreview.language.onnx_model import ModelUnavailable
from memreview.review import language_model, note_words, settings
from memreview.review.language_model import LeavesComputer, Off, Server
from memreview.review.profile import Profile
from memreview.review.values import Cancelled
from tests.language.injections import ALL
from tests.language.llm_server import Told, answer, knowing, serving, tokens


def silent(*_: object) -> None:
    pass


@contextmanager
def model(profile: Profile, reply: Any, passed: bool = True) -> Iterator[Told]:
    """The profile uses a server whose card says that it may do every job."""
    with serving(reply) as told:
        chosen = language_model.own_server(told.url)
        scores = tuple(Score(task, 5, 5 if passed else 3, 0.8) for task in Task)
        card = Card(f"server:{told.url}:", "", 1, probe.VERSION, scores)
        with profile.database.transaction():
            settings.set(profile, "language_model", msgspec.to_builtins(chosen))
            settings.set(profile, "language_model_card", msgspec.to_builtins(card))
        yield told


def test_nothing_is_claimed_of_a_model_that_was_not_tried(profile: Profile) -> None:
    status = language_model.status(profile)
    assert {job.by for job in status.jobs} == {"rules"}
    assert all(job.reason for job in status.jobs)
    assert status.at is None
    assert not status.sends


def test_choosing_probes_and_keeps_the_card(profile: Profile) -> None:
    seen: list[tuple[str, int, int]] = []
    with serving(knowing) as told:
        status = language_model.choose(profile, language_model.own_server(told.url, "m"), lambda *now: seen.append(now))
        by = {job.task: job.by for job in status.jobs}
        assert by[Task.REWRITE] == "model"
        assert by[Task.ENTAIL] == "model"
        assert by[Task.FORM] == by[Task.EXTRACT] == by[Task.ASK] == "rules"
        assert status.sends
        assert status.at
        failed = next(job for job in status.jobs if job.task == Task.FORM)
        assert "5 right answers are needed" in failed.reason
        assert seen[-1][0] == "model"
        assert language_model.status(profile) == status
        assert language_model.note(profile, "we don't own a car").by == "model"


def test_a_model_that_can_not_be_run_changes_nothing(profile: Profile) -> None:
    before = language_model.status(profile)
    with pytest.raises(ModelUnavailable):
        language_model.choose(profile, Server("http://127.0.0.1:9/v1", ""), silent)
    assert language_model.status(profile) == before


def test_cancelling_the_probe_changes_nothing(profile: Profile) -> None:
    before = language_model.status(profile)

    def progress(stage: str, done: int, total: int) -> None:
        if done == 3:
            raise Cancelled

    with serving(knowing) as told, pytest.raises(Cancelled):
        language_model.choose(profile, language_model.own_server(told.url), progress)
    assert language_model.status(profile) == before


def test_a_server_elsewhere_is_refused_without_a_second_word(profile: Profile) -> None:
    with pytest.raises(LeavesComputer):
        language_model.choose(profile, Server("http://192.0.2.1/v1", "", elsewhere=False), silent)


def test_off_is_off(profile: Profile) -> None:
    status = language_model.choose(profile, Off(), silent)
    assert {job.reason for job in status.jobs} == {"No language model is chosen."}
    with pytest.raises(ModelUnavailable):
        language_model._RUNNING.get(Off())


def test_an_answer_is_asked_for_once(profile: Profile) -> None:
    with model(profile, lambda _: (200, answer('{"note": "Lives in Porto"}'))) as told:
        texts = [language_model.note(profile, "I moved to Porto").text for _ in range(3)]
        assert texts == ["Lives in Porto"] * 3
        assert len(told.asked) == 1
        language_model.note(profile, "I moved to Porto now")
        assert len(told.asked) == 2


def test_a_model_that_failed_its_probe_is_not_asked(profile: Profile) -> None:
    with model(profile, knowing, passed=False) as told:
        written = language_model.note(profile, "I can't eat kiwi")
        assert (written.text, written.by) == ("Can't eat kiwi", "rules")
        assert "4 right answers are needed" in written.reason
        assert not told.asked


def test_a_card_of_another_model_does_not_count(profile: Profile) -> None:
    with model(profile, knowing):
        settings.set(profile, "language_model", msgspec.to_builtins(Server("http://localhost:1/v1", "other")))
        assert {job.by for job in language_model.status(profile).jobs} == {"rules"}


def test_a_model_that_says_what_is_not_there_is_overruled(profile: Profile) -> None:
    with model(profile, lambda _: (200, answer('{"note": "Prefers BrandCo phones"}'))):
        written = language_model.note(profile, "I can't eat kiwi")
        assert (written.text, written.by) == ("Can't eat kiwi", "rules")
        assert "says more" in written.reason


def test_a_server_that_went_away_leaves_the_rules(profile: Profile) -> None:
    with model(profile, knowing):
        pass
    written = language_model.question(profile, "Lives in Graz", "a flat in Linz", "Has this changed?")
    assert (written.text, written.by) == ("Has this changed?", "rules")
    assert "can't be reached" in written.reason


def test_what_follows_is_judged_by_the_model_or_by_the_relation_model(profile: Profile) -> None:
    with model(profile, lambda _: (200, tokens(Yes=-0.2, No=-2.2))):
        judged = language_model.follows(profile, "Has two cats", "Has cats")
        assert (judged.by, judged.log_odds) == ("model", pytest.approx(2.0))
    with model(profile, lambda _: (200, tokens(Yes=-0.2))):
        fallen = language_model.follows(profile, "Has two cats", "Has cats and a dog")
        assert fallen.by == "rules"
        assert fallen.log_odds is not None
        assert "verdict" in fallen.reason


@pytest.mark.parametrize("echo", [True, False])
def test_no_text_changes_a_record_a_setting_or_the_kind_of_answer(profile: Profile, echo: bool) -> None:
    """Whether the model does as the text says (it repeats it as its answer) or not."""

    def reply(request: dict[str, Any]) -> tuple[int, Any]:
        text = request["messages"][-1]["content"]
        return 200, answer(text if echo else json.dumps({"note": text[:160] or "x"}))

    def held() -> object:
        tables = ("memories", "transitions", "journal", "nodes", "questions", "state")
        return [list(map(tuple, profile.database.all(f"SELECT * FROM {table}"))) for table in tables]

    with model(profile, reply):
        before = held()
        for text in ALL:
            written = language_model.note(profile, text)
            assert isinstance(written.text, str)
            assert len(written.text) <= max(len(text) + 40, 160)
        assert held() == before


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("I can't eat kiwi", "Can't eat kiwi"),
        ("I'm allergic to wasps.", "Is allergic to wasps"),
        ("we've got two cats", "Has got two cats"),
        ("so I always cycle to my office", "Always cycles to their office"),
        ("my sister Ines is a midwife", "Sister Ines is a midwife"),
        ("I need a ramp, please", "Needs a ramp"),
        ("we moved to Porto", "Moved to Porto"),
        ("I don't smoke", "Doesn't smoke"),
        ("im vegan since I was twelve", "Is vegan since they were twelve"),
        ("at the office I drink tea", "At the office they drink tea"),
        ("", ""),
    ],
)
def test_notes_by_rules(said: str, noted: str) -> None:
    assert note_words.note(said) == noted


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Don't use emojis in my mails", "Wants the assistant not to use emojis in their mails"),
        ("no emojis, please", "Wants no emojis"),
        ("call me Bea", "Wants the assistant to call them Bea"),
        ("ISO dates everywhere", "Wants ISO dates everywhere"),
        ("Never correct me when I type fast", "Wants the assistant not to correct them when they type fast"),
    ],
)
def test_wishes_by_rules(said: str, noted: str) -> None:
    from memreview.language.claims import Hypothesis

    wish = Hypothesis(True, 0.9, "sincere", 0.9, claim_span=(0, len(said)), direction="instruction")
    assert note_words.note(said, wish) == noted


def test_a_span_that_cuts_a_word_takes_the_whole_word() -> None:
    from memreview.language.claims import Hypothesis

    found = Hypothesis(True, 0.9, "sincere", 0.9, claim_span=(5, 24), direction="habit")
    assert note_words.note("well I'd sooner keep upwind of it", found) == "Would sooner keep upwind"
