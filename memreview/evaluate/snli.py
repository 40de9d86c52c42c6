"""The Stanford Natural Language Inference corpus (Bowman et al. 2015, CC BY-SA 4.0) as a file of the person's own:
JSON Lines with `premise`, `hypothesis`, `label`."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from memreview.language.relations import Nli, Pair

TEST = 2_000
"""Pairs that are held out for the test."""
_SEED = 7


class Inference(msgspec.Struct, frozen=True):
    premise: str
    hypothesis: str
    label: Nli

    @property
    def pair(self) -> Pair:
        return Pair(self.premise, self.hypothesis)


def read(path: Path) -> tuple[list[Inference], list[Inference]]:
    """(for training, for the test); no premise is in both. Raises `OSError`, and `msgspec.DecodeError` for a broken
    line."""
    lines = msgspec.json.Decoder(Inference).decode_lines(path.read_bytes())
    premises = sorted({line.premise for line in lines})
    random.Random(_SEED).shuffle(premises)
    rank = {premise: place for place, premise in enumerate(premises)}
    lines.sort(key=lambda line: rank[line.premise])
    return lines[TEST:], lines[:TEST]
