"""One case, with all that is needed to decide it: the change, what follows, both quotations, why, and the times."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from memreview.records import Authorization, TransitionKind
from memreview.review.values import Case, Context, Verb
from memreview.ui.case_words import harm_words, kind_words, proof_words, sentence, status_words
from memreview.ui.text import day, line, name_for_reader, provider_name, tr
from memreview.ui.widgets.decision_bar import DecisionBar
from memreview.ui.widgets.diff import DiffView
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.page import Page
from memreview.ui.widgets.quotation import QuotationView
from memreview.ui.widgets.timeline import Timeline

VERBS = (Verb.APPROVE, Verb.REJECT, Verb.SCOPE, Verb.EDIT, Verb.DELETE, Verb.SNOOZE)
SIDE_BY_SIDE_CHARS = 95
"""Below this many characters of width the two quotations stand one over the other."""


class CaseView(QWidget):
    """Shows a Case. `decided(verb)` when a button is pressed, `opened(target, id)` to see more."""

    decided = Signal(object)
    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.case: Case | None = None
        self._build()

    def show_case(self, case: Case) -> None:
        self.case = case
        item = case.item
        self.title.set_clean(sentence(case))
        source = line(case.old.source_label, 60) or provider_name(item.provider)
        self.kind.setText(f"{kind_words(item.kind)} · {source}")
        self.proof.setText(proof_words(item))
        self.proof.set_role("chip" if item.authorization is Authorization.VERIFIED else "warn")
        self.state.setText(status_words(item.status))
        self.state.setVisible(bool(self.state.text()))
        new_text = case.new.text if case.new is not None else item.new_claim
        self.diff.show_change(case.old.text, new_text)
        stored = tr("The old memory was stored: %1").replace("%1", day(case.old.created_at))
        scope = tr("It holds for: %1").replace("%1", line(case.old.scope, 80)) if case.old.scope else ""
        self.stored.setText(". ".join(part for part in (stored, scope) if part))
        self.before.show_quotation(case.old_context, item.old_at)
        self.after.show_quotation(case.new_context, item.new_at)
        self.timeline.show_points(case.timeline)
        dated = any(point.at is not None for point in case.timeline)
        self.over_time.setVisible(dated and item.kind is not TransitionKind.DUPLICATE)
        self.why.setText("\n".join(f"• {reason}" for reason in (*case.reasons, harm_words(item))))
        self.effects.setText("\n".join(f"• {effect}" for effect in case.effects))
        folds = item.kind is TransitionKind.DUPLICATE
        self.outcome.heading.setText(tr("If you fold them into one") if folds else tr("If you approve"))
        self.bar.say(_bar_words(folds), _can(case))
        self.area.verticalScrollBar().setValue(0)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        wide = self.width() >= self.fontMetrics().averageCharWidth() * SIDE_BY_SIDE_CHARS
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self.quotes.setDirection(direction)

    def _build(self) -> None:
        self.title = Label(role="title", selectable=True)
        self.kind = Label(role="muted")
        self.proof = Label(role="chip", wrap=False)
        self.state = Label(role="warn")
        self.stored = Label(role="muted")
        self.diff = DiffView()
        self.before = QuotationCard(tr("Before"))
        self.after = QuotationCard(tr("After"))
        self.timeline = Timeline()
        self.why, self.effects = Label(selectable=True), Label(selectable=True)
        self.bar = DecisionBar(VERBS, Verb.APPROVE)
        self.bar.decided.connect(self.decided)
        for card in (self.before, self.after):
            card.opened.connect(self.opened)
        chips = QHBoxLayout()
        chips.addWidget(self.proof, 0, Qt.AlignmentFlag.AlignTop)
        chips.addWidget(self.kind, 1)
        change = _card(tr("What changes"), self.diff, self.stored)
        self.outcome = _card(tr("If you approve"), self.effects)
        self.quotes = QHBoxLayout()
        self.quotes.addWidget(self.before, 1)
        self.quotes.addWidget(self.after, 1)
        self.over_time = _card(tr("Over time"), self.timeline)
        self.area = Page(tr("The case"))
        column = self.area.column
        column.addWidget(self.title)
        column.addLayout(chips)
        column.addWidget(self.state)
        column.addWidget(change)
        column.addWidget(self.outcome)
        column.addLayout(self.quotes)
        column.addWidget(_card(tr("Why you are asked"), self.why))
        column.addWidget(self.over_time)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.area, 1)
        outer.addWidget(self.bar)


class QuotationCard(Card):
    """A quotation in its conversation, or the plain statement that there is none."""

    opened = Signal(str, object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._name = name
        self._context: Context | None = None
        self.view = QuotationView()
        self.none = Label(tr("No chat was found in which this was said."), role="muted")
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.where = Label(role="muted")
        self.button = QPushButton(tr("Open the chat"))
        self.button.clicked.connect(self._on_open)
        foot = QHBoxLayout()
        foot.addWidget(self.where, 1)
        foot.addWidget(self.button)
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.none, 1)
        self.body.addLayout(foot)

    def show_quotation(self, context: Context | None, at: int | None) -> None:
        self._context = context
        self.heading.setText(f"{self._name}: {day(at)}" if at is not None else self._name)
        self.none.setVisible(context is None)
        for part in (self.view, self.where, self.button):
            part.setVisible(context is not None)
        if context is None:
            name_for_reader(self, f"{self._name}: {self.none.text()}")
            return
        title = line(context.title, 80) or tr("Untitled chat")
        self.where.setText(f"{title} · {provider_name(context.provider)}")
        self.view.show_context(context, f"{self._name}, {day(at)}, {title}")
        name_for_reader(self.button, f"{self._name}: {self.button.text()}")

    def _on_open(self) -> None:
        if self._context is not None:
            self.opened.emit("entry", self._context.focus)


def _bar_words(duplicate: bool) -> dict[Verb, tuple[str, str]]:
    return {
        Verb.APPROVE: (tr("Fold into one") if duplicate else tr("Approve"), tr("The new one holds from now on")),
        Verb.REJECT: (tr("Keep both") if duplicate else tr("Reject"), tr("The old one still holds")),
        Verb.SCOPE: (tr("Limit …"), tr("Both hold: say where, or until when, the new one does")),
        Verb.EDIT: (tr("Edit …"), tr("Approve with your own wording")),
        Verb.DELETE: (tr("Forget"), tr("The old memory goes, for good")),
        Verb.SNOOZE: (tr("Later …"), tr("Ask me again another day")),
    }


def _can(case: Case) -> set[Verb]:
    """A decided case has nothing to press."""
    if case.item.status != "pending":
        return set()
    return {verb for verb in VERBS if verb is not Verb.SCOPE or case.item.kind is not TransitionKind.DUPLICATE}


def _card(heading: str, *widgets: QWidget) -> Card:
    card = Card(heading)
    for widget in widgets:
        card.body.addWidget(widget)
    return card
