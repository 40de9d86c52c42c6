"""Where an export is dropped, chosen or pasted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import tr
from memreview.ui.theme import primary
from memreview.ui.widgets.labels import Label


def dropped_paths(mime: QMimeData) -> list[Path]:
    """The local files and folders of a drag, each once."""
    return list(dict.fromkeys(Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()))


class DropZone(QFrame):
    """`dropped(paths)`: files or folders to import; `paste_wanted()`: the person has a list as text."""

    dropped = Signal(list)
    paste_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._over = False
        self.setAcceptDrops(True)
        self.setAccessibleName(tr("Drop an export here"))
        title = Label(tr("Drop the export of your assistant here"), role="title")
        told = tr("A zip, a file, a folder, or several of them. It is read on this computer and goes nowhere else.")
        hint = Label(told, role="muted")
        for label in (title, hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.choose = primary(QPushButton(tr("Choose files…")))
        self.choose.clicked.connect(self._choose_files)
        self.folder = QPushButton(tr("Choose a folder…"))
        self.folder.clicked.connect(self._choose_folder)
        self.paste = QPushButton(tr("Paste a list…"))
        self.paste.clicked.connect(self.paste_wanted)
        buttons = QHBoxLayout()
        buttons.addStretch()
        for button in (self.choose, self.folder, self.paste):
            buttons.addWidget(button)
        buttons.addStretch()
        layout = QVBoxLayout(self)
        margin = self.fontMetrics().height()
        layout.setContentsMargins(margin, margin, margin, margin)
        layout.addStretch()
        layout.addWidget(title)
        layout.addWidget(hint)
        layout.addLayout(buttons)
        layout.addStretch()

    def _choose_files(self) -> None:
        kinds = tr("Exports (*.zip *.json *.jsonl *.csv *.md *.txt *.db *.af);;All files (*)")
        names, _ = QFileDialog.getOpenFileNames(self, tr("Choose exports"), "", kinds)
        if names:
            self.dropped.emit([Path(name) for name in names])

    def _choose_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, tr("Choose an unpacked export")):
            self.dropped.emit([Path(name)])

    # -- drag and drop ------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()
            self._set_over(True)

    def dragLeaveEvent(self, event) -> None:
        self._set_over(False)

    def dropEvent(self, event) -> None:
        self._set_over(False)
        if paths := dropped_paths(event.mimeData()):
            event.acceptProposedAction()
            self.dropped.emit(paths)

    def _set_over(self, over: bool) -> None:
        self._over = over
        self.update()

    def paintEvent(self, event) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        pen = QPen(palette.highlight().color() if self._over else palette.placeholderText().color(), 2)
        pen.setStyle(Qt.PenStyle.SolidLine if self._over else Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 10, 10)
