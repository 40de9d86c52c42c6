"""In which situation something holds, for an answer that says "only sometimes"."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from memreview.ui.dialogs.base import Dialog
from memreview.ui.text import tr
from memreview.ui.widgets.scope_choice import ScopeChoice


class SituationDialog(Dialog):
    """`scope` is the answer."""

    def __init__(self, scope: str, effects: str, parent: QWidget | None = None) -> None:
        """`scope` is the suggestion, "" if there is none; `effects` is what the answer changes."""
        super().__init__(tr("In which situation?"), effects, tr("Remember it for this"), parent)
        self.choice = ScopeChoice(everywhere=False)
        self.choice.changed.connect(self._check)
        self.choice.suggest(scope)
        self.body.addWidget(self.choice)
        self.choice.focus_chosen()
        self._check()
        self.widen(70)

    @property
    def scope(self) -> str:
        return self.choice.scope

    def _check(self) -> None:
        assert self.accept_button is not None
        self.accept_button.setEnabled(bool(self.scope))
