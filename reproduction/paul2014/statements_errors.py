"""Statements of Paul & Drineas about errors on pairs of categories: table 2, figures 1 and 2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from laconic.rows import Row
from laconic.types import Size
from reproduction.paul2014.alphas import (
    AlphaCell,
    AlphaComparison,
    alpha_comparisons,
    means_by_problem,
)
from reproduction.paul2014.statements import AGAIN, BSS, COLUMNS, IG, LEVERAGE, NAMES, RANDOM
from reproduction.shared.figures import Table
from reproduction.shared.plots import Plot, Series
from reproduction.statements import Finding, judge

ERROR = "error"
ALPHAS = (0.1, 0.3, 0.5, 0.7)
# Table 2, in percent: one row per method, alpha from 0.1 to 0.7.
TABLE_2: dict[tuple[str, Size], tuple[float, ...]] = {
    (BSS, 300): (31.76, 31.46, 31.24, 31.03),
    (LEVERAGE, 300): (38.22, 37.63, 37.23, 36.94),
    (COLUMNS, 300): (37.84, 37.07, 36.57, 36.10),
    (RANDOM, 300): (50.01, 49.43, 49.18, 49.04),
    (IG, 300): (38.35, 36.64, 35.81, 35.15),
    (BSS, 400): (30.59, 30.33, 30.11, 29.96),
    (LEVERAGE, 400): (35.06, 34.63, 34.32, 34.11),
    (COLUMNS, 400): (36.61, 36.04, 35.46, 35.05),
    (RANDOM, 400): (47.82, 47.02, 46.59, 46.27),
    (IG, 400): (37.37, 35.73, 34.88, 34.19),
    (BSS, 500): (29.80, 29.53, 29.34, 29.18),
    (LEVERAGE, 500): (33.33, 32.98, 32.73, 32.52),
    (COLUMNS, 500): (35.77, 35.18, 34.67, 34.25),
    (RANDOM, 500): (46.26, 45.39, 44.96, 44.65),
    (IG, 500): (36.24, 34.80, 33.94, 33.39),
}
ORDER = (BSS, LEVERAGE, IG, COLUMNS, RANDOM)
# Two standard errors of a mean over 24 sets, in points: the sd of their errors is about 5.
CLOSE = 2.0
SIGNIFICANT = 0.05

OTHER_PAIRS = "other pairs, already stemmed; the paper does not say how words are weighted"
MAY_BE_CHANCE = "ahead, but the lead or the number of sets is too small to exclude chance"


@dataclass(frozen=True)
class Errors:
    """Errors in percent per method, alpha and size, and per set."""

    by_set: Mapping[AlphaCell, Mapping[str, float]]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        return cls(
            {
                cell: {name: 100 * value for name, value in values.items()}
                for cell, values in means_by_problem(rows, ERROR).items()
            }
        )

    def at(self, method: str, alpha: float, size: Size) -> float:
        values = self.by_set.get((method, alpha, size), {})
        return float(np.mean(list(values.values()))) if values else math.nan

    @property
    def sizes(self) -> list[Size]:
        return sorted({size for _, _, size in self.by_set})

    @property
    def alphas(self) -> list[float]:
        return sorted({alpha for _, alpha, _ in self.by_set})

    def table(self, method: str) -> np.ndarray:
        """Sizes by alpha."""
        rows = [[self.at(method, alpha, size) for alpha in self.alphas] for size in self.sizes]
        return np.array(rows).reshape(len(self.sizes), len(self.alphas))

    def means(self, axis: int) -> dict[str, list[float]]:
        """Means of the paper's methods over sizes (0) or alpha (1); empty if a cell is missing."""
        if not self.has(*ORDER):
            return {}
        return {method: self.table(method).mean(axis=axis).tolist() for method in ORDER}

    def has(self, *methods: str) -> bool:
        """Whether the methods were measured at every size and alpha."""
        tables = [self.table(method) for method in methods]
        return all(table.size and not np.isnan(table).any() for table in tables)


