"""Why: a memory's and a claim's whole life as a timeline, and what an import says of what it found."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtWidgets import QPushButton

from memreview.evaluate import generate_held
from memreview.review import decisions, history, quarantine, why
from memreview.review.values import AuditSummary, Counts, Decision, GateSummary, Life, LifeLine, Verb
from memreview.ui.dialogs.why import WhyDialog
from memreview.ui.gate_words import gate_lines, waiting_words
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.life import SHOWN, LifeRow, LifeView


@pytest.fixture
def claim(filled, profile) -> int:
    """A claim that an assistant remembers; it was deleted and put back."""
    filled(2)
    generate_held.held_back(profile, 6)
    first = quarantine.ids(profile)[0]
    decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(first,)))
    history.undo(profile)
    return first


def _texts(dialog: WhyDialog) -> str:
    return "\n".join(label.text() for label in dialog.life.findChildren(Label))


def test_a_life_is_told_from_the_first_word_on(profile, claim, qtbot):
    dialog = WhyDialog(why.of_node(profile, claim))
    qtbot.addWidget(dialog)
    told = _texts(dialog)
    assert told.index("Said") < told.index("Held back")
    assert "Your decision (undone)" in told
    assert dialog.standing.text().startswith("Held back")
    assert "rests on a web page" in dialog.standing.text()
    assert len(dialog.life.findChildren(LifeRow)) == len(why.of_node(profile, claim).lines)


def test_what_was_pasted_does_not_rest_on_ones_own_words(profile, claim, qtbot):
    life = why.of_node(profile, claim)
    assert life.node is not None
    pasted = msgspec.structs.replace(life, node=msgspec.structs.replace(life.node, trust="user"))
    dialog = WhyDialog(pasted)
    qtbot.addWidget(dialog)
    assert "probably quotes somebody" in dialog.standing.text()


def test_a_row_has_a_name_for_a_reader_and_one_way_into_the_chat(profile, claim, qtbot):
    view = LifeView()
    qtbot.addWidget(view)
    view.show_lines(why.of_node(profile, claim).lines)
    rows = view.findChildren(LifeRow)
    assert all(row.accessibleName() and row.accessibleDescription() for row in rows)
    chats = [button for button in view.findChildren(QPushButton) if button.text() == "Open the chat"]
    assert len(chats) == 1
    with qtbot.waitSignal(view.opened) as opened:
        chats[0].click()
    assert opened.args == ["entry", next(line.entry_id for line in why.of_node(profile, claim).lines if line.entry_id)]


def test_a_very_long_life_shows_its_end(qtbot):
    view = LifeView()
    qtbot.addWidget(view)
    view.show_lines([LifeLine(at=number, kind="changed", text=f"turn {number}") for number in range(SHOWN + 7)])
    texts = [label.text() for label in view.findChildren(Label)]
    assert "7 earlier lines are left out" in texts
    assert f"turn {SHOWN + 6}" in texts
    assert "turn 6" not in texts


def test_a_life_without_the_gate_is_told_too(filled, profile, qtbot):
    filled(1)
    memory = profile.database.value("SELECT id FROM memories")
    dialog = WhyDialog(why.of_memory(profile, memory))
    qtbot.addWidget(dialog)
    assert dialog.standing is None
    assert "Remembered" in _texts(dialog)


def test_hostile_text_stays_text(qtbot):
    line = LifeLine(at=None, kind="said", text="<b>x</b> \u202egnirts\u202c")
    dialog = WhyDialog(Life(title="<i>y</i>", node=None, lines=(line,)))
    qtbot.addWidget(dialog)
    told = _texts(dialog)
    assert "<b>x</b>" in told
    assert "\u202e" not in told
    assert "at an unknown time" in told
    assert dialog.text.text() == "<i>y</i>"


def test_one_key_in_memories_shows_why_and_a_step_leads_to_history(profile, claim, open_window, qtbot, when_asked):
    decisions.decide(profile, Decision(verb=Verb.DELETE, nodes=(claim,)))
    memory = profile.database.value("SELECT memory_id FROM node_memories WHERE node_id = ?", (claim,))
    window = open_window()
    window.go_to("memory", memory)
    panel = window.panel("memories")
    qtbot.waitUntil(lambda: panel.table.current_id() == memory)

    def follow(dialog: WhyDialog) -> None:
        steps = [button for button in dialog.findChildren(QPushButton) if button.text() == "Show the step"]
        steps[-1].click()
        assert not dialog.isVisible()

    when_asked(follow)
    window.context.commands.run("memories.why")
    qtbot.waitUntil(lambda: window.current == "history")


def test_a_memory_that_is_held_back_leads_to_quarantine(profile, claim, open_window, qtbot, when_asked):
    memory = profile.database.value("SELECT memory_id FROM node_memories WHERE node_id = ?", (claim,))
    window = open_window()
    window.go_to("memory", memory)
    qtbot.waitUntil(lambda: window.panel("memories").table.current_id() == memory)

    def follow(dialog: WhyDialog) -> None:
        next(one for one in dialog.findChildren(QPushButton) if one.text() == "Decide in Quarantine").click()

    when_asked(follow)
    window.context.commands.run("memories.why")
    qtbot.waitUntil(lambda: window.current == "quarantine")
    qtbot.waitUntil(lambda: window.context.queries.idle)
    assert window.panel("quarantine").case.item.id == claim


def test_the_detail_of_a_memory_has_the_button(profile, claim, open_window, qtbot, when_asked):
    window = open_window()
    panel = window.show_place("memories")
    qtbot.waitUntil(lambda: panel.detail.detail is not None)
    seen = []
    when_asked(lambda dialog: (seen.append(dialog.title.text()), dialog.reject()))
    button = next(one for one in panel.detail.findChildren(QPushButton) if one.text() == "Why is it here?")
    button.click()
    qtbot.waitUntil(lambda: seen == ["Why this is here"])


def test_an_import_says_what_waits_now(open_window, filled, profile, qtbot):
    generate_held.held_back(profile, 4, questions=2)
    window = open_window()
    panel = window.show_place("imports")
    gate = GateSummary(events=7, claims=6, questions=2, quarantined=4)
    audit = AuditSummary(proposed=1, verified=1, stated=0, withdrawn=0, kept_rejected=0, refused={}, seconds=1,
                         embedder="", gate=gate)  # fmt: skip
    panel.run.summaries = list(panel._summaries.values())
    panel.run.finished.emit(audit)
    qtbot.waitUntil(lambda: "4 held back" in window.toast.label.text())
    assert "2 questions" in window.toast.label.text()
    assert "4 claims were held back." in panel.report.text.text()
    assert "2 questions are new" in panel.report.text.text()


def test_an_import_says_why_nothing_was_checked():
    assert gate_lines(None) == []
    told = gate_lines(GateSummary(reason="The model is missing: there is no config.json."))
    assert "not checked" in told[0]
    assert "missing" in told[1]
    assert waiting_words(Counts()) == []
