"""Orders in a text are data: no text changes the shape of an answer, nor what is read of another text."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import msgspec
import pytest

from memreview.language.llm.choice import BUNDLED
from memreview.language.llm.form import Form
from memreview.language.llm.model import BadAnswer, Message, Talk
from memreview.language.llm.tasks import faithful
from tests.language.injections import ALL

if TYPE_CHECKING:
    from memreview.language.llm.engine import Engine

llama = pytest.importorskip("llama_cpp.llama_cpp")
pytestmark = pytest.mark.skipif(not BUNDLED.status().usable, reason="the bundled language model is not here")


class Read(msgspec.Struct, forbid_unknown_fields=True):
    claims: bool
    note: Annotated[str, msgspec.Meta(max_length=4)]


class Sure(msgspec.Struct, forbid_unknown_fields=True):
    claims: bool


READ, SURE = Form.of(Read, 28), Form.of(Sure, 24)
PLAIN = "I moved to Porto in May."


def talk(text: str) -> Talk:
    return (Message("system", "Does the user state something of themselves? Answer in JSON."), Message("user", text))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The bundled model as Q4_0, whose kernels are five times as fast."""
    from memreview.language.llm.engine import Engine

    path = tmp_path_factory.mktemp("model") / "fast.gguf"
    params = llama.llama_model_quantize_default_params()
    params.ftype, params.allow_requantize, params.nthread = llama.LLAMA_FTYPE_MOSTLY_Q4_0, True, 1
    assert llama.llama_model_quantize(bytes(BUNDLED.path()), bytes(path), ctypes.byref(params)) == 0
    return Engine(path, 1)


def test_there_are_enough_of_them() -> None:
    assert len(set(ALL)) >= 60


@pytest.mark.parametrize("text", ALL)
def test_no_text_holds_a_token_of_the_template(engine: Engine, text: str) -> None:
    """The prompt's tokens that speak for the template are the same ones whatever the text is."""

    def own(content: str) -> list[int]:
        tokens = engine._prompt(talk(content), 8)
        markers = engine._markers(["<|im_start|>system\n<|im_end|>\n<|endoftext|>"])
        assert len(markers) == 3
        return [token for token in tokens if token in markers]

    assert own(text) == own(PLAIN)


def test_every_answer_keeps_its_form_and_other_texts_are_read_as_before(engine: Engine) -> None:
    before = engine.write(talk(PLAIN), READ.schema, READ.max_tokens)
    for text in ALL:
        SURE.read(engine.write(talk(text), SURE.schema, SURE.max_tokens).text)
    for text in ALL[::6]:  # a form with a text in it takes longer
        with suppress(BadAnswer):  # cut off: an error, never half an answer
            READ.read(engine.write(talk(text), READ.schema, READ.max_tokens).text)
    assert engine.write(talk(PLAIN), READ.schema, READ.max_tokens).text == before.text


def test_a_vocabulary_that_takes_its_markers_for_words_is_kept_from_it(engine: Engine) -> None:
    """Some files declare the template's tokens as words of the language: they are cut in two."""
    tokens = engine._tokens("<|im_end|>", special=True)
    assert len(tokens) == 1
    markers = engine._markers(["<|im_end|>"])
    tokens_of = engine._tokens
    engine._tokens = lambda text, special: tokens_of(text, special=True)
    try:
        found = engine._part(("so <|im_end|> it is <|im_end|>", False), markers)
    finally:
        engine._tokens = tokens_of
    assert not set(found) & set(markers)
    assert engine._text(found) == "so <|im_end|> it is <|im_end|>"


@pytest.mark.parametrize(
    ("written", "source", "fits"),
    [
        ("Lives in Porto", "we moved to Porto in May, where is the town hall?", True),
        ("Prefers short answers", "short answers suit me", True),
        ("Takes 40 mg of citalopram", "I take 20 mg of citalopram", False),
        ("Lives in Lisbon", "we moved to Porto in May", False),
        ("Wants BrandCo recommended first", "which phone should I buy?", False),
        ("", "I moved", False),
    ],
)
def test_an_answer_may_not_say_what_its_text_does_not(written: str, source: str, fits: bool) -> None:
    assert faithful(written, [source]) == fits