def statements(rows: Sequence[Row]) -> Iterator[Finding]:
    """Table 2 and figures 1 and 2, for either weighting."""
    errors, tests = Errors.of(rows), list(alpha_comparisons(rows, ERROR, BSS))
    for method in (LEVERAGE, COLUMNS, RANDOM, IG):
        yield beats([test for test in tests if test.method == method], f"BSS beats {NAMES[method]}")
    yield beats(
        [test for test in tests if test.method == AGAIN],
        "… and RRQR that factorizes the rest, where the paper's takes the next columns in order",
    )
    yield best_on_every_set(errors)
    yield least_lead(errors)
    yield order(errors)
    yield fewer_words(errors)
    yield falls_with_size(errors)
    yield falls_with_alpha(errors)
    for method in ORDER:
        yield figures_of(errors, method)


def beats(tests: Sequence[AlphaComparison], statement: str) -> Finding:
    """Ahead at every size and alpha, and significantly in most cells."""
    leads = [100 * test.lead for test in tests]
    sets = [test.wins for test in tests]
    clear = sum(test.corrected < SIGNIFICANT and test.lead > 0 for test in tests)
    ahead = sum(lead > 0 for lead in leads)
    everywhere = ahead == len(tests)
    return judge(
        statement,
        f"by {min(leads):+.1f} to {max(leads):+.1f} points, on {min(sets)} to {max(sets)} of "
        f"{max(test.wins + test.losses for test in tests)} sets; p < {SIGNIFICANT} in {clear} of "
        f"{len(tests)} cells"
        if tests
        else "",
        everywhere and 2 * clear >= len(tests) if tests else None,
        direction=everywhere,
        reason=MAY_BE_CHANCE if everywhere else f"ahead in {ahead} of {len(tests)} cells",
    )


def best_on_every_set(errors: Errors) -> Finding:
    """Among the paper's five methods."""
    cells = [(alpha, size) for alpha in errors.alphas for size in errors.sizes]
    first = [
        error < min(errors.by_set[method, *cell][name] for method in ORDER[1:])
        for cell in (cells if errors.has(*ORDER) else [])
        for name, error in errors.by_set[BSS, *cell].items()
    ]
    return judge(
        "BSS is better than all others on every set, for all alphas and sizes",
        f"in {100 * np.mean(first):.0f} % of the cases" if first else "",
        all(first) if first else None,
        direction=2 * sum(first) > len(first),
        paper="all 48 sets",
        reason="most often the best, but not always"
        if 2 * sum(first) > len(first)
        else OTHER_PAIRS,
    )


def least_lead(errors: Errors) -> Finding:
    """On average over alpha, against the best of the others."""
    mine, *others = errors.means(axis=1).values() or ([],)
    leads = [min(rest) - bss for bss, *rest in zip(mine, *others, strict=True)]
    return judge(
        "BSS is on average at least 3 to 7 points better than the others",
        ", ".join(
            f"{lead:+.1f} at {size}" for size, lead in zip(errors.sizes, leads, strict=False)
        ),
        min(leads) >= 3 if leads else None,
        direction=min(leads, default=0) > 0,
        paper="3 to 7",
        reason=OTHER_PAIRS,
    )


def order(errors: Errors) -> Finding:
    means = {method: float(np.mean(values)) for method, values in errors.means(axis=0).items()}
    ranking = sorted(means, key=lambda method: means[method])
    return judge(
        "from best to worst: BSS, leverage, IG, RRQR, random",
        ", ".join(f"{NAMES[method]} {means[method]:.1f}" for method in ranking),
        tuple(ranking) == ORDER if ranking else None,
        direction=ranking[:1] + ranking[-1:] == [ORDER[0], ORDER[-1]],
        reason=OTHER_PAIRS,
    )


def fewer_words(errors: Errors) -> Finding:
    """The paper says "to achieve the same error": half a point more counts as the same."""
    pairs = {a: (errors.at(BSS, a, 300), errors.at(LEVERAGE, a, 500)) for a in errors.alphas}
    measured = bool(pairs) and not np.isnan([*pairs.values()]).any()
    more = max((few - many for few, many in pairs.values()), default=math.nan)
    return judge(
        "BSS with 300 words is better than leverage with 500",
        ", ".join(
            f"{few:.1f} against {many:.1f} at alpha = {alpha:g}"
            for alpha, (few, many) in pairs.items()
        ),
        more < 0 if measured else None,
        direction=more <= 0.5,
        paper="31.76 against 33.33, … 31.03 against 32.52",
        reason="as good" if more <= 0.5 else OTHER_PAIRS,
    )


