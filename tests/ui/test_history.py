"""History over a real journal: every step listed, one taken back, all back to a point, what stands in the way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMessageBox

from memreview.review import decisions, history, memories
from memreview.review.values import Decision, Verb
from memreview.ui import taking_back
from memreview.ui.models.history_table import STATE, STEP_ROLE, WHAT, WHO, HistoryTableModel
from memreview.ui.panels import history as panel_module
from tests.review.builders import import_into
from tests.store.builders import chat, said


@pytest.fixture
def panel(open_window, filled, profile, qtbot):
    """Three decisions on the first memory, one on the second, after an import and an audit."""
    filled(4)
    first, second = memories.ids(profile)[:2]
    for decision in (
        Decision(verb=Verb.EDIT, memories=(first,), text="Lives in Rome"),
        Decision(verb=Verb.SCOPE, memories=(first,), scope="work"),
        Decision(verb=Verb.DELETE, memories=(first,)),
        Decision(verb=Verb.DELETE, memories=(second,)),
    ):
        decisions.decide(profile, decision)
    panel = open_window().show_place("history")
    qtbot.waitUntil(lambda: panel.context.queries.idle)
    return panel


def labels(panel):
    return [panel.model.index(row, WHAT).data() for row in range(panel.model.rowCount())]


def go(panel, label):
    panel.table.selectRow(labels(panel).index(label))


def snapshot(profile):
    return [tuple(row) for row in profile.database.all("SELECT * FROM memories ORDER BY id")]


def test_all_steps_are_listed_newest_first_with_who_did_them(panel):
    assert labels(panel)[:4] == ["Forget 1 memory", "Forget 1 memory", "Limit 1 memory", "Edit 1 memory"]
    assert labels(panel)[-1].startswith("Import chats.zip")
    assert {panel.model.index(row, WHO).data() for row in range(panel.model.rowCount())} == {"You", "Automatic"}


def test_mine_and_automatic_are_told_apart(panel):
    panel.actor.setCurrentIndex(2)
    assert all(label.startswith("Audit") for label in labels(panel))
    panel.actor.setCurrentIndex(1)
    assert not any(label.startswith("Audit") for label in labels(panel))
    assert len(labels(panel)) == 5


def test_one_step_is_taken_back_shown_undone_and_can_be_done_again(panel, profile):
    panel.table.selectRow(0)
    panel.undo_one.click()
    index = panel.model.index(0, STATE)
    assert index.data() == "undone"
    assert index.data(Qt.ItemDataRole.ForegroundRole) == panel.palette().placeholderText()
    assert not panel.undo_one.isEnabled()
    assert panel.redo_one.isVisible()
    panel.redo_one.click()
    assert panel.model.index(0, STATE).data() == ""


def test_what_stands_in_the_way_is_named_and_taken_back_too(panel, profile, monkeypatch):
    told = []

    def agree(box):
        told.append(box.text() + box.informativeText())
        next(button for button in box.buttons() if button.text() == "Undo these too").click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", agree)
    go(panel, "Edit 1 memory")
    panel.undo_one.click()
    assert "can't be undone on its own" in told[0]
    assert "Limit 1 memory" not in told[0] or "Forget 1 memory" in told[0]
    states = {step.label: step.state for step in reversed(history.steps(profile))}
    assert states["Edit 1 memory"] == "undone"
    first = memories.rows(profile, memories.ids(profile))[0]
    assert first.text.startswith("Friend")


def test_saying_no_leaves_everything(panel, profile, monkeypatch):
    before = snapshot(profile)
    monkeypatch.setattr(QMessageBox, "exec", lambda box: box.reject())
    go(panel, "Edit 1 memory")
    panel.undo_one.click()
    assert snapshot(profile) == before


def test_back_to_a_point_is_previewed_and_puts_every_row_back(panel, profile, monkeypatch):
    previews = []
    monkeypatch.setattr(panel_module, "confirm", lambda _over, preview, **_: previews.append(preview) or True)
    start = next(row for row, label in enumerate(labels(panel)) if label.startswith("Audit"))
    panel.table.selectRow(start)
    panel.undo_back.click()
    assert previews[0].counts["memories active"] == 2
    assert all(step.state != "done" for step in history.steps(profile)[:4])
    assert {row.status for row in memories.rows(profile, memories.ids(profile))} == {"active"}
    assert panel.current().label.startswith("Audit")


def test_what_is_left_is_checked_where_going_back_takes_an_import_along(panel, profile, monkeypatch):
    monkeypatch.setattr(panel_module, "confirm", lambda *_, **__: True)
    import_into(profile, chat("c9", said("m9", "We keep two goats.", day=9)), name="newer.zip")
    panel.context.tell_changed(taking_back.TAKEN_BACK)
    panel.table.selectRow(next(row for row, label in enumerate(labels(panel)) if label.startswith("Audit")))
    panel.undo_back.click()
    assert [job.name for job in panel.context.worker.jobs.values()] == ["gate"]


def test_going_back_from_the_preview_changes_nothing(panel, profile, monkeypatch):
    before = snapshot(profile)
    monkeypatch.setattr(panel_module, "confirm", lambda *_, **__: False)
    panel.table.selectRow(panel.model.rowCount() - 1)
    panel.undo_back.click()
    assert snapshot(profile) == before


def test_the_newest_step_has_nothing_after_it(panel):
    panel.table.selectRow(0)
    assert not panel.undo_back.isEnabled()
    assert panel.undo_back.toolTip() == "No later step stands."


def test_keys_move_and_a_step_is_opened_from_elsewhere(panel, profile):
    panel.context.commands.run("history.next")
    assert panel.table.currentIndex().row() == 1
    oldest = history.steps(profile)[-1]
    panel.context.open("step", oldest.id)
    assert panel.current() == oldest


def test_a_long_history_is_loaded_as_one_scrolls(profile, filled, qtmodeltester):
    filled(2)
    memory = memories.ids(profile)[0]
    for number in range(450):
        decisions.decide(profile, Decision(verb=Verb.EDIT, memories=(memory,), text=f"Wording {number}"))
    model = HistoryTableModel(lambda before, limit: history.steps(profile, before=before, limit=limit))
    model.reload()
    assert model.rowCount() == 200
    while model.canFetchMore(QModelIndex()):
        model.fetchMore(QModelIndex())
    assert model.rowCount() == len(history.steps(profile, limit=1_000))
    model.reload("program")
    assert [model.index(row, 0).data(STEP_ROLE).actor for row in range(model.rowCount())] == ["program"]
    model.reload("")
    qtmodeltester.check(model)


def test_an_empty_history_teaches(open_window, qtbot):
    panel = open_window().show_place("history")
    assert panel.empty.isVisible()
    assert "taken back" in panel.empty.text.text()


def test_hostile_names_of_files_stay_text(open_window, profile, qtbot, filled):
    filled(1)
    profile.database.execute("""UPDATE journal SET detail = '{"file": "<b>x</b>\u202e.zip"}' WHERE verb = 'import'""")
    panel = open_window().show_place("history")
    shown = labels(panel)[-1]
    assert shown.startswith("Import <b>x</b>")
    assert "\u202e" not in shown
    assert panel.told.textFormat() == Qt.TextFormat.PlainText


def test_taking_back_names_one_step_and_counts_several(profile, filled):
    filled(1)
    step = history.steps(profile)[0]
    assert taking_back.undone_words([step]) == f"Undone: {step.label}"
    assert taking_back.undone_words([step, step]) == "Undone: 2 steps"
