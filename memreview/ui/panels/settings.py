"""Settings: how it looks, what could use the network, models, limits, backups, keys. Each change counts at once."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from memreview.review import doctor, settings
from memreview.review.profile import Profile
from memreview.ui.commands import Command
from memreview.ui.context import IMPORTS, SETTINGS
from memreview.ui.dialogs.messages import message_box, tell
from memreview.ui.panel import Panel
from memreview.ui.panels.settings_pages import about_page, models_page, privacy_page
from memreview.ui.text import name_for_reader, tr
from memreview.ui.theme import SCHEMES
from memreview.ui.widgets.backup_list import BackupList, difference_words
from memreview.ui.widgets.key_list import KeyList
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy
from memreview.ui.worker import JobError


class SettingsPanel(Panel):
    title = "Settings"
    icon = "settings"
    concerns = frozenset({SETTINGS, IMPORTS})

    def __init__(self, context, parent=None) -> None:
        super().__init__(context, parent)
        self.sections = roomy(QListWidget())
        name_for_reader(self.sections, tr("Sections of the settings"))
        self.sections.setMaximumWidth(self.fontMetrics().averageCharWidth() * 24)
        self.pages = QStackedWidget()
        for words, build in (
            (tr("Appearance"), self._appearance),
            (tr("Privacy"), lambda: privacy_page(self.context)),
            (tr("Models"), lambda: models_page(self.context)),
            (tr("Limits"), self._limits),
            (tr("Profile and backups"), self._profile),
            (tr("Keys"), self._keys),
            (tr("About"), about_page),
        ):
            self._add(words, build)
        self.sections.currentRowChanged.connect(self.pages.setCurrentIndex)
        self.sections.setCurrentRow(0)
        context.theme.changed.connect(self._show_appearance)
        layout = QHBoxLayout(self)
        layout.addWidget(self.sections)
        layout.addWidget(self.pages, 1)

    def _add(self, words: str, build: Callable[[], QWidget]) -> None:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.addWidget(Label(words, role="title"))
        layout.addWidget(build(), 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(page)
        name_for_reader(scroll, words)
        self.sections.addItem(words)
        self.pages.addWidget(scroll)

    # -- the panel ----------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        self._show_appearance()
        self.backups.show_backups(self.context.guard(lambda: doctor.backups(self.context.profile)) or [])

    def commands(self) -> list[Command]:
        group = tr("Settings")
        titles = [self.sections.item(n).text() for n in range(self.sections.count())]
        return [
            Command(f"settings.{n}", tr("Settings: %1").replace("%1", title), partial(self.go_to, n), group=group)
            for n, title in enumerate(titles)
        ]

    def go_to(self, section: int) -> None:
        self.sections.setCurrentRow(section)

    def focus_first(self) -> None:
        self.sections.setFocus()

    def _store(self, name: str, value: object) -> None:
        self.context.guard(lambda: settings.set(self.context.profile, name, value))

    # -- appearance ---------------------------------------------------------------------------------------------

    def _appearance(self) -> QWidget:
        words = {"system": tr("Like the system"), "light": tr("Light"), "dark": tr("Dark")}
        self.scheme = QComboBox()
        name_for_reader(self.scheme, tr("Colours"))
        for scheme in SCHEMES:
            self.scheme.addItem(words[scheme], scheme)
        self.scheme.setCurrentIndex(SCHEMES.index(self.context.theme.scheme))
        self.scheme.activated.connect(lambda _: self._choose_scheme(self.scheme.currentData()))
        self.text_size = _number(75, 200, self.context.theme.text_percent, " %", tr("Size of the text"), step=5)
        self.text_size.valueChanged.connect(self._choose_text_size)
        return _form((tr("&Colours"), self.scheme), (tr("&Text"), self.text_size))

    def _show_appearance(self) -> None:
        self.scheme.setCurrentIndex(SCHEMES.index(self.context.theme.scheme))
        self.text_size.setValue(self.context.theme.text_percent)

    def _choose_scheme(self, scheme: str) -> None:
        self.context.theme.choose(scheme)
        self._store("appearance", scheme)

    def _choose_text_size(self, percent: int) -> None:
        if percent != self.context.theme.text_percent:
            self.context.theme.set_text_percent(percent)
            self._store("text_percent", percent)

    # -- limits -------------------------------------------------------------------------------------------------

    def _limits(self) -> QWidget:
        return _form(
            self._limit("max_message_chars", tr("Longest message"), 10_000, 50_000_000, tr(" characters"), 100_000),
            self._limit("max_total_gigabytes", tr("Largest export, unpacked"), 1, 1_000, " GB", 1),
            self._limit("backup_before_import_hours", tr("Backup before an import, every"), 0, 168, " h", 1),
        )

    def _limit(self, name: str, words: str, low: int, high: int, unit: str, step: int) -> tuple[str, QSpinBox]:
        box = _number(low, high, settings.get(self.context.profile, name), unit, words, step)
        box.editingFinished.connect(lambda: self._store(name, box.value()))
        return words, box

    # -- profile and backups ------------------------------------------------------------------------------------

    def _profile(self) -> QWidget:
        home = self.context.profile.home
        where = Label(str(home), selectable=True)
        name_for_reader(where, tr("Folder of this profile"))
        open_folder = QPushButton(tr("Open the folder"))
        open_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(home))))
        self.backups = BackupList()
        self.backups.made_wanted.connect(self._back_up)
        self.backups.restore_wanted.connect(self._restore)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Label(tr("All that memreview knows is in this folder:")))
        row = QHBoxLayout()
        row.addWidget(where, 1)
        row.addWidget(open_folder)
        layout.addLayout(row)
        layout.addWidget(Label(tr("Backups"), role="heading"))
        told = tr("Made before imports and updates. The last of each of 7 days and 4 weeks are kept.")
        layout.addWidget(Label(told, role="muted"))
        layout.addWidget(self.backups, 1)
        return page

    def _back_up(self) -> None:
        self.backups.make.setEnabled(False)
        job = self.context.worker.submit("backup", on_result=lambda _: self._backed_up(), on_error=self._on_error)
        job.ended.connect(lambda: self.backups.make.setEnabled(True))

    def _backed_up(self) -> None:
        self.context.toast(tr("A backup was made."))
        self.refresh({SETTINGS})

    def _on_error(self, error: JobError) -> None:
        if error.kind != "Cancelled":
            self.context.failed.emit(error.message, error.advice)

    def _restore(self, path: Path) -> None:
        if self.context.worker.jobs:
            self.context.failed.emit(tr("Something is being worked on."), tr("Wait until it has ended, or cancel it."))
            return
        difference = self.context.guard(lambda: doctor.difference(self.context.profile, path))
        if difference is None:
            return
        told = difference_words(difference) + "\n\n" + tr("What stands there now is kept beside it.")
        box = message_box(self, tr("Go back to this backup?"), told)
        restore = box.addButton(tr("Restore it"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        if box.clickedButton() is restore:
            self._put_back(path)

    def _put_back(self, path: Path) -> None:
        """The database may be open nowhere while it is replaced: threads and worker end, and the window too."""
        context, home = self.context, self.context.profile.home
        context.close()
        context.profile.close()
        kept = context.guard(lambda: doctor.restore(home, path))
        context.profile = Profile.open(home)
        if kept is not None:
            told = tr("memreview closes now; start it again to go on. What stood there before is kept as %1.")
            tell(self, tr("The backup was restored."), told.replace("%1", kept.name))
        self.window().close()

    # -- keys ---------------------------------------------------------------------------------------------------

    def _keys(self) -> QWidget:
        self.keys = KeyList(self.context.commands)
        self.keys.rebound.connect(lambda: self._store("keys", self.context.commands.rebound))
        return self.keys


def _form(*rows: tuple[str, QWidget]) -> QWidget:
    page = QWidget()
    form = QFormLayout(page)
    form.setContentsMargins(0, 0, 0, 0)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
    for words, widget in rows:
        form.addRow(words, widget)
    return page


def _number(low: int, high: int, value: int, unit: str, name: str, step: int) -> QSpinBox:
    box = QSpinBox(minimum=low, maximum=high, singleStep=step, suffix=unit)
    box.setGroupSeparatorShown(True)
    box.setValue(value)
    name_for_reader(box, name)
    return box
