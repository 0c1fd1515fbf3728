"""Times of documents as numbers: numbers as they are, dates by ISO 8601 as seconds since 1970."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time
from typing import Literal

from laconic.validation import is_number

MONTH = re.compile(r"\d{4}-\d{2}")


def parse_time(value: object) -> tuple[float, Literal["number", "date"]]:
    """The time and its kind; dates without a time zone are UTC. ValueError for anything else."""
    if isinstance(value, str):
        value = _from_text(value.strip())
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return aware.timestamp(), "date"
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC).timestamp(), "date"
    if is_number(value) and math.isfinite(value):
        return float(value), "number"
    raise ValueError(f"{value!r} is neither a number nor a date")


def _from_text(text: str) -> float | datetime:
    try:
        return float(text)
    except ValueError:
        return datetime.fromisoformat(f"{text}-01" if MONTH.fullmatch(text) else text)
