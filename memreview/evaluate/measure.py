"""What a bench reports: one number beside its budget and a plain baseline of the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """Made by `at_most` and `at_least`, which say on which side of the budget the value has to be."""

    name: str
    value: float
    unit: str
    sense: str
    budget: float | None
    baseline: float | None
    ratio: float | None
    """How many times better than the baseline, whichever way is better."""
    met: bool | None
    """None without a budget."""
    note: str

    @classmethod
    def at_most(
        cls,
        name: str,
        value: float,
        unit: str,
        *,
        budget: float | None = None,
        baseline: float | None = None,
        note: str = "",
    ) -> Measurement:
        ratio = baseline / value if baseline is not None and value else None
        met = None if budget is None else value <= budget
        return cls(name, value, unit, "≤", budget, baseline, ratio, met, note)

    @classmethod
    def at_least(
        cls,
        name: str,
        value: float,
        unit: str,
        *,
        budget: float | None = None,
        baseline: float | None = None,
        note: str = "",
    ) -> Measurement:
        ratio = value / baseline if baseline else None
        met = None if budget is None else value >= budget
        return cls(name, value, unit, "≥", budget, baseline, ratio, met, note)
