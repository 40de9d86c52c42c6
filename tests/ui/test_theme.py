"""Colours that can be read, in both schemes, and text that can't act."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from memreview.ui.text import VIEW_LIMIT, day, isolated, line, moment, plain, plural
from memreview.ui.theme import DARK, LIGHT, Theme, colours, palette

ON = (
    [("text", surface) for surface in ("window", "base", "alternate", "rail", "card")]
    + [("muted", surface) for surface in ("window", "base", "alternate", "card")]
    + [("link", surface) for surface in ("window", "base", "card")]
    + [("on_accent", "accent"), ("added", "added_back"), ("removed", "removed_back"), ("warn", "warn_back")]
    + [("quote", "quote_back"), ("added", "card"), ("removed", "card"), ("text", "line")]
)


def _luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
             for channel in QColor(colour).getRgbF()[:3]]  # fmt: skip
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), ON)
def test_text_has_a_contrast_of_4_5(scheme, text, surface):
    assert _contrast(getattr(scheme, text), getattr(scheme, surface)) >= 4.5


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_frames_can_be_seen(scheme):
    """WCAG 1.4.11: 3:1 against what is beside it."""
    for surface in ("window", "card", "base"):
        assert _contrast(scheme.link, getattr(scheme, surface)) >= 3
        assert _contrast(scheme.edge, getattr(scheme, surface)) >= 3


def test_choosing_a_scheme_changes_the_palette_at_once(qapp):
    theme = Theme(qapp, "dark")
    assert colours(qapp.palette()) is DARK
    theme.choose("light")
    assert colours(qapp.palette()) is LIGHT
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.window)
    assert colours(palette(DARK)) is DARK


def test_system_scheme_follows_qt(qapp):
    theme = Theme(qapp, "system")
    dark = QApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert colours(qapp.palette()) is (DARK if dark else LIGHT)
    theme.choose("light")


def test_larger_text_is_larger(qapp):
    theme = Theme(qapp, "light")
    before = qapp.font().pointSizeF()
    theme.set_text_percent(200)
    assert qapp.font().pointSizeF() == pytest.approx(before * 2)
    theme.set_text_percent(100)
    assert qapp.font().pointSizeF() == pytest.approx(before)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("\ufeffa", "⟨U+FEFF⟩a"),
        ("a\x00\x1bb", "a␀␛b"),
        ("a\ud800b", "a\ufffdb"),
        ("hi\U000e0041", "hi⟨U+E0041⟩"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👧", "👩\u200d👧"),
    ],
)
def test_what_hides_in_a_text_is_shown(hidden, shown):
    assert plain(hidden) == shown


def test_long_texts_are_cut_with_a_note(qapp):
    shown = plain("x" * 1_000_000)
    assert len(shown) < VIEW_LIMIT + 100
    assert shown.endswith("more characters)")
    assert line("a\nb " * 10_000, 50).endswith("…")


def test_isolated_values_keep_their_direction(qapp):
    assert isolated("\u202eevil") == "\u2068⟨U+202E⟩evil\u2069"


def test_times_by_locale_and_unknown(qapp):
    previous = QLocale()
    try:
        QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
        assert day(1_709_640_000_000_000) == "5. März 2024"
        QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
        assert day(1_709_640_000_000_000) == "Mar 5, 2024"
        assert plural(12_345, "%n case", "%n cases") == "12,345 cases"
        assert plural(1, "%n case", "%n cases") == "1 case"
        assert day(None) == moment(None) == "unknown"
    finally:
        QLocale.setDefault(previous)
