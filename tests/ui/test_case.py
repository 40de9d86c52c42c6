"""The case: what it says, both quotations, why, what follows; hostile and huge texts included."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QBoxLayout

from memreview.records import Authorization, TransitionKind
from memreview.review import queue
from memreview.review.values import Case, MemoryRow, QueueItem, Verb
from memreview.ui.case_words import change_words, harm_words, sentence
from memreview.ui.panels.case import CaseView


@pytest.fixture
def view(qtbot) -> CaseView:
    view = CaseView()
    qtbot.addWidget(view)
    view.resize(900, 700)
    view.show()
    return view


def test_a_proven_case_quotes_both_sides(filled, profile, view):
    first, _ = filled(2)
    view.show_case(queue.case(profile, first))
    assert "you said that this changed" in view.title.text()
    assert view.diff.toPlainText() == "Friend 0 lives in Berlin Munich"
    assert "Friend 0 lives in Berlin." in view.before.view.toPlainText()
    assert "Friend 0 has moved, now in Munich." in view.after.view.toPlainText()
    assert view.before.button.isVisible()
    assert "moved" in view.why.text()
    assert "kept as history" in view.effects.text()
    assert view.timeline.isVisible()


def test_a_case_of_notes_alone_says_so_plainly(filled, profile, view):
    (only,) = filled(1, stated=1)
    view.show_case(queue.case(profile, only))
    assert view.proof.text() == "Only the notes disagree"
    assert view.title.text().startswith("Two notes disagree")
    assert view.before.none.isVisible()
    assert not view.before.button.isVisible()
    assert "prove only one side, or none" in view.effects.text()


def test_what_approving_changes_is_seen_without_scrolling(filled, open_window, qtbot):
    filled(1)
    window = open_window()
    window.resize(1280, 800)
    view = window.show_place("inbox").view
    qtbot.waitUntil(lambda: view.timeline.plot is not None and window.size() == QSize(1280, 800))
    bottom = view.effects.mapTo(view.area.viewport(), view.effects.rect().bottomLeft()).y()
    assert view.effects.text()
    assert bottom < view.area.viewport().height()
    assert bottom < view.over_time.mapTo(view.area.viewport(), view.over_time.rect().topLeft()).y()


def test_opening_the_chat_goes_to_the_quoted_entry(filled, profile, view, qtbot):
    (only,) = filled(1)
    case = queue.case(profile, only)
    view.show_case(case)
    with qtbot.waitSignal(view.opened) as heard:
        view.after.button.click()
    assert heard.args == ["entry", case.new_context.focus]


def test_quotations_stack_where_it_is_narrow(filled, profile, view, qtbot):
    (only,) = filled(1)
    view.show_case(queue.case(profile, only))
    assert view.quotes.direction() == QBoxLayout.Direction.LeftToRight
    view.resize(400, 700)
    assert view.quotes.direction() == QBoxLayout.Direction.TopToBottom


def test_buttons_carry_their_keys(filled, profile, view):
    (only,) = filled(1)
    view.bar.show_keys({Verb.APPROVE: "A, Return"})
    view.show_case(queue.case(profile, only))
    assert view.bar.buttons[Verb.APPROVE].text() == "Approve   A"
    assert view.bar.buttons[Verb.APPROVE].accessibleName() == "Approve"


def test_hostile_text_stays_text(filled, profile, view):
    said = " <b>x</b><script>y</script> \u202egnirts\u202c \x00 &amp; اللغة"
    (only,) = filled(1, said=said)
    view.show_case(queue.case(profile, only))
    for shown in (view.diff.toPlainText(), view.after.view.toPlainText()):
        assert "<b>x</b><script>y</script>" in shown
        assert "\u202e" not in shown
        assert "⟨U+202E⟩" in shown
        assert "&amp; اللغة" in shown


def test_a_megabyte_does_not_hold_up_the_window(filled, profile, view):
    (only,) = filled(1, said=" lorem ipsum" * 90_000)
    case = queue.case(profile, only)
    began = time.perf_counter()
    view.show_case(case)
    view.repaint()
    assert time.perf_counter() - began < 0.5
    assert "more characters" in view.after.view.toPlainText()
    assert "Friend 0 has moved" in view.after.view.toPlainText()


def _item(**words) -> QueueItem:
    held = {
        "id": 1, "kind": TransitionKind.SAME_SUBJECT, "authorization": Authorization.VERIFIED, "old_text": "Lives in A",
        "new_claim": "Lives in B", "old_value": "", "new_value": "", "old_at": 0, "new_at": 0, "rank": 0.5,
        "confidence": 0.9, "harm": 0.1, "provider": "chatgpt", "status": "pending",
    }  # fmt: skip
    return QueueItem(**(held | words))


def _case(item: QueueItem) -> Case:
    row = MemoryRow(id=1, text="t", status="active", native_state="active", kind="memory", provider="", source_label="")
    return Case(item=item, slot="", old=row, new=None, old_context=None, new_context=None, timeline=(), reasons=(),
                effects=(), path=())  # fmt: skip


def test_each_kind_has_its_sentence(qapp):
    assert sentence(_case(_item(kind=TransitionKind.DUPLICATE))) == "Two memories say the same thing."
    assert "something else holds" in sentence(_case(_item()))
    assert "disagree" in sentence(_case(_item(authorization=Authorization.STATED)))
    assert "you said" in sentence(_case(_item(kind=TransitionKind.EXPLICIT)))


def test_change_and_numbers_in_words(qapp):
    assert "Lives in A" in change_words(_item())
    assert "Oslo" in change_words(_item(old_value="Rome", new_value="Oslo"))
    assert harm_words(_item()) == "How sure: nearly certain. Harm if it stays wrong: small."


def test_a_duplicate_is_folded_and_not_limited(view):
    view.show_case(_case(_item(kind=TransitionKind.DUPLICATE)))
    assert view.bar.buttons[Verb.APPROVE].text().startswith("Fold")
    assert not view.bar.buttons[Verb.SCOPE].isEnabled()
    view.show_case(_case(_item(status="rejected")))
    assert not any(button.isEnabled() for button in view.bar.buttons.values())
    assert view.state.isVisible()
