"""What a message claims about the person who wrote it: whether anything, in which words, where and for how long.

One encoder with a head for each question (see `models/claims/`). It needs ONNX Runtime and `tokenizers` only, both
imported when a model is loaded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from memreview.language import onnx_model
from memreview.language.onnx_model import ModelConfig
from memreview.language.state_schema import Timescale
from memreview.resources import MODELS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Direction = Literal["instruction", "constraint", "goal", "like", "dislike", "habit", "fact"]
SpeechAct = Literal["sincere", "sarcastic", "hypothetical", "other_person", "quoted", "past", "temporary"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
SPEECH_ACTS: tuple[SpeechAct, ...] = get_args(SpeechAct)
TIMESCALES: tuple[Timescale, ...] = get_args(Timescale)
GLOBAL = "global"

INPUTS = ("input_ids", "token_type_ids")
OUTPUTS = ("labels", "slots", "tags")
LABELS = {
    "claim": 2,
    "narrow": 2,
    "speech_act": len(SPEECH_ACTS),
    "timescale": len(TIMESCALES),
    "direction": len(DIRECTIONS),
}
"""The columns of the output `labels`: groups of logits, in this order."""
MAX_TOKENS = 160
"""Of one text; what is longer is cut."""

SURE = 0.8
_SLOTS = 3
_NOT_MEANT = ("sarcastic", "hypothetical", "quoted", "past")
_MAX_CHARS = 4_000  # far beyond the limit of tokens; keeps a pasted book away from the tokenizer
_BLOCK = 4096  # texts sorted by length at a time
_LEADING = re.compile(r"(?:(?:for|in|on|at|when|whenever|while|only|just|if|with|during)\s+)*", re.I)
_MY = re.compile(r"\bmy\b", re.I)

Span = tuple[int, int]
Floats = NDArray[np.float32]
Row = tuple[list[int], list[int], list[Span]]
"""Token ids, token types and the characters text[start:end] of each token; (0, 0) for the two that frame the text."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What a text claims by its surface. Spans are text[start:end]; without a claim they and what follows are None."""

    has_claim: bool
    claim_probability: float
    speech_act: SpeechAct
    confidence: float
    """Probability that something is claimed and meant: not a joke, a quotation, a mere idea or long over."""
    claim_span: Span | None = None
    direction: Direction | None = None
    timescale: Timescale | None = None
    scope: str | None = None
    """`GLOBAL`, or the words of `scope_span` without what leads them in."""
    scope_span: Span | None = None
    slot: str | None = None
    slot_probability: float = 0.0
    slots: tuple[str, ...] = ()
    """The likeliest slots, best first, until they have `SURE` together; three at most."""
    domain: str | None = None
    domain_probability: float = 0.0
    first_hand: bool = False
    """The person says it, of themselves. Values of protected slots may be stored only then."""


class ClaimConfig(ModelConfig, frozen=True, kw_only=True):
    """`threshold` is the least probability of a claim; `slots` name the columns of that output."""

    threshold: float
    slots: tuple[str, ...]


