"""One registry behind menu, keys, palette and help sheet."""

from __future__ import annotations

from PySide6.QtCore import Qt

from memreview.review import settings
from memreview.ui.commands import Command, Commands
from memreview.ui.dialogs.keys import KeysDialog
from memreview.ui.dialogs.palette import PaletteDialog


def _registry(ran: list[str], reason: str = "") -> Commands:
    commands = Commands()
    commands.add([Command("quit", "Quit", lambda: ran.append("quit"), ("Ctrl+Q",))])
    commands.add([Command("a.go", "Go on", lambda: ran.append("a"), ("J",), lambda: reason)], scope="a")
    commands.add([Command("b.go", "Go back", lambda: ran.append("b"), ("J",))], scope="b")
    return commands


def test_keys_belong_to_the_panel_that_shows(qapp):
    commands = _registry([])
    commands.set_scope("a")
    assert [command.id for command in commands.here()] == ["quit", "a.go"]
    assert commands.action("a.go").isEnabled()
    assert not commands.action("b.go").isEnabled()


def test_a_command_that_cannot_run_says_why(qapp, qtbot):
    ran: list[str] = []
    commands = _registry(ran, reason="There is nothing here.")
    with qtbot.waitSignal(commands.refused) as heard:
        commands.action("a.go").trigger()
        commands.run("a.go")
    assert heard.args == ["There is nothing here."]
    assert ran == []


def test_keys_can_be_changed_and_changed_back(qapp):
    commands = _registry([])
    assert [command.id for command in commands.conflicts("a.go", "Ctrl+Q")] == ["quit"]
    assert commands.conflicts("a.go", "J") == []
    commands.rebind("a.go", ["N", "Ctrl+N"])
    assert commands.shown_keys("a.go") == "N, Ctrl+N"
    assert [key.toString() for key in commands.action("a.go").shortcuts()] == ["N", "Ctrl+N"]
    assert commands.rebound == {"a.go": ["N", "Ctrl+N"]}
    commands.rebind("a.go", None)
    assert commands.keys("a.go") == ("J",)
    assert commands.rebound == {}


def test_every_key_of_a_panel_is_its_own(filled, open_window):
    """Two commands on one key would make Qt run neither."""
    filled(1)
    window = open_window()
    commands = window.context.commands
    for key in list(window._places):
        window.panel(key)
    for command in commands.all():
        for shortcut in commands.keys(command.id):
            assert not commands.conflicts(command.id, shortcut), (command.id, shortcut)


def test_rebound_keys_come_from_the_settings(filled, open_window, profile):
    filled(1)
    settings.set(profile, "keys", {"inbox.approve": ["Y"]})
    window = open_window()
    assert window.context.commands.shown_keys("inbox.approve") == "Y"


def test_the_palette_finds_commands_and_says_what_is_not_possible(filled, open_window, qtbot):
    filled(3)
    window = open_window()
    dialog = PaletteDialog(window)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    titles = [entry.title for entry in dialog.entries()]
    assert "Approve: the new one holds" in titles
    assert next(entry.disabled for entry in dialog.entries() if entry.command == "edit.redo")
    qtbot.keyClicks(dialog.field, "aprove")
    assert dialog.entries()[0].command == "inbox.approve"
    assert dialog.entries()[0].note == "A"
    dialog.field.setText("go to tra")
    assert dialog.entries()[0].command == "go.transitions"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.current == "transitions")


def test_the_palette_finds_settings_from_anywhere(filled, open_window, qtbot):
    filled(1)
    window = open_window()
    window.panel("settings")
    dialog = PaletteDialog(window)
    qtbot.addWidget(dialog)
    dialog.field.setText("settings: privacy")
    assert dialog.entries()[0].title == "Settings: Privacy"
    dialog.view.clicked.emit(dialog.results.index(0, 0))
    qtbot.waitUntil(lambda: window.current == "settings")


def test_the_palette_finds_memories(filled, open_window, qtbot):
    filled(3)
    window = open_window()
    opened = []
    window.context.opened.disconnect(window.go_to)
    window.context.opened.connect(lambda target, id: opened.append((target, id)))
    dialog = PaletteDialog(window)
    qtbot.addWidget(dialog)
    dialog.field.setText('"Friend: 1 is:nonsense')
    qtbot.waitUntil(lambda: window.context.queries.idle)
    dialog.field.setText("Friend 1")
    qtbot.waitUntil(lambda: any(entry.memory for entry in dialog.entries()))
    row = next(row for row, entry in enumerate(dialog.entries()) if entry.memory)
    assert "Friend 1" in dialog.entries()[row].title
    dialog.view.clicked.emit(dialog.results.index(row, 0))
    qtbot.waitUntil(lambda: opened == [("memory", dialog.entries()[row].memory)])


def test_the_key_sheet_lists_what_works_here(filled, open_window, qtbot):
    filled(1)
    window = open_window()
    dialog = KeysDialog(window.context.commands, window)
    qtbot.addWidget(dialog)
    shown = {label.text() for label in dialog.findChildren(type(dialog.title))}
    assert {"A", "Approve: the new one holds", "Ctrl+K"} <= shown
    assert not any("Memories" in text and "filter" in text.lower() for text in shown)
