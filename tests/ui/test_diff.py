"""Old → new as one text, word by word, and safe to copy."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from memreview.ui.widgets.diff import DiffView, Side, word_diff


def test_words_that_changed_are_one_change():
    assert word_diff("Lives in Old Town, Berlin.", "Lives in New York, Berlin.") == [
        (Side.SAME, "Lives in "),
        (Side.OLD, "Old Town"),
        (Side.NEW, "New York"),
        (Side.SAME, ", Berlin."),
    ]


def test_equal_texts_have_no_change():
    assert word_diff("a b", "a b") == [(Side.SAME, "a b")]
    assert word_diff("", "") == []


@given(st.text(max_size=60), st.text(max_size=60))
@settings(deadline=None, max_examples=60)
def test_the_pieces_give_both_texts_back(old, new):
    pieces = word_diff(old, new)
    assert "".join(text for side, text in pieces if side is not Side.NEW) == old
    assert "".join(text for side, text in pieces if side is not Side.OLD) == new


def test_changes_show_without_colour(qtbot):
    view = DiffView()
    qtbot.addWidget(view)
    view.show_change("Lives in Berlin", "Lives in Oslo")
    formats = {}
    cursor = QTextCursor(view.document())
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        style = cursor.charFormat()
        formats.setdefault((style.fontStrikeOut(), style.fontUnderline()), []).append(cursor.position())
    text = view.toPlainText()
    assert text == "Lives in Berlin Oslo"
    assert [text[at - 1] for at in formats[(True, False)]] == list("Berlin")
    assert [text[at - 1] for at in formats[(False, True)]] == list("Oslo")


def test_a_diff_copies_as_plain_text_and_renders_no_markup(qtbot):
    view = DiffView()
    qtbot.addWidget(view)
    view.show_change("<b>bold</b>", "Look: <img src='file:///etc/passwd'>")
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert not data.hasHtml()
    assert "<b>" in data.text()
    assert "<img" in data.text()


def test_a_megabyte_is_shown_within_a_moment(qtbot):
    view = DiffView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.show_change("word " * 200_000, "other " * 200_000)
    QTest.qWait(1)
    assert view.document().characterCount() < 50_000
