"""The model of the memory table alone: pages, placeholders, staleness, and Qt's own checker."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView

from memreview.review.values import MemoryRow
from memreview.ui.models.memory_table import COLUMNS, KEPT_PAGES, PAGE, PENDING, STANDING, TEXT, MemoryTableModel

ROWS = 100_000


def row(memory_id: int, text: str = "") -> MemoryRow:
    return MemoryRow(
        id=memory_id,
        text=text or f"Memory number {memory_id}",
        status="active",
        native_state="active",
        kind="memory",
        provider="chatgpt",
        source_label="ChatGPT",
        created_at=1_700_000_000_000_000 + memory_id,
        pending=memory_id % 3,
    )


@pytest.fixture
def model(qapp):
    return MemoryTableModel()


def answer(model, asked):
    def fetch(ids):
        asked.append(list(ids))
        model.put_rows([row(memory_id) for memory_id in ids])

    model.rows_wanted.connect(fetch)


def test_a_page_is_fetched_when_it_is_drawn_and_only_once(model, qtbot):
    asked: list[list[int]] = []
    answer(model, asked)
    model.set_ids(list(range(1, ROWS + 1)))
    assert model.rowCount() == ROWS
    assert model.index(0, TEXT).data() == "…"
    qtbot.waitUntil(lambda: model.index(0, TEXT).data() == "Memory number 1")
    assert [model.index(position, TEXT).data() for position in range(PAGE)] == [
        f"Memory number {position + 1}" for position in range(PAGE)
    ]
    qtbot.wait(5)
    assert asked == [list(range(1, PAGE + 1))]


def test_pages_that_are_scrolled_past_are_not_fetched(model, qtbot):
    asked: list[list[int]] = []
    answer(model, asked)
    model.set_ids(list(range(ROWS)))
    for position in range(0, ROWS, PAGE):
        model.index(position, TEXT).data()
    qtbot.waitUntil(lambda: bool(asked))
    assert len(asked) == 1
    assert asked[0][-1] == ROWS - 1
    assert len(asked[0]) <= 3 * PAGE


def test_what_is_held_is_bounded(model, qtbot):
    answer(model, [])
    model.set_ids(list(range(ROWS)))
    for page in range(KEPT_PAGES + 20):
        index = model.index(page * PAGE, TEXT)
        index.data()
        qtbot.waitUntil(lambda index=index: index.data() != "…")
    assert len(model._rows) <= KEPT_PAGES * PAGE


def test_after_a_change_the_rows_in_view_come_anew_without_a_placeholder(model, qtbot):
    texts = {1: "before"}
    model.rows_wanted.connect(lambda ids: model.put_rows([row(i, texts.get(i, "")) for i in ids]))
    model.set_ids([1, 2, 3])
    model.index(0, TEXT).data()
    qtbot.waitUntil(lambda: model.index(0, TEXT).data() == "before")
    texts[1] = "after"
    model.set_ids([1, 2, 3])
    assert model.index(0, TEXT).data() == "before"
    qtbot.waitUntil(lambda: model.index(0, TEXT).data() == "after")


def test_rows_that_come_late_for_another_list_change_nothing(model):
    model.set_ids([1, 2])
    model.put_rows([row(7)])
    assert model.index(0, TEXT).data() == "…"
    assert model.position(7) is None
    assert model.position(2) == 1


def test_a_header_asks_the_database_for_the_order(model, qtbot):
    with qtbot.waitSignal(model.sort_wanted) as signal:
        model.sort(STANDING, Qt.SortOrder.DescendingOrder)
    assert signal.args == ["status", True]
    with qtbot.assertNotEmitted(model.sort_wanted):
        model.sort(PENDING)


def test_hostile_text_stays_text_and_short(model):
    model.set_ids([1])
    model.put_rows([row(1, "<img src=x onerror=alert(1)>\n\n" + "a" * 5_000_000)])
    shown = model.index(0, TEXT).data()
    assert shown.startswith("<img src=x")
    assert len(shown) < 400
    assert "\n" not in shown
    assert "<img" not in model.index(0, TEXT).data(Qt.ItemDataRole.ToolTipRole)


def test_a_screen_reader_hears_the_whole_row(model):
    model.set_ids([1])
    model.put_rows([row(1, "Lives in Oslo")])
    assert model.index(0, TEXT).data(Qt.ItemDataRole.AccessibleTextRole) == "Lives in Oslo. In use. ChatGPT"


def test_qts_own_checker_is_content(model, qtmodeltester):
    answer(model, [])
    model.set_ids([3, 1, 2])
    qtmodeltester.check(model)
    model.set_ids([])
    model.set_ids(list(range(250)))


def test_a_view_over_a_hundred_thousand_rows_does_not_stall(model, qtbot):
    asked: list[list[int]] = []
    answer(model, asked)
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(900, 600)
    view.show()
    longest = 0.0
    model.set_ids(list(range(ROWS)))
    for position in (0, 50_000, 99_999, 1, 77_777):
        started = time.perf_counter()
        view.scrollTo(model.index(position, 0))
        view.viewport().repaint()
        longest = max(longest, time.perf_counter() - started)
        qtbot.waitUntil(lambda position=position: model.index(position, TEXT).data() != "…")
    assert longest < 0.2  # 0.03 s on two idle cores; wide for a shared machine
    assert sum(map(len, asked)) < 5 * 3 * PAGE + 1
    assert len(COLUMNS) == model.columnCount()
