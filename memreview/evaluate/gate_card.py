"""The gate's model card, written from what was measured."""

from __future__ import annotations

from memreview.evaluate.eval_gate import GateReport


def write(*args: object) -> None: ...
