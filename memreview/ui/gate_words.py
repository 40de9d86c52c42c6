"""What the gate and the ledger say, in the person's words: actions, doubt, layers, days that are left."""

from __future__ import annotations

from memreview.review.values import Counts, GateReading, GateSummary, NodeRow, Provenance, QuarantineItem
from memreview.review.words import ACTIONS
from memreview.ui.text import line, plural, tr

LAYERS = ("stable", "contextual", "transient")
EVERYWHERE = "global"
"""The scope of what holds in every situation. Here, because `records.gate` has NumPy with it."""


def action_words(action: str) -> str:
    return tr(ACTIONS[action])


def unsure_words(reading: GateReading) -> str:
    """Entropy against the limit from which it asks, which the chart shows as a line."""
    share = reading.entropy / reading.eta
    if share >= 1:
        return tr("Too unsure to decide alone: past the line you are asked.")
    if share >= 0.6:
        return tr("Rather unsure, but not past the line, where you are asked.")
    return tr("Quite sure: only past the line you are asked.")


def layer_words(layer: str) -> tuple[str, str]:
    """What a layer is called, and what belongs there."""
    return {
        "stable": (tr("For good"), tr("such as a name, a diet or where you live")),
        "contextual": (tr("For some weeks"), tr("such as a project or a trip; it fades within weeks")),
        "transient": (tr("Only now"), tr("such as a mood or a cold; it fades within days")),
    }[layer]


def source_words(provenance: Provenance) -> str:
    """Where a claim comes from, short enough for a list."""
    kind = {
        "page": tr("Web page"),
        "document": tr("Document"),
        "tool": tr("Tool"),
        "summary": tr("Assistant's summary"),
        "assistant": tr("Assistant's answer"),
        "pasted": tr("Probably pasted"),
        "own": tr("Your message"),
        "memory": tr("Stored memory"),
    }[provenance.kind]
    return f"{kind}: {line(provenance.name, 60)}" if provenance.name else kind


def left_words(item: QuarantineItem) -> str:
    """How long it still waits, or what came of waiting."""
    if item.status == "evicted":
        unsupported = tr("14 days without support, still in use")
        return unsupported if item.in_use else tr("left out after 14 days without support")
    days = round(item.days_left)
    return plural(days, "%n day left", "%n days left") if days else tr("left out within a day")


def standing_words(status: str) -> str:
    """Where a belief stands; a memory that says it may stand elsewhere."""
    return {
        "active": tr("Counts"),
        "superseded": tr("Something newer counts"),
        "quarantined": tr("Held back"),
        "evicted": tr("Left out, unconfirmed"),
        "deleted": tr("Deleted"),
    }[status]


def node_words(node: NodeRow) -> str:
    """Where a belief holds and for how long it is meant to."""
    scope = tr("everywhere") if node.scope in ("", EVERYWHERE) else tr("for %1").replace("%1", line(node.scope, 80))
    return f"{layer_words(node.layer)[0]}, {scope}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def waiting_words(counts: Counts) -> list[str]:
    """What waits in Questions and in Quarantine: "2 questions", "3 held back"."""
    return [
        *([plural(counts.questions, "%n question", "%n questions")] if counts.questions else []),
        *([plural(counts.quarantined, "%n held back", "%n held back")] if counts.quarantined else []),
    ]


def gate_lines(gate: GateSummary | None) -> list[str]:
    """What came out of the gate, as lines of the report on an import."""
    if gate is None:
        return []
    if gate.reason:
        told = tr("What others wrote was not checked, so nothing is held back and nothing is asked.")
        return [told, line(gate.reason, 300)]
    read = plural(
        gate.events, "%n new message was checked for who said what.", "%n new messages were checked for who said what."
    )
    held = plural(gate.quarantined, "%n claim was held back.", "%n claims were held back.")
    wait = tr("What still waits is in Quarantine; what nobody confirmed in fourteen days has left already.")
    asked = plural(gate.questions, "%n question is new in Questions.", "%n questions are new in Questions.")
    return [read, *([f"{held} {wait}"] if gate.quarantined else []), *([asked] if gate.questions else [])]
