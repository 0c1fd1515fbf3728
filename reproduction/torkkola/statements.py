"""Statements of Torkkola about accuracies, in percent, and costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TypeAlias

from laconic.studies.analysis.significance import PairedTest as TestResult
from laconic.types import Size
from reproduction.shared.figures import MeanPoint
from reproduction.shared.plots import Plot, Series
from reproduction.statements import Finding, if_measured, judge, judge_value
from reproduction.torkkola.prediction_costs import MeasuredCost

FULL, LSI, RP, IG = "full", "LSI", "random", "IG"
LDA_LSI, LDA_RP, LDA = "LDA from LSI", "LDA from random", "LDA direct"
# Accuracies that the text gives, in percent.
PAPER: dict[tuple[str, Size], float] = {
    (FULL, 1.0): 88.8,
    (LSI, 513): 88.6,
    (LDA_LSI, 2): 65.1,
    (LDA_LSI, 12): 91.1,
    (LDA_LSI, 64): 92.2,
}
PAPER_MCNEMAR = 18.9
PAPER_SUPPORTS, PAPER_OPERATIONS, PAPER_LDA_OPERATIONS = 10_496, 755_712, 126_816
# Two standard errors of an accuracy of 90 % on 2,570 documents.
CLOSE = 1.2
# The accuracy of always predicting the largest class, in percent.
LARGEST = 42.0
ALMOST_SIGNIFICANT = 0.05
WHOLE = 1.0

Accuracies: TypeAlias = Mapping[tuple[str, Size], MeanPoint]


def figure_2(accuracies: Accuracies, test: TestResult) -> Iterator[Finding]:
    """With the paper's kernel; `test` is McNemar's test of 12 components against all words."""
    for (label, size), paper in PAPER.items():
        ours = value(accuracies, label, size)
        yield judge_value(
            f"{label}, {size_text(size)}: accuracy in %",
            paper,
            ours,
            within=CLOSE,
            direction=abs(ours - paper) <= 3 * CLOSE,
            form=".1f",
            reason=f"{'better' if ours > paper else 'worse'} here, for unknown reasons",
        )
    yield judge_value(
        "McNemar's χ² of 12 components of LDA from LSI against all words",
        PAPER_MCNEMAR,
        test.statistic,
        within=3.0,
        direction=test.p < ALMOST_SIGNIFICANT and test.effect > 1,
        form=".1f",
        reason=f"12 components are {'ahead' if test.effect > 1 else 'not ahead'}, p = {test.p:.2g}",
    )
    yield improves(
        accuracies, LDA_LSI, "going from 5,718 words to 12 components improves the accuracy"
    )
    yield from at_small_sizes(accuracies)
    yield halving(accuracies)
    yield from at_random(accuracies)


def improves(
    accuracies: Accuracies,
    label: str,
    statement: str,
    size: int = 12,
    p: float = math.nan,
    reason: str = "",
) -> Finding:
    """Components against all words, with `p` if there is one."""
    few, whole = value(accuracies, label, size), value(accuracies, FULL, 1.0)
    return judge(
        statement,
        f"{few:.1f} with {size} components, {whole:.1f} with all words"
        + ("" if math.isnan(p) else f", p = {p:.2g}"),
        if_measured(few > whole, few, whole),
        paper=f"{PAPER[LDA_LSI, size]}, {PAPER[FULL, WHOLE]}",
        reason=reason,
    )


def at_small_sizes(accuracies: Accuracies) -> Iterator[Finding]:
    lda, *others = (value(accuracies, label, 12) for label in (LDA_LSI, LSI, IG, RP))
    yield judge(
        "at equal small sizes LDA is far ahead of the others",
        "at 12: {:.1f}, against {:.1f} LSI, {:.1f} IG, {:.1f} random".format(lda, *others),
        if_measured(lda > max(others) + 10, lda, *others),
        direction=lda > max(others),
    )
    few = [value(accuracies, IG, size) for size in (1, 2, 4) if (IG, size) in accuracies]
    yield judge(
        "selection by IG fails at very low dimensions",
        f"{', '.join(f'{v:.1f}' for v in few)} up to 4 words; the largest class: {LARGEST:.0f}",
        max(few) < LARGEST + CLOSE if few else None,
    )
    medium = [size for size in (32, 64, 128, 256) if (IG, size) in accuracies]
    between = [
        value(accuracies, RP, size) < value(accuracies, IG, size) < value(accuracies, LSI, size)
        for size in medium
    ]
    yield judge(
        "… and lies between random projections and LSI at medium ones",
        f"at {sum(between)} of {len(between)} sizes from {medium[0]} to {medium[-1]}"
        if medium
        else "",
        all(between) if between else None,
        direction=sum(between) * 2 >= len(between),
    )


def halving(accuracies: Accuracies) -> Finding:
    """Down to 16 components: below, the curve is not smooth in the paper either."""
    sizes = [size for size in (513, 256, 128, 64, 32, 16) if (LSI, size) in accuracies]
    losses = [value(accuracies, LSI, a) - value(accuracies, LSI, b) for a, b in pairwise(sizes)]
    text = ", ".join(f"{loss:.1f}" for loss in losses)
    return judge(
        "halving the components of LSI costs 4 to 5 points",
        f"{text} points from 513 down to 16",
        all(3.5 <= loss <= 5.5 for loss in losses) if len(losses) == 5 else None,
        direction=all(loss > 0 for loss in losses),
        paper="4–5",
        reason="every halving costs, little at first and more at the end",
    )


def at_random(accuracies: Accuracies) -> Iterator[Finding]:
    spreads = {size: accuracies[RP, size].sd for size in (2, 8, 64) if (RP, size) in accuracies}
    drawn = all(accuracies[RP, size].problems > 1 for size in spreads) and len(spreads) == 3
    yield judge(
        "random projections vary much at low dimensions",
        "; ".join(f"standard deviation {sd:.1f} at {size}" for size, sd in spreads.items()),
        spreads[2] > 3 * spreads[64] if drawn else None,
    )
    gaps = [value(accuracies, LDA_LSI, size) - value(accuracies, LDA_RP, size) for size in (12, 64)]
    yield judge(
        "LDA from a random projection behaves very similarly to LDA from LSI",
        f"{gaps[0]:.1f} points behind at 12, {gaps[1]:.1f} at 64",
        if_measured(max(map(abs, gaps)) <= CLOSE, *gaps),
        direction=max(map(abs, gaps)) <= 4 * CLOSE,
        reason="close to it, but behind" if min(gaps) > 0 else "",
    )


def nested(
    accuracies: Accuracies, tests: Mapping[tuple[str, Size], TestResult]
) -> Iterator[Finding]:
    """With a kernel chosen for each representation on held-out documents.

    The paper's statement is about LDA from LSI; LDA directly on the documents is ours.
    """
    for label in (LDA_LSI, LDA):
        for size in (12, 64):
            yield improves(
                accuracies,
                label,
                f"{size} components improve the accuracy, with a kernel chosen for each ({label})",
                size,
                tests[label, size].p if (label, size) in tests else math.nan,
                "with the paper's width the SVM on all words underfits, and only that improves",
            )


def costs(models: Mapping[str, MeasuredCost]) -> Iterator[Finding]:
    """Section 8.1: 52 SVMs on all words, and on 12 components."""
    whole, few = models["full, Gaussian"], models["LDA from LSI, 12, Gaussian"]
    for statement, paper, ours in (
        ("support vectors of the 52 SVMs on all words", PAPER_SUPPORTS, whole.supports),
        ("operations per document, all words", PAPER_OPERATIONS, whole.cost.operations),
    ):
        close = abs(ours - paper) <= 0.1 * paper
        yield judge(
            statement,
            f"{ours:,.0f}",
            close,
            paper=f"{paper:,}",
            direction=paper / 2 < ours < 2 * paper,
        )
    share = few.cost.operations / whole.cost.operations
    yield judge(
        "12 components cut the operations to a fifth",
        f"{few.cost.operations:,.0f}, 1/{1 / share:.0f}",
        share <= 1 / 5,
        paper=f"{PAPER_LDA_OPERATIONS:,} of {PAPER_OPERATIONS:,}",
    )


def value(accuracies: Accuracies, label: str, size: Size) -> float:
    point = accuracies.get((label, size))
    return math.nan if point is None else point.mean


def size_text(size: Size) -> str:
    return f"{size}" if isinstance(size, int) else "all words"


def accuracy_plot(accuracies: Accuracies, title: str) -> Plot:
    """Figure 2, with the numbers that the paper's text gives."""
    labels = dict.fromkeys(label for label, _ in accuracies if label != FULL)
    lines = [
        Series(
            label,
            *_points({size: p.mean for (name, size), p in accuracies.items() if name == label}),
        )
        for label in labels
    ]
    paper_lines = [
        Series(
            label, *_points({size: v for (name, size), v in PAPER.items() if name == label}), True
        )
        for label in (LSI, LDA_LSI)
    ]
    whole = value(accuracies, FULL, 1.0)
    return Plot(
        "figure2",
        title,
        "Number of components (IG: words)",
        "accuracy in %",
        (*lines, *paper_lines),
        level=None if math.isnan(whole) else (f"all words, {whole:.1f}", whole),
    )


def _points(by_size: Mapping[Size, float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    sizes = sorted(by_size)
    return tuple(sizes), tuple(by_size[size] for size in sizes)
