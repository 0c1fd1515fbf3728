"""F-measures of one problem by the number of words: averages as Keerthi takes them, and curves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from laconic.papers.figures import Table
from laconic.papers.plots import Line, Plot
from laconic.rows import Row, Size

METRIC = "f1_micro"

LARS, LARS_0, REFIT = "LARS, λ₂ = 1", "LARS, λ₂ = 0", "SVM anew on LARS words"
IG, BNS, ALL = "IG", "BNS", "all words"
SVM, RLS = "SVM", "RLS"
# Thresholds: as the paper tunes them, and from training outputs.
LARS_LOO, LARS_TRAINING = "LARS, loo", "LARS, training"
IG_CV, IG_TRAINING = "IG, cv", "IG, training"

Curve: TypeAlias = Mapping[int, float]


@dataclass(frozen=True)
class Spread:
    """F-measures over the folds of each repeat: least, mean and largest, averaged over repeats.

    `folds` of them had a model of this size.
    """

    low: float
    mean: float
    high: float
    folds: int

    @classmethod
    def over(cls, repeats: Iterable[Sequence[float]]) -> Self:
        several = [np.array(values) for values in repeats]
        low, mean, high = np.mean([(v.min(), v.mean(), v.max()) for v in several], axis=0)
        return cls(float(low), float(mean), float(high), sum(v.size for v in several))


def spreads(rows: Iterable[Row]) -> dict[tuple[str, Size], Spread]:
    """Of each method and size."""
    found: dict[tuple[str, Size], dict[str, list[float]]] = {}
    for row in rows:
        if row.metric == METRIC and row.value is not None:
            repeats = found.setdefault((row.method, row.size), defaultdict(list))
            repeats[row.fold.partition("repeat ")[2]].append(row.value)
    return {place: Spread.over(repeats.values()) for place, repeats in found.items()}


def complete(found: dict[tuple[str, Size], Spread]) -> dict[tuple[str, Size], Spread]:
    """Those of sizes that every fold has: where paths end, the others are of some folds only."""
    most = max((spread.folds for spread in found.values()), default=0)
    return {place: spread for place, spread in found.items() if spread.folds == most}


def curve_table(title: str, plot: dict[str, str], found: dict[tuple[str, Size], Spread]) -> Table:
    """Sizes by the methods of a plot."""
    sizes = sorted({size for _, size in found if isinstance(size, int)})
    lines = [
        (f"{size:,}", *(_cell(found.get((method, size))) for method in plot.values()))
        for size in sizes
    ]
    whole = [_cell(found.get((method, 1.0))) for method in plot.values()]
    if any(whole):
        lines.append(("all", *whole))
    kept = [i for i in range(len(plot) + 1) if i == 0 or any(line[i] for line in lines)]
    columns = ("words", *plot)
    return Table(
        title,
        tuple(columns[i] for i in kept),
        tuple(tuple(line[i] for i in kept) for line in lines),
    )


def _cell(spread: Spread | None) -> str:
    return "" if spread is None else f"{spread.mean:.3f} ({spread.low:.2f}–{spread.high:.2f})"


def flat_table(name: str, found: dict[tuple[str, Size], Spread]) -> Table:
    columns = ("problem", "method", "size", "avFmin", "avFmean", "avFmax", "folds")
    lines = [
        (name, method, f"{size}", *(f"{v:.6f}" for v in (s.low, s.mean, s.high)), f"{s.folds}")
        for (method, size), s in found.items()
    ]
    return Table("F-measure", columns, tuple(lines), "f-measure.csv", shown=False)


@dataclass(frozen=True)
class Measured:
    """A problem's mean F-measures by size, a curve a label, of sizes that every fold has.

    `whole` is with all words. `further` is λ₂ = 0 of the SVM also where some folds' paths have
    ended, over the others.
    """

    svm: Mapping[str, Curve]
    rls: Mapping[str, Curve]
    thresholds: Mapping[str, Curve]
    whole: Mapping[str, float]
    further: Curve

    def of(self, kind: str) -> Mapping[str, Curve]:
        return self.svm if kind == SVM else self.rls

    def best(self, kind: str) -> tuple[int, float]:
        """The peak of LARS with the better λ₂."""
        peaks = (peak(self.of(kind).get(label, {})) for label in (LARS, LARS_0))
        return max(peaks, key=lambda found: -math.inf if math.isnan(found[1]) else found[1])


def differences(
    curves: Mapping[str, Curve], mine: str, theirs: str, ends: tuple[float, float]
) -> dict[int, float]:
    """By how much one is ahead of another, at the sizes between these ends that both have."""
    a, b = curves.get(mine, {}), curves.get(theirs, {})
    low, high = ends
    return {size: a[size] - b[size] for size in a if size in b and low <= size <= high}


def peak(curve: Curve) -> tuple[int, float]:
    """The size of the largest value, of equals the smallest, and the value; NaN where none is."""
    if not curve:
        return 0, math.nan
    size = max(curve, key=lambda size: (curve[size], -size))
    return size, curve[size]


def fallen(bare: Curve, kept: Curve, loss: float) -> float:
    """The first size after its peak where λ₂ = 0 has lost so much, or has no model any more."""
    start, top = peak(bare)
    low = (size for size in bare if size > start and top - bare[size] >= loss)
    ended = (size for size in kept if bare and size > max(bare))
    return min((*low, *ended), default=math.inf)


def plots(problem: str, found: Measured) -> Iterator[Plot]:
    """Figure 1: one for the SVM and one for RLS, with the same colours."""
    for kind in (SVM, RLS):
        lines = tuple(
            Line(label, tuple(sorted(curve)), tuple(curve[size] for size in sorted(curve)))
            for label in (LARS, LARS_0, IG, REFIT, BNS)
            if (curve := found.of(kind).get(label))
        )
        whole = found.whole.get(kind)
        if lines:
            yield Plot(
                f"figure1-{problem}-{kind.lower()}",
                f"{problem}, {kind}",
                "Number of words",
                "F-measure (avFmean)",
                lines,
                level=None if whole is None else (f"all words, {whole:.3f}", whole),
            )
