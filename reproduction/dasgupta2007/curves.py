"""Means of one metric by method and size, and helpers for statements about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from laconic.types import Size
from reproduction.shared.figures import MeanPoint
from reproduction.statements import Finding, if_measured, judge


@dataclass(frozen=True)
class Curves:
    """One metric: the mean of each method at each size, NaN where it was not measured."""

    means: Mapping[tuple[str, Size], float]

    @classmethod
    def of(cls, points: Iterable[MeanPoint], metric: str) -> Self:
        return cls({(p.method, p.size): p.mean for p in points if p.metric == metric})

    def at(self, method: str, size: Size) -> float:
        return self.means.get((method, size), math.nan)

    def sizes(self, *methods: str, least: float = 0, most: float = math.inf) -> list[Size]:
        """The sizes at which all of these methods were measured."""
        sizes = {size for _, size in self.means if least <= size <= most}
        return sorted(s for s in sizes if not any(math.isnan(self.at(m, s)) for m in methods))

    def leads(self, method: str, others: Sequence[str], sizes: Iterable[Size]) -> list[float]:
        """The lead over the best of the others at each size; negative if behind."""
        return [self.at(method, s) - max(self.at(o, s) for o in others) for s in sizes]

    def line(self, method: str, sizes: Iterable[Size]) -> list[float]:
        return [self.at(method, size) for size in sizes]


def corpus_words(name: str, paper: int, ours: float, reason: str) -> Finding:
    """Table 1; "roughly" is within 10 %."""
    return judge(
        f"{name} has about {paper:,} terms",
        f"{ours:,.0f}",
        if_measured(abs(ours - paper) <= 0.1 * paper, ours),
        paper=f"{paper:,}",
        reason=reason,
    )


def correlation(xs: Sequence[float] | np.ndarray, ys: Sequence[float] | np.ndarray) -> float:
    return float(np.corrcoef(xs, ys)[0, 1]) if len(xs) > 1 else math.nan


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def points_of(difference: float) -> str:
    return f"{100 * difference:.1f} points"


def against(curves: Curves, method: str, other: str, sizes: Sequence[Size]) -> str:
    ends = dict.fromkeys([sizes[0], sizes[-1]]) if sizes else {}
    return ", ".join(
        f"{percent(curves.at(method, s))} against {percent(curves.at(other, s))} at {s:,}"
        for s in ends
    )
