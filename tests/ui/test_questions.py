"""Questions one at a time: keys, buttons, own words, skipping, how far one is, and the end of it."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from memreview.evaluate import generate_held
from memreview.review import history, questions
from memreview.store import journal
from memreview.ui.dialogs.situation import SituationDialog
from memreview.ui.dialogs.why import WhyDialog
from memreview.ui.panels.question_view import QuestionView
from memreview.ui.widgets.labels import Label


@pytest.fixture
def asked(profile) -> list[int]:
    """Five open questions: two of each of the commonest kinds, newest first."""
    generate_held.held_back(profile, 3, questions=5)
    return questions.ids(profile)


@pytest.fixture
def window(asked, open_window, qtbot):
    window = open_window()
    window.go_to("questions")
    qtbot.waitUntil(lambda: window.panel("questions").question is not None)
    return window


@pytest.fixture
def panel(window):
    return window.panel("questions")


@pytest.fixture
def view(qtbot) -> QuestionView:
    view = QuestionView()
    qtbot.addWidget(view)
    view.resize(900, 700)
    view.show()
    return view


def _press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    qtbot.waitUntil(lambda: window.context.queries.idle)


def _of(profile, topic: str) -> int:
    return next(one for one in questions.ids(profile) if questions.get(profile, one).case == topic)


def _node(profile, question: int):
    return profile.database.one("SELECT * FROM nodes WHERE question_id = ?", (question,))


def test_a_question_says_what_each_answer_changes(panel, asked, profile):
    question = questions.get(profile, _of(profile, "changed"))
    panel.open(question.item.id)
    view = panel.view
    assert view.title.text() == question.item.text
    assert [button.accessibleName().removesuffix(" …") for button in view.buttons] == [
        choice.label for choice in question.answers
    ]
    assert "no longer counts" in view.buttons[0].accessibleDescription()
    assert view.held.isVisible()
    assert "the first thing I see" in view.quotations[0].view.toPlainText()


@pytest.mark.parametrize("at", [1_750_000_000_000_000, None])
def test_what_is_remembered_names_a_day_only_where_one_is_known(view, panel, profile, at):
    question = questions.get(profile, _of(profile, "changed"))
    held = msgspec.structs.replace(question.held, at=at)
    view.show_question(msgspec.structs.replace(question, held=held), 1, 1)
    told = view.now.findChildren(Label)[-1].text()
    assert held.claim in told
    assert ("since" in told) == (at is not None)
    assert "unknown" not in told


def test_a_number_answers_and_the_next_one_comes(qtbot, window, panel, profile, asked):
    assert panel.view.where.text() == "Question 1 of 5"
    first = panel.question
    panel.focus_first()
    number = next(n for n, choice in enumerate(first.answers, start=1) if not choice.wants_scope)
    _press(qtbot, window, getattr(Qt.Key, f"Key_{number}"))
    qtbot.waitUntil(lambda: panel.question.item.id == asked[1])
    assert panel.view.where.text() == "Question 2 of 5"
    assert panel.view.progress.value() == 1
    assert first.item.id not in questions.ids(profile)
    assert window.toast.isVisible()
    _press(qtbot, window, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: panel.ids == asked)
    assert questions.ids(profile) == asked


def test_a_button_answers_too(panel, profile, qtbot):
    question = _of(profile, "meant")
    panel.open(question)
    panel.view.buttons[-1].click()
    qtbot.waitUntil(lambda: question not in panel.ids)
    assert _node(profile, question)["status"] == "deleted"


def test_only_in_a_situation_asks_for_which(panel, profile, qtbot, when_asked):
    question = _of(profile, "situation")
    panel.open(question)
    number = next(n for n, choice in enumerate(panel.question.answers, start=1) if choice.wants_scope)

    def answer(dialog: SituationDialog) -> None:
        dialog.choice.private.setChecked(True)
        dialog.choice.suggest("the Leeds team")
        assert dialog.scope == "the Leeds team"
        dialog.accept_button.click()

    when_asked(answer)
    panel.press(number)
    qtbot.waitUntil(lambda: question not in panel.ids)
    node = _node(profile, question)
    assert (node["status"], node["scope"]) == ("active", "the Leeds team")


def test_a_situation_left_open_answers_nothing(panel, profile, when_asked):
    question = _of(profile, "situation")
    panel.open(question)
    steps = len(history.steps(profile))
    when_asked(lambda dialog: dialog.reject())
    panel.press(next(n for n, choice in enumerate(panel.question.answers, start=1) if choice.wants_scope))
    assert len(history.steps(profile)) == steps


def test_own_words_are_typed_and_remembered(qtbot, window, panel, profile, asked):
    panel.focus_first()
    first = panel.question.item.id
    _press(qtbot, window, Qt.Key.Key_T)
    assert QApplication.focusWidget() is panel.view.own
    qtbot.keyClicks(panel.view.own, "1 desk in Porto, jk")
    assert panel.question.item.id == first  # letters and digits that are keys elsewhere are only typed
    _press(qtbot, window, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: first not in panel.ids)
    assert _node(profile, first)["claim"] == "1 desk in Porto, jk"
    assert panel.view.own.text() == ""
    assert QApplication.focusWidget() is not panel.view.own


def test_skipping_all_ends_in_a_place_to_come_back_from(qtbot, window, panel, profile, asked):
    panel.focus_first()
    for left in range(len(asked), 0, -1):
        assert len(panel.ids) == left
        _press(qtbot, window, Qt.Key.Key_Z)
    assert panel.question is None
    assert panel.empty.title.text() == "No more questions for now"
    assert "5 skipped questions" in panel.empty.text.text()
    panel.empty.button.click()
    qtbot.waitUntil(lambda: panel.question is not None)
    assert panel.ids == asked


def test_when_all_is_answered_it_says_so_and_leads_on(qtbot, window, panel, profile, asked):
    for _ in asked:
        panel.view.buttons[-1].click()
        qtbot.waitUntil(lambda: window.context.queries.idle)
    assert questions.ids(profile) == []
    assert panel.empty.title.text() == "All questions are answered"
    panel.empty.button.click()
    assert window.current == "history"


def test_moving_on_decides_nothing(qtbot, window, panel, profile, asked):
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_J)
    assert panel.question.item.id == asked[1]
    assert panel.view.where.text() == "Question 2 of 5"
    _press(qtbot, window, Qt.Key.Key_K)
    _press(qtbot, window, Qt.Key.Key_K)
    assert panel.question.item.id == asked[0]
    assert questions.ids(profile) == asked


def test_keys_say_why_they_do_nothing(window, panel, profile, qtbot):
    panel.open(_of(profile, "meant"))
    assert len(panel.question.answers) == 3
    with qtbot.waitSignal(window.context.commands.refused) as refused:
        window.context.commands.run("questions.4")
    assert "fewer answers" in refused.args[0]
    with qtbot.waitSignal(window.context.commands.refused) as refused:
        window.context.commands.run("questions.why")
    assert "Nothing is remembered" in refused.args[0]


def test_the_life_of_what_is_held_is_one_key_away(window, panel, profile, qtbot, when_asked):
    panel.open(_of(profile, "changed"))
    seen = []

    def look(dialog: WhyDialog) -> None:
        seen.append(dialog.text.text())
        dialog.reject()

    when_asked(look)
    window.context.commands.run("questions.why")
    qtbot.waitUntil(lambda: len(seen) == 1)
    assert "three offers" in seen[0]


def test_news_do_not_take_away_what_is_being_typed(window, panel, qtbot):
    panel.view.own.setText("half a sen")
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: window.context.queries.idle)
    assert panel.view.own.text() == "half a sen"


def test_a_link_from_elsewhere_ends_here(window, panel, asked):
    window.show_place("inbox")
    window.go_to("question", asked[3])
    assert window.current == "questions"
    assert panel.question.item.id == asked[3]


def test_badge_counts_what_is_open(window, qtbot):
    row = window.rail.model().index(2, 0)
    qtbot.waitUntil(lambda: row.data(Qt.ItemDataRole.AccessibleTextRole) == "Questions, 5 waiting")


def test_without_questions_the_panel_says_what_it_is_for(open_window, profile, qtbot):
    generate_held.held_back(profile, 1)
    window = open_window()
    panel = window.show_place("questions")
    qtbot.waitUntil(lambda: window.context.queries.idle)
    assert panel.empty.title.text() == "No questions"
    assert "once in twelve messages" in panel.empty.text.text()
    assert not panel.empty.button.isVisible()


def test_a_profile_that_was_never_checked_says_so_and_can_be(open_window, filled, qtbot):
    filled(1)
    window = open_window()
    panel = window.show_place("questions")
    qtbot.waitUntil(lambda: window.context.queries.idle)
    assert panel.empty.title.text() == "Not checked yet"
    started = []
    window.context.worker.started.connect(lambda job: started.append(job.name))
    with qtbot.waitSignal(window.context.worker.ended, timeout=60_000):
        window.context.failed.disconnect(window._on_failed)
        panel.empty.button.click()
        assert window.context.commands.get("questions.check").why_disabled() == "Something is being read already."
    assert started == ["gate"]


def test_hostile_text_stays_text(asked, profile, view):
    with journal.action(profile.database, "gate", "program") as act:
        act.update("nodes", _node(profile, asked[0])["id"], claim="<b>x</b> \u202egnirts\u202c")
    view.show_question(questions.get(profile, asked[0]), 1, 1)
    assert "<b>x</b>" in view.title.text()
    assert "\u202e" not in view.title.text()
    assert view.title.textFormat() == Qt.TextFormat.PlainText


def test_many_remarks_are_shown_and_the_rest_is_counted(asked, profile, view):
    question = questions.get(profile, asked[0])
    many = msgspec.structs.replace(
        question, contexts=question.contexts * 5, item=msgspec.structs.replace(question.item, claims=9)
    )
    view.show_question(many, 1, 1)
    assert all(card.isVisible() for card in view.quotations)
    assert view.more.text() == "and 4 more remarks"
    view.show_question(question, 1, 1)
    assert [card.isVisible() for card in view.quotations] == [True, False, False, False, False]
    assert not view.more.isVisible()


def test_an_answer_is_as_high_as_its_words(asked, profile, view, qtbot):
    view.resize(400, 700)
    view.show_question(questions.get(profile, _of(profile, "changed")), 1, 1)
    qtbot.waitUntil(lambda: all(button.height() >= button.heightForWidth(button.width()) for button in view.buttons))


def test_after_a_click_the_keys_still_work(qtbot, window, panel, profile, asked):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    panel.view.buttons[-1].setFocus()
    _press(qtbot, window, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(panel.ids) == 4)
    assert QApplication.focusWidget() is not panel.view.own
    last = len(panel.question.answers)
    _press(qtbot, window, getattr(Qt.Key, f"Key_{last}"))
    qtbot.waitUntil(lambda: len(panel.ids) == 3)


def test_an_empty_inbox_leads_to_what_waits_elsewhere(window, asked, qtbot):
    inbox = window.show_place("inbox")
    qtbot.waitUntil(lambda: inbox.outer.currentWidget() is inbox.empty)
    assert "5 questions, 3 held back" in inbox.empty.text.text()
    inbox.empty.button.click()
    assert window.current == "questions"
