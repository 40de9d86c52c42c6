"""Undoing a step from a list: where later steps build on it, the person sees them and may take them back too."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from memreview.review import history
from memreview.review.values import Step
from memreview.ui.context import CASES, HISTORY, IMPORTS, MEMORIES, AppContext
from memreview.ui.text import line, moment, plural, tr

TAKEN_BACK = frozenset({CASES, MEMORIES, HISTORY, IMPORTS})
NAMED = 12
"""More steps than these are named where one can scroll."""


def undo_step(over: QWidget, context: AppContext, step: Step) -> bool:
    """Undo `step`, and with the person's consent what builds on it; true where something was undone."""
    profile = context.profile
    later: list[Step] = []

    def alone() -> list[Step]:
        try:
            found = history.undo(profile, step.id)
        except history.UndoBlocked:
            later.extend(history.resting_on(profile, step.id))
            return []
        return [found] if found else []

    undone = context.guard(alone) or []
    if later and _agreed(over, step, later):
        agreed = [one.id for one in (*later, step)]
        undone = context.guard(lambda: history.undo_all(profile, agreed)) or []
    if undone:
        context.check_again(undone)
        context.tell_changed(TAKEN_BACK)
        context.toast(undone_words(undone))
    return bool(undone)


def undone_words(steps: Sequence[Step]) -> str:
    if len(steps) == 1:
        return tr("Undone: %1").replace("%1", line(steps[0].label, 200))
    return plural(len(steps), "Undone: %n step", "Undone: %n steps")


def _agreed(over: QWidget, step: Step, later: Sequence[Step]) -> bool:
    box = QMessageBox(over)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(tr("Later steps build on this one"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    count = plural(len(later), "%n later step rests on it", "%n later steps rest on it")
    told = tr("“%1” can't be undone on its own: %2.")
    box.setText(told.replace("%1", line(step.label, 120)).replace("%2", count))
    names = [f"• {line(one.label, 120)}, {moment(one.at)}" for one in later]
    if len(names) > NAMED:
        box.setDetailedText("\n".join(names))
        names[NAMED:] = [plural(len(names) - NAMED, "and %n more", "and %n more")]
    box.setInformativeText("\n".join(names))
    also = box.addButton(tr("Undo these too"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is also
