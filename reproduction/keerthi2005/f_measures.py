"""F-measures of one problem by number of words: Keerthi's averages, tables and curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np

from laconic.rows import Row, RowTable, group_pairs
from laconic.types import Size
from reproduction.shared.figures import Table
from reproduction.shared.plots import Plot, Series

METRIC = "f1"

LARS, LARS_0, REFIT = "LARS, alpha = 1", "LARS, alpha = 0", "LARS, SVM retrained"
IG, BNS, ALL = "IG", "BNS", "all words"
SVM, RLS = "SVM", "RLS"
# Thresholds: tuned as in the paper, and from training outputs.
LARS_LOO, LARS_TRAINING = "LARS, loo", "LARS, training"
IG_CV, IG_TRAINING = "IG, cv", "IG, training"

FCurve: TypeAlias = Mapping[int, float]
# A method and a size.
MethodSize: TypeAlias = tuple[str, Size]


@dataclass(frozen=True)
class Spread:
    """Minimum, mean and maximum F-measure over the folds, averaged over the repeats.

    `folds` is the number of folds that have a model of this size.
    """

    low: float
    mean: float
    high: float
    folds: int

    @classmethod
    def over(cls, repeats: Iterable[Sequence[float]]) -> Self:
        folds = [np.array(values) for values in repeats]
        low, mean, high = np.mean([(v.min(), v.mean(), v.max()) for v in folds], axis=0)
        return cls(float(low), float(mean), float(high), sum(v.size for v in folds))


Spreads: TypeAlias = dict[MethodSize, Spread]


def spreads(rows: Iterable[Row]) -> Spreads:
    """The spread of each method and size."""
    cells = RowTable(rows).measured(METRIC).group_by("method", "size")
    return {cell: Spread.over(_repeats(of_cell)) for cell, of_cell in cells.items()}


def _repeats(rows: RowTable) -> Iterable[list[float]]:
    """The values of each repeat of the folds, whose names end in "repeat 2"."""
    repeats = (fold.partition("repeat ")[2] for fold in rows.column("fold"))
    return group_pairs(zip(repeats, rows.column("value"), strict=True)).values()


def complete(spreads: Spreads) -> Spreads:
    """The spreads of sizes that every fold has; some folds lack a size where their path ends."""
    most = max((spread.folds for spread in spreads.values()), default=0)
    return {cell: spread for cell, spread in spreads.items() if spread.folds == most}


def curve_table(title: str, plot: dict[str, str], spreads: Spreads) -> Table:
    """Sizes by the methods of a plot."""
    sizes = sorted({size for _, size in spreads if isinstance(size, int)})
    lines = [
        (f"{size:,}", *(_cell(spreads.get((method, size))) for method in plot.values()))
        for size in sizes
    ]
    whole = [_cell(spreads.get((method, 1.0))) for method in plot.values()]
    if any(whole):
        lines.append(("all", *whole))
    shown = [i for i in range(len(plot) + 1) if i == 0 or any(line[i] for line in lines)]
    columns = ("words", *plot)
    return Table(
        title,
        tuple(columns[i] for i in shown),
        tuple(tuple(line[i] for i in shown) for line in lines),
    )


def _cell(spread: Spread | None) -> str:
    return "" if spread is None else f"{spread.mean:.3f} ({spread.low:.2f}–{spread.high:.2f})"


def flat_table(name: str, spreads: Spreads) -> Table:
    columns = ("problem", "method", "size", "avFmin", "avFmean", "avFmax", "folds")
    lines = [
        (name, method, f"{size}", *(f"{v:.6f}" for v in (s.low, s.mean, s.high)), f"{s.folds}")
        for (method, size), s in spreads.items()
    ]
    return Table("F-measure", columns, tuple(lines), "f-measure.csv", shown=False)


@dataclass(frozen=True)
class ProblemCurves:
    """A problem's mean F-measures by size, one curve per label, at sizes that every fold has.

    `whole` is with all words. `further` is the SVM with alpha = 0 also where the paths of some
    folds have ended, averaged over the other folds.
    """

    svm: Mapping[str, FCurve]
    rls: Mapping[str, FCurve]
    thresholds: Mapping[str, FCurve]
    whole: Mapping[str, float]
    further: FCurve

    def of(self, kind: str) -> Mapping[str, FCurve]:
        return self.svm if kind == SVM else self.rls

    def best(self, kind: str) -> tuple[int, float]:
        """The peak of LARS with the better alpha."""
        peaks = (peak(self.of(kind).get(label, {})) for label in (LARS, LARS_0))
        return max(peaks, key=lambda peak: -math.inf if math.isnan(peak[1]) else peak[1])


def differences(
    curves: Mapping[str, FCurve], mine: str, theirs: str, ends: tuple[float, float]
) -> dict[int, float]:
    """The lead of one method over another, at the sizes between these ends that both have."""
    a, b = curves.get(mine, {}), curves.get(theirs, {})
    low, high = ends
    return {size: a[size] - b[size] for size in a if size in b and low <= size <= high}


def peak(curve: FCurve) -> tuple[int, float]:
    """The size of the largest value (ties: the smallest size), and the value; NaN if empty."""
    if not curve:
        return 0, math.nan
    size = max(curve, key=lambda size: (curve[size], -size))
    return size, curve[size]


def fallen(bare: FCurve, regularized: FCurve, loss: float) -> float:
    """The first size after its peak where alpha = 0 has lost that much, or has no model."""
    start, top = peak(bare)
    low = (size for size in bare if size > start and top - bare[size] >= loss)
    ended = (size for size in regularized if bare and size > max(bare))
    return min((*low, *ended), default=math.inf)


def plots(problem: str, curves: ProblemCurves) -> Iterator[Plot]:
    """Figure 1: one plot for the SVM and one for RLS, with the same colours."""
    for kind in (SVM, RLS):
        lines = tuple(
            Series(label, tuple(sorted(curve)), tuple(curve[size] for size in sorted(curve)))
            for label in (LARS, LARS_0, IG, REFIT, BNS)
            if (curve := curves.of(kind).get(label))
        )
        whole = curves.whole.get(kind)
        if lines:
            yield Plot(
                f"figure1-{problem}-{kind.lower()}",
                f"{problem}, {kind}",
                "Number of words",
                "F-measure (avFmean)",
                lines,
                level=None if whole is None else (f"all words, {whole:.3f}", whole),
            )
