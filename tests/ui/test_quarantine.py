"""Quarantine with the keyboard, end to end on a real profile: what it shows, what each verb does, and the way back."""

from __future__ import annotations

import re
import time

import msgspec
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel

from memreview.evaluate import generate_held
from memreview.review import decisions, history, memories, quarantine
from memreview.review.values import Decision, Verb
from memreview.store import journal
from memreview.ui.dialogs.preview import PreviewDialog, kind_words
from memreview.ui.dialogs.release import ReleaseDialog
from memreview.ui.dialogs.why import WhyDialog
from memreview.ui.gate_words import unsure_words
from memreview.ui.models.case_list import HEADING, ROW
from memreview.ui.text import day
from memreview.ui.widgets.decision_bar import DecisionBar
from memreview.ui.widgets.links import Link, LinkList

CLAIMS = 12


@pytest.fixture
def held(filled, profile) -> list[int]:
    """Twelve claims of web pages, three of them remembered; the person said something that four of them contradict."""
    filled(3)
    generate_held.held_back(profile, CLAIMS)
    return quarantine.ids(profile)


@pytest.fixture
def window(held, open_window, qtbot):
    window = open_window()
    window.go_to("quarantine")
    qtbot.waitUntil(lambda: window.panel("quarantine").case is not None)
    return window


@pytest.fixture
def panel(window):
    return window.panel("quarantine")


def _press(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)
    qtbot.waitUntil(lambda: window.context.queries.idle)


def test_what_is_remembered_comes_first_under_its_own_heading(panel, held):
    headings = [panel.model.index(row).data(HEADING) for row in range(panel.model.rowCount())]
    assert [(row, heading.count) for row, heading in enumerate(headings) if heading] == [(0, 3), (4, 9)]
    assert panel.model.ids == held
    assert panel.heading.text() == "12 held back"
    assert "shop" in panel.model.data(panel.model.index(1), Qt.ItemDataRole.AccessibleTextRole)


def test_badge_and_status_line_tell_how_many_wait(window, qtbot):
    qtbot.waitUntil(lambda: "12 held back" in window.status.text())
    row = window.rail.model().index(3, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole) == "Quarantine, 12 waiting"


def test_a_claim_is_shown_with_all_that_decides_it(panel, profile, held):
    contrary = next(one for one in held if quarantine.case(profile, one).contradicts)
    panel.open(contrary)
    view, case = panel.view, panel.case
    assert (case.item.remembered or case.item.claim) in view.title.text()
    assert "a web page: shop" in view.source.text()
    assert case.quote in view.quotation.view.toPlainText()
    assert "hold back 72 %" in view.bars.shares.accessibleDescription()
    assert "asked" in view.bars.unsure.text()
    assert view.contrary.isVisible()
    assert "in your own words" in view.out.text()
    assert "So far: 0 of 1" in view.out.text()
    assert "days left" in view.when.text()
    assert "left out" in view.curve.accessibleDescription()
    assert "Nothing from shop" in view.effects[Verb.NEVER][1].text()
    assert view.effects[Verb.NEVER][0].text() == "Block source"


def test_a_row_says_the_memorys_own_text_and_then_why(panel):
    row = panel.model.data(panel.model.index(1), ROW)
    assert row.first.strip("\u2068\u2069") == panel.case.memories[0].text
    assert re.fullmatch(r"\d+ days left · Web page: shop\d\.example", row.second)
    assert panel.case.memories[0].text in panel.view.title.text()
    assert panel.case.item.claim in panel.view.quotation.view.toPlainText()


def _contradict(profile, source: int, targets: list[int], probability: float) -> None:
    with journal.action(profile.database, "gate", "program") as act:
        for target in targets:
            act.update("nodes", target, status="active")
            act.insert("edges", kind="contradiction", source=source, target=target, at=0, probability=probability,
                       sessions="[]")  # fmt: skip


def test_three_contradictions_are_shown_and_the_rest_counted(panel, profile, held):
    lone = next(one for one in held if not quarantine.case(profile, one).contradicts)
    others = [one for one in held if one != lone]
    _contradict(profile, lone, others[:2], 0.89)
    panel.open(lone)
    assert not panel.view.contrary.isVisible()
    _contradict(profile, lone, others[2:7], 0.95)
    panel.open(lone)
    assert panel.view.contrary.isVisible()
    shown = [label.text() for label in panel.view.against._page.findChildren(QLabel)]
    assert [text.split(" (For good")[0] for text in shown] == [
        *(node.claim for node in panel.case.contradicts[:3]), "and 2 more"
    ]  # fmt: skip


