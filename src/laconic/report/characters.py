"""Tables of characters, with which a browser reads texts as Python does."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any


@cache
def unicode_tables() -> dict[str, Any]:
    """Python's word characters, digits, white space, and lower case.

    Browsers have another version of Unicode, so the page carries these tables. A set of characters
    is a list of its bounds, each as the difference to the one before.
    """
    characters = [chr(point) for point in range(sys.maxunicode + 1)]
    alphabet = "".join(characters)
    # is a capital sigma after it a final one? and after a letter and it?
    after = "\n".join(f"{c}Σ" if c != "\n" else "Σ" for c in characters).lower().split("\n")
    later = "\n".join(f"A{c}Σ" if c != "\n" else "Σ" for c in characters).lower().split("\n")
    cased = [point for point, text in enumerate(after) if text.endswith("ς")]
    transparent = {point for point, text in enumerate(later) if text.endswith("ς")}
    lower = {p: c.lower() for p, c in enumerate(characters) if c.lower() != c}
    return {
        "word": _ranges(match.start() for match in re.finditer(r"\w", alphabet)),
        "digit": _ranges(match.start() for match in re.finditer(r"\d", alphabet)),
        "space": _ranges(match.start() for match in re.finditer(r"\s", alphabet)),
        "cased": _ranges(cased),
        "ignorable": _ranges(sorted(transparent - set(cased))),
        "lower": _runs({p: ord(text) - p for p, text in lower.items() if len(text) == 1}),
        "special": [[p, text] for p, text in lower.items() if len(text) > 1],
    }


def _ranges(points: Iterable[int]) -> str:
    """Ascending numbers as the differences of [first, after last, first, …], in base 36."""
    bounds: list[int] = []
    for point in points:
        if bounds and bounds[-1] == point:
            bounds[-1] = point + 1
        else:
            bounds += [point, point + 1]
    steps = (b - a for a, b in zip([0, *bounds], bounds, strict=False))
    return " ".join(_base36(step) for step in steps)


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if not number:
            return digits


def _runs(shifts: dict[int, int]) -> list[list[int]]:
    """[first, count, step, shift]: adjacent characters, or every other one, with one shift."""
    runs: list[list[int]] = []
    for point, shift in sorted(shifts.items()):
        if runs:
            first, count, step, run_shift = runs[-1]
            gap = point - (first + (count - 1) * step)
            if shift == run_shift and (gap == step or (count == 1 and gap <= 2)):
                runs[-1] = [first, count + 1, gap, shift]
                continue
        runs.append([point, 1, 1, shift])
    return runs
