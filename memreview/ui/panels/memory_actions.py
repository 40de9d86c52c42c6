"""What is done with the chosen memories: one at once, several after a preview, very many beside the window."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from memreview.review import decisions, memories
from memreview.review.values import Context, Decision, MemoryRow, Preview, Verb
from memreview.ui.context import AppContext
from memreview.ui.dialogs.conversation import ConversationDialog
from memreview.ui.dialogs.decide import ScopeDialog, TextDialog
from memreview.ui.dialogs.preview import confirm
from memreview.ui.dialogs.why import show_why
from memreview.ui.models.memory_table import ROW_ROLE
from memreview.ui.text import plural, tr
from memreview.ui.widgets.memory_view import MemoryView

AT_ONCE = 100


class MemoryActions(QObject):
    """`noted(text)`: what is being worked on, or ""."""

    noted = Signal(str)

    def __init__(self, context: AppContext, table: MemoryView, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._table = table
        self._over = parent

    def by_name(self, name: str) -> None:
        """What a button of the detail means: it stays on the memory it shows."""
        {
            "edit": self.edit,
            "scope": self.scope,
            "delete": self.delete_and_stay,
            "restore": self.restore_and_stay,
            "why": self.why,
        }[name]()

    def delete(self) -> None:
        self._decide(Decision(verb=Verb.DELETE, memories=self._chosen()), move=True)

    def delete_and_stay(self) -> None:
        self._decide(Decision(verb=Verb.DELETE, memories=self._chosen()), move=False)

    def restore(self) -> None:
        self._decide(Decision(verb=Verb.RESTORE, memories=self._chosen()), move=True)

    def restore_and_stay(self) -> None:
        self._decide(Decision(verb=Verb.RESTORE, memories=self._chosen()), move=False)

    def scope(self) -> None:
        chosen = self._chosen()
        row = self._row()
        if row is None or not chosen:
            return
        claim = row.text if len(chosen) == 1 else plural(len(chosen), "%n memory", "%n memories")
        dialog = ScopeDialog(claim, self._over)
        dialog.text.setText(tr("It stays, but counts only where and as long as you say."))
        if dialog.exec():
            decision = Decision(verb=Verb.SCOPE, memories=chosen, scope=dialog.scope, until=dialog.until)
            self._decide(decision, move=False)

    def edit(self) -> None:
        row = self._row()
        if row is None:
            return
        dialog = TextDialog(tr("Edit the memory"), "", row.text, tr("Save"), self._over)
        if dialog.exec() and dialog.answer != row.text:
            self._decide(Decision(verb=Verb.EDIT, memories=(row.id,), text=dialog.answer), move=False)

    def why(self) -> None:
        """Show the memory's whole life."""
        if (memory_id := self._table.current_id()) is not None:
            show_why(self._over, self._context, "memory", memory_id)

    def read(self, source: Context) -> None:
        """Open the whole conversation at the words of `source`."""
        self._context.ask(
            "memories.read",
            lambda profile: memories.conversation(profile, source.conversation_id),
            lambda whole: self._show_conversation(source, whole),
            self,
        )

    # -- deciding -----------------------------------------------------------------------------------------------

    def _chosen(self) -> tuple[int, ...]:
        return tuple(self._table.chosen_ids())

    def _row(self) -> MemoryRow | None:
        index = self._table.currentIndex()
        return index.data(ROW_ROLE) if index.isValid() else None

    def _decide(self, decision: Decision, *, move: bool) -> None:
        if len(decision.memories) > 1:
            self.noted.emit(tr("Working out what this changes …"))
            self._context.ask(
                "memories.preview",
                lambda profile: decisions.preview(profile, decision),
                lambda preview: self._confirm(decision, preview),
                self,
            )
        elif decision.memories and self._context.decide(decision) is not None and move:
            self._table.step(1)

    def _confirm(self, decision: Decision, preview: Preview) -> None:
        self.noted.emit("")
        if not confirm(self._over, preview, title=_title(decision), action=_title(decision)):
            return
        if len(decision.memories) <= AT_ONCE:
            self._context.decide(decision)
        else:
            self.noted.emit(tr("Working …"))
            self._context.decide_many(decision, lambda _step: self.noted.emit(""), self)

    def _show_conversation(self, source: Context, whole: Context | None) -> None:
        if whole is None:
            self._context.toast(tr("This conversation is no longer here."))
            return
        marked = {entry.id: entry for entry in source.entries if entry.highlights}
        entries = tuple(marked.get(entry.id, entry) for entry in whole.entries)
        ConversationDialog(msgspec.structs.replace(whole, entries=entries, focus=source.focus), self._over).exec()


def _title(decision: Decision) -> str:
    count = len(decision.memories)
    if decision.verb is Verb.DELETE:
        return plural(count, "Delete %n memory", "Delete %n memories")
    if decision.verb is Verb.RESTORE:
        return plural(count, "Restore %n memory", "Restore %n memories")
    return plural(count, "Limit %n memory", "Limit %n memories")
