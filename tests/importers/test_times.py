from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memreview.importers.times import moment
from memreview.records import UNKNOWN


def us(text: str) -> int:
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1739520000, "2025-02-14T08:00:00Z"),
        (1739520000.123456, "2025-02-14T08:00:00.123456Z"),
        (Decimal("1739520000.123456"), "2025-02-14T08:00:00.123456Z"),
        (1739520000123, "2025-02-14T08:00:00.123Z"),
        (1739520000123456, "2025-02-14T08:00:00.123456Z"),
        (1739520000123456789, "2025-02-14T08:00:00.123456Z"),
        ("1739520000", "2025-02-14T08:00:00Z"),
        ("1739520000.5", "2025-02-14T08:00:00.5Z"),
        ({"$date": {"$numberLong": "1739520000123"}}, "2025-02-14T08:00:00.123Z"),
    ],
)
def test_numbers_have_no_offset(value: object, expected: str) -> None:
    found = moment(value)
    assert (found.us, found.offset, found.assumed) == (us(expected), None, False)


@pytest.mark.parametrize(
    ("value", "expected", "offset"),
    [
        ("2025-02-14T10:00:00Z", "2025-02-14T10:00:00Z", 0),
        ({"$date": "2025-02-14T10:00:00Z"}, "2025-02-14T10:00:00Z", 0),
        ("2025-02-14T10:00:00.123Z", "2025-02-14T10:00:00.123Z", 0),
        ("2025-02-14T10:00:00.123456789Z", "2025-02-14T10:00:00.123456Z", 0),
        ("2025-06-01T02:10:11.000123-07:00", "2025-06-01T09:10:11.000123Z", -420),
        ("2025-02-14T10:00:00+0530", "2025-02-14T04:30:00Z", 330),
        ("2/17/2026 14:36:11 +00:00", "2026-02-17T14:36:11Z", 0),
        ("2025-03-31 08:51:08 PM PDT-0700", "2025-04-01T03:51:08Z", -420),
        ("Feb 3, 2026, 9:50:09\u202fAM GMT+01:00", "2026-02-03T08:50:09Z", 60),
        ("Feb 3, 2026, 9:50:09\u00a0AM GMT+1", "2026-02-03T08:50:09Z", 60),
        ("Tue, 14 Feb 2023 12:00:00 GMT", "2023-02-14T12:00:00Z", 0),
    ],
)
def test_offsets_are_kept(value: object, expected: str, offset: int) -> None:
    found = moment(value)
    assert (found.us, found.offset, found.assumed) == (us(expected), offset, False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2025-02-14T10:00:00", "2025-02-14T10:00:00Z"),
        ("2025-02-14 10:00", "2025-02-14T10:00:00Z"),
        ("2025-02-14", "2025-02-14T00:00:00Z"),
        ("May 8, 2023 1:56 pm", "2023-05-08T13:56:00Z"),
        ("12:05 am on 8 May, 2023", "2023-05-08T00:05:00Z"),
        ("Dec 15, 2025, 06:11:23", "2025-12-15T06:11:23Z"),
        ("2023/05/30 (Tue) 23:40", "2023-05-30T23:40:00Z"),
        ("Feb 3, 2026, 9:50:09 AM EST", "2026-02-03T09:50:09Z"),
    ],
)
def test_a_naive_time_is_marked(value: str, expected: str) -> None:
    found = moment(value)
    assert (found.us, found.offset, found.assumed) == (us(expected), None, True)


def test_a_hint_reads_naive_times_only() -> None:
    lisbon = timezone(timedelta(hours=1))
    assert moment("2025-07-01T10:00:00", lisbon).us == us("2025-07-01T09:00:00Z")
    assert moment("2025-07-01T10:00:00", lisbon).assumed
    assert moment("2025-07-01T10:00:00Z", lisbon) == moment("2025-07-01T10:00:00Z")


@pytest.mark.parametrize(
    "value",
    [
        None, "", 0, -1, 5, 1e308, float("nan"), float("inf"), Decimal("NaN"), 10**400, True, False, [], {}, b"2025",
        "1970-01-01T00:00:00Z", "1969-12-31T16:00:00-08:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
        4102444800, "2099-01-01", "now", "today", "yesterday", "5 minutes ago", "2025-02-30", "25:00 on 8 May, 2023",
        "8 Floréal, 2023", "x" * 10_000, "²" * 10, {"$date": {"$date": 1739520000}},
    ],
)  # fmt: skip
def test_what_can_not_be_read_is_unknown(value: object) -> None:
    assert moment(value) == UNKNOWN


@given(
    st.one_of(st.text(max_size=80), st.floats(), st.integers(), st.decimals(), st.dictionaries(st.text(), st.text()))
)
def test_nothing_raises_and_all_is_in_range(value: object) -> None:
    found = moment(value)
    assert found.us is None or us("1900-01-01T00:00:00Z") <= found.us < us("2099-01-01T00:00:00Z")


@given(st.datetimes(datetime(1990, 1, 1), datetime(2098, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_iso_times_come_back_exactly(when: datetime, offset: int) -> None:
    aware = when.replace(tzinfo=timezone(timedelta(minutes=offset)))
    found = moment(aware.isoformat())
    assert (found.us, found.offset, found.assumed) == (us(aware.isoformat()), offset, False)
