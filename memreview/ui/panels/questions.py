"""Questions: what only the person can know, one at a time; each answer says what it changes, and skipping is fine."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial

from PySide6.QtCore import QDate
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout

from memreview.review.values import AnswerChoice, Decision, Question, Verb
from memreview.ui import slow_imports
from memreview.ui.commands import Command
from memreview.ui.context import CASES, IMPORTS, MEMORIES, AppContext
from memreview.ui.dialogs.situation import SituationDialog
from memreview.ui.dialogs.why import show_why
from memreview.ui.gate_check import check, unchecked_words, was_checked, why_not_check
from memreview.ui.panel import Panel, press_focused
from memreview.ui.panels.question_view import QuestionView
from memreview.ui.text import end_of_day, plural, tr
from memreview.ui.widgets.empty import EmptyState

MOST_ANSWERS = 4


class QuestionsPanel(Panel):
    title = "Questions"
    icon = "questions"
    concerns = frozenset({CASES, MEMORIES, IMPORTS})

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.ids: list[int] = []
        self._round: set[int] = set()
        self._skipped = 0
        self._with_skipped = False
        self._wanted: int | None = None
        self._act: Callable[[], object] = self._show_skipped
        self.view = QuestionView()
        self.view.answered.connect(self.answer)
        self.view.told.connect(self.tell)
        self.view.skipped.connect(self.skip)
        self.view.opened.connect(context.open)
        self.empty = EmptyState()
        self.empty.acted.connect(self._on_empty)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.stack)

    @property
    def question(self) -> Question | None:
        """What is asked, None where nothing is."""
        return self.view.question if self.stack.currentWidget() is self.view else None

    # -- news -------------------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        self.context.ask("questions.ids", _open_ones, self._show_ids, self)

    def open(self, id: int) -> None:
        if id in self.ids:
            self._show(id)
        else:
            self._wanted = id
            self.refresh(frozenset())

    def focus_first(self) -> None:
        if self.question is not None:
            self.view.page.setFocus()
        else:
            self.empty.button.setFocus()

    # -- answering --------------------------------------------------------------------------------------------------

    def answer(self, choice: AnswerChoice) -> None:
        scope = choice.scope
        if choice.wants_scope:
            dialog = SituationDialog(choice.scope, " ".join(choice.effects), self)
            if not dialog.exec():
                return
            scope = dialog.scope
        self._decide(verb=Verb.ANSWER, answer=choice.key, scope=scope)

    def press(self, number: int) -> None:
        """The answer with that number, from 1."""
        if self.question is not None and number <= len(self.question.answers):
            self.answer(self.question.answers[number - 1])

    def tell(self, text: str) -> None:
        self._decide(verb=Verb.ANSWER, answer="text", text=text)

    def press_primary(self) -> None:
        """Enter: own words that are being typed, else the focused button."""
        if self.view.own.hasFocus():
            self.view.tell()
        else:
            press_focused(self)

    def skip(self) -> None:
        """Until tomorrow."""
        self._decide(verb=Verb.SNOOZE, until=end_of_day(QDate.currentDate()) + 1)

    def _decide(self, **words) -> None:
        if self.question is not None:
            self.context.decide(Decision(questions=(self.question.item.id,), **words))

    def step(self, by: int) -> None:
        if self.question is not None:
            at = self.ids.index(self.question.item.id) + by
            if 0 <= at < len(self.ids):
                self._show(self.ids[at])

    # -- showing ----------------------------------------------------------------------------------------------------

    def _show_ids(self, found: tuple[list[int], list[int]]) -> None:
        asked, all_ = found
        self._skipped = len(all_) - len(asked)
        before, self.ids = self.ids, all_ if self._with_skipped else asked
        if not self.ids:
            self._show_empty()
            return
        if self._round.isdisjoint(self.ids):
            self._round = set()
        self._round |= set(self.ids)
        self._show(self._next(before))

    def _next(self, before: list[int]) -> int:
        """The one that was wanted or that shows; where that is answered, the one that followed it."""
        shown = self.question.item.id if self.question is not None else None
        wanted, self._wanted = self._wanted, None
        after = before[before.index(shown) :] if shown in before else []
        return next((id for id in (wanted, *after) if id in self.ids), self.ids[0])

    def _show(self, id: int) -> None:
        question = self.context.guard(lambda: _get(self.context.profile, id))
        if question is None:
            return
        again = self.question is not None and self.question.item.id == id
        typing, typed = self.view.own.hasFocus(), self.view.own.text()
        focused = QApplication.focusWidget()
        inside = focused is not None and self.view.isAncestorOf(focused)
        shown = self.context.commands.shown_keys
        self.view.show_keys(shown("questions.text"), shown("questions.skip"))
        # Those that this round began with are counted on, so that one sees how far one is.
        settled = len(self._round.difference(self.ids))
        self.view.show_question(question, settled + self.ids.index(id) + 1, len(self._round))
        self.stack.setCurrentWidget(self.view)
        if again and typed:
            self.view.own.setText(typed)
        if inside and not (again and typing):
            # The buttons are new ones; the focus of an old one would end in the field, where keys are only typed.
            self.view.page.setFocus()

    def _show_empty(self) -> None:
        told = tr(
            "Where what you wrote may mean two things, it is asked here, about once in twelve messages at most.\n"
            "Until you answer, it counts for nothing."
        )
        self._with_skipped = False
        self._act = partial(self.context.open, "history")
        if not self.context.profile_has_imports():
            self._act = partial(self.context.commands.run, "file.import")
            self.empty.say(tr("Nothing imported yet"), told, tr("Import …"))
        elif self._skipped:
            self._act = self._show_skipped
            skipped = plural(
                self._skipped, "%n skipped question comes back later.", "%n skipped questions come back later."
            )
            self.empty.say(tr("No more questions for now"), f"{skipped}\n{told}", tr("Show the skipped ones"))
        elif self._round:
            self.empty.say(tr("All questions are answered"), told, tr("See what changed"))
        elif not was_checked(self.context):
            self._act = partial(self.context.commands.run, "questions.check")
            self.empty.say(*unchecked_words())
        else:
            self.empty.say(tr("No questions"), told, "")
        self.stack.setCurrentWidget(self.empty)

    def _on_empty(self) -> None:
        self._act()

    def _show_skipped(self) -> None:
        self._with_skipped = True
        self.refresh(frozenset())

    # -- commands ---------------------------------------------------------------------------------------------------

    def commands(self) -> list[Command]:
        group, none = tr("Questions"), self._why_none
        answers = [
            Command(
                f"questions.{number}",
                tr("Give answer %1").replace("%1", str(number)),
                partial(self.press, number),
                (str(number),),
                partial(self._why_no_answer, number),
                group,
            )
            for number in range(1, MOST_ANSWERS + 1)
        ]
        return [
            *answers,
            Command("questions.text", tr("Answer in your own words"), self.view.own.setFocus, ("T",), none, group),
            Command(
                "questions.primary",
                tr("Press the focused button"),
                self.press_primary,
                ("Return", "Enter"),
                none,
                group,
            ),
            Command("questions.skip", tr("Skip for now"), self.skip, ("Z",), none, group),
            Command(
                "questions.check",
                tr("Check what was not checked yet"),
                partial(check, self.context),
                (),
                partial(why_not_check, self.context),
                group,
            ),
            Command("questions.next", tr("Next question"), partial(self.step, 1), ("J",), none, group),
            Command("questions.previous", tr("Previous question"), partial(self.step, -1), ("K",), none, group),
            Command("questions.chat", tr("Open the chat"), self._open_chat, ("O",), self._why_no_chat, group),
            Command(
                "questions.why", tr("Show the life of what is held"), self._show_why, ("W",), self._why_no_held, group
            ),
        ]

    def _open_chat(self) -> None:
        if self.question is not None and self.question.contexts:
            self.context.open("entry", self.question.contexts[0].focus)

    def _show_why(self) -> None:
        if self.question is not None and self.question.held is not None:
            show_why(self, self.context, "claim", self.question.held.id)

    def _why_none(self) -> str:
        return "" if self.question is not None else tr("There is no question here.")

    def _why_no_answer(self, number: int) -> str:
        if self.question is None or number <= len(self.question.answers):
            return self._why_none()
        return tr("This question has fewer answers.")

    def _why_no_chat(self) -> str:
        if self.question is None or self.question.contexts:
            return self._why_none()
        return tr("No chat was found for this question.")

    def _why_no_held(self) -> str:
        if self.question is None or self.question.held is not None:
            return self._why_none()
        return tr("Nothing is remembered of this yet.")


def _open_ones(profile) -> tuple[list[int], list[int]]:
    """Those to ask now, and with those that were skipped."""
    slow_imports.wait()
    from memreview.review import questions

    return questions.ids(profile), questions.ids(profile, include_snoozed=True)


def _get(profile, id: int) -> Question:
    """Raises `LookupError`."""
    from memreview.review import questions

    return questions.get(profile, id)
