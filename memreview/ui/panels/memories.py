"""Memories: everything that is remembered, filtered as one types, with the story of the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import partial

from PySide6.QtCore import QEvent, QLocale, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from memreview.review import memories, settings
from memreview.review.values import MemoryDetail
from memreview.ui.commands import Command
from memreview.ui.context import CASES, HISTORY, IMPORTS, MEMORIES
from memreview.ui.models.memory_search import MemorySearch, Wanted
from memreview.ui.models.memory_table import MemoryTableModel
from memreview.ui.panel import Panel
from memreview.ui.panels.memory_actions import MemoryActions
from memreview.ui.text import line, plural, tr
from memreview.ui.widgets.empty import EmptyState
from memreview.ui.widgets.filter_bar import FilterBar
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.memory_detail import MemoryDetailView
from memreview.ui.widgets.memory_view import MemoryView
from memreview.ui.widgets.saved_filters import SavedFilters

DETAIL_PAUSE_MS = 60
FILTERS, WITH_FILTERS, SIDE_BY_SIDE = 30, 75, 120  # in characters

VOCABULARY = {
    "is": (*memories.STATUSES, *memories.FLAGS),
    "source": ("chatgpt", "claude", "mem0", "openmemory", "mcp", "letta", "list"),
    "kind": ("memory", "summary", "profile", "relation"),
    "before": (),
    "after": (),
    "scope": (),
}


class MemoriesPanel(Panel):
    title = "Memories"
    icon = "memories"
    concerns = frozenset({MEMORIES, CASES, IMPORTS})

    def __init__(self, context, parent=None) -> None:
        super().__init__(context, parent)
        self.model = MemoryTableModel(self)
        self.search = MemorySearch(context, self)
        self._sort, self._descending = settings.get(context.profile, "memory_sort")
        self._going_to: int | None = None
        self._detail_soon = QTimer(self, singleShot=True, interval=DETAIL_PAUSE_MS)
        self._build()
        self._connect()
        self.bar.set_query(settings.get(context.profile, "memory_query"))

    def _build(self) -> None:
        self.bar = FilterBar(VOCABULARY | {"slot": memories.slots()})
        self.saved = SavedFilters()
        self.table = MemoryView(self.model)
        self.acts = MemoryActions(self.context, self.table, self)
        self.detail = MemoryDetailView()
        self.empty = EmptyState()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        self.count = Label(role="muted", wrap=False)
        self.note = Label(role="muted", wrap=False)
        status = QHBoxLayout()
        status.addWidget(self.count)
        status.addStretch()
        status.addWidget(self.note)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._build_bulk())
        column.addWidget(self.pages, 1)
        column.addLayout(status)
        self.splitter = QSplitter()
        self.splitter.addWidget(middle)
        self.splitter.addWidget(self.detail)
        self.splitter.setSizes([100, 42])
        sides = QHBoxLayout()
        sides.addWidget(self.saved)
        sides.addWidget(self.splitter, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self.bar)
        layout.addLayout(sides, 1)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._make_room()

    def _make_room(self) -> None:
        """In a narrow window, or with large text, the detail goes below the list, and then the filters go."""
        em = self.fontMetrics().averageCharWidth()
        characters = self.width() // em
        wide = characters >= SIDE_BY_SIDE
        self.splitter.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        self.saved.setVisible(characters >= WITH_FILTERS)
        self.saved.setFixedWidth(em * FILTERS)

    def _build_bulk(self) -> QWidget:
        self.bulk = QWidget()
        row = QHBoxLayout(self.bulk)
        row.setContentsMargins(0, 0, 0, 0)
        self.chosen = Label(wrap=False)
        self.all = QPushButton()
        self.all.clicked.connect(self.table.selectAll)
        row.addWidget(self.chosen)
        row.addWidget(self.all)
        row.addStretch()
        for words, act in (
            (tr("Delete…"), self.acts.delete),
            (tr("Restore…"), self.acts.restore),
            (tr("Limit…"), self.acts.scope),
        ):
            button = QPushButton(words)
            button.clicked.connect(act)
            row.addWidget(button)
        self.bulk.hide()
        return self.bulk

    def _connect(self) -> None:
        self.bar.changed.connect(self._on_query)
        self.bar.left.connect(self.table.setFocus)
        self.bar.save_wanted.connect(self._save_filter)
        self.saved.chosen.connect(self.bar.set_query)
        self.saved.forget_wanted.connect(self._forget_filter)
        self.search.found.connect(self._on_found)
        self.search.refused.connect(self.bar.set_problem)
        self.search.noted.connect(self.note.setText)
        self.model.rows_wanted.connect(self._fetch)
        self.table.show_sort(self._sort, self._descending)
        self.model.sort_wanted.connect(self._on_sort)
        self.empty.acted.connect(self._on_empty)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._detail_soon.start())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_chosen())
        self.table.entered.connect(self.detail.setFocus)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self.model.sort)
        self._detail_soon.timeout.connect(self._ask_detail)
        self.detail.acted.connect(self.acts.by_name)
        self.detail.read_wanted.connect(self.acts.read)
        self.acts.noted.connect(self.note.setText)
        self.detail.opened.connect(self.context.open)

    # -- the panel ----------------------------------------------------------------------------------------------

    def refresh(self, changed: Set[str]) -> None:
        self._search()
        self.saved.show_filters(memories.saved(self.context.profile))
        self.saved.mark(self.bar.query())
        self._count_saved()

    def commands(self) -> list[Command]:
        group, none, acts = tr("Memories"), self._why_none, self.acts
        return [
            Command("memories.next", tr("Next memory"), lambda: self.table.step(1), ("J",), group=group),
            Command("memories.previous", tr("Previous memory"), lambda: self.table.step(-1), ("K",), group=group),
            Command("memories.filter", tr("Filter memories"), self.bar.focus, ("/",), group=group),
            Command("memories.delete", tr("Delete"), acts.delete, ("D", "Delete"), none, group),
            Command("memories.delete_stay", tr("Delete and stay"), acts.delete_and_stay, ("Shift+D",), none, group),
            Command("memories.restore", tr("Restore"), acts.restore, ("R",), none, group),
            Command("memories.scope", tr("Limit where or until when it holds"), acts.scope, ("S",), none, group),
            Command("memories.edit", tr("Edit the text"), acts.edit, ("E",), none, group),
            Command("memories.read", tr("Open the conversation"), self._read_first, ("O",), self._why_no_source, group),
            Command("memories.why", tr("Show its whole life"), acts.why, ("W",), none, group),
            Command("memories.all", tr("Select all that match"), self.table.selectAll, ("Ctrl+A",), group=group),
            Command("memories.save", tr("Save this filter"), self._save_filter, (), self._why_no_filter, group),
        ]

    def open(self, id: int) -> None:
        self._going_to = id
        if (position := self.model.position(id)) is not None:
            self._going_to = None
            self.table.go(position)
        else:
            self.bar.set_query("")
            self._search()

    def focus_first(self) -> None:
        self.table.setFocus()

    def showEvent(self, event) -> None:
        super().showEvent(event)
        self._detail_soon.start()

    # -- the list -----------------------------------------------------------------------------------------------

    def _search(self) -> None:
        filters = " ".join(self.bar.chips())
        self.search.run(Wanted(self.bar.query(), self.bar.words(), filters, self._sort, self._descending))

    def _on_query(self, query: str) -> None:
        self._search()
        settings.set(self.context.profile, "memory_query", query.strip())
        self.saved.mark(query)
        shown = line(query.strip(), 80)
        self.setWindowTitle(f"{tr(self.title)}: {shown}" if shown else tr(self.title))

    def _on_sort(self, sort: str, descending: bool) -> None:
        if sort and (sort, descending) != (self._sort, self._descending):
            self._sort, self._descending = sort, descending
            settings.set(self.context.profile, "memory_sort", [sort, descending])
            self._search()

    def _on_found(self, ids: Sequence[int], notes: dict[int, str]) -> None:
        self.table.keep_place()
        self.model.set_ids(ids, notes)
        self.count.setText(plural(len(ids), "%n memory", "%n memories"))
        self.pages.setCurrentWidget(self.table if ids else self.empty)
        if not ids:
            self._explain_empty()
        if self._going_to is not None and (position := self.model.position(self._going_to)) is not None:
            self._going_to = None
            self.table.go(position)
        self.table.find_place()
        self._show_chosen()
        self._detail_soon.start()

    def _explain_empty(self) -> None:
        if self.bar.query().strip():
            self.empty.say(tr("Nothing matches"), tr("No memory fits this filter."), tr("Clear the filter"))
        else:
            told = tr("Import an export of your assistant, and what it remembers about you is listed here.")
            self.empty.say(tr("No memories yet"), told, tr("Go to Imports"))

    def _on_empty(self) -> None:
        if self.bar.query().strip():
            self.bar.set_query("")
        else:
            self.context.open("imports")

    def _fetch(self, ids: list[int]) -> None:
        self.context.ask("memories.rows", lambda profile: memories.rows(profile, ids), self.model.put_rows, self)

    # -- filters that are kept ----------------------------------------------------------------------------------

    def _count_saved(self) -> None:
        for query in dict.fromkeys(self.saved.queries()):
            if not memories.problem(query):
                question, answer = partial(memories.count, query=query), partial(self.saved.set_count, query)
                self.context.ask(f"memories.count {query}", question, answer, self)

    def _save_filter(self) -> None:
        query = self.bar.query().strip()
        name, agreed = QInputDialog.getText(self, tr("Save filter"), tr("Name of the filter:"), text=line(query, 40))
        if agreed and name.strip() and query and not memories.problem(query):
            self.context.guard(lambda: memories.save(self.context.profile, name.strip(), query))
            self._filters_changed()

    def _forget_filter(self, name: str) -> None:
        self.context.guard(lambda: memories.forget(self.context.profile, name))
        self._filters_changed()

    def _filters_changed(self) -> None:
        self.context.tell_changed({MEMORIES, HISTORY})

    # -- the chosen ones ----------------------------------------------------------------------------------------

    def _show_chosen(self) -> None:
        count = self.table.chosen_count()
        self.bulk.setVisible(count > 1)
        self.chosen.setText(plural(count, "%n selected", "%n selected"))
        total = self.model.rowCount()
        self.all.setText(tr("Select all %1 that match").replace("%1", QLocale().toString(total)))
        self.all.setVisible(count < total)

    def _read_first(self) -> None:
        if self.detail.detail is not None and self.detail.detail.sources:
            self.acts.read(self.detail.detail.sources[0])

    def _ask_detail(self) -> None:
        if not self.isVisible():
            return
        if (memory_id := self.table.current_id()) is None:
            self.detail.show_detail(None)
            return
        self.context.ask("memories.detail", lambda profile: _detail(profile, memory_id), self.detail.show_detail, self)

    def _why_none(self) -> str:
        return "" if self.table.current_id() is not None else tr("Choose a memory first.")

    def _why_no_source(self) -> str:
        shown = self.detail.detail
        return "" if shown is not None and shown.sources else tr("No source is known for this memory.")

    def _why_no_filter(self) -> str:
        return "" if self.bar.query().strip() else tr("There is no filter to save.")


def _detail(profile, memory_id: int) -> MemoryDetail | None:
    try:
        return memories.detail(profile, memory_id)
    except LookupError:
        return None
