"""Quotations, timeline, labels, toast, and the two ways out: export and a text for the assistant."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QWidget

from memreview.records import Origin
from memreview.review import exports, queue
from memreview.review.values import Context, ContextEntry, Decision, TimelinePoint, Verb
from memreview.ui.dialogs.export import SUFFIX, ExportDialog
from memreview.ui.dialogs.tell import TellDialog
from memreview.ui.theme import DARK, Theme
from memreview.ui.widgets.labels import Label
from memreview.ui.widgets.quotation import FOCUS_CHARS, QuotationView
from memreview.ui.widgets.timeline import Timeline
from memreview.ui.widgets.toast import Toast

DAY = 86_400_000_000


def _entry(id: int, text: str, origin: Origin = Origin.USER, **words) -> ContextEntry:
    return ContextEntry(id=id, origin=origin, kind="message", actor=words.pop("actor", ""), at=words.pop("at", DAY),
                        text=text, **words)  # fmt: skip


def _context(*entries: ContextEntry, focus: int = 1, **words) -> Context:
    return Context(conversation_id=1, title="T", provider="chatgpt", entries=entries, focus=focus, **words)


def _marked(view: QuotationView) -> str:
    """The characters on a coloured ground."""
    text, found = view.toPlainText(), []
    cursor = QTextCursor(view.document())
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        if cursor.charFormat().background().style() != Qt.BrushStyle.NoBrush:
            found.append(text[cursor.position() - 1])
    return "".join(found)


def test_exactly_the_quoted_words_are_marked(qtbot):
    view = QuotationView()
    qtbot.addWidget(view)
    view.show_context(_context(_entry(1, "Well \u202e, I moved to Oslo. Yes.", highlights=((10, 23),))))
    assert _marked(view) == "moved to Oslo"
    assert "⟨U+202E⟩" in view.toPlainText()


def test_who_spoke_is_told_by_origin(qtbot):
    view = QuotationView()
    qtbot.addWidget(view)
    view.show_context(
        _context(
            _entry(1, "a"),
            _entry(2, "b", Origin.ASSISTANT),
            _entry(3, "c", Origin.RETRIEVED_DOCUMENT, actor="evil<b>.example"),
            _entry(4, "d", Origin.SHARED_FILE, actor="cv.pdf"),
            _entry(5, "e", Origin.TOOL_OUTPUT, at=None),
            before=7,
            after=1,
        )
    )
    text = view.toPlainText()
    for words in ("You  ", "Assistant  ", "Web page (evil<b>.example)", "File (cv.pdf)", "Tool result  unknown",
                  "7 earlier messages", "1 later message"):  # fmt: skip
        assert words in text


def test_a_huge_entry_is_cut_around_the_words(qtbot):
    view = QuotationView()
    qtbot.addWidget(view)
    text = "x " * 300_000 + "I moved to Oslo" + " y" * 300_000
    at = text.index("I moved")
    view.show_context(_context(_entry(1, text, highlights=((at, at + 15),))))
    assert _marked(view) == "I moved to Oslo"
    assert view.document().characterCount() < FOCUS_CHARS + 1_000


def test_overlapping_and_wrong_highlights_do_no_harm(qtbot):
    view = QuotationView()
    qtbot.addWidget(view)
    view.show_context(_context(_entry(1, "abcdef", highlights=((2, 4), (1, 3), (5, 99), (6, 2)))))
    assert "abcdef" in view.toPlainText()


def test_a_quotation_copies_as_plain_text(qtbot):
    view = QuotationView()
    qtbot.addWidget(view)
    view.show_context(_context(_entry(1, "<i>a</i>")))
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert "<i>a</i>" in data.text()
    assert not data.hasHtml()


def test_the_timeline_tells_its_values_in_words_too(qtbot):
    view = Timeline()
    qtbot.addWidget(view)
    view.show()
    view.show_points(
        [
            TimelinePoint(at=None, value="Rome", side="other", origin="user"),
            TimelinePoint(at=DAY, value="Berlin", side="old", origin="user"),
            TimelinePoint(at=90 * DAY, value="Oslo <b>", side="new", origin="user"),
        ]
    )
    assert "Berlin" in view.accessibleDescription()
    assert "Oslo <b>" in view.accessibleDescription()
    assert view.note.text() == "At an unknown time: Rome"
    qtbot.waitUntil(lambda: view.plot is not None)
    assert len(view._dots.points()) == 2
    view.show_points([])
    assert len(view._dots.points()) == 0


def test_a_label_shows_markup_as_text_and_hidden_signs(qtbot):
    label = Label("<b>x</b>\u202e")
    qtbot.addWidget(label)
    assert label.text() == "<b>x</b>⟨U+202E⟩"
    assert label.textFormat() == label.textFormat().PlainText


def test_labels_follow_text_size_and_scheme(qapp, qtbot):
    theme = Theme(qapp, "light")
    labels = {role: Label("x", role=role) for role in ("title", "heading", "muted", "warn", "chip", "")}
    for label in labels.values():
        qtbot.addWidget(label)
        label.show()
    before = {role: label.fontMetrics().height() for role, label in labels.items()}
    theme.set_text_percent(200)
    theme.choose("dark")
    qapp.processEvents()
    for role, label in labels.items():
        assert label.fontMetrics().height() > 1.7 * before[role]
        wanted = {"muted": DARK.muted, "warn": DARK.warn}.get(role, DARK.text)
        assert label.palette().windowText().color().name() == wanted
    theme.set_text_percent(100)
    theme.choose("light")
    qapp.processEvents()
    assert {role: label.fontMetrics().height() for role, label in labels.items()} == before


def test_a_toast_stays_within_its_window(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(640, 480)
    toast = Toast(parent)
    parent.show()
    toast.say("word " * 200, undo=True)
    assert parent.rect().contains(toast.geometry())
    parent.resize(500, 400)
    assert toast.geometry().bottom() < 400


def test_export_lists_its_losses_and_writes(filled, open_window, profile, qtbot, tmp_path):
    filled(3)
    window = open_window()
    dialog = ExportDialog(window.context, window)
    qtbot.addWidget(dialog)
    assert set(SUFFIX) == set(exports.FORMATS)
    for number, name in enumerate(exports.FORMATS):
        dialog.formats.button(number).setChecked(True)
        assert all(loss in dialog.losses.text() for loss in exports.losses(profile, name))
    dialog.formats.button(0).setChecked(True)
    path = tmp_path / "out.json"
    dialog.write(path)
    qtbot.waitUntil(lambda: dialog.result() == dialog.DialogCode.Accepted)
    assert "Friend 0" in path.read_text(encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8"))


def test_telling_the_assistant_copies_what_is_shown(filled, open_window, qtbot):
    first, _ = filled(2)
    window = open_window()
    window.context.decide(Decision(verb=Verb.APPROVE, transitions=(first,)))
    dialog = TellDialog(window.context, window)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.copy.isEnabled)
    assert "Munich" in dialog.text_view.toPlainText()
    dialog.copy.click()
    assert QApplication.clipboard().text() == dialog.text_view.toPlainText()
    dialog._show_parts(["one", "two"])
    dialog.next.click()
    assert dialog.text_view.toPlainText() == "two"
    assert not dialog.next.isEnabled()


def test_nothing_decided_is_said(filled, open_window, qtbot, profile):
    filled(1)
    window = open_window()
    dialog = TellDialog(window.context, window)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: "Nothing was decided" in dialog.text_view.toPlainText())
    assert not dialog.copy.isEnabled()
    assert queue.ids(profile)
