"""One claim that is held back, with all that is needed to decide it: its words where they were said, what the check
made of it, what each choice changes, what speaks against it, what would let it out, and how long it waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from memreview.records.entry import DAY
from memreview.review.quarantine import HELD
from memreview.review.values import QuarantineCase, Verb
from memreview.ui.gate_words import capital, left_words, node_words
from memreview.ui.models.memory_words import source_in_full, standing
from memreview.ui.panels.case import QuotationCard
from memreview.ui.text import day, isolated, line, plural, tr
from memreview.ui.widgets.decay_curve import DecayCurve
from memreview.ui.widgets.decision_bar import DecisionBar
from memreview.ui.widgets.gate_bars import GateBars
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.links import Link, LinkList
from memreview.ui.widgets.page import Page

VERBS = (Verb.RELEASE, Verb.KEEP, Verb.DELETE, Verb.NEVER)
TITLE_CHARS = 240
CONTRADICTED = 3


def verb_words() -> dict[Verb, tuple[str, str]]:
    """What each verb is called and what it does."""
    return {
        Verb.RELEASE: (tr("Let it count …"), tr("It is true: say for how long and where")),
        Verb.KEEP: (tr("Hold longer"), tr("It waits for another fourteen days")),
        Verb.DELETE: (tr("Delete"), tr("It goes, and memories that say it are forgotten")),
        Verb.NEVER: (tr("Block source …"), tr("It goes, and nothing from this source is taken in any more")),
    }


class QuarantineView(QWidget):
    """Shows a QuarantineCase. `decided(verb)` when a button is pressed, `opened(target, id)` to see more."""

    decided = Signal(object)
    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.case: QuarantineCase | None = None
        self._build()

    def show_case(self, case: QuarantineCase) -> None:
        self.case = case
        item = case.item
        self.title.set_clean(f"“{isolated(line(item.remembered or item.claim, TITLE_CHARS))}”")
        self.source.setText(tr("From %1").replace("%1", line(item.provenance.words, TITLE_CHARS)))
        self.when.setText(f"{day(item.at)} · {left_words(item)}")
        self.state.setText(_state_words(case))
        self.state.setVisible(bool(self.state.text()))
        self.quotation.show_quotation(case.context, item.at)
        self.why.setText("\n".join(f"• {reason}" for reason in case.reasons))
        self.bars.setVisible(case.reading is not None)
        if case.reading is not None:
            self.bars.show_reading(case.reading)
        self._show_effects(case.effects)
        self._show_contrary(case)
        self._show_memories(case)
        self._show_release(case)
        self._show_time(case)
        can = set(VERBS) if item.provenance.blockable else set(VERBS) - {Verb.NEVER}
        self.bar.say(verb_words(), can)
        self.area.verticalScrollBar().setValue(0)

    # -- its parts --------------------------------------------------------------------------------------------------

    def _show_effects(self, effects: dict[str, tuple[str, ...]]) -> None:
        for verb, (name, told) in self.effects.items():
            told.setText(" ".join(effects.get(verb, ())))
            name.setVisible(verb in effects)
            told.setVisible(verb in effects)

    def _show_memories(self, case: QuarantineCase) -> None:
        self.stored.setVisible(bool(case.memories))
        self.memories.show_links(
            [
                Link(f"{line(row.text, 300)} ({source_in_full(row)}, {standing(row)})", "memory", row.id)
                for row in case.memories
            ]
        )

    def _show_contrary(self, case: QuarantineCase) -> None:
        self.contrary.setVisible(bool(case.contradicts))
        self.against.show_links(
            [
                Link(f"{line(node.claim, 300)} ({node_words(node)})", "memory", next(iter(node.memories), 0))
                for node in case.contradicts
            ]
        )

    def _show_release(self, case: QuarantineCase) -> None:
        wanted = case.corroboration
        if not wanted.needed:
            self.out.setText("\n".join(wanted.words))
            return
        have = tr("So far: %1 of %2.").replace("%1", str(wanted.have)).replace("%2", str(wanted.needed))
        said = plural(
            len(wanted.heard),
            "It was said in one message, which is not enough.",
            "It was said in %n messages, which is not enough.",
        )
        told = [*wanted.words, f"{have} {said}" if wanted.heard else have, tr("Or you let it count yourself.")]
        self.out.setText("\n".join(f"• {words}" for words in told))

    def _show_time(self, case: QuarantineCase) -> None:
        item, leaves = case.item, case.evicts_at
        if item.status == "evicted" or item.days_left <= 0:
            told = tr("Its 14 days were over on %1, and you had not said the same.")
            self.left.setText(told.replace("%1", day(leaves)))
        else:
            told = tr("It fades while you do not say the same. %1: on %2 it is left out by itself.")
            self.left.setText(told.replace("%1", capital(left_words(item))).replace("%2", day(leaves)))
        whole = case.decay[-1].days
        now = whole - item.days_left
        self.curve.show_curve(case.decay, case.floor, min(whole, max(0.0, now)))
        self.clock.setVisible(item.days_left > 0)
        since = case.decay[0].at
        told = tr("Days are counted in your chats' own time: the last one that was read is of %1.")
        if now <= 0 and since > (item.at or 0):
            told = tr("You decided on %1 to hold it back: its days are counted from then.")
        self.clock.setText(told.replace("%1", day(leaves - round(item.days_left * DAY))))

    def _build(self) -> None:
        self.title = Label(role="title", selectable=True)
        self.source = Label(role="heading")
        self.when = Label(role="muted")
        self.state = Label(role="warn")
        self.quotation = QuotationCard(tr("Where it was said"))
        self.why, self.out, self.left = Label(selectable=True), Label(selectable=True), Label()
        self.bars = GateBars()
        self.against, self.memories = LinkList(CONTRADICTED), LinkList()
        self.curve = DecayCurve()
        self.clock = Label(role="muted")
        self.effects = {verb: (Label(_name(verb), "heading", wrap=False), Label(selectable=True)) for verb in VERBS}
        self.bar = DecisionBar(VERBS)
        self.bar.decided.connect(self.decided)
        for part in (self.quotation, self.against, self.memories):
            part.opened.connect(self.opened)
        self.contrary = _card(tr("What it contradicts"), [self.against])
        self.stored = _card(tr("Memories that say it"), [self.memories])
        self.area = Page(tr("What is held back"))
        column = self.area.column
        column.addWidget(self.title)
        column.addWidget(self.source)
        column.addWidget(self.when)
        column.addWidget(self.state)
        column.addWidget(self.quotation)
        column.addWidget(self._choices())
        column.addWidget(_card(tr("Why it is held back"), [self.why, self.bars]))
        column.addWidget(self.contrary)
        column.addWidget(self.stored)
        column.addWidget(_card(tr("What would let it out"), [self.out]))
        column.addWidget(_card(tr("How long it waits"), [self.left, self.curve, self.clock]))
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.area, 1)
        outer.addWidget(self.bar)

    def _choices(self) -> Card:
        card, grid = Card(tr("What each choice changes")), QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(12)
        for row, labels in enumerate(self.effects.values()):
            for column, label in enumerate(labels):
                grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        card.body.addLayout(grid)
        return card


def _state_words(case: QuarantineCase) -> str:
    """What came of it so far: whether it is remembered, what uses it, and what can still be done once its days are
    over."""
    item, told = case.item, []
    if item.remembered:
        told.append(
            plural(
                sum(memory.status in HELD for memory in case.memories),
                "An assistant remembers this already.",
                "%n memories of your assistants say this already.",
            )
        )
    if item.in_use:
        told.append(tr("It was in a message of yours, so it stays in use until you decide."))
    elif item.status == "evicted":
        left = tr("You did not say the same within 14 days, so it was left out on %1: nothing uses it.")
        told.append(left.replace("%1", day(case.evicts_at)))
    elif item.remembered:
        told.append(tr("While it is held back, no export has it."))
    if item.status == "evicted":
        told.append(tr("You can still let it count, hold it back for another 14 days, or delete it."))
    return " ".join(told)


def _name(verb: Verb) -> str:
    return verb_words()[verb][0].rstrip(" …")


def _card(heading: str, widgets: Sequence[QWidget]) -> Card:
    card = Card(heading)
    for widget in widgets:
        card.body.addWidget(widget)
    return card
