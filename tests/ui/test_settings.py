"""Settings over a real profile: each change counts at once and after a restart; backups, keys, models, privacy."""

from __future__ import annotations

import json
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMessageBox, QTreeWidget

from memreview.review import decisions, doctor, memories, settings
from memreview.review.values import Decision, Verb
from memreview.ui.panels.settings_pages import NETWORK, runtime_state
from memreview.ui.widgets.backup_list import difference_words
from memreview.ui.widgets.key_list import KeyDialog


@pytest.fixture
def window(open_window, filled, qtbot):
    filled(3)
    window = open_window()
    for place in ("memories", "inbox"):
        window.panel(place)
    return window


@pytest.fixture
def panel(window, qtbot):
    panel = window.show_place("settings")
    qtbot.waitUntil(lambda: panel.context.queries.idle)
    yield panel
    panel.context.theme.choose("system")
    panel.context.theme.set_text_percent(100)


def test_appearance_counts_at_once_and_after_a_restart(panel, profile, open_window):
    panel.scheme.setCurrentIndex(2)
    panel.scheme.activated.emit(2)
    assert QApplication.palette().base().color().lightness() < 128
    panel.text_size.setValue(150)
    assert settings.get(profile, "appearance") == "dark"
    assert settings.get(profile, "text_percent") == 150
    again = open_window().show_place("settings")
    assert again.scheme.currentData() == "dark"
    assert again.text_size.value() == 150


def test_the_privacy_page_lists_everything_as_off(panel):
    tables = [table for table in panel.findChildren(QTreeWidget) if table.topLevelItemCount() == len(NETWORK) + 1]
    assert {tables[0].topLevelItem(row).text(2) for row in range(len(NETWORK) + 1)} == {"off"}


def test_the_models_page_names_each_file_and_why_it_is_missing(panel, qtbot):
    panel.go_to(2)
    table = panel.pages.currentWidget().findChild(QTreeWidget)
    qtbot.waitUntil(lambda: table.topLevelItemCount() == len(doctor.models()) + 1)
    assert all(table.topLevelItem(row).text(1) for row in range(table.topLevelItemCount()))


def test_the_state_of_compiling_is_told(tmp_path):
    def told(**state) -> str:
        (tmp_path / "llama-build.json").write_text(json.dumps(state), "utf-8")
        return runtime_state(tmp_path)

    assert runtime_state(tmp_path / "nowhere") == "not set up"
    assert told(state="building", step="Compiling 12 of 60", updated_at=time.time()) == (
        "is being compiled: Compiling 12 of 60"
    )
    assert told(state="building", step="x", updated_at=0) == "was interrupted; run the set-up again"
    assert told(state="failed", reason="no C++ compiler") == "could not be compiled: no C++ compiler"
    assert told(state="done") == "ready"


def test_a_limit_is_kept(panel, profile):
    box = next(box for box in panel.findChildren(type(panel.text_size)) if box.accessibleName() == "Longest message")
    box.setValue(123_456)
    box.editingFinished.emit()
    assert settings.get(profile, "max_message_chars") == 123_456


def test_a_key_is_changed_kept_and_given_back(panel, profile, window):
    panel.keys.choose("memories.delete")
    assert not panel.keys.reset.isEnabled()
    panel.keys._rebind(["F8"])
    assert window.context.commands.keys("memories.delete") == ("F8",)
    assert settings.get(profile, "keys")["memories.delete"] == ["F8"]
    assert panel.keys.reset.isEnabled()
    panel.keys.reset.click()
    assert "D" in window.context.commands.keys("memories.delete")
    assert "memories.delete" not in settings.get(profile, "keys")


def test_a_command_that_several_panels_have_is_one_row(panel):
    titles = [
        panel.keys.list.topLevelItem(group).child(row).text(0)
        for group in range(panel.keys.list.topLevelItemCount())
        for row in range(panel.keys.list.topLevelItem(group).childCount())
    ]
    assert len(titles) > 20
    approve = [title for title in titles if title.startswith("Approve: the new one holds") and "stay" not in title]
    assert len(approve) == 1


def test_a_key_that_is_taken_can_not_be_chosen(panel, qtbot, window):
    commands = window.context.commands
    dialog = KeyDialog(commands, [commands.get("memories.delete")], panel)
    qtbot.addWidget(dialog)
    dialog.edit.setKeySequence(QKeySequence("E"))
    assert not dialog.accept_button.isEnabled()
    assert "Edit the text" in dialog.problem.text()
    dialog.edit.setKeySequence(QKeySequence("F9"))
    assert dialog.accept_button.isEnabled()


def test_a_backup_is_made_and_restored_with_what_differs(panel, qtbot, profile, monkeypatch):
    panel.backups.make.click()
    qtbot.waitUntil(lambda: panel.backups.list.topLevelItemCount() == 1, timeout=30_000)
    decisions.decide(profile, Decision(verb=Verb.DELETE, memories=tuple(memories.ids(profile))))
    told = []

    def agree(box):
        told.append(box.informativeText())
        for button in box.buttons():
            if button.text() == "Restore it":
                button.click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", agree)
    panel.backups.list.setCurrentItem(panel.backups.list.topLevelItem(0))
    panel.backups.restore.click()
    assert "Steps in the history: 3 now, 2 after" in told[0]
    assert "start it again" in told[1]
    assert not panel.window().isVisible()
    assert len(list(profile.home.glob("*before-restore*"))) >= 1
    restored = panel.context.profile
    assert {row.status for row in memories.rows(restored, memories.ids(restored))} == {"active"}


def test_what_differs_is_a_line_each():
    assert difference_words({"memories": (3, 2)}) == "Memories: 3 now, 2 after"


def test_every_control_has_a_name(panel):
    from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QComboBox, QHeaderView

    for kind in (QAbstractItemView, QAbstractSpinBox, QComboBox):
        for widget in panel.findChildren(kind):
            inner = isinstance(widget, QHeaderView) or widget.parent() is None or isinstance(widget.parent(), QComboBox)
            assert inner or widget.accessibleName() or widget.window() is not panel.window(), widget
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in panel.findChildren(type(panel.backups.none)))
