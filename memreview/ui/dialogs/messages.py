"""A message with what to do about it; its text can be copied."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from memreview.ui.text import LABEL_LIMIT, plain, tr


def message_box(parent: QWidget | None, message: str, advice: str = "") -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle("memreview")
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    box.setText(plain(message, LABEL_LIMIT))
    box.setInformativeText(plain(advice, LABEL_LIMIT))
    return box


def tell(parent: QWidget | None, message: str, advice: str = "") -> None:
    message_box(parent, message, advice).exec()


def tell_crash(parent: QWidget | None, path: Path, report: str) -> None:
    box = message_box(
        parent,
        tr("Something went wrong in memreview."),
        tr("Your decisions are saved. A report was written; it holds none of your texts and is not sent anywhere:")
        + f"\n{path}",
    )
    box.setDetailedText(report)
    box.exec()
