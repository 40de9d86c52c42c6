"""The jobs that a language model can have here: their instructions, examples, forms, and what an answer must not add.

What is always the same stands first in each talk, so that a model reads it once. Imported text is the last turn, and no
more than data: whatever it says, the answer has the job's form, and `faithful` refuses words that come from nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated

import msgspec

from memreview.language.llm.form import Form
from memreview.language.llm.model import Check, LanguageModel, Message, PromptTooLong, Talk, quiet
from memreview.language.sentences import content_tokens

MAX_CHARS = 2_000
"""Of the text that is put to a model; a longer one is refused."""


class Task(StrEnum):
    FORM = "form"  # fill a form with what a text says
    EXTRACT = "extract"  # what a message claims about its author, if anything
    ENTAIL = "entail"  # whether one statement follows from another
    REWRITE = "rewrite"  # a claim as a note in the third person
    ASK = "ask"  # a question about two statements


_Line = Annotated[str, msgspec.Meta(min_length=1, max_length=160)]


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    note: _Line


class Extracted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`note` is empty where nothing is claimed."""

    claims: bool
    note: Annotated[str, msgspec.Meta(max_length=160)]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    question: _Line


NOTE = Form.of(Note, 64)
EXTRACTED = Form.of(Extracted, 72)
ASKED = Form.of(Asked, 64)
YES_NO = ("Yes", "No")

_REWRITE = (
    "Write what the user tells about themselves as one short note in the third person, without a subject. "
    "Keep every name and number. Add nothing. Answer in JSON."
)
_EXTRACT = (
    "Does the user's message state something lasting about the user? If so, write it as one short note in the third "
    "person, without a subject. If not, leave the note empty. Answer in JSON."
)
_ENTAIL = "If the first statement is true, must the second be true too? Answer Yes or No."
_ASK = "Two notes about one person may not fit together. Ask the person one short question about it. Answer in JSON."


def rewrite(model: LanguageModel, text: str, check: Check = quiet) -> str:
    """ "I've gone off long answers" as "Prefers short answers". Raises `ModelUnavailable`."""
    return NOTE.fill(model, _talk(_REWRITE, _REWRITES, text), check).note


def extract(model: LanguageModel, text: str, check: Check = quiet) -> Extracted:
    """Raises `ModelUnavailable`."""
    return EXTRACTED.fill(model, _talk(_EXTRACT, _EXTRACTS, text), check)


def entails(model: LanguageModel, premise: str, hypothesis: str, check: Check = quiet) -> float:
    """Log-odds of Yes over No, read off the model's tokens (DerivAudit, §3); never sampled.

    Raises `ModelUnavailable`, `MissingToken` where a token is not there.
    """
    yes, no = model.log_probabilities(_talk(_ENTAIL, _ENTAILS, _pair(premise, hypothesis)), YES_NO, check)
    return yes - no


def ask(model: LanguageModel, older: str, newer: str, check: Check = quiet) -> str:
    """Raises `ModelUnavailable`."""
    return ASKED.fill(model, _talk(_ASK, _ASKS, _pair(older, newer)), check).question


def faithful(written: str, sources: Sequence[str]) -> bool:
    """Every number and name of `written`, and three quarters of its words of content, are in the sources."""
    known = {token for source in sources for token in content_tokens(source)} | _FREE
    names = {token for name in _NAMED.findall(written) for token in content_tokens(name)}
    tokens = content_tokens(written)
    return bool(tokens) and names <= known and sum(token in known for token in tokens) >= 0.75 * len(tokens)


_NAMED = re.compile(r"(?<=[\w,;:] )[A-Z]\w*|\w*\d\S*")
"""Words with a capital inside of a sentence, and all with a digit."""
_FREE = frozenset(
    content_tokens(
        "prefers likes dislikes wants lives works has is not no longer never always only changed still hold now"
    )
)
"""What a note or question may say though no source does."""


def _talk(told: str, examples: Sequence[tuple[str, str]], text: str) -> Talk:
    turns = [Message("system", told)]
    for asked, answered in examples:
        turns += [Message("user", asked), Message("assistant", answered)]
    if len(text) > MAX_CHARS:
        raise PromptTooLong(f"The text is too long: {len(text):,} characters, where {MAX_CHARS:,} are read.")
    return (*turns, Message("user", text))


def _pair(first: str, second: str) -> str:
    return f"First: {first}\nSecond: {second}"


def _shown(kind: Callable[..., msgspec.Struct], *pairs: tuple[str, tuple[object, ...]]) -> list[tuple[str, str]]:
    """Examples with their answers as the grammar writes them: a space after each colon and comma."""
    return [
        (text, msgspec.json.format(msgspec.json.encode(kind(*fields)), indent=0).decode()) for text, fields in pairs
    ]


_REWRITES = _shown(
    Note,
    ("I've gone off long answers, bullets please", ("Prefers short answers as bullet points",)),
    ("we moved to Graz in May, what do I do about the parking permit?", ("Lives in Graz",)),
    ("my sister Ines is a midwife", ("Sister Ines is a midwife",)),
    ("don't put emojis in my emails", ("Wants no emojis in emails",)),
    ("I can't eat kiwi, it makes my mouth itch", ("Can't eat kiwi",)),
)
_EXTRACTS = _shown(
    Extracted,
    ("we moved to Graz in May, what do I do about the parking permit?", (True, "Lives in Graz")),
    ("translate this into French: the cat is on the mat", (False, "")),
    ("my sister Ines is a midwife", (True, "Sister Ines is a midwife")),
    ("thanks, that worked", (False, "")),
    ("don't put emojis in my emails", (True, "Wants no emojis in emails")),
    ("how long do lentils take?", (False, "")),
)
_ENTAILS = [
    (_pair("Lives in Graz with two cats", "Has cats"), "Yes"),
    (_pair("Likes tea", "Is allergic to tea"), "No"),
    (_pair("Works nights at a bakery", "Works at night"), "Yes"),
    (_pair("Lives in Graz", "Lives in Vienna"), "No"),
]
_ASKS = _shown(
    Asked,
    (_pair("Lives in Graz", "I found a flat in Linz"), ("Do you live in Linz now, and no longer in Graz?",)),
    (_pair("Drinks no coffee", "two espressos and I am ready"), ("Do you drink coffee now?",)),
)
