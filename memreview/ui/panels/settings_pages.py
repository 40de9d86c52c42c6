"""The pages of the settings that only tell: what could use the network, the model files, and what this is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import time

from PySide6.QtCore import QLocale, qVersion
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from memreview import __version__
from memreview.review import doctor
from memreview.ui.context import SETTINGS, AppContext
from memreview.ui.panels.model_page import ModelCard, language_model_status, network_words
from memreview.ui.text import line, name_for_reader, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy

STALE_S = 60
NETWORK = (
    ("Usage statistics", "There are none."),
    ("Crash reports", "Written to a file in your profile folder, without your texts. Never sent."),
    ("Updates", "memreview never looks for any."),
    ("Model files", "Fetched by the set-up, when you run it. The program itself never fetches anything."),
    ("Links in your conversations", "Shown as text. They are never opened or loaded."),
)


def privacy_page(context: AppContext) -> QWidget:
    page, layout = _page()
    told = Label()
    layout.addWidget(told)
    table = _table(tr("What could use the network"), [tr("What"), tr("How it is here"), tr("On")])
    layout.addWidget(table, 1)

    def show(server: tuple[str, bool]) -> None:
        how, on = server
        none = tr("Nothing here uses the network. This is the whole list of what could, in any program like it:")
        told.setText(tr("You switched on one thing that uses the network:") if on else none)
        _fill(table, [(tr(what), tr(words), tr("off")) for what, words in NETWORK])
        table.addTopLevelItem(QTreeWidgetItem([tr("Language model server"), how, tr("on") if on else tr("off")]))

    def read() -> None:
        context.ask("settings.network", lambda profile: network_words(language_model_status(profile)), show, page)

    context.changed.connect(lambda changed: read() if SETTINGS in changed else None)
    read()
    return page


def models_page(context: AppContext) -> QWidget:
    page, layout = _page()
    layout.addWidget(Label(tr("The files that memreview reads texts with. Without one, the rest goes on working.")))
    table = _table(tr("Model files"), [tr("For"), tr("State"), tr("File")])
    layout.addWidget(table, 1)
    layout.addWidget(ModelCard(context), 1)
    context.ask("settings.models", lambda _: model_rows(), lambda rows: _fill(table, rows), page)
    return page


def model_rows() -> list[tuple[str, str, str]]:
    """(purpose, state, file) of each model file and of llama.cpp. It reads the files: not on the main thread."""
    rows = []
    for file in doctor.models():
        status = file.status(verify=True)
        state = tr("ready") if status.usable else status.reason or tr("missing")
        rows.append((line(file.purpose, 120), line(state, 200), line(file.name, 120)))
    return [*rows, (tr("Runs the language model"), runtime_state(Path(sys.prefix)), "llama.cpp")]


def runtime_state(environment: Path) -> str:
    """How far the set-up is with compiling llama.cpp, from the file that it keeps in the environment."""
    try:
        told = json.loads((environment / "llama-build.json").read_text("utf-8"))
    except (OSError, ValueError):
        return tr("not set up")
    if told.get("state") == "building":
        if time() - told.get("updated_at", 0) > STALE_S:
            return tr("was interrupted; run the set-up again")
        return tr("is being compiled: %1").replace("%1", line(str(told.get("step", "")), 120))
    if told.get("state") == "failed":
        return tr("could not be compiled: %1").replace("%1", line(str(told.get("reason", "")), 300))
    return tr("ready")


def about_page() -> QWidget:
    page, layout = _page()
    for told in (
        f"memreview {__version__}",
        tr("Shows what an AI assistant remembers about you, and helps to put it right. On this computer only."),
        tr("Free software under the Apache License 2.0. The window is made with Qt %1 and PySide6 (LGPL-3).").replace(
            "%1", qVersion()
        ),
        tr("Language: %1").replace("%1", QLocale().nativeLanguageName() or QLocale().name()),
    ):
        layout.addWidget(Label(told, selectable=True))
    layout.addStretch()
    return page


def _fill(table: QTreeWidget, rows: list[tuple[str, str, str]]) -> None:
    table.clear()
    table.addTopLevelItems([QTreeWidgetItem(list(row)) for row in rows])


def _page() -> tuple[QWidget, QVBoxLayout]:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, 0, 0, 0)
    return page, layout


def _table(name: str, titles: list[str]) -> QTreeWidget:
    table = QTreeWidget()
    name_for_reader(table, name)
    table.setHeaderLabels(titles)
    table.setRootIsDecorated(False)
    table.setWordWrap(True)
    roomy(table, {0: 46, 2: 36})
    table.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    table.header().setStretchLastSection(False)
    return table
