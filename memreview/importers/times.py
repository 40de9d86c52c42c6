"""Times as exports write them, normalised to UTC microseconds; what can't be read is unknown, never "now"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal, InvalidOperation

from memreview.records import UNKNOWN, Moment
from memreview.records.entry import DAY

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# A zero that went through a time zone lands within a day of 1970; before 1900 and from 2099 on it is a placeholder.
_FIRST_US = (datetime(1900, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST_US = (datetime(2099, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_FIRST_EPOCH_SECOND = 100_000_000  # 1973: smaller numbers are counters, not times of a chat
_NUMBER = re.compile(r"\d{9,20}(\.\d+)?")
_LONGEST = 64

_MONTHS = dict(
    **{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10},
    **{"nov": 11, "dec": 12, "january": 1, "february": 2, "march": 3, "april": 4, "june": 6, "july": 7, "august": 8},
    **{"september": 9, "october": 10, "november": 11, "december": 12},
)
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2})([.,](?P<fraction>\d{1,9}))?)?\s*(?P<half>[ap]\.?m\b\.?)?",
    re.IGNORECASE,
)
_DATES = (
    re.compile(r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b"),
    re.compile(r"\b(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<year>\d{4})\b"),
    re.compile(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<month>[A-Za-z]{3,9})\.?,?\s+(?P<year>\d{4})\b"),
    re.compile(r"\b(?P<month>[A-Za-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})\b"),
)
_OFFSET = re.compile(r"(?:UTC|GMT|[A-Z]{3,4})?\s*(?P<sign>[+\-\u2212])(?P<hours>\d{1,2}):?(?P<minutes>\d{2})?$")
_UTC = re.compile(r"(?:\b(?:UTC|GMT)|(?<=\d)\s*Z)$")


def moment(value: object, tz_hint: tzinfo | None = None) -> Moment:
    """The moment that `value` names: a number of seconds, ms, µs or ns, a string of any form in formats.md §0.2, or
    MongoDB's `{"$date": …}`. A time without a zone is read in `tz_hint` (else UTC) and marked `assumed`."""
    if isinstance(value, str):
        return _from_text(value, tz_hint)
    if isinstance(value, bool):
        return UNKNOWN
    if isinstance(value, (int, float, Decimal)):
        return _from_number(value)
    if isinstance(value, dict) and len(value) == 1:
        inner = value.get("$date", value.get("$numberLong"))
        return UNKNOWN if isinstance(inner, dict) and "$date" in inner else moment(inner, tz_hint)
    return UNKNOWN


def _from_number(value: int | float | Decimal) -> Moment:
    if isinstance(value, Decimal):
        value = float(value) if value.is_finite() else 0
    if not _FIRST_EPOCH_SECOND <= value <= 10**20:  # NaN is not either
        return UNKNOWN
    if value > 10**17:
        us = int(value) // 1000
    elif value > 10**14:
        us = int(value)
    elif value > 10**11:
        us = round(value * 1000)
    else:
        us = round(value * 1_000_000)
    return Moment(us=us) if us < _LAST_US else UNKNOWN


def _from_text(value: str, tz_hint: tzinfo | None) -> Moment:
    if len(value) > _LONGEST:
        return UNKNOWN
    try:
        return _from_datetime(datetime.fromisoformat(value), tz_hint)
    except ValueError:
        pass
    value = " ".join(value.split())  # U+202F and U+00A0 stand before AM and PM in localised times
    if _NUMBER.fullmatch(value):
        try:
            return _from_number(Decimal(value))
        except InvalidOperation:  # digits that Decimal doesn't take
            return UNKNOWN
    return _from_prose(value, tz_hint)


def _from_datetime(when: datetime, tz_hint: tzinfo | None) -> Moment:
    assumed = when.tzinfo is None
    if assumed:
        when = when.replace(tzinfo=tz_hint or UTC)
    us = (when - _EPOCH) // _MICROSECOND
    if abs(us) <= DAY or not _FIRST_US <= us < _LAST_US:
        return UNKNOWN
    offset = when.utcoffset()
    return Moment(
        us=us,
        offset=None if assumed or offset is None else round(offset.total_seconds() / 60),
        assumed=assumed,
    )


def _month_and_day(found: dict[str, str]) -> tuple[int, int]:
    """(0, 0) where 03/04 may be March or April."""
    if "one" not in found:
        name = found["month"]
        return (int(name) if name.isdigit() else _MONTHS.get(name.lower(), 0)), int(found["day"])
    one, other = int(found["one"]), int(found["other"])
    if one == other or other > 12:
        return one, other
    return (other, one) if one > 12 else (0, 0)


def _from_prose(value: str, tz_hint: tzinfo | None) -> Moment:
    """Dates in English prose, by own patterns: no locale. Where day and month could be either way round, the time is
    unknown."""
    for pattern in _DATES:
        found = pattern.search(value)
        if found:
            break
    else:
        return UNKNOWN
    month, day = _month_and_day(found.groupdict())
    rest = f"{value[: found.start()]} {value[found.end() :]}".strip()
    clock = _CLOCK.search(rest)
    hour, minute, second, microsecond = _clock(clock) if clock else (0, 0, 0, 0)
    try:
        when = datetime(
            int(found["year"]),
            month,
            day,
            hour,
            minute,
            second,
            microsecond,
            tzinfo=_zone(rest),
        )
        return _from_datetime(when, tz_hint)
    except (ValueError, OverflowError):
        return UNKNOWN


def _clock(found: re.Match[str]) -> tuple[int, int, int, int]:
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"][0] in "pP" else 0)
    return (
        hour,
        int(found["minute"]),
        int(found["second"] or 0),
        int((found["fraction"] or "0").ljust(6, "0")[:6]),
    )


def _zone(rest: str) -> tzinfo | None:
    """The zone at the end of `rest`. Abbreviations alone (PST, BRT) are ambiguous and count as none."""
    offset = _OFFSET.search(rest)
    if offset:
        delta = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"] or 0))
        return timezone(delta if offset["sign"] == "+" else -delta)
    return UTC if _UTC.search(rest) else None
