"""Letting a claim out of quarantine: for how long it is meant, where it holds, and what that changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from memreview.review.values import Decision, Preview, QuarantineCase, Verb
from memreview.ui.dialogs.base import Dialog
from memreview.ui.dialogs.preview import count_words
from memreview.ui.gate_words import EVERYWHERE, LAYERS, layer_words
from memreview.ui.text import LABEL_LIMIT, name_for_reader, plain, tr
from memreview.ui.widgets.labels import Card, Label
from memreview.ui.widgets.scope_choice import ScopeChoice


class ReleaseDialog(Dialog):
    """`decision` is the answer. `preview` tells what a decision would change, None where it can't."""

    def __init__(
        self,
        case: QuarantineCase,
        preview: Callable[[Decision], Preview | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(tr("Let this count?"), plain(case.item.claim, LABEL_LIMIT // 4), tr("Let it count"), parent)
        self._case = case
        self._preview = preview
        self.layers: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        lasting = Card(tr("How long is it true?"))
        for layer in LAYERS:
            name, told = layer_words(layer)
            button = self.layers[layer] = QRadioButton(f"{name}: {told}")
            button.setChecked(layer == case.layer)
            self._group.addButton(button)
            lasting.body.addWidget(button)
        where = Card(tr("Where does it hold?"))
        self.scope = ScopeChoice()
        self.scope.suggest(case.scope or EVERYWHERE)
        where.body.addWidget(self.scope)
        changes = Card(tr("What this changes"))
        self.effects = Label("\n".join(f"• {effect}" for effect in case.effects.get("release", ())))
        self.counts = Label(role="muted")
        name_for_reader(self.counts, tr("What changes in all"))
        changes.body.addWidget(self.effects)
        changes.body.addWidget(self.counts)
        for card in (lasting, where, changes):
            self.body.addWidget(card)
        self.body.addStretch(1)
        self._group.buttonToggled.connect(lambda _button, on: self._show_changes() if on else None)
        self.scope.changed.connect(self._show_changes)
        self._show_changes()
        self.layers[case.layer].setFocus()
        self.widen(84)

    @property
    def decision(self) -> Decision:
        layer = next(layer for layer, button in self.layers.items() if button.isChecked())
        return Decision(verb=Verb.RELEASE, nodes=(self._case.item.id,), layer=layer, scope=self.scope.scope)

    def _show_changes(self) -> None:
        assert self.accept_button is not None
        self.accept_button.setEnabled(bool(self.scope.scope))
        if not self.scope.scope:
            self.counts.setText(tr("Give the project, place or situation a name."))
            return
        preview = self._preview(self.decision)
        self.counts.setText("" if preview is None else count_words(preview))
