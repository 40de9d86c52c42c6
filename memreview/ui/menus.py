"""The window's own commands and its menu bar."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QMenu

from memreview.review import history, settings
from memreview.ui.commands import Command
from memreview.ui.text import line, tr
from memreview.ui.theme import SCHEMES

if TYPE_CHECKING:
    from memreview.ui.window import MainWindow

TEXT_STEP = 10


def window_commands(window: MainWindow) -> None:
    """Register the commands that work everywhere, and build the menus over them."""
    context = window.context
    for action in context.commands.add(
        [*_file(window), *_edit(window), *_places(window), *_view(window), *_help(window)]
    ):
        window.addAction(action)
    bar = window.menuBar()
    _fill(window, bar.addMenu(tr("&File")), ["file.import", "file.export", "file.tell", "", "file.quit"])
    edit = bar.addMenu(tr("&Edit"))
    _fill(window, edit, ["edit.undo", "edit.redo", "", "edit.palette"])
    edit.aboutToShow.connect(lambda: _name_undo(window))
    review = bar.addMenu(tr("&Review"))
    review.aboutToShow.connect(lambda: _fill_here(window, review))
    places = [command.id for command in context.commands.all() if command.id.startswith("go.")]
    view = bar.addMenu(tr("&View"))
    _fill(window, view, [*places, "", "view.larger", "view.smaller", "view.normal", ""])
    _fill(window, view.addMenu(tr("Appearance")), [f"view.{scheme}" for scheme in SCHEMES])
    _fill(window, bar.addMenu(tr("&Help")), ["help.keys", "help.welcome", "help.folder", "", "help.about"])


def _file(window: MainWindow) -> list[Command]:
    def importing() -> None:
        window.go_to("imports")
        if "imports.choose" in {command.id for command in window.context.commands.here()}:
            window.context.commands.run("imports.choose")

    def exporting() -> None:
        from memreview.ui.dialogs.export import ExportDialog

        ExportDialog(window.context, window).exec()

    def telling() -> None:
        from memreview.ui.dialogs.tell import TellDialog

        TellDialog(window.context, window).exec()

    def nothing() -> str:
        return "" if window.counts.memories else tr("Import an export first: there is nothing to take out yet.")

    group = tr("File")
    return [
        Command("file.import", tr("Import …"), importing, ("Ctrl+O",), group=group),
        Command("file.export", tr("Export the corrected memory …"), exporting, ("Ctrl+E",), nothing, group),
        Command("file.tell", tr("Tell my assistant …"), telling, ("Ctrl+T",), nothing, group),
        Command("file.quit", tr("Quit"), window.close, ("Ctrl+Q",), group=group),
    ]


def _edit(window: MainWindow) -> list[Command]:
    context = window.context

    def no_undo() -> str:
        return "" if history.peek(context.profile)[0] else tr("There is nothing to undo.")

    def no_redo() -> str:
        return "" if history.peek(context.profile)[1] else tr("There is nothing to redo.")

    def palette() -> None:
        from memreview.ui.dialogs.palette import PaletteDialog

        PaletteDialog(window).exec()

    group = tr("Edit")
    return [
        Command("edit.undo", tr("Undo"), context.undo, ("Ctrl+Z", "U"), no_undo, group),
        Command("edit.redo", tr("Redo"), context.redo, ("Ctrl+Shift+Z", "Ctrl+Y"), no_redo, group),
        Command("edit.palette", tr("Find a command, a memory or a place …"), palette, ("Ctrl+K",), group=group),
    ]


def _places(window: MainWindow) -> list[Command]:
    return [
        Command(
            f"go.{place.key}",
            tr("Go to %1").replace("%1", tr(place.title)),
            partial(window.go_to, place.key),
            (f"Ctrl+{number}",),
            group=tr("Places"),
        )
        for number, place in enumerate((p for p in window._places.values() if p.in_rail), start=1)
    ]


def _view(window: MainWindow) -> list[Command]:
    context = window.context

    def appear(scheme: str) -> None:
        context.theme.choose(scheme)
        settings.set(context.profile, "appearance", scheme)

    def resize(percent: int) -> None:
        context.theme.set_text_percent(percent)
        settings.set(context.profile, "text_percent", context.theme.text_percent)

    group = tr("View")
    titles = {"system": tr("Follow the system"), "light": tr("Light"), "dark": tr("Dark")}
    schemes = [
        Command(
            f"view.{scheme}",
            tr("Appearance: %1").replace("%1", titles[scheme]),
            partial(appear, scheme),
            group=group,
        )
        for scheme in SCHEMES
    ]
    theme = context.theme
    return [
        *schemes,
        Command(
            "view.larger",
            tr("Larger text"),
            lambda: resize(theme.text_percent + TEXT_STEP),
            ("Ctrl++", "Ctrl+="),
            group=group,
        ),
        Command(
            "view.smaller", tr("Smaller text"), lambda: resize(theme.text_percent - TEXT_STEP), ("Ctrl+-",), group=group
        ),
        Command("view.normal", tr("Normal text size"), lambda: resize(100), ("Ctrl+0",), group=group),
    ]


def _help(window: MainWindow) -> list[Command]:
    def keys() -> None:
        from memreview.ui.dialogs.keys import KeysDialog

        KeysDialog(window.context.commands, window).exec()

    def about() -> None:
        from memreview.ui.dialogs.about import AboutDialog

        AboutDialog(window).exec()

    def folder() -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(window.context.profile.home)))

    group = tr("Help")
    return [
        Command("help.keys", tr("Show all keys"), keys, ("?", "F1"), group=group),
        Command("help.welcome", tr("Show the first steps"), lambda: window.go_to("welcome"), group=group),
        Command("help.folder", tr("Open the profile's folder"), folder, group=group),
        Command("help.about", tr("About memreview"), about, group=group),
    ]


def _fill(window: MainWindow, menu: QMenu, ids: list[str]) -> None:
    for id in ids:
        if id:
            menu.addAction(window.context.commands.action(id))
        else:
            menu.addSeparator()


def _fill_here(window: MainWindow, menu: QMenu) -> None:
    """The commands of the panel that shows; what can't be done now is grey and says why in its tip."""
    commands = window.context.commands
    menu.clear()
    menu.setToolTipsVisible(True)
    for command in commands.here():
        if commands.scope_of(command.id):
            action = commands.action(command.id)
            action.setToolTip(command.why_disabled())
            menu.addAction(action)


def _name_undo(window: MainWindow) -> None:
    undone, redone = history.peek(window.context.profile)
    for id, word, step in (("edit.undo", tr("Undo"), undone), ("edit.redo", tr("Redo"), redone)):
        action: QAction = window.context.commands.action(id)
        action.setText(f"{word}: {line(step.label, 80)}" if step else word)
