"""Lines of text, each with a button that leads to what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.labels import Label


@dataclass(frozen=True)
class Link:
    """Without an `id` there is nowhere to go."""

    text: str
    target: str
    id: int = 0


class LinkList(QWidget):
    """`opened(target, id)` when a button is pressed; what is beyond `most` is only counted."""

    opened = Signal(str, object)

    def __init__(self, most: int = 8, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = most
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._page = QWidget()
        self._column.addWidget(self._page)

    def show_links(self, links: Sequence[Link]) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        for link in links[: self._most]:
            column.addLayout(self._row(link))
        if (more := len(links) - self._most) > 0:
            column.addWidget(Label(plural(more, "and %n more", "and %n more"), role="muted"))
        self._column.replaceWidget(self._page, page)
        self._page.hide()
        self._page.deleteLater()
        self._page = page

    def _row(self, link: Link) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(Label(link.text, selectable=True), 1)
        if link.id:
            button = QPushButton(tr("Open"))
            name_for_reader(button, tr("Open: %1").replace("%1", link.text))
            button.clicked.connect(lambda: self.opened.emit(link.target, link.id))
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row
