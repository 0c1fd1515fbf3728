"""Warnings of a LARS classifier: classes below the requested size, paths cut or not solved."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from laconic.classifiers.lars.walk import Walk
from laconic.errors import LaconicWarning

# The most classes that a warning names.
NAMED = 3


@dataclass(eq=False)
class Shortfall:
    """Collects the shortfalls of models of several sizes; `warn` reports all of them at once.

    With `choose_size`, only the model with the best score counts; ties go to the first.
    """

    classes: Sequence[Any]
    longest: float
    choose_size: bool = False
    _score: float = -math.inf
    _short: dict[Any, tuple[int, float, str]] = field(default_factory=dict)
    _without_alpha: bool = False
    _cut: set[Any] = field(default_factory=set)
    _unsolved: dict[Any, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, classes: Iterable[Any], n_rows: int, longest: float, *, choose_size: bool
    ) -> Shortfall:
        """Rows have the names of their classes; the only row of two classes that of the second."""
        return cls(list(classes)[-n_rows:], longest, choose_size)

    def note(self, size: float, walks: list[Walk], score: float = 0.0) -> None:
        """Add the shortfalls of the rows of a model of `size` words."""
        if self.choose_size:
            if score <= self._score:
                return
            self._score = score
            for notes in (self._short, self._cut, self._unsolved):
                notes.clear()
        for name, walk in zip(self.classes, walks, strict=True):
            requested = size < math.inf or walk.point.ending == "singular"
            if requested and walk.point.size < size:
                self._short[name] = (walk.point.size, size, walk.reason())
                self._without_alpha |= walk.settings.alpha == 0.0
            if size == math.inf and walk.point.size >= self.longest and not walk.point.ending:
                self._cut.add(name)
            if not walk.row().solved:
                self._unsolved[name] = walk.settings.alpha

    def warn(self) -> None:
        """One warning about all shortfalls, if there are any."""
        sentences = [*self._about_short(), *self._about_cut(), *self._about_unsolved()]
        if sentences:
            message = f"LarsClassifier: {'. '.join(sentences)}"
            names = [*self._shortest, *list(self._unsolved)[:NAMED]]
            warnings.warn(LaconicWarning(message, names), stacklevel=4)

    @property
    def _shortest(self) -> list[Any]:
        return sorted(self._short, key=lambda name: self._short[name][0])[:NAMED]

    def _about_short(self) -> list[str]:
        if not self._short:
            return []
        worst = [self._short[name] for name in self._shortest]
        sizes = ("all" if size == math.inf else f"{size:.0f}" for _, size, _ in worst)
        details = "; ".join(
            f"{{}}: {n} of {size}, {why}" for (n, _, why), size in zip(worst, sizes, strict=True)
        )
        more = "; …" if len(self._short) > NAMED else ""
        remedy = ", or give alpha a number above 0" if self._without_alpha else ""
        return [
            f"{len(self._short)} of {len(self.classes)} classes have fewer words than requested "
            f"({details}{more}). Ask for a smaller size{remedy}"
        ]

    def _about_cut(self) -> list[str]:
        if not self._cut:
            return []
        return [
            f"the paths of {len(self._cut)} of {len(self.classes)} classes were cut at "
            f"{self.longest:.0f} words because no size was given. Give size=…, or raise longest"
        ]

    def _about_unsolved(self) -> list[str]:
        if not self._unsolved:
            return []
        alpha = ", ".join(f"{value:g}" for value in sorted(set(self._unsolved.values())))
        more = ", …" if len(self._unsolved) > NAMED else ""
        return [
            f"{len(self._unsolved)} of {len(self.classes)} problems did not converge with "
            f"alpha={alpha}, so few digits of their coefficients are right "
            f"({', '.join(['{}'] * min(NAMED, len(self._unsolved)))}{more}). Raise alpha"
        ]
