"""Words on their way to the screen: translation, plurals, times by locale, and imported text made harmless.

Imported text is hostile. `plain` shows what hides in it (bidi controls, zero-width and tag characters, control
codes) as visible marks; every widget shows the result as plain text, never as HTML.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime
from PySide6.QtWidgets import QWidget

from memreview.review.words import PROVIDERS

LABEL_LIMIT = 2_000
"""Characters that a label or row shows; a text view shows up to `VIEW_LIMIT`."""
VIEW_LIMIT = 200_000

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
    # Joiners are spelling in Persian, Indic scripts and emoji; between Latin letters they only hide something.
    "|(?<=[\x21-\x7e])[\u200c\u200d]|[\u200c\u200d](?=[\x21-\x7e])"
    "|[\ud800-\udfff]"
)


def tr(text: str) -> str:
    return QCoreApplication.translate("memreview", text)


def plural(n: int, one: str, many: str) -> str:
    """`plural(3, "%n case", "%n cases")` -> "3 cases", the number written as the locale does."""
    return tr(one if n == 1 else many).replace("%n", QLocale().toString(n))


def plain(text: str, limit: int = VIEW_LIMIT) -> str:
    """`text` with everything invisible made visible, cut at `limit` characters with a note of what is left out."""
    left = len(text) - limit
    shown = _HIDDEN.sub(_mark, text[:limit].replace("\r\n", "\n"))
    return shown if left <= 0 else shown + " … " + plural(left, "(%n more character)", "(%n more characters)")


def line(text: str, limit: int = LABEL_LIMIT) -> str:
    """`text` on one line, for rows and labels, cut with "…"."""
    joined = " ".join(text[: limit * 2].split())
    cut = len(joined) > limit or len(text) > limit * 2
    return plain(joined[:limit]) + ("…" if cut else "")


def isolated(text: str) -> str:
    """`line(text)` set apart, so that a right-to-left value keeps its direction and does not turn its neighbours."""
    return f"\u2068{line(text)}\u2069"


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"⟨U+{code:04X}⟩"


def local(us: int) -> QDateTime:
    """A UTC time in microseconds as the person's wall clock shows it."""
    return QDateTime.fromMSecsSinceEpoch(us // 1000)


def day(us: int | None) -> str:
    """The date by locale ("5 Mar 2025"), or "unknown"; 0 is how the ledger writes that."""
    return tr("unknown") if not us else date_text(local(us).date())


def moment(us: int | None) -> str:
    """Date and time by locale, or "unknown"."""
    if not us:
        return tr("unknown")
    clock = QLocale().toString(local(us).time(), QLocale.FormatType.ShortFormat)
    return f"{day(us)}, {clock}"


def date_text(date: QDate) -> str:
    return QLocale().toString(date, date_pattern())


def date_pattern() -> str:
    """The locale's long date without the day of the week, the month shortened: "d MMM yyyy"."""
    pattern = QLocale().dateFormat(QLocale.FormatType.LongFormat)
    return re.sub(r"d{3,4}[,.،]?\s*|\s*d{3,4}$", "", pattern).replace("MMMM", "MMM").strip(" ,")


def end_of_day(date: QDate) -> int:
    """The last microsecond of the person's `date`, in UTC: what "until that day" means."""
    return QDateTime(date.addDays(1), QTime(0, 0)).toMSecsSinceEpoch() * 1000 - 1


def now() -> int:
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def provider_name(provider: str) -> str:
    return tr(PROVIDERS.get(provider, provider))


def name_for_reader(widget: QWidget, name: str, description: str = "") -> None:
    """Give a widget the name that a screen reader says."""
    widget.setAccessibleName(name)
    if description:
        widget.setAccessibleDescription(description)