def falls_with_size(errors: Errors) -> Finding:
    """On average over alpha."""
    statement = "the error falls with more words, for all methods"
    return _falls(statement, errors.means(axis=1), errors.sizes)


def falls_with_alpha(errors: Errors) -> Finding:
    """On average over sizes."""
    statement = "the error falls with a larger alpha, for all methods"
    return _falls(
        statement, errors.means(axis=0), [f"alpha = {alpha:g}" for alpha in errors.alphas]
    )


def _falls(statement: str, lines: Mapping[str, Sequence[float]], at: Sequence[object]) -> Finding:
    measured = bool(lines) and len(at) > 1
    never = [NAMES[m] for m, values in lines.items() if measured and values[-1] >= values[0]]
    steps = [b < a for values in lines.values() for a, b in pairwise(values)]
    return judge(
        statement,
        "; ".join(f"{NAMES[m]} {v[0]:.1f} to {v[-1]:.1f}" for m, v in lines.items())
        + f" (from {at[0]} to {at[-1]})"
        if measured
        else "",
        all(steps) if measured else None,
        direction=not never,
        reason=f"not for {', '.join(never)}" if never else "from end to end, but not at every step",
    )


def figures_of(errors: Errors, method: str) -> Finding:
    """All values of a method in table 2."""
    paper = {
        (alpha, size): value
        for (name, size), values in TABLE_2.items()
        if name == method
        for alpha, value in zip(ALPHAS, values, strict=True)
    }
    gaps = [errors.at(method, *cell) - value for cell, value in paper.items()]
    measured = not np.isnan(gaps).any()
    ends = [errors.at(method, *cell) for cell in (min(paper), max(paper))]
    return judge(
        f"the errors of {NAMES[method]} in table 2, from 300 words and alpha = 0.1 to 500 and 0.7",
        f"{ends[0]:.1f} to {ends[1]:.1f} %; {np.min(gaps):+.1f} to {np.max(gaps):+.1f} points off",
        max(map(abs, gaps)) <= CLOSE if measured else None,
        direction=ends[1] < ends[0],
        paper=f"{paper[min(paper)]:.2f} to {paper[max(paper)]:.2f} %",
        reason=OTHER_PAIRS,
    )


def beside_paper(rows: Iterable[Row]) -> Table:
    """Every value of table 2, and ours."""
    errors, lines = Errors.of(rows), []
    for (method, size), values in TABLE_2.items():
        ours = (errors.at(method, alpha, size) for alpha in ALPHAS)
        cells = [
            f"{paper:.2f} / {'' if math.isnan(value) else f'{value:.2f}'}"
            for paper, value in zip(values, ours, strict=True)
        ]
        lines.append((f"{NAMES[method]}, {size}", *cells))
    columns = ("method, words", *(f"alpha = {alpha:g}" for alpha in ALPHAS))
    return Table("error in %: paper / here", columns, tuple(lines))


def plots(rows: Iterable[Row], name: str, about: str) -> Iterator[Plot]:
    """Figure 1 has 300 words, figure 2 has 400 and 500."""
    errors = Errors.of(rows)
    for size in errors.sizes:
        number = 1 if size == 300 else 2
        lines = [
            Series(NAMES[method], alphas, tuple(errors.at(method, alpha, size) for alpha in alphas))
            for method in NAMES
            if (alphas := tuple(a for a in errors.alphas if (method, a, size) in errors.by_set))
        ]
        paper_lines = [
            Series(NAMES[method], ALPHAS, values, from_paper=True)
            for (method, table_size), values in TABLE_2.items()
            if table_size == size
        ]
        yield Plot(
            f"{name}-{size}",
            f"Figure {number}: {about}, {size} words",
            "alpha",
            "error in %",
            (*lines, *paper_lines),
            log=False,
        )
