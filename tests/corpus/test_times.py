from __future__ import annotations

from datetime import date, datetime

import pytest

from laconic.corpus.times import parse_time


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (3, (3.0, "number")),
        (" 2.5 ", (2.5, "number")),
        ("1970-01-02", (86_400.0, "date")),
        ("1970-01", (0.0, "date")),
        ("1970-01-01T01:00:00+01:00", (0.0, "date")),
        ("1970-01-01 00:00:01Z", (1.0, "date")),
        (date(1970, 1, 2), (86_400.0, "date")),
        (datetime(1970, 1, 1, 1), (3_600.0, "date")),
    ],
)
def test_times_are_numbers_or_dates(value, time):
    assert parse_time(value) == time


@pytest.mark.parametrize(
    "value", [None, "", "yesterday", "05/31/2024", "nan", True, float("inf"), []]
)
def test_anything_else_is_refused(value):
    with pytest.raises(ValueError):
        parse_time(value)