def test_what_each_choice_changes_is_seen_without_scrolling(window, panel, qtbot):
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: panel.view.curve.plot is not None and window.size() == QSize(1280, 800))
    area, told = panel.view.area, panel.view.effects[Verb.NEVER][1]
    bottom = told.mapTo(area.viewport(), told.rect().bottomLeft()).y()
    assert bottom < area.viewport().height()
    assert bottom < panel.view.curve.mapTo(area.viewport(), panel.view.curve.rect().topLeft()).y()


def test_it_is_told_whether_what_is_remembered_still_counts(window, panel, profile, held, qtbot):
    assert "no export has it" in panel.view.state.text()
    with journal.action(profile.database, "edit") as act:
        act.update("memories", panel.case.memories[0].id, status="active")
    window.context.tell_changed({"memories"})
    qtbot.waitUntil(lambda: "stays in use" in panel.view.state.text())


def test_only_memories_that_are_still_held_are_counted(window, panel, profile, held, qtbot):
    others = [quarantine.case(profile, one).item.memories[0] for one in held[1:3]]
    with journal.action(profile.database, "gate", "program") as act:
        for memory in others:
            act.insert("node_memories", node_id=held[0], memory_id=memory)
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: "3 memories of your assistants say this already" in panel.view.state.text())
    with journal.action(profile.database, "edit") as act:
        act.update("memories", others[0], status="superseded")
        act.update("memories", others[1], status="deleted")
    window.context.tell_changed({"memories"})
    qtbot.waitUntil(lambda: "An assistant remembers this already." in panel.view.state.text())
    assert len(panel.case.memories) == 3


def test_the_curve_shows_where_the_claim_is_now(panel, qtbot):
    curve = panel.view.curve
    qtbot.waitUntil(lambda: curve.plot is not None)
    (x,), (y,) = curve._dot.getData()
    assert x == pytest.approx(panel.case.decay[-1].days - panel.case.item.days_left)
    assert panel.case.floor < y < 1.0


def test_the_day_that_days_are_counted_from_is_the_one_on_which_it_was(panel, profile, held):
    read = {entry.at for entry in panel.case.context.entries}
    assert "the last one that was read is of" in panel.view.clock.text()
    decisions.decide(profile, Decision(verb=Verb.KEEP, nodes=(held[0],)))
    panel.view.show_case(kept := quarantine.case(profile, held[0]))
    since = kept.decay[0].at
    assert since > max(read)
    assert panel.view.clock.text() == f"You decided on {day(since)} to hold it back: its days are counted from then."


def test_delete_moves_on_and_undo_brings_claim_and_memory_back(qtbot, window, panel, profile, held):
    first, second = held[:2]
    memory = panel.case.item.memories[0]
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_D)
    assert panel.current_id == second
    assert memories.detail(profile, memory).row.status == "deleted"
    assert window.toast.isVisible()
    assert window.toast.label.text() == "Forgot 1 claim"
    _press(qtbot, window, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: panel.model.ids == held)
    assert memories.detail(profile, memory).row.status == "quarantined"
    assert first in panel.model.ids


def test_holding_longer_takes_it_off_the_list(qtbot, window, panel, profile, held):
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_H)
    assert panel.model.ids == held[1:]
    assert history.steps(profile)[0].verb == "keep"


def test_letting_it_count_asks_for_how_long_and_where(qtbot, window, panel, profile, held, when_asked):
    def answer(dialog: ReleaseDialog) -> None:
        assert dialog.focusWidget() is dialog.layers["stable"]
        dialog.layers["transient"].setChecked(True)
        dialog.scope.place.setChecked(True)
        assert not dialog.accept_button.isEnabled()
        assert "name" in dialog.counts.text()
        dialog.scope.name.setText("the new  office")
        assert dialog.accept_button.isEnabled()
        assert "1 claim in use" in dialog.counts.text()
        dialog.accept_button.click()

    memory = panel.case.item.memories[0]
    panel.focus_first()
    when_asked(answer)
    _press(qtbot, window, Qt.Key.Key_A)
    row = profile.database.one("SELECT * FROM nodes WHERE id = ?", (held[0],))
    assert (row["status"], row["layer"], row["scope"]) == ("active", "transient", "the new office")
    shown = memories.detail(profile, memory).row
    assert (shown.status, shown.scope) == ("active", "the new office")
    assert held[0] not in panel.model.ids


