"""Why something is remembered, or held back: its whole life as a timeline, and what the check thought of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from memreview.review.values import GateReading, Life, NodeRow
from memreview.ui import slow_imports
from memreview.ui.context import AppContext
from memreview.ui.dialogs.base import Dialog
from memreview.ui.gate_words import node_words, standing_words
from memreview.ui.text import line, tr
from memreview.ui.widgets.gate_bars import GateBars
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.life import LifeView

DOUBTED = 0.5
"""Below this probability that the person wrote and means it, it is more probably somebody else's."""


def show_why(parent: QWidget, context: AppContext, target: str, id: int) -> None:
    """`target` is memory or claim. It is read on the query thread: a life may be long."""

    def read(profile) -> tuple[Life, bool] | None:
        slow_imports.wait()
        from memreview.review import quarantine, why

        try:
            life = (why.of_memory if target == "memory" else why.of_node)(profile, id)
        except LookupError:
            return None
        node = life.node
        return life, target == "memory" and node is not None and node.id in quarantine.ids(profile, evicted=True)

    def show(found: tuple[Life, bool] | None) -> None:
        if found is None:
            context.toast(tr("This is no longer here."))
            return
        life, waits = found
        dialog = WhyDialog(life, parent)
        if waits and life.node is not None:
            dialog.offer(tr("Decide in Quarantine"), "claim", life.node.id)
        dialog.opened.connect(lambda target, id: _follow(dialog, context, target, id))
        dialog.exec()

    context.ask("why", read, show, parent)


def _follow(dialog: WhyDialog, context: AppContext, target: str, id: int) -> None:
    """A chat is read over the dialog; for a step one leaves it."""
    if target != "entry":
        dialog.accept()
    context.open(target, id)


class WhyDialog(Dialog):
    """`opened(target, id)`: go to what a line is about, or to what was offered."""

    opened = Signal(str, object)

    def __init__(self, life: Life, parent: QWidget | None = None) -> None:
        super().__init__(tr("Why this is here"), line(life.title, 400), parent=parent)
        self.standing: Label | None = None
        if life.node is not None:
            self.standing = Label(_standing(life.node, life.reading), role="chip", wrap=False)
            self.body.addWidget(self.standing, 0, Qt.AlignmentFlag.AlignLeft)
        self.life = LifeView()
        self.life.opened.connect(self.opened)
        self.life.show_lines(life.lines)
        self.body.addWidget(self.life, 1)
        if life.reading is not None:
            card = Card(tr("What the check made of it when it was first said"))
            bars = GateBars()
            bars.show_reading(life.reading)
            card.body.addWidget(bars)
            self.body.addWidget(card)
        self.widen(110, 38)

    def offer(self, words: str, target: str, id: int) -> None:
        """A button for what can be done about it elsewhere."""
        button = self.buttons.addButton(words, QDialogButtonBox.ButtonRole.ActionRole)
        button.clicked.connect(lambda: self.opened.emit(target, id))


def _standing(node: NodeRow, reading: GateReading | None) -> str:
    """Where it stands now: in use or not, for how long and where, and what it rests on."""
    parts = [standing_words(node.status), *([node_words(node)] if node.status == "active" else [])]
    trust = {
        "user": tr("rests on your own words"),
        "assistant": tr("rests on what the assistant said"),
        "tool_output": tr("rests on what a tool gave back"),
        "retrieved_document": tr("rests on a web page"),
        "shared_file": tr("rests on a document"),
    }.get(node.trust, tr("no message is known that says it"))
    if node.trust == "user" and node.status != "active" and reading is not None and reading.authenticity < DOUBTED:
        trust = tr("rests on a message of yours that probably quotes somebody")
    return " · ".join([*parts, trust])
