"""The places of the rail, in order. A panel's module is imported when the panel is first shown."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memreview.ui.context import AppContext
    from memreview.ui.panel import Panel


@dataclass(frozen=True)
class Place:
    """`where` is "module:class" below this package; `opens` the targets of `context.open` that end here. A place
    with `in_rail` false is reached otherwise."""

    key: str
    title: str
    icon: str
    where: str
    opens: tuple[str, ...] = ()
    in_rail: bool = True

    def build(self, context: AppContext) -> Panel:
        module, name = self.where.split(":")
        return getattr(import_module(f"memreview.ui.panels.{module}"), name)(context)


PLACES = (
    Place("inbox", "Inbox", "inbox", "inbox:InboxPanel", opens=("case",)),
    Place("transitions", "Transitions", "transitions", "transitions:TransitionsPanel"),
    Place("questions", "Questions", "questions", "questions:QuestionsPanel", opens=("question",)),
    Place("quarantine", "Quarantine", "quarantine", "quarantine:QuarantinePanel", opens=("claim",)),
    Place("memories", "Memories", "memories", "memories:MemoriesPanel", opens=("memory",)),
    Place("history", "History", "history", "history:HistoryPanel", opens=("step",)),
    Place("imports", "Imports", "imports", "imports:ImportsPanel", opens=("import",)),
    Place("settings", "Settings", "settings", "settings:SettingsPanel"),
    Place("welcome", "Welcome", "welcome", "first_run:FirstRunPanel", in_rail=False),
)


def modules() -> list[str]:
    """All modules of which panels are made, those that others need first."""
    root = __package__.removesuffix(".panels")
    packages = [import_module(f"{root}.{name}") for name in ("models", "widgets", "dialogs", "panels")]
    return [f"{package.__name__}.{module.name}" for package in packages for module in iter_modules(package.__path__)]
