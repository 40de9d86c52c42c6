"""Triage with the keyboard, end to end on a real profile."""

from __future__ import annotations

from memreview.review import memories, queue
from memreview.review.values import Verb
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication


def _press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    qtbot.waitUntil(lambda: window.context.queries.idle)


def test_a_key_decides_and_moves_on(qtbot, filled, open_window, profile):
    first, second, third = filled(3)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()
    assert inbox.current_id == first
    _press(qtbot, window, Qt.Key.Key_A)
    assert queue.case(profile, first).item.status == "approved"
    assert queue.ids(profile) == [second, third]
    assert inbox.current_id == second
    assert window.toast.isVisible()
    _press(qtbot, window, Qt.Key.Key_R)
    assert queue.case(profile, second).item.status == "rejected"
    assert inbox.current_id == third
    _press(qtbot, window, Qt.Key.Key_U)
    assert queue.case(profile, second).item.status == "pending"
    assert second in inbox.model.ids
    _press(qtbot, window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert queue.ids(profile) == [first, second, third]
    assert memories.rows(profile, memories.ids(profile, "is:superseded")) == []
    _press(qtbot, window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert queue.case(profile, first).item.status == "approved"


def test_a_shifted_key_decides_and_stays(qtbot, filled, open_window, profile):
    first, second, _ = filled(3)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()
    _press(qtbot, window, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert queue.case(profile, first).item.status == "rejected"
    assert inbox.current_id == first
    assert inbox.view.state.text()
    assert not inbox.view.bar.buttons[Verb.APPROVE].isEnabled()
    _press(qtbot, window, Qt.Key.Key_J)
    assert inbox.current_id == second
    assert first not in inbox.model.ids