def test_a_cancelled_release_changes_nothing(qtbot, window, panel, profile, held, when_asked):
    steps = len(history.steps(profile))
    when_asked(lambda dialog: dialog.reject())
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_L)
    assert panel.model.ids == held
    assert len(history.steps(profile)) == steps


def test_a_blocked_source_goes_with_all_that_waits_from_it(qtbot, window, panel, profile, held, when_asked):
    host = panel.case.item.provenance.name
    theirs = {item.id for item in quarantine.items(profile, held) if item.provenance.name == host}
    assert len(theirs) > 1

    def answer(dialog: PreviewDialog) -> None:
        assert f"{len(theirs)} claims deleted" in dialog.counts.text()
        assert "1 source left out from now on" in dialog.counts.text()
        dialog.accept_button.click()

    when_asked(answer)
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: not theirs & set(panel.model.ids))
    assert [name for _, name in quarantine.blocked(profile)] == [host]
    when_asked(lambda dialog: (shown.append(dialog.list.item(0).text()), dialog.reject()))
    shown: list[str] = []
    panel.blocked.click()
    assert shown == [host]
    _press(qtbot, window, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: panel.model.ids == held)
    assert quarantine.blocked(profile) == []
    assert not panel.blocked.isVisible()


def test_all_at_once_is_one_step_after_a_preview(qtbot, window, panel, profile, held, when_asked):
    steps = len(history.steps(profile))
    panel.focus_first()
    _press(qtbot, window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    when_asked(lambda dialog: dialog.accept_button.click())
    _press(qtbot, window, Qt.Key.Key_D)
    assert quarantine.ids(profile) == []
    assert len(history.steps(profile)) == steps + 1
    assert panel.outer.currentWidget() is panel.empty
    assert panel.empty.title.text() == "Nothing is held back"


def test_what_has_no_source_of_its_own_can_not_be_blocked(window, panel, profile, held, qtbot):
    entry = profile.database.value("SELECT key FROM nodes WHERE id = ?", (held[0],))
    with journal.action(profile.database, "edit") as act:
        act.update("entries", int(entry[1:]), origin="user")
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: panel.case.item.provenance.kind == "own")
    assert not panel.view.bar.buttons[Verb.NEVER].isEnabled()
    with qtbot.waitSignal(window.context.commands.refused) as refused:
        window.context.commands.run("quarantine.never")
    assert "no source of its own" in refused.args[0]


def test_what_was_left_out_is_shown_on_request(window, panel, profile, held, qtbot):
    with journal.action(profile.database, "gate", "program") as act:
        act.update("nodes", held[-1], status="evicted")
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: held[-1] not in panel.model.ids)
    window.context.commands.run("quarantine.evicted")
    qtbot.waitUntil(lambda: held[-1] in panel.model.ids)
    panel.open(held[-1])
    assert "14 days were over" in panel.view.left.text()
    assert "left out after 14 days without support" in panel.view.when.text()
    assert "nothing uses it" in panel.view.state.text()
    assert "You can still let it count, hold it back for another 14 days, or delete it." in panel.view.state.text()
    assert "only you" in panel.view.out.text()


def test_a_memory_of_a_claim_that_was_left_out_may_be_in_use(window, panel, profile, held, qtbot):
    with journal.action(profile.database, "gate", "program") as act:
        act.update("nodes", held[0], status="evicted")
    window.context.tell_changed({"cases"})
    qtbot.waitUntil(lambda: "nothing uses it" in panel.view.state.text())
    row = panel.model.row_of(held[0])
    assert panel.model.data(panel.model.index(row), ROW).second.startswith("Left out after 14 days without support · ")
    with journal.action(profile.database, "edit") as act:
        act.update("memories", panel.case.memories[0].id, status="active")
    window.context.tell_changed({"memories"})
    qtbot.waitUntil(lambda: "stays in use until you decide" in panel.view.state.text())
    assert "nothing uses it" not in panel.view.state.text()
    assert panel.model.data(panel.model.index(row), ROW).second.startswith("14 days without support, still in use · ")


