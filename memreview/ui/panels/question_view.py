"""One question: its words, its answers with what each changes, own words, and below what was said and what is held."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QProgressBar, QPushButton, QVBoxLayout, QWidget

from memreview.review.values import AnswerChoice, Question
from memreview.ui.gate_words import node_words
from memreview.ui.panels.case import QuotationCard
from memreview.ui.text import day, line, name_for_reader, plural, tr
from memreview.ui.widgets.answer_button import AnswerButton
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.links import Link, LinkList
from memreview.ui.widgets.page import Page

READABLE = 96
"""Characters that a line has at most: what is wider is hard to read."""


class QuestionView(QWidget):
    """`answered(choice)` when an answer is pressed, `told(text)` for own words, `skipped()`, `opened(target, id)`."""

    answered = Signal(object)
    told = Signal(str)
    skipped = Signal()
    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question: Question | None = None
        self.buttons: list[AnswerButton] = []
        self._build()

    def show_question(self, question: Question, number: int, of: int) -> None:
        """It is the `number`th of `of`."""
        self.question = question
        self.where.setText(tr("Question %1 of %2").replace("%1", str(number)).replace("%2", str(of)))
        self.progress.setRange(0, of)
        self.progress.setValue(number - 1)
        self.title.setText(question.item.text)
        self._show_answers(question.answers)
        self.own.clear()
        self._show_evidence(question)
        self.page.verticalScrollBar().setValue(0)

    def show_keys(self, text: str, skip: str) -> None:
        """The keys of own words and of skipping, as the platform writes them."""
        self.remember.setText(tr("Remember my words"))
        self.own.setPlaceholderText(tr("or say it in your own words (key %1)").replace("%1", text))
        self.skip.setText(f"{tr('Skip for now')}   {skip}" if skip else tr("Skip for now"))

    # -- its parts --------------------------------------------------------------------------------------------------

    def _show_answers(self, answers: tuple[AnswerChoice, ...]) -> None:
        for button in self.buttons:
            self.answers.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        for number, choice in enumerate(answers, start=1):
            words = f"{choice.label} …" if choice.wants_scope else choice.label
            button = AnswerButton(str(number), words, " ".join(choice.effects))
            button.clicked.connect(lambda _checked=False, choice=choice: self.answered.emit(choice))
            self.answers.addWidget(button)
            self.buttons.append(button)

    def _show_evidence(self, question: Question) -> None:
        held = question.held
        self.held.setVisible(held is not None)
        if held is not None:
            told = [node_words(held)]
            if held.at:
                told.append(tr("since %1").replace("%1", day(held.at)))
            words = f"{line(held.claim, 300)} ({', '.join(told)})"
            self.now.show_links([Link(words, "memory", next(iter(held.memories), 0))])
        for card, context in zip(self.quotations, [*question.contexts, *[None] * len(self.quotations)], strict=False):
            card.setVisible(context is not None)
            if context is not None:
                at = next((entry.at for entry in context.entries if entry.id == context.focus), None)
                card.show_quotation(context, at)
        more = question.item.claims - len(question.contexts)
        self.more.setText(plural(more, "and %n more remark", "and %n more remarks"))
        self.more.setVisible(0 < more < question.item.claims)

    def _build(self) -> None:
        self.where = Label(role="muted", wrap=False)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setMaximumHeight(self.fontMetrics().height() // 2)
        name_for_reader(self.progress, tr("How many are answered"))
        self.title = Label(role="title", selectable=True)
        self.answers = QVBoxLayout()
        self.answers.setSpacing(8)
        self.own = QLineEdit()
        name_for_reader(self.own, tr("In your own words"), tr("This is remembered instead of what was said"))
        self.remember = QPushButton()
        self.skip = QPushButton()
        self.skip.setToolTip(tr("It is asked again tomorrow; nothing changes until then"))
        self.own.textChanged.connect(lambda text: self.remember.setEnabled(bool(text.strip())))
        self.own.returnPressed.connect(self.tell)
        self.remember.clicked.connect(self.tell)
        self.remember.setEnabled(False)
        self.skip.clicked.connect(self.skipped)
        self.now = LinkList()
        self.now.opened.connect(self.opened)
        self.held = Card(tr("What is remembered now"))
        self.held.body.addWidget(self.now)
        self.quotations = [QuotationCard(tr("What was said")) for _ in range(5)]
        self.more = Label(role="muted")
        self._lay_out()

    def _lay_out(self) -> None:
        self.page = Page(tr("The question"))
        top = QHBoxLayout()
        top.addWidget(self.where)
        top.addWidget(self.progress, 1)
        words = QHBoxLayout()
        words.addWidget(self.own, 1)
        words.addWidget(self.remember)
        foot = QHBoxLayout()
        foot.addWidget(self.skip)
        foot.addStretch(1)
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(12)
        column.addLayout(top)
        column.addWidget(self.title)
        column.addLayout(self.answers)
        column.addLayout(words)
        column.addLayout(foot)
        column.addWidget(self.held)
        for card in self.quotations:
            card.opened.connect(self.opened)
            column.addWidget(card)
        column.addWidget(self.more)
        column.addStretch(1)
        inner.setMaximumWidth(self.fontMetrics().averageCharWidth() * READABLE)
        self._inner = inner
        middle = QHBoxLayout()
        middle.addWidget(inner, 1)
        self.page.column.addLayout(middle)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.page)

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and hasattr(self, "_inner"):
            self._inner.setMaximumWidth(self.fontMetrics().averageCharWidth() * READABLE)

    def tell(self) -> None:
        """Answer with what is typed."""
        if self.own.text().strip():
            self.told.emit(self.own.text().strip())
