"""Triage with the keyboard, end to end on a real profile."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from memreview.review import decisions, memories, queue
from memreview.review.values import Decision, Verb
from memreview.ui.dialogs.bulk import BulkDialog
from memreview.ui.dialogs.decide import ScopeDialog, TextDialog
from memreview.ui.models.case_list import CaseListModel


def _press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window.activateWindow()  # off screen there is no window manager to do it when a dialog has closed
    qtbot.waitUntil(window.isActiveWindow)
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


def test_enter_is_the_focused_button_else_approve(qtbot, filled, open_window, profile):
    first, second = filled(2)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()
    inbox.view.bar.buttons[Verb.REJECT].setFocus()
    _press(qtbot, window, Qt.Key.Key_Return)
    assert queue.case(profile, first).item.status == "rejected"
    inbox.focus_first()
    _press(qtbot, window, Qt.Key.Key_Return)
    assert queue.case(profile, second).item.status == "approved"
    assert inbox.outer.currentWidget() is inbox.empty
    assert "decided" in inbox.empty.text.text()


def test_proven_cases_come_first_under_their_own_heading(qtbot, filled, open_window):
    ids = filled(6, stated=2)
    window = open_window()
    model = window.panel("inbox").model
    headings = [row for row in range(model.rowCount()) if model.id_at(row) is None]
    assert headings == [0, 5]
    assert [model.data(model.index(row)) for row in headings] == ["Proven by your own words", "From the notes alone"]
    assert [model.id_at(row) for row in range(8) if row not in headings] == ids
    assert [model.row_of(id) for id in ids] == [1, 2, 3, 4, 6, 7]
    inbox = window.panel("inbox")
    inbox.open(ids[3])
    inbox.step(1)
    assert inbox.current_id == ids[4]


def test_model_holds_with_and_without_headings(filled, profile, qtmodeltester, qapp):
    filled(5, stated=2)
    model = CaseListModel(lambda ids: queue.items(profile, ids))
    for shown in ([], queue.ids(profile), queue.ids(profile)[:2], queue.ids(profile)[3:]):
        model.set_ids(shown)
        assert [model.id_at(row) for row in range(model.rowCount()) if model.id_at(row) is not None] == shown
        qtmodeltester.check(model)


def test_bulk_previews_counts_and_can_be_unticked(qtbot, filled, open_window, profile):
    ids = filled(5)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()
    _press(qtbot, window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert inbox.selected_ids() == ids
    dialog = BulkDialog(window.context, ids, Decision(verb=Verb.APPROVE), window)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "5 cases approved" in dialog.counts.text())
    first = dialog.model.index(0, 0)
    dialog.model.setData(first, Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    qtbot.waitUntil(lambda: "4 cases approved" in dialog.counts.text())
    assert dialog.accept_button.text() == "Approve 4 cases"
    assert queue.ids(profile) == ids
    dialog.accept_button.click()
    qtbot.waitUntil(lambda: queue.ids(profile) == ids[:1])
    qtbot.waitUntil(lambda: inbox.model.ids == ids[:1])
    _press(qtbot, window, Qt.Key.Key_U)
    assert queue.ids(profile) == ids
    qtbot.waitUntil(lambda: inbox.model.ids == ids)


def test_a_bulk_key_opens_the_preview(qtbot, filled, open_window, profile, when_asked):
    ids = filled(3)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()
    inbox.list.selectAll()
    seen = []

    def look(dialog: BulkDialog) -> None:
        seen.append(dialog.model.rowCount())
        dialog.reject()

    when_asked(look)
    _press(qtbot, window, Qt.Key.Key_R)
    assert seen == [3]
    assert queue.ids(profile) == ids


def test_scope_edit_and_snooze_ask_first(qtbot, filled, open_window, profile, when_asked):
    first, _, third, fourth = filled(4)
    window = open_window()
    inbox = window.panel("inbox")
    inbox.focus_first()

    def limit(dialog: ScopeDialog) -> None:
        dialog.project.setChecked(True)
        dialog.accept()
        assert dialog.problem.isVisible()
        dialog.project_name.setText("  Garden ")
        dialog.accept()

    when_asked(limit)
    _press(qtbot, window, Qt.Key.Key_S)
    assert queue.case(profile, first).item.status == "scoped"
    assert len(memories.ids(profile, "scope:garden")) == 1

    def reword(dialog: TextDialog) -> None:
        dialog.edit.setPlainText("My own words")
        dialog.accept()

    when_asked(reword)
    _press(qtbot, window, Qt.Key.Key_E)
    assert [row.text for row in memories.rows(profile, memories.ids(profile, "own words"))] == ["My own words"]

    _press(qtbot, window, Qt.Key.Key_Z)
    menu = QApplication.activePopupWidget()
    menu.actions()[0].trigger()
    menu.close()
    assert queue.case(profile, third).item.snoozed_until is not None
    assert inbox.current_id == fourth


def test_a_case_decided_elsewhere_leaves_the_list(qtbot, filled, open_window, profile):
    first, second = filled(2)
    window = open_window()
    decisions.decide(profile, Decision(verb=Verb.REJECT, transitions=(first,)))
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: window.panel("inbox").model.ids == [second])
    assert window.panel("inbox").current_id == second


def test_rows_are_read_in_pages(filled, profile, qapp):
    ids = filled(2_000, stated=700)
    asked = []
    model = CaseListModel(lambda some: asked.append(len(some)) or queue.items(profile, some))
    model.set_ids(ids)
    model.data(model.index(1_500))
    assert sum(asked) <= 64 + 14
    assert model.rowCount() == 2_002
