"""`memreview bench`: each budget of the design beside what was measured and a plain baseline of the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memreview.evaluate import bench_audit, bench_gate, bench_import, bench_search, bench_window
from memreview.evaluate.bench_embed import bench_embed
from memreview.evaluate.bench_language import bench_language
from memreview.evaluate.measure import Measurement

BENCHES: dict[str, Callable[..., list[Measurement]]] = {
    "startup": bench_window.startup,
    "import": bench_import.run,
    "embed": lambda full: bench_embed(),
    "language": lambda full: bench_language(),
    "search": bench_search.run,
    "audit": bench_audit.run,
    "gate": bench_gate.run,
    "ui": bench_window.session,
}


def run(names: Sequence[str], *, full: bool) -> list[Measurement]:
    """Run the named benches, or all. Raises `LookupError` for a name that is none."""
    for name in names:
        if name not in BENCHES:
            raise LookupError(f"There is no bench “{name}”. Choose from {', '.join(BENCHES)}.")
    return [found for name in names or BENCHES for found in BENCHES[name](full=full)]


def table(found: Sequence[Measurement]) -> str:
    """One line a measurement: what, measured, budget, baseline, ratio."""
    rows = [("what", "measured", "budget", "baseline", "ratio", "")]
    for one in found:
        rows.append(
            (
                one.name,
                f"{_number(one.value)} {one.unit}",
                "" if one.budget is None else f"{one.sense} {_number(one.budget)}",
                "" if one.baseline is None else _number(one.baseline),
                "" if one.ratio is None else f"{one.ratio:.2f}x",
                {True: "met", False: "NOT MET", None: ""}[one.met] + (f"  ({one.note})" if one.note else ""),
            )
        )
    widths = [max(len(row[n]) for row in rows) for n in range(5)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5]]).rstrip()
        for row in rows
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
