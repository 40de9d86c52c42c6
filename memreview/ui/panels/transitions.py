"""Transitions: the same cases by kind, and those that were put off."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QCheckBox, QComboBox

from memreview.records import TransitionKind
from memreview.review import queue
from memreview.ui.case_words import kind_words
from memreview.ui.commands import Command
from memreview.ui.context import AppContext
from memreview.ui.panels.triage import TriagePanel
from memreview.ui.text import name_for_reader, tr


class TransitionsPanel(TriagePanel):
    key = "transitions"
    title = "Transitions"
    icon = "transitions"

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.kind = QComboBox()
        self.kind.addItem(tr("All kinds"), None)
        for kind in TransitionKind:
            self.kind.addItem(kind_words(kind), kind.value)
        self.kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.kind.setMinimumContentsLength(14)
        name_for_reader(self.kind, tr("Kind of case"))
        self.snoozed = QCheckBox(tr("Also put off"))
        self.snoozed.setToolTip(tr("Show the cases that you put off to a later day too"))
        self.header.addWidget(self.kind)
        self.header.addWidget(self.snoozed)
        self.kind.currentIndexChanged.connect(lambda: self.refresh(frozenset()))
        self.snoozed.toggled.connect(lambda: self.refresh(frozenset()))

    def question(self) -> Callable[..., list[int]]:
        kind, snoozed = self.kind.currentData(), self.snoozed.isChecked()
        return lambda profile: queue.ids(profile, kind=kind, include_snoozed=snoozed)

    def commands(self) -> list[Command]:
        find = Command("transitions.filter", tr("Choose the kind of case"), self.kind.setFocus, ("/",))
        return [*super().commands(), find]

    def empty_words(self) -> tuple[str, str, str]:
        if self.kind.currentData() is None:
            return (tr("No transitions"), tr("A transition is a memory that something newer seems to replace."), "")
        return (
            tr("None of this kind"),
            tr("Nothing is waiting that fits: “%1”.").replace("%1", self.kind.currentText()),
            tr("Show all kinds"),
        )

    def on_empty_action(self) -> None:
        self.kind.setCurrentIndex(0)
