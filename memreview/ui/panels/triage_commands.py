"""The keys of triage, the same in Inbox and Transitions, and the reasons why one can't be used just now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memreview.records import TransitionKind
from memreview.review.values import Verb
from memreview.ui.commands import Command
from memreview.ui.text import tr

if TYPE_CHECKING:
    from memreview.ui.panels.triage import TriagePanel

WITH_STAY = (Verb.APPROVE, Verb.REJECT, Verb.SCOPE, Verb.DELETE)


def triage_commands(panel: TriagePanel) -> list[Command]:
    return [*_deciding(panel), *_moving(panel)]


def _deciding(panel: TriagePanel) -> list[Command]:
    titles = {
        Verb.APPROVE: (tr("Approve: the new one holds"), "A"),
        Verb.REJECT: (tr("Reject: the old one still holds"), "R"),
        Verb.SCOPE: (tr("Limit where the new one holds"), "S"),
        Verb.EDIT: (tr("Edit the wording and approve"), "E"),
        Verb.DELETE: (tr("Forget the old memory"), "D"),
        Verb.SNOOZE: (tr("Ask me again later"), "Z"),
    }
    found = []
    for stay in (False, True):
        for verb, (title, key) in titles.items():
            if stay and verb not in WITH_STAY:
                continue
            found.append(
                Command(
                    id=f"{panel.key}.{verb}.stay" if stay else f"{panel.key}.{verb}",
                    title=tr("%1, and stay here").replace("%1", title) if stay else title,
                    run=partial(panel.decide, verb, stay),
                    keys=(f"Shift+{key}",) if stay else (key,),
                    why_disabled=partial(_why_not, panel, verb),
                    group=tr("Review"),
                )
            )
    return found


def _moving(panel: TriagePanel) -> list[Command]:
    no_case, no_chat = partial(_why_no_case, panel), partial(_why_no_chat, panel)
    group, key = tr("Review"), panel.key
    return [
        Command(f"{key}.next", tr("Next case"), partial(panel.step, 1), ("J",), no_case, group),
        Command(f"{key}.previous", tr("Previous case"), partial(panel.step, -1), ("K",), no_case, group),
        Command(
            f"{key}.primary",
            tr("Approve, or press the focused button"),
            panel.press_primary,
            ("Return", "Enter"),
            no_case,
            group,
        ),
        Command(f"{key}.all", tr("Select all cases"), panel.list.selectAll, ("Ctrl+A",), no_case, group),
        Command(f"{key}.chat", tr("Open the chat"), panel.open_chat, ("O",), no_chat, group),
        Command(f"{key}.memory", tr("Open the old memory"), panel.open_memory, ("M",), no_case, group),
    ]


def _why_no_case(panel: TriagePanel) -> str:
    return "" if panel.case is not None else tr("There is no case here.")


def _why_no_chat(panel: TriagePanel) -> str:
    case = panel.case
    if case is None or case.old_context or case.new_context:
        return _why_no_case(panel)
    return tr("No chat was found for this case.")


def _why_not(panel: TriagePanel, verb: Verb) -> str:
    """Why the verb can't be applied to what is selected."""
    case = panel.case
    if case is None:
        return _why_no_case(panel)
    if len(panel.selected_ids()) > 1:
        return tr("Edit one case at a time.") if verb is Verb.EDIT else ""
    if case.item.status != "pending":
        return tr("This case is decided. Undo that first.")
    if verb is Verb.SCOPE and case.item.kind is TransitionKind.DUPLICATE:
        return tr("Two wordings of one thing can't be limited: fold them, or keep both.")
    return ""
