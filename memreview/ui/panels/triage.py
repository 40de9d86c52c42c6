"""Triage: the list of cases beside the case, and the keys that decide one or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memreview.review import queue
from memreview.review.values import Case, Decision, QueueItem, Verb
from memreview.ui.commands import Command
from memreview.ui.dialogs.bulk import BulkDialog
from memreview.ui.dialogs.decide import ScopeDialog, TextDialog, popup_over, snooze_menu
from memreview.ui.models.case_list import CASES
from memreview.ui.panels.case import CaseView
from memreview.ui.panels.listing import ListPanel
from memreview.ui.panels.triage_commands import triage_commands
from memreview.ui.text import tr


class TriagePanel(ListPanel):
    """Subclass with `key` and `empty_words`."""

    look = CASES
    nouns = ("%n case", "%n cases")
    main = Verb.APPROVE

    def question(self) -> Callable[..., list[int]]:
        return queue.ids

    def read_items(self, ids: Sequence[int]) -> list[QueueItem]:
        return queue.items(self.context.profile, ids)

    def read_case(self, id: int) -> Case:
        return queue.case(self.context.profile, id)

    def make_view(self) -> CaseView:
        return CaseView()

    def decide(self, verb: Verb, stay: bool = False) -> None:
        """Ask for what the verb still needs, then decide the current case, or preview the selected ones."""
        ids = self.chosen_ids()
        if not ids or self.case is None:
            return
        if verb is Verb.SNOOZE:
            menu = snooze_menu(self, lambda until: self._go(ids, stay, verb=verb, until=until))
            popup_over(menu, self.view.bar.buttons[verb])
        elif verb is Verb.SCOPE:
            scope = ScopeDialog(self.case.item.new_claim if len(ids) == 1 else "", self)
            if scope.exec():
                self._go(ids, stay, verb=verb, scope=scope.scope, until=scope.until)
        elif verb is Verb.EDIT:
            text = self._ask_text()
            if text is not None:
                self._go(ids[:1], stay, verb=verb, text=text)
        else:
            self._go(ids, stay, verb=verb)

    def _ask_text(self) -> str | None:
        assert self.case is not None
        new = self.case.new.text if self.case.new is not None else self.case.item.new_claim
        dialog = TextDialog(tr("Approve with your own wording"), self.case.old.text, new, tr("Approve"), self)
        return dialog.answer if dialog.exec() else None

    def _go(self, ids: Sequence[int], stay: bool, **words) -> None:
        if len(ids) > 1:
            BulkDialog(self.context, list(ids), Decision(transitions=(), **words), self).exec()
            return
        self.carry_out(ids, Decision(transitions=tuple(ids), **words), stay)

    def open_chat(self) -> None:
        context = self.case.new_context or self.case.old_context if self.case else None
        if context is not None:
            self.context.open("entry", context.focus)

    def open_memory(self) -> None:
        if self.case is not None:
            self.context.open("memory", self.case.old.id)

    def commands(self) -> list[Command]:
        return triage_commands(self)
