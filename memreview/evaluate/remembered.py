"""Language models that give each answer once, for many systems on the same texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memreview.language.gate_reader import Floats, GateReader, Meeting
from memreview.language.relations import Judgement, Pair, RelationModel


class Relations(RelationModel):
    def __init__(self, model: RelationModel) -> None:
        self.id = model.id
        self._model = model
        self._known: dict[Pair, Judgement] = {}

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if missing:
            self._known.update(zip(missing, self._model.judge(missing), strict=True))
        return [self._known[pair] for pair in pairs]


class Reader(GateReader):
    def __init__(self, model: GateReader) -> None:
        self.id = model.id
        self._model = model
        self._known: dict[Meeting, Floats] = {}

    def read(self, meetings: Sequence[Meeting]) -> Floats:
        missing = [one for one in dict.fromkeys(meetings) if one not in self._known]
        if missing:
            self._known.update(zip(missing, self._model.read(missing), strict=True))
        return np.stack([self._known[one] for one in meetings]) if meetings else self._model.read([])
