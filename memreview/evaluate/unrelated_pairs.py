"""Pairs that have nothing to do with each other, out of the written ones: a profile has little else.

Authors write pairs that touch; trained on those alone, a model asks only whether the newer statement sounds like a
change.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import msgspec
import numpy as np

from memreview.evaluate.training_data import Pair, Statement, Utterance
from memreview.language import state_schema
from memreview.language.embedder import TextEmbedder

SEED = 9
STRANGERS = 2
"""Older statements that each newer one meets; the first is drawn, the others are the nearest of a handful drawn."""
CHATTER = 1_000
_HANDFUL = 40
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][a-z]{2,}\b")
_LONGEST = 30  # words of a message that is chatter


def strangers(records: Sequence[Pair], embedder: TextEmbedder) -> list[Pair]:
    """Each newer statement with older ones of slots that it can't rule out by the schema: unrelated."""
    order = random.Random(SEED)
    known = list({record.older.text: record for record in records if record.old_slot}.values())
    vectors = embedder.encode([record.older.text for record in known])
    newer = embedder.encode([record.newer.text for record in records])
    schema = state_schema.load()
    found = []
    for record, vector in zip(records, newer, strict=True):
        if record.new_slot is None:
            continue
        touched = {record.new_slot, record.old_slot, *schema.reach(record.new_slot)}
        drawn = [at for at in order.sample(range(len(known)), _HANDFUL) if known[at].old_slot not in touched]
        nearest = sorted(drawn[1:], key=lambda at: -float(vectors[at] @ vector))
        for at in [*drawn[:1], *nearest[: STRANGERS - 1]]:
            older = Statement(_namesake(known[at].older.text, record.newer.text), record.older.at)
            found.append(_unrelated(record, older, record.newer, known[at].old_slot, record.new_slot))
    return found


def _namesake(text: str, other: str) -> str:
    """The text about the person that the other one names, if both name one: a shared name is no bearing."""
    mine, theirs = _NAME.search(text), _NAME.search(other)
    return text.replace(mine[0], theirs[0]) if mine and theirs else text


def chatter(records: Sequence[Pair], utterances: Sequence[Utterance], embedder: TextEmbedder) -> list[Pair]:
    """Older statements, each with a message in like words that claims nothing: unrelated."""
    order = random.Random(SEED)
    idle = [
        one.text
        for one in utterances
        if not one.label.has_claim and one.origin == "user" and len(one.text.split()) <= _LONGEST
    ]
    stated = list({record.older.text: record for record in records}.values())
    likeness = embedder.encode(idle) @ embedder.encode([record.older.text for record in stated]).T
    found = []
    for row in order.sample(range(len(idle)), min(CHATTER, len(idle))):
        record = stated[int(np.argmax(likeness[row]))]
        found.append(_unrelated(record, record.older, Statement(idle[row], record.newer.at), record.old_slot, None))
    return found


def _unrelated(record: Pair, older: Statement, newer: Statement, old_slot: str | None, new_slot: str | None) -> Pair:
    return msgspec.structs.replace(
        record,
        older=older,
        newer=newer,
        relation="unrelated",
        nli="neutral",
        implicit=False,
        old_slot=old_slot,
        new_slot=new_slot,
    )
