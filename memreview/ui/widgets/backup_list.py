"""The backups of a profile: when and why each was made, and what a restore would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from memreview.ui.text import moment, name_for_reader, tr
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.rows import roomy

PATH = Qt.ItemDataRole.UserRole


def reason_words(reason: str) -> str:
    return {
        "before-import": tr("before an import"),
        "before-migration": tr("before an update of memreview"),
        "migration": tr("before an update of memreview"),
        "daily": tr("daily"),
        "by-hand": tr("made by you"),
        "before-restore": tr("before a restore"),
        "before-delete": tr("before many were deleted"),
    }.get(reason, reason)


def difference_words(difference: Mapping[str, tuple[int, int]]) -> str:
    """What a restore would change, a line each."""
    names = {
        "memories": tr("Memories"),
        "entries": tr("Messages"),
        "imports": tr("Imports"),
        "journal": tr("Steps in the history"),
    }
    number = QLocale().toString
    return "\n".join(
        tr("%1: %2 now, %3 after")
        .replace("%1", names.get(name, name))
        .replace("%2", number(now))
        .replace("%3", number(then))
        for name, (now, then) in difference.items()
    )


class BackupList(QWidget):
    """`made_wanted()`, and `restore_wanted(path)` for the chosen one. Give it what `doctor.backups` returns."""

    made_wanted = Signal()
    restore_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = QTreeWidget()
        name_for_reader(self.list, tr("Backups, newest first"))
        self.list.setHeaderLabels([tr("Made"), tr("Why"), tr("Size")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        roomy(self.list, {0: 28})
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.list.header().setStretchLastSection(False)
        self.none = Label(tr("No backup has been made yet."), role="muted")
        self.make = QPushButton(tr("Back up now"))
        self.make.clicked.connect(self.made_wanted)
        self.restore = QPushButton(tr("Restore the chosen one…"))
        self.restore.clicked.connect(self._on_restore)
        self.list.currentItemChanged.connect(lambda item, _: self.restore.setEnabled(item is not None))
        row = QHBoxLayout()
        row.addWidget(self.make)
        row.addWidget(self.restore)
        row.addStretch()
        self.room = QWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.none)
        layout.addLayout(row)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.room, 1)
        self.show_backups([])

    def show_backups(self, backups: Sequence) -> None:
        self.list.clear()
        for backup in backups:
            made = moment(int(backup.made.timestamp() * 1_000_000))
            item = QTreeWidgetItem([made, reason_words(backup.reason), QLocale().formattedDataSize(backup.size)])
            item.setData(0, PATH, backup.path)
            self.list.addTopLevelItem(item)
        self.list.setVisible(bool(backups))
        self.none.setVisible(not backups)
        self.room.setVisible(not backups)
        self.restore.setEnabled(False)

    def _on_restore(self) -> None:
        if (item := self.list.currentItem()) is not None:
            self.restore_wanted.emit(item.data(0, PATH))
