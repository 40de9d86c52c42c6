"""Undoing a step from a list: where later steps build on it, the person sees them and may take them back too."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from memreview.review import history
from memreview.review.profile import Profile
from memreview.review.values import Step
from memreview.ui.context import CASES, HISTORY, IMPORTS, MEMORIES, AppContext
from memreview.ui.text import line, moment, plural, tr

TAKEN_BACK = frozenset({CASES, MEMORIES, HISTORY, IMPORTS})
NAMED = 12


def undo_step(over: QWidget, context: AppContext, step: Step) -> bool:
    """Undo `step`, and with the person's consent what builds on it; true where something was undone."""
    profile = context.profile
    blockers: list[int] = []

    def alone() -> list[Step]:
        try:
            found = history.undo(profile, step.id)
        except history.UndoBlocked as blocked:
            blockers.extend(blocked.blockers)
            return []
        return [found] if found else []

    undone = context.guard(alone) or []
    if blockers and _agreed(over, step, _found(profile, blockers)):
        undone = context.guard(lambda: _with_later(profile, step.id)) or []
    if undone:
        context.check_again(undone)
        context.tell_changed(TAKEN_BACK)
        context.toast(undone_words(undone))
    return bool(undone)


def undone_words(steps: Sequence[Step]) -> str:
    if len(steps) == 1:
        return tr("Undone: %1").replace("%1", line(steps[0].label, 200))
    return plural(len(steps), "Undone: %n step", "Undone: %n steps")


def find(profile: Profile, step_id: int) -> Step | None:
    found = history.steps(profile, before=step_id + 1, limit=1)
    return found[0] if found and found[0].id == step_id else None


def _with_later(profile: Profile, step_id: int) -> list[Step]:
    """What stands in the way first, newest first; each of them may be blocked in turn."""
    undone: list[Step] = []
    try:
        step = history.undo(profile, step_id)
    except history.UndoBlocked as blocked:
        for blocker in blocked.blockers:
            later = find(profile, blocker)
            if later is not None and later.state == "done":
                undone += _with_later(profile, blocker)
        step = history.undo(profile, step_id)
    return undone if step is None else [*undone, step]


def _agreed(over: QWidget, step: Step, blockers: Sequence[Step]) -> bool:
    box = QMessageBox(over)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(tr("Later steps build on this one"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    count = plural(len(blockers), "%n later step rests on it", "%n later steps rest on it")
    told = tr("“%1” can't be undone on its own: %2.")
    box.setText(told.replace("%1", line(step.label, 120)).replace("%2", count))
    names = [f"• {line(later.label, 120)}, {moment(later.at)}" for later in blockers[:NAMED]]
    if len(blockers) > NAMED:
        names.append(plural(len(blockers) - NAMED, "and %n more", "and %n more"))
    box.setInformativeText("\n".join(names))
    also = box.addButton(tr("Undo these too"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    return box.clickedButton() is also


def _found(profile: Profile, step_ids: Sequence[int]) -> list[Step]:
    return [step for step in (find(profile, step_id) for step_id in step_ids) if step is not None]
