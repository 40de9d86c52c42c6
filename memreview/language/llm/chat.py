"""The chat template that comes in a model's file, filled so that no text in it can pass for the template's own tokens.

The template sees a mark in place of each content; the marks are cut out of what it renders, and what stands between is
the only text in which tokens such as "<|im_end|>" mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memreview.language.llm.model import Message, TemplateUnusable

Part = tuple[str, bool]
"""A stretch of the prompt, and whether it is the template's own."""

_MARK = re.compile("\ue000(\\d+)\ue001")


class ChatTemplate:
    """A template is a program from a stranger's file: it runs in Jinja's sandbox."""

    def __init__(self, source: str, *, bos: str, eos: str) -> None:
        """Raises `TemplateUnusable`."""
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        self._errors = (TemplateError, TypeError, ValueError, KeyError, ArithmeticError, AttributeError, LookupError)
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.globals |= {"raise_exception": _refuse, "strftime_now": datetime.now().strftime}
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise TemplateUnusable("The chat template in the model's file can't be read.") from error
        self._variables = {"bos_token": bos, "eos_token": eos, "add_generation_prompt": True, "enable_thinking": False}

    def parts(self, talk: Sequence[Message]) -> list[Part]:
        """The prompt up to where the model's answer begins. Raises `TemplateUnusable`."""
        for turns in (talk, _without_system(talk)):  # some templates know no system's turn
            try:
                if (parts := self._filled(turns)) is not None:
                    return parts
            except self._errors:
                continue
        raise TemplateUnusable("The chat template in the model's file has no place for what it would be told.")

    def _filled(self, talk: Sequence[Message]) -> list[Part] | None:
        """None where a content was left out or stands twice."""
        turns = [{"role": message.role, "content": f"\ue000{number}\ue001"} for number, message in enumerate(talk)]
        cut = _MARK.split(self._template.render(messages=turns, **self._variables))
        if sorted(map(int, cut[1::2])) != list(range(len(talk))):
            return None
        parts = [(talk[int(text)].content, False) if odd else (text, True) for odd, text in _numbered(cut)]
        return [part for part in parts if part[0]]


def _numbered(cut: Sequence[str]) -> list[tuple[bool, str]]:
    return [(place % 2 == 1, text) for place, text in enumerate(cut)]


def _without_system(talk: Sequence[Message]) -> list[Message]:
    """The system's words at the head of the first turn."""
    if not talk or talk[0].role != "system" or len(talk) < 2:
        return list(talk)
    return [Message(talk[1].role, f"{talk[0].content}\n\n{talk[1].content}"), *talk[2:]]


def _refuse(message: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(message)
