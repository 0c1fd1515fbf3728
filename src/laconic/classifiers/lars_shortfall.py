"""What a LARS classifier did not reach: classes short of the asked size, cut or unsolved paths."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from laconic.classifiers.lars_walk import Walk
from laconic.errors import LaconicWarning

# As many classes are named in a warning.
NAMED = 3


@dataclass(eq=False)
class Shortfall:
    """Collects what models of several sizes fall short of; `warn` says it once for all of them.

    If it is `choosing`, only the model of the largest worth counts, of equals the first.
    """

    classes: Sequence[Any]
    longest: float
    choosing: bool = False
    _worth: float = -math.inf
    _short: dict[Any, tuple[int, float, str]] = field(default_factory=dict)
    _without_alpha: bool = False
    _cut: set[Any] = field(default_factory=set)
    _unsolved: dict[Any, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, classes: Iterable[Any], n_rows: int, longest: float, *, choosing: bool
    ) -> Shortfall:
        """Rows are named by their classes; the only row of two classes by the second."""
        return cls(list(classes)[-n_rows:], longest, choosing)

    def note(self, size: float, walks: list[Walk], worth: float = 0.0) -> None:
        """What the rows of a model of `size` words fall short of."""
        if self.choosing:
            if worth <= self._worth:
                return
            self._worth = worth
            for noted in (self._short, self._cut, self._unsolved):
                noted.clear()
        for name, walk in zip(self.classes, walks, strict=True):
            asked = size < math.inf or walk.point.ending == "singular"
            if asked and walk.point.size < size:
                self._short[name] = (walk.point.size, size, walk.reason())
                self._without_alpha |= walk.settings.alpha == 0.0
            if size == math.inf and walk.point.size >= self.longest and not walk.point.ending:
                self._cut.add(name)
            if not walk.row().solved:
                self._unsolved[name] = walk.settings.alpha

    def warn(self) -> None:
        """One warning about all that was noted, if anything was."""
        sentences = [*self._about_short(), *self._about_cut(), *self._about_unsolved()]
        if sentences:
            message = f"LarsClassifier: {'. '.join(sentences)}"
            named = [*self._shortest, *list(self._unsolved)[:NAMED]]
            warnings.warn(LaconicWarning(message, named), stacklevel=4)

    @property
    def _shortest(self) -> list[Any]:
        return sorted(self._short, key=lambda name: self._short[name][0])[:NAMED]

    def _about_short(self) -> list[str]:
        if not self._short:
            return []
        worst = [self._short[name] for name in self._shortest]
        asked = ("all" if size == math.inf else f"{size:.0f}" for _, size, _ in worst)
        named = "; ".join(
            f"{{}}: {n} of {size}, {why}" for (n, _, why), size in zip(worst, asked, strict=True)
        )
        more = "; …" if len(self._short) > NAMED else ""
        remedy = ", or give alpha a number above 0" if self._without_alpha else ""
        return [
            f"{len(self._short)} of {len(self.classes)} classes have fewer words than asked for "
            f"({named}{more}). Ask for a smaller size{remedy}"
        ]

    def _about_cut(self) -> list[str]:
        if not self._cut:
            return []
        return [
            f"the paths of {len(self._cut)} of {len(self.classes)} classes were cut at "
            f"{self.longest:.0f} words, because no size was given. Give size=…, or longest=… to "
            "get more"
        ]

    def _about_unsolved(self) -> list[str]:
        if not self._unsolved:
            return []
        alpha = ", ".join(f"{value:g}" for value in sorted(set(self._unsolved.values())))
        more = ", …" if len(self._unsolved) > NAMED else ""
        return [
            f"{len(self._unsolved)} of {len(self.classes)} problems did not converge with alpha={alpha}, "
            "so that few digits of their coefficients are right "
            f"({', '.join(['{}'] * min(NAMED, len(self._unsolved)))}{more}). Raise alpha"
        ]
