"""Transitions: the cases by kind, and those put off."""

from __future__ import annotations

from PySide6.QtCore import Qt

from memreview.records import TransitionKind
from memreview.review import decisions, queue
from memreview.review.values import Decision, Verb
from memreview.ui.text import now


def test_by_kind_and_back(filled, open_window, qtbot):
    ids = filled(5, stated=2)
    window = open_window()
    panel = window.show_place("transitions")
    qtbot.waitUntil(lambda: panel.model.ids == ids)
    panel.kind.setCurrentIndex(panel.kind.findData("same_subject"))
    qtbot.waitUntil(lambda: panel.model.ids == ids[3:])
    assert panel.heading.text() == "2 cases"
    panel.kind.setCurrentIndex(panel.kind.findData("duplicate"))
    qtbot.waitUntil(lambda: panel.outer.currentWidget() is panel.empty)
    panel.empty.button.click()
    qtbot.waitUntil(lambda: panel.model.ids == ids)


def test_cases_put_off_show_when_asked_for(filled, open_window, profile, qtbot):
    first, second = filled(2)
    decisions.decide(profile, Decision(verb=Verb.SNOOZE, transitions=(first,), until=now() + 10**12))
    window = open_window()
    panel = window.show_place("transitions")
    qtbot.waitUntil(lambda: panel.model.ids == [second])
    panel.snoozed.setChecked(True)
    qtbot.waitUntil(lambda: panel.model.ids == [first, second])


def test_the_same_keys_decide_here(filled, open_window, profile, qtbot):
    first, second = filled(2)
    window = open_window()
    panel = window.show_place("transitions")
    panel.focus_first()
    qtbot.waitUntil(lambda: panel.current_id == first)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(panel.list, Qt.Key.Key_R)
    assert queue.ids(profile) == [second]
    assert panel.current_id == second
    assert window.panel("inbox")
    window.show_place("inbox")
    qtbot.waitUntil(lambda: window.panel("inbox").model.ids == [second])


def test_every_kind_that_a_case_may_be_of_can_be_chosen(filled, open_window):
    filled(1)
    panel = open_window().show_place("transitions")
    assert all(panel.kind.findData(kind.value) > 0 for kind in TransitionKind)
