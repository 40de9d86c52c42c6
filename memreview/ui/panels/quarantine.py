"""Quarantine: what was held back, so that it can influence nothing until the person, or what they say, lets it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial

from PySide6.QtWidgets import QCheckBox, QPushButton

from memreview.review import decisions
from memreview.review.values import Decision, Preview, QuarantineCase, QuarantineItem, Verb
from memreview.ui import slow_imports
from memreview.ui.commands import Command
from memreview.ui.context import AppContext
from memreview.ui.dialogs.blocked import BlockedDialog
from memreview.ui.dialogs.preview import confirm
from memreview.ui.dialogs.release import ReleaseDialog
from memreview.ui.dialogs.why import show_why
from memreview.ui.gate_check import check, unchecked_words, was_checked, why_not_check
from memreview.ui.gate_words import capital, left_words, source_words
from memreview.ui.models.case_list import Look, Row
from memreview.ui.panels.listing import ListPanel
from memreview.ui.panels.quarantine_case import QuarantineView, verb_words
from memreview.ui.text import day, isolated, line, plural, tr

KEYS = {Verb.RELEASE: ("A", "L"), Verb.KEEP: ("H",), Verb.DELETE: ("D", "Delete"), Verb.NEVER: ("N",)}
CLAIM_CHARS = 300


def _row(item: QuarantineItem) -> Row:
    says = isolated(line(item.remembered or item.claim, CLAIM_CHARS))
    why = f"{capital(left_words(item))} · {source_words(item.provenance)}"
    return Row(says, why, day(item.at), f"{says}, {why}, {day(item.at)}")


def _group(remembered: bool) -> tuple[str, str]:
    if remembered:
        return tr("Remembered already"), tr("An assistant has stored it, so these come first")
    return tr("Only in your chats"), tr("Not remembered, and left out after 14 days by itself")


class QuarantinePanel(ListPanel):
    key = "quarantine"
    title = "Quarantine"
    icon = "quarantine"
    look = Look(_row, lambda item: bool(item.remembered), _group)
    nouns = ("%n held back", "%n held back")

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._act: Callable[[], object] = super().on_empty_action
        self.evicted = QCheckBox(tr("Also left out"))
        self.evicted.setToolTip(tr("Show also what was left out after 14 days without support, and what you kept out"))
        self.evicted.toggled.connect(lambda: self.refresh(frozenset()))
        self.header.addWidget(self.evicted)
        self._names: list[str] = []
        self.blocked = QPushButton()
        self.blocked.hide()
        self.blocked.clicked.connect(self.show_blocked)
        self.below.addWidget(self.blocked)

    def refresh(self, changed: Set[str]) -> None:
        super().refresh(changed)
        self.context.ask("quarantine.blocked", _blocked, self._count_blocked, self)

    def _count_blocked(self, names: list[str]) -> None:
        self._names = names
        self.blocked.setText(plural(len(names), "%n blocked source …", "%n blocked sources …"))
        self.blocked.setVisible(bool(names))

    def question(self) -> Callable[..., list[int]]:
        return partial(_ids, evicted=self.evicted.isChecked())

    def read_items(self, ids: Sequence[int]) -> list[QuarantineItem]:
        from memreview.review import quarantine

        return quarantine.items(self.context.profile, ids)

    def read_case(self, id: int) -> QuarantineCase:
        from memreview.review import quarantine

        return quarantine.case(self.context.profile, id)

    def make_view(self) -> QuarantineView:
        return QuarantineView()

    def empty_words(self) -> tuple[str, str, str]:
        told = tr(
            "What a web page, a document, a tool or a pasted text says about you waits here and counts for nothing, "
            "until you say it yourself or let it count.\nAfter 14 days without support it is left out for good, "
            "unless you let it count after all."
        )
        if not self.context.profile_has_imports():
            self._act = super().on_empty_action
            return tr("Nothing imported yet"), told, tr("Import …")
        if not was_checked(self.context):
            self._act = partial(self.context.commands.run, "quarantine.check")
            return unchecked_words()
        self._act = self.evicted.toggle
        return tr("Nothing is held back"), told, "" if self.evicted.isChecked() else tr("Show what was left out")

    def on_empty_action(self) -> None:
        self._act()

    # -- deciding ---------------------------------------------------------------------------------------------------

    def decide(self, verb: Verb, stay: bool = False) -> None:
        """One claim is decided at once, after what the verb needs to know; many, or a whole source, after a preview."""
        ids = self.chosen_ids()
        if not ids or self.case is None:
            return
        if verb is Verb.NEVER:
            ids = [item.id for item in self.read_items(ids) if item.provenance.blockable]
        decision = Decision(verb=verb, nodes=tuple(ids))
        if verb is Verb.RELEASE and len(ids) == 1:
            dialog = ReleaseDialog(self.case, self._preview, self)
            if dialog.exec():
                self.carry_out(ids, dialog.decision)
        elif (len(ids) == 1 and verb is not Verb.NEVER) or self._confirmed(decision):
            self.carry_out(ids, decision)

    def _confirmed(self, decision: Decision) -> bool:
        preview = self._preview(decision)
        title = _title(decision)
        return preview is not None and confirm(self, preview, title=title, action=title)

    def _preview(self, decision: Decision) -> Preview | None:
        return self.context.guard(lambda: decisions.preview(self.context.profile, decision))

    # -- going further ----------------------------------------------------------------------------------------------

    def open_chat(self) -> None:
        if self.case is not None and self.case.context is not None:
            self.context.open("entry", self.case.context.focus)

    def open_memory(self) -> None:
        if self.case is not None and self.case.memories:
            self.context.open("memory", self.case.memories[0].id)

    def show_why(self) -> None:
        if self.case is not None:
            show_why(self, self.context, "claim", self.case.item.id)

    def show_blocked(self) -> None:
        if BlockedDialog(self._names, self).exec():
            self.context.open("history")

    def commands(self) -> list[Command]:
        group, none = tr("Quarantine"), self._why_none
        deciding = [
            Command(
                f"quarantine.{verb}",
                f"{words.rstrip(' …')}: {told}",
                partial(self.decide, verb),
                KEYS[verb],
                partial(self._why_not, verb),
                group,
            )
            for verb, (words, told) in verb_words().items()
        ]
        return [
            *deciding,
            Command("quarantine.next", tr("Next"), partial(self.step, 1), ("J",), none, group),
            Command("quarantine.previous", tr("Previous"), partial(self.step, -1), ("K",), none, group),
            Command(
                "quarantine.primary",
                tr("Press the focused button"),
                self.press_primary,
                ("Return", "Enter"),
                none,
                group,
            ),
            Command("quarantine.all", tr("Select all"), self.list.selectAll, ("Ctrl+A",), none, group),
            Command("quarantine.chat", tr("Open the chat"), self.open_chat, ("O",), self._why_no_chat, group),
            Command("quarantine.memory", tr("Open the memory"), self.open_memory, ("M",), self._why_no_memory, group),
            Command("quarantine.why", tr("Show its whole life"), self.show_why, ("W",), none, group),
            Command(
                "quarantine.check",
                tr("Check what was not checked yet"),
                partial(check, self.context),
                (),
                partial(why_not_check, self.context),
                group,
            ),
            Command(
                "quarantine.blocked", tr("Show the blocked sources"), self.show_blocked, (), self._why_no_blocked, group
            ),
            Command("quarantine.evicted", tr("Also show what was left out"), self.evicted.toggle, ("/",), group=group),
        ]

    def _why_no_blocked(self) -> str:
        return "" if self._names else tr("No source is blocked.")

    def _why_none(self) -> str:
        return "" if self.case is not None else tr("Nothing is held back here.")

    def _why_not(self, verb: Verb) -> str:
        if self.case is None or verb is not Verb.NEVER:
            return self._why_none()
        chosen = self.read_items(self.chosen_ids())
        if any(item.provenance.blockable for item in chosen):
            return ""
        return tr("This has no source of its own that could be left out. Delete it instead.")

    def _why_no_chat(self) -> str:
        if self.case is None or self.case.context is not None:
            return self._why_none()
        return tr("No chat was found for this.")

    def _why_no_memory(self) -> str:
        if self.case is None or self.case.memories:
            return self._why_none()
        return tr("No memory says this.")


def _ids(profile, *, evicted: bool) -> list[int]:
    slow_imports.wait()
    from memreview.review import quarantine

    return quarantine.ids(profile, evicted=evicted)


def _blocked(profile) -> list[str]:
    slow_imports.wait()
    from memreview.review import quarantine

    return [name for _, name in quarantine.blocked(profile)]


def _title(decision: Decision) -> str:
    one, many = {
        Verb.RELEASE: ("Let %n claim count", "Let %n claims count"),
        Verb.KEEP: ("Hold %n claim longer", "Hold %n claims longer"),
        Verb.DELETE: ("Delete %n claim", "Delete %n claims"),
        Verb.NEVER: ("Delete it, and take nothing from its source", "Delete %n, and take nothing from their sources"),
    }[decision.verb]
    return plural(len(decision.nodes), one, many)
