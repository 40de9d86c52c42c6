"""What waits, in a list beside the one that is chosen; keys decide one or many and go on to the next.

A key decides and moves on; with Shift it decides and stays, so that one sees what was done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from memreview.review.values import Decision, Verb
from memreview.ui.context import CASES, IMPORTS, MEMORIES, AppContext
from memreview.ui.models.case_list import CaseListModel, Look
from memreview.ui.panel import Panel, press_focused
from memreview.ui.text import name_for_reader, plural, tr
from memreview.ui.widgets.case_table import CaseTable
from memreview.ui.widgets.empty import EmptyState
from memreview.ui.widgets.labels import Label


class ListPanel(Panel):
    """Subclass with `key`, `look`, `nouns` (one and many, with %n), `main` (the verb that Enter means, if one does) and
    the methods below; `header` and `below` are layouts for what stands above and below the list."""

    key = ""
    look: Look
    nouns = ("", "")
    main: Verb | None = None
    concerns = frozenset({CASES, MEMORIES, IMPORTS})

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.model = CaseListModel(lambda ids: context.guard(lambda: self.read_items(ids)) or [], self, self.look)
        self._kept: int | None = None
        self._read_once = False
        self._wanted: int | None = None
        self._build()

    # -- what a subclass says ---------------------------------------------------------------------------------------

    def question(self) -> Callable[..., list[int]]:
        """What to ask the query thread for: the ids to show. It must not touch a widget."""
        raise NotImplementedError

    def read_items(self, ids: Sequence[int]) -> list[Any]:
        """The items of some ids, for the list."""
        raise NotImplementedError

    def read_case(self, id: int) -> Any:
        """All of one item. Raises `LookupError`."""
        raise NotImplementedError

    def make_view(self) -> Any:
        """A widget with `case`, `bar` (a DecisionBar), `show_case`, and the signals `decided` and `opened`."""
        raise NotImplementedError

    def decide(self, verb: Verb, stay: bool = False) -> None:
        """Ask for what the verb still needs, then decide what is chosen."""
        raise NotImplementedError

    def empty_words(self) -> tuple[str, str, str]:
        """Title, text and action of the empty state."""
        raise NotImplementedError

    def on_empty_action(self) -> None:
        self.context.commands.run("file.import")

    # -- news -------------------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        self.context.ask(f"{self.key}.ids", self.question(), self._show_ids, self)

    def open(self, id: int) -> None:
        """Select one; if it isn't in the list (decided, filtered out) it is shown all the same."""
        if self._read_once and self.model.row_of(id) >= 0:
            self._select(id)
        else:
            self._wanted = id
            self._show_case(id)

    def focus_first(self) -> None:
        (self.empty.button if self.outer.currentWidget() is self.empty else self.list).setFocus()

    @property
    def current_id(self) -> int | None:
        return self.model.id_at(self.list.currentIndex().row())

    @property
    def case(self) -> Any:
        """What is shown, None where there is nothing."""
        shown = self.stack.currentWidget() is self.view
        return self.view.case if shown else None

    def selected_ids(self) -> list[int]:
        rows = sorted(index.row() for index in self.list.selectionModel().selectedIndexes())
        return [id for row in rows if (id := self.model.id_at(row)) is not None]

    # -- deciding ---------------------------------------------------------------------------------------------------

    def chosen_ids(self) -> list[int]:
        """What a verb is about: the selected ones, else the current one."""
        return self.selected_ids() or [id for id in (self.current_id,) if id is not None]

    def carry_out(self, ids: Sequence[int], decision: Decision, stay: bool = False) -> None:
        """`decision` has its targets. The list drops them only once it is on disk: a failure leaves all as it was."""
        following = self._neighbour(ids)
        self._kept = ids[0] if stay else None
        if self.context.decide(decision) is None:
            self._kept = None
        elif stay:
            self._show_case(ids[0])
        else:
            self._show_ids([id for id in self.model.ids if id not in set(ids)], prefer=following)

    def _neighbour(self, ids: Sequence[int]) -> int | None:
        """What comes next when these are gone: the one below, else the one above."""
        gone = set(ids)
        held = self.model.ids
        last = max((held.index(id) for id in ids if id in held), default=-1)
        below = next((id for id in held[last + 1 :] if id not in gone), None)
        above = next((id for id in reversed(held[: max(last, 0)]) if id not in gone), None)
        return below if below is not None else above

    # -- moving -----------------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        row = self.list.currentIndex().row() + by
        while 0 <= row < self.model.rowCount() and self.model.id_at(row) is None:
            row += by
        if 0 <= row < self.model.rowCount():
            self.list.setCurrentIndex(self.model.index(row))

    def press_primary(self) -> None:
        """Enter: the focused button, else the main verb."""
        if not press_focused(self) and self.main is not None:
            self.decide(self.main)

    # -- showing ----------------------------------------------------------------------------------------------------

    def _show_ids(self, ids: list[int], prefer: int | None = None) -> None:
        self._read_once = True
        ids = self._with_kept(ids)
        target = prefer if prefer is not None else self._wanted if self._wanted is not None else self.current_id
        self._wanted = None
        if target not in set(ids):
            target = self._nearest(ids)
        chosen = set(self.selected_ids())
        with QSignalBlocker(self.list.selectionModel()):
            self.model.set_ids(ids)
        self.heading.setText(plural(len(ids), *self.nouns))
        name_for_reader(self.list, self.heading.text())
        if target is None:
            self._show_empty()
        else:
            self._select(target, also=chosen & set(ids) if len(chosen) > 1 else set())

    def _with_kept(self, ids: list[int]) -> list[int]:
        """What was decided with Shift stays where it was until one moves on."""
        kept = self._kept
        if kept is None or kept in ids or kept not in self.model.ids:
            return ids
        at = min(self.model.ids.index(kept), len(ids))
        return [*ids[:at], kept, *ids[at:]]

    def _nearest(self, ids: list[int]) -> int | None:
        """The current one is gone (decided elsewhere, undone import): take the one now in its place."""
        if not ids:
            return None
        held, current = self.model.ids, self.current_id
        at = held.index(current) if current in held else 0
        return ids[min(at, len(ids) - 1)]

    def _select(self, id: int, also: Set[int] = frozenset()) -> None:
        index = self.model.index(self.model.row_of(id))
        selection = self.list.selectionModel()
        with QSignalBlocker(selection):
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            for other in also:
                row = self.model.index(self.model.row_of(other))
                selection.select(row, QItemSelectionModel.SelectionFlag.Select)
        if self.model.id_at(index.row() - 1) is None:
            self.list.scrollTo(self.model.index(max(0, index.row() - 1)))
        self.list.scrollTo(index)
        self.list.viewport().update()
        self._show_case(id)

    def _on_current(self, now: QModelIndex, before: QModelIndex) -> None:
        id = self.model.id_at(now.row())
        if id is None:
            return
        if self._kept is not None and id != self._kept:
            self._kept = None
            self.refresh(frozenset())
        self._show_case(id)

    def _show_case(self, id: int) -> None:
        case = self.context.guard(lambda: self.read_case(id))
        if case is not None:
            keys = {verb: self.context.commands.shown_keys(f"{self.key}.{verb}") for verb in self.view.bar.buttons}
            self.view.bar.show_keys(keys)
            self.view.show_case(case)
            self.stack.setCurrentWidget(self.view)
            self.outer.setCurrentWidget(self.split)

    def _show_empty(self) -> None:
        self.empty.say(*self.empty_words())
        self.outer.setCurrentWidget(self.empty)

    def _build(self) -> None:
        self.heading = Label(role="heading", wrap=False)
        self.heading.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        self.header = QHBoxLayout()
        self.header.addWidget(self.heading)
        self.header.addStretch(1)
        self.below = QVBoxLayout()
        self.below.setContentsMargins(12, 0, 12, 0)
        self.list = CaseTable()
        self.list.setModel(self.model)
        name_for_reader(self.list, tr(self.title))
        self.list.selectionModel().currentChanged.connect(self._on_current)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 10, 0, 0)
        bar = QWidget()
        bar.setLayout(self.header)
        self.header.setContentsMargins(12, 0, 12, 0)
        column.addWidget(bar)
        column.addWidget(self.list, 1)
        column.addLayout(self.below)
        self.view = self.make_view()
        self.view.decided.connect(self.decide)
        self.view.opened.connect(self.context.open)
        self.stack = QStackedWidget()
        self.stack.addWidget(QWidget())
        self.stack.addWidget(self.view)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(1)
        self.split.addWidget(left)
        self.split.addWidget(self.stack)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 2)
        self.split.setSizes([360, 720])
        self.empty = EmptyState()
        self.empty.acted.connect(self.on_empty_action)
        self.outer = QStackedWidget(self)
        self.outer.addWidget(self.split)
        self.outer.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.outer)
