"""What every language model can do, and every way in which it can fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from memreview.language.onnx_model import ModelUnavailable

Check = Callable[[], object]
"""Called every few hundredths of a second while a model works; what it raises ends the work."""

_UNCHANGED = "Nothing was changed. The rules do this job where the model can't."
_SURROGATE = re.compile("[\ud800-\udfff]")


class Message(msgspec.Struct, frozen=True):
    """One turn of the talk with a model. `content` is always text to it: no token of the chat template can be in it.
    Lone surrogates, which JSON from elsewhere may hold and no tokenizer takes, become replacement characters."""

    role: Literal["system", "user", "assistant"]
    content: str

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "content", _SURROGATE.sub("\ufffd", self.content))


Talk = tuple[Message, ...]
"""Turns, what is always the same first: a model keeps what it has read of the talk before."""


class LanguageModel(Protocol):
    """May be used from several threads; one request runs at a time. All raise `ModelUnavailable` with the reason."""

    @property
    def id(self) -> str:
        """Names the model and its weights: answers are kept under it."""
        ...

    @property
    def name(self) -> str:
        """As a person knows it."""
        ...

    def write(self, talk: Talk, schema: Mapping[str, Any], max_tokens: int, check: Check) -> str:
        """JSON that the model was held to `schema` for; the caller validates it all the same."""
        ...

    def log_probabilities(self, talk: Talk, choices: Sequence[str], check: Check) -> list[float]:
        """Of each choice as the first token of the answer. A choice that is no token of its own raises
        `MissingToken`."""
        ...

    def close(self) -> None: ...


class PromptTooLong(ModelUnavailable):
    advice = "Use a model with a larger context, or a shorter text."


class TemplateUnusable(ModelUnavailable):
    advice = "Choose a model that is made for conversations (“instruct” or “chat”)."


class UnmeetableSchema(ModelUnavailable):
    """No answer can be of this shape, or one of any length can."""

    advice = _UNCHANGED


class BadAnswer(ModelUnavailable):
    """The model answered, but not what it was asked for."""

    advice = _UNCHANGED


class MissingToken(BadAnswer):
    """A verdict can't be read: a word that it depends on is not among the model's tokens, or not in its answer."""


class ModelDied(ModelUnavailable):
    """The model's process ended while it worked, and once more when it was started again."""

    advice = "The rest of memreview is not touched by it. Choose a smaller model, or close other programs."


FAILURES = {
    kind.__name__: kind for kind in (PromptTooLong, TemplateUnusable, UnmeetableSchema, BadAnswer, MissingToken)
}
"""What a model's process may report, by name."""


def quiet() -> None:
    """A check that never ends the work."""
