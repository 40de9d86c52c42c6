"""The welcome page: shown while there is nothing, a drop leads on, the made-up person comes in through the worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent

from memreview.review import imports, memories
from memreview.ui.panels import first_run

WAIT = 120_000


@pytest.fixture
def window(open_window):
    return open_window()


@pytest.fixture
def panel(window):
    assert window.current == "welcome"
    return window.panel("welcome")


def drop(widget, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    widget.dropEvent(
        QDropEvent(
            QPoint(9, 9), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_it_shows_three_steps_and_where_to_get_the_export(panel):
    labels = [label.text() for label in panel.findChildren(type(panel.told))]
    assert sum(text[:1] in "123" and text[1:3] == "  " for text in labels) == 3
    for number in range(panel.help.assistant.count()):
        panel.help.assistant.setCurrentIndex(number)
        assert panel.help.steps.text().startswith("1. ")
    assert [panel.help.assistant.itemText(n) for n in range(5)] == ["ChatGPT", "Claude", "mem0", "MCP memory", "Letta"]


def test_a_dropped_list_comes_in_and_its_report_is_shown(panel, window, qtbot, tmp_path, profile):
    path = tmp_path / "notes.md"
    path.write_text("- Lives in Oslo\n- Likes tea\n", "utf-8")
    with qtbot.waitSignal(panel.run.finished, timeout=WAIT):
        drop(panel.zone, path)
    assert window.current == "imports"
    assert "notes.md" in window.panel("imports").report.text.text()
    assert len(memories.ids(profile)) == 2


def test_a_pasted_list_comes_in(panel, window, qtbot, monkeypatch, profile):
    monkeypatch.setattr(first_run, "ask_list", lambda _parent: ("- Lives in Oslo\n", "From my notes"))
    with qtbot.waitSignal(panel.run.finished, timeout=WAIT):
        panel.zone.paste.click()
    assert len(memories.ids(profile)) == 1


def test_the_made_up_person_can_be_tried_and_thrown_away(panel, window, qtbot, profile):
    with qtbot.waitSignal(panel.run.finished, timeout=WAIT):
        panel.sample.click()
        assert not panel.sample.isEnabled()
    assert window.current == "inbox"
    assert len(imports.list(profile)) >= 4
    assert memories.ids(profile)
    there = window.show_place("imports")
    there.list.selectAll()
    there.undo.click()
    assert memories.ids(profile) == []
