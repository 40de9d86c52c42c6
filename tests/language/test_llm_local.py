"""The bundled model in its real process: forms, verdicts, prefix reuse, cancelling, and every way to fail.

One process serves most tests. Where llama.cpp or the model's file is not there yet, nothing is tested.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from memreview.language.llm import choice, local, probe, tasks
from memreview.language.llm.choice import BUNDLED
from memreview.language.llm.form import Form
from memreview.language.llm.local import LocalModel
from memreview.language.llm.model import (
    BadAnswer,
    Message,
    MissingToken,
    ModelDied,
    PromptTooLong,
    Talk,
    UnmeetableSchema,
    quiet,
)
from memreview.language.onnx_model import ModelUnavailable

pytest.importorskip("llama_cpp")
pytestmark = pytest.mark.skipif(not BUNDLED.status().usable, reason="the bundled language model is not here")


class Line(msgspec.Struct, forbid_unknown_fields=True):
    note: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


LINE = Form.of(Line, 64)
TALK: Talk = (Message("user", "Say hello."),)
WORDY: Talk = (Message("user", "word " * 3_000),)


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    made = LocalModel("bundled", "bundled", BUNDLED.path())
    yield made
    made.close()


def test_an_answer_has_the_form_that_was_asked_for(model: LocalModel) -> None:
    assert 1 <= len(LINE.fill(model, TALK).note) <= 40


def test_verdicts_are_log_probabilities_of_tokens(model: LocalModel) -> None:
    found = model.log_probabilities(TALK, ["Yes", "No"], quiet)
    assert all(value < 0 for value in found)
    assert found == model.log_probabilities(TALK, ["Yes", "No"], quiet)


@pytest.mark.parametrize("choices", [["Yes", "antidisestablishmentarianism"], ["Yes", "Yes"], ["", "No"]])
def test_a_verdict_without_a_token_of_its_own_is_an_error(model: LocalModel, choices: list[str]) -> None:
    with pytest.raises(MissingToken):
        model.log_probabilities(TALK, choices, quiet)


def test_a_prompt_beyond_the_context_is_refused_with_numbers(model: LocalModel) -> None:
    with pytest.raises(PromptTooLong, match=r"[\d,]+ tokens, where [\d,]+ have room"):
        LINE.fill(model, (Message("user", "word " * 9_000),))


def test_an_answer_that_does_not_end_is_an_error(model: LocalModel) -> None:
    with pytest.raises(BadAnswer, match="within 3 tokens"):
        model.write(TALK, LINE.schema, 3, quiet)


def test_a_schema_that_can_not_be_met_is_refused_by_the_process_too(model: LocalModel) -> None:
    with pytest.raises(UnmeetableSchema):
        model.write(TALK, {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}, 8, quiet)
    assert LINE.fill(model, TALK)


def test_cancelling_ends_the_reading_of_a_long_prompt_within_200_ms(model: LocalModel) -> None:
    LINE.fill(model, TALK)  # it is loaded
    waits = []
    for text in ("one ", "two ", "six "):  # the quickest of three: other work on this computer slows them
        cancelled, start = 0.0, time.monotonic()

        def check(start: float = start) -> None:
            nonlocal cancelled
            if time.monotonic() - start > 0.3:
                cancelled = time.monotonic()
                raise Stop

        with pytest.raises(Stop):
            LINE.fill(model, (Message("user", text * 3_000),), check)
        waits.append(time.monotonic() - cancelled)
    assert min(waits) < 0.2
    assert LINE.fill(model, TALK)


def test_what_two_talks_share_is_read_once() -> None:
    from memreview.language.llm.engine import Engine

    engine = Engine(BUNDLED.path(), 1)
    head = Message("system", "Answer in JSON. " * 20)
    engine.write((head, Message("user", "Hello")), LINE.schema, 32)
    again = engine.write((head, Message("user", "Goodbye")), LINE.schema, 32)
    assert again.reused > 80
    fresh = Engine(BUNDLED.path(), 1).write((head, Message("user", "Goodbye")), LINE.schema, 32)
    assert fresh.reused == 0
    assert again.text == fresh.text


def test_a_process_that_is_killed_mid_answer_is_started_again(model: LocalModel) -> None:
    LINE.fill(model, TALK)
    first, begun = model.pid, time.monotonic()
    assert first

    def kill() -> None:
        if model.pid == first and time.monotonic() - begun > 0.2:
            os.kill(first, signal.SIGKILL)

    assert LINE.fill(model, (Message("user", "word " * 400),), kill)
    assert model.pid != first


def test_a_process_that_dies_twice_is_told_and_the_next_request_works(model: LocalModel) -> None:
    victims: set[int] = set()
    begun = time.monotonic()

    def kill() -> None:
        """Each process once, when it has begun to read."""
        nonlocal begun
        if model.pid and model.pid not in victims and time.monotonic() - begun > 0.3:
            victims.add(model.pid)
            os.kill(model.pid, signal.SIGKILL)
            begun = time.monotonic()

    with pytest.raises(ModelDied, match="killed, as happens when memory runs out"):
        LINE.fill(model, WORDY, kill)
    assert len(victims) == 2
    assert LINE.fill(model, TALK)


def test_a_process_ends_for_want_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = "import memreview.language.llm.child as c; c.IDLE_SECONDS = 0.2; c.main()"
    monkeypatch.setattr(local, "COMMAND", (local.COMMAND[0], "-c", idle))
    model = LocalModel("bundled", "bundled", BUNDLED.path())
    LINE.fill(model, TALK)
    first = model.pid
    assert model._process
    model._process._child.wait(timeout=10)
    assert LINE.fill(model, TALK)
    assert model.pid != first
    model.close()


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_too_little_memory_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    limited = (
        "import resource, memreview.language.llm.child as c; "
        "resource.setrlimit(resource.RLIMIT_AS, (450 << 20, 450 << 20)); c.main()"
    )
    monkeypatch.setattr(local, "COMMAND", (local.COMMAND[0], "-c", limited))
    model = LocalModel("bundled", "bundled", BUNDLED.path())
    with pytest.raises(ModelUnavailable, match=r"memory|can't be loaded|crashed"):
        LINE.fill(model, TALK)
    assert model.pid is None


@pytest.mark.parametrize(
    ("name", "kept", "words"),
    [
        ("text.gguf", b"Dear diary, " * 100, "not a GGUF file"),
        ("empty.gguf", b"", "not a GGUF file"),
        ("head.gguf", 5_000, "incomplete"),
        ("half.gguf", 50_000_000, "incomplete"),
        ("tail.gguf", -1_000, "incomplete"),
    ],
)
def test_a_file_that_is_no_whole_model_is_told(tmp_path: Path, name: str, kept: bytes | int, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(kept if isinstance(kept, bytes) else BUNDLED.path().read_bytes()[:kept])
    model = LocalModel("x", "x", path)
    with pytest.raises(ModelUnavailable, match=words) as caught:
        LINE.fill(model, TALK)
    assert str(tmp_path) not in str(caught.value)
    assert model.pid is None


def test_an_architecture_that_is_not_known_is_told(tmp_path: Path) -> None:
    data = bytearray(BUNDLED.path().read_bytes())
    place = data.index(b"llama", data.index(b"general.architecture"))
    data[place : place + 5] = b"nopes"
    (tmp_path / "other.gguf").write_bytes(data)
    with pytest.raises(ModelUnavailable, match="architecture"):
        LINE.fill(LocalModel("x", "x", tmp_path / "other.gguf"), TALK)


def test_the_probe_counts_right_answers_and_goes_on_after_wrong_ones(model: LocalModel) -> None:
    seen: list[tuple[int, int]] = []
    card = probe.probe(model, 7, lambda done, total: seen.append((done, total)), per_task=1)
    assert [score.task for score in card.scores] == list(tasks.Task)
    assert all(score.cases == 1 and score.right in (0, 1) for score in card.scores)
    assert seen == [(n, 5) for n in range(5)]
    assert msgspec.convert(msgspec.to_builtins(card), probe.Card) == card


def test_the_bundled_file_is_checked_by_its_checksum() -> None:
    opened = choice.open_model(choice.Bundled())
    assert opened.id == f"gguf:{BUNDLED.sha256}"


def test_a_file_that_was_exchanged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF" + b"1" * 100)
    chosen = choice.file(path)
    path.write_bytes(b"GGUF" + b"2" * 100)
    with pytest.raises(ModelUnavailable, match="another one than was chosen"):
        choice.open_model(chosen)
    path.unlink()
    with pytest.raises(ModelUnavailable, match="no longer where it was"):
        choice.open_model(chosen)
    with pytest.raises(ModelUnavailable, match="can't be read"):
        choice.file(path)