def test_chat_memory_and_life_are_one_key_away(window, panel, profile, qtbot, when_asked):
    opened = []
    window.context.opened.disconnect(window.go_to)
    window.context.opened.connect(lambda target, id: opened.append((target, id)))
    window.context.commands.run("quarantine.chat")
    window.context.commands.run("quarantine.memory")
    assert opened == [("entry", panel.case.context.focus), ("memory", panel.case.memories[0].id)]
    seen = []

    def look(dialog: WhyDialog) -> None:
        seen.append(type(dialog))
        dialog.reject()

    when_asked(look)
    window.context.commands.run("quarantine.why")
    qtbot.waitUntil(lambda: seen == [WhyDialog])


def test_a_link_from_elsewhere_ends_here(window, panel, held):
    window.show_place("inbox")
    window.go_to("claim", held[4])
    assert window.current == "quarantine"
    assert panel.case.item.id == held[4]


def test_an_empty_quarantine_says_what_it_is_for(open_window, qtbot):
    window = open_window()
    panel = window.show_place("quarantine")
    qtbot.waitUntil(lambda: window.context.queries.idle)
    assert panel.empty.title.text() == "Nothing imported yet"
    assert "web page" in panel.empty.text.text()
    assert panel.empty.button.text() == "Import …"


def test_hostile_and_huge_claims_are_text_and_hold_nothing_up(window, panel, profile, held, qtbot):
    claim = "<b>x</b> \u202egnirts\u202c <img src=x>" + " lorem" * 150_000
    with journal.action(profile.database, "gate", "program") as act:
        act.update("nodes", held[0], claim=claim)
        act.update("memories", panel.case.memories[0].id, text=claim)
    began = time.perf_counter()
    panel.open(held[0])
    panel.view.repaint()
    assert time.perf_counter() - began < 0.5
    assert "<b>x</b>" in panel.view.title.text()
    assert "\u202e" not in panel.view.title.text()
    assert panel.view.title.textFormat() == Qt.TextFormat.PlainText


def test_doubt_is_told_against_the_limit(qapp, panel):
    readings = [msgspec.structs.replace(panel.case.reading, entropy=entropy, eta=1.0) for entropy in (0.1, 0.7, 1.2)]
    assert len(set(map(unsure_words, readings))) == 3


def test_counts_of_a_preview_are_in_plain_words(qapp):
    assert kind_words("beliefs active", 1) == "1 claim in use"
    assert kind_words("memories superseded", 2) == "2 memories replaced"
    assert kind_words("sources blocked added", 1) == "1 source left out from now on"


def test_the_bar_takes_two_rows_where_one_has_no_room(qtbot):
    bar = DecisionBar((Verb.RELEASE, Verb.KEEP, Verb.DELETE, Verb.NEVER))
    qtbot.addWidget(bar)
    words = {verb: (f"A rather long word for {verb}", "") for verb in bar.buttons}
    bar.resize(500, 60)
    bar.show()
    bar.say(words, set(words))
    qtbot.waitUntil(lambda: len({button.y() for button in bar.buttons.values()}) == 2)
    bar.resize(2000, 60)
    qtbot.waitUntil(lambda: len({button.y() for button in bar.buttons.values()}) == 1)


def test_links_lead_on_and_the_rest_is_counted(qtbot):
    links = LinkList()
    qtbot.addWidget(links)
    links.show_links([Link(f"memory {number}", "memory", number) for number in range(12)])
    buttons = [child for child in links._page.children() if hasattr(child, "click")]
    assert len(buttons) == 7  # the first has nowhere to go
    with qtbot.waitSignal(links.opened) as opened:
        buttons[0].click()
    assert opened.args == ["memory", 1]


def test_a_claim_gone_meanwhile_is_told(window, panel, profile, held, qtbot):
    decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(held[3],)))
    with qtbot.waitSignal(window.context.changed):
        window.context.failed.disconnect(window._on_failed)
        panel.open(held[3])
    qtbot.waitUntil(lambda: held[3] not in panel.model.ids)