class TextReader:
    """Texts as the model reads them: [CLS] text [SEP], of token type 0 if the user wrote it and 1 if not."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """The tokenizer truncates."""
        self._tokenizer = tokenizer
        tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text

    def encode(self, texts: Sequence[str], from_user: Sequence[bool]) -> list[Row]:
        clean = [onnx_model.clean(text, _MAX_CHARS) for text in texts]
        found: list[Encoding] = self._tokenizer.encode_batch(clean)
        return [
            (one.ids, [int(not own)] * len(one.ids), one.offsets) for one, own in zip(found, from_user, strict=True)
        ]


class ClaimModel:
    """A folder with `model.onnx`, `tokenizer.json` and `config.json`. A text is read the same alone and in company.
    May be used from several threads."""

    def __init__(self, config: ClaimConfig, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self.id = config.id
        self.threshold = config.threshold
        self._slots = config.slots
        self._reader = TextReader(tokenizer)
        self._session = session

    @classmethod
    def load(cls, folder: Path) -> ClaimModel:
        """Raises `ModelUnavailable`."""
        found = onnx_model.load(folder, ClaimConfig, "claim model", INPUTS, OUTPUTS)
        return cls(found.config, found.tokenizer, found.session)

    def read(self, texts: Sequence[str], origins: Sequence[str], *, abstain: bool = True) -> list[Hypothesis]:
        """One hypothesis a text, in their order; an origin is `user`, or names a source that isn't the person. Give it
        sentences or short messages. Without `abstain` each text is read as if it claimed something."""
        least = self.threshold if abstain else 0.0
        return [
            hypothesis
            for start in range(0, len(texts), _BLOCK)
            for hypothesis in self._block(texts[start : start + _BLOCK], origins[start : start + _BLOCK], least)
        ]

    def _block(self, texts: Sequence[str], origins: Sequence[str], least: float) -> list[Hypothesis]:
        rows = self._reader.encode(texts, [origin == "user" for origin in origins])
        outputs = onnx_model.run_by_length(self._session, [row[:2] for row in rows], OUTPUTS, INPUTS)
        return [
            self._hypothesis(text, origin, offsets, least, *found)
            for text, origin, (_, _, offsets), found in zip(texts, origins, rows, outputs, strict=True)
        ]

    def _hypothesis(
        self,
        text: str,
        origin: str,
        offsets: Sequence[Span],
        least: float,
        labels: Floats,
        slots: Floats,
        tags: Floats,
    ) -> Hypothesis:
        logits = dict(zip(LABELS, np.split(labels, np.cumsum(list(LABELS.values()))[:-1]), strict=True))
        claimed = float(_softmax(logits["claim"])[1])
        acts = _softmax(logits["speech_act"])
        has_claim = claimed >= least
        act = SPEECH_ACTS[int(acts.argmax())] if origin == "user" or claimed < self.threshold else "quoted"
        meant = 1 - sum(float(acts[SPEECH_ACTS.index(name)]) for name in _NOT_MEANT)
        confidence = claimed * meant if origin == "user" else 0.0
        if not has_claim:
            return Hypothesis(False, claimed, act, confidence)
        by_slot = _softmax(slots)
        likeliest = [int(column) for column in np.argsort(-by_slot)[:_SLOTS]]
        needed = int(np.searchsorted(np.cumsum(by_slot[likeliest]), SURE)) + 1
        domain, domain_probability = self._domain(by_slot)
        narrow = logits["narrow"].argmax() == 1
        scope_span = _span(tags[:, 1], offsets) if narrow else None
        return Hypothesis(
            has_claim=True,
            claim_probability=claimed,
            speech_act=act,
            confidence=confidence,
            claim_span=_span(tags[:, 0], offsets),
            direction=DIRECTIONS[int(logits["direction"].argmax())],
            timescale=TIMESCALES[int(logits["timescale"].argmax())],
            scope=tidy(text[slice(*scope_span)]) if scope_span else GLOBAL,
            scope_span=scope_span,
            slot=self._slots[likeliest[0]],
            slot_probability=float(by_slot[likeliest[0]]),
            slots=tuple(self._slots[column] for column in likeliest[:needed]),
            domain=domain,
            domain_probability=domain_probability,
            first_hand=origin == "user" and act in ("sincere", "temporary"),
        )

    def _domain(self, by_slot: Floats) -> tuple[str, float]:
        shares: dict[str, float] = defaultdict(float)
        for slot, share in zip(self._slots, by_slot, strict=True):
            shares[slot.partition(".")[0]] += float(share)
        best = max(shares, key=shares.__getitem__)
        return best, round(shares[best], 6)  # the last digits hang on how the processor cuts a sum


def claims_folder() -> Path:
    return MODELS / "claims"


def tidy(scope: str) -> str:
    """The words of a scope without what leads them in: "in my letters" is "letters"."""
    words = _LEADING.sub("", scope.strip(" ,;:.!?"), count=1)
    return _MY.sub("the", words) or scope


def _span(logits: Floats, offsets: Sequence[Span]) -> Span | None:
    """The run of whole tokens with the greatest sum of log-odds, without the frame of [CLS] and [SEP]; None of none."""
    if len(offsets) <= 2:
        return None
    best, best_sum = (1, 2), -np.inf
    start, total = 1, 0.0
    for at in range(1, len(offsets) - 1):
        if total <= 0:
            start, total = at, 0.0
        total += float(logits[at])
        if total > best_sum:
            best, best_sum = (start, at + 1), total
    first, last = offsets[best[0]], offsets[best[1] - 1]
    return first[0], last[1]


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max())
    shares: Floats = powers / powers.sum()
    return shares
