"""When the profile can't be opened: say what to do, and offer the last backup where it would help."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMessageBox

from memreview.review import doctor
from memreview.store.errors import StoreCorrupt, StoreError
from memreview.ui.dialogs.messages import message_box, tell
from memreview.ui.text import moment, tr


def offer_restore(home: Path, error: StoreError) -> bool:
    """Show the error; true when a backup was restored."""
    backups = doctor.backups_in(home) if isinstance(error, StoreCorrupt) else []
    if not backups:
        tell(None, str(error), error.advice)
        return False
    newest = backups[0]
    made = moment(int(newest.made.timestamp() * 1_000_000))
    offer = tr("There is a backup of %1. The damaged file is kept beside it.").replace("%1", made)
    box = message_box(None, str(error), offer)
    button = box.addButton(tr("Restore this backup"), QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Close)
    box.exec()
    if box.clickedButton() is not button:
        return False
    try:
        doctor.restore(home, newest.path)
    except StoreError as failure:
        tell(None, str(failure), failure.advice)
        return False
    return True
