"""Tables of characters, so that a browser reads texts as Python does."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Any


@cache
def unicode_tables() -> dict[str, Any]:
    """What Python takes for a word character, a digit, white space, and for lower case.

    Browsers have another version of Unicode, so that the page brings these tables. A set of
    characters is told by where it begins and ends, each as the difference to the one before.
    """
    characters = [chr(point) for point in range(sys.maxunicode + 1)]
    every = "".join(characters)
    # whether a capital sigma after it is a final one; and after a letter and it
    after = "\n".join(f"{c}Σ" if c != "\n" else "Σ" for c in characters).lower().split("\n")
    later = "\n".join(f"A{c}Σ" if c != "\n" else "Σ" for c in characters).lower().split("\n")
    cased = [point for point, text in enumerate(after) if text.endswith("ς")]
    passed = {point for point, text in enumerate(later) if text.endswith("ς")}
    lower = {p: c.lower() for p, c in enumerate(characters) if c.lower() != c}
    return {
        "word": _ranges(match.start() for match in re.finditer(r"\w", every)),
        "digit": _ranges(match.start() for match in re.finditer(r"\d", every)),
        "space": _ranges(match.start() for match in re.finditer(r"\s", every)),
        "cased": _ranges(cased),
        "ignorable": _ranges(sorted(passed - set(cased))),
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
    """[first, how many, step, shift]: neighbours, or every other character, of one shift."""
    runs: list[list[int]] = []
    for point, shift in sorted(shifts.items()):
        if runs:
            first, count, step, own = runs[-1]
            gap = point - (first + (count - 1) * step)
            if shift == own and (gap == step or (count == 1 and gap <= 2)):
                runs[-1] = [first, count + 1, gap, shift]
                continue
        runs.append([point, 1, 1, shift])
    return runs
