"""A gate's reader that is asked of each meeting once, for many systems on the same texts."""

from __future__ import annotations

from collections.abc import Sequence

from memreview.language.gate_reader import Impression, Meeting, Reader


class Remembering:
    def __init__(self, model: Reader) -> None:
        self._model = model
        self.seeker = model.seeker
        self._known: dict[Meeting, tuple[Impression, ...]] = {}

    def read(self, meetings: Sequence[Meeting]) -> list[tuple[Impression, ...]]:
        missing = [one for one in dict.fromkeys(meetings) if one not in self._known]
        self._known.update(zip(missing, self._model.read(missing), strict=True))
        return [self._known[one] for one in meetings]
