"""`Candidate`: a method at a size, with its quality in the validation folds.

A study trains a method with several classifiers, alphas and class weights. Of these, each size of
the method has the best: that is its candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from laconic.methods import is_blend, keeps_all, projects
from laconic.rows import Row, RowTable, group_pairs
from laconic.studies.analysis.thresholds import (
    MODES,
    TUNABLE,
    Thresholding,
    ThresholdResult,
    evaluate,
    modes_for,
    simplest,
)
from laconic.types import Int32s, Size

# What was trained: the name of the method with its classifier, the size and alpha.
TrainedVariant: TypeAlias = tuple[str, Size, float | None]
# The counts of decisions in each fold, by problem and variant; None where there are none.
FoldCounts: TypeAlias = Callable[[str, TrainedVariant], Mapping[str, Int32s] | None]
REPEAT = ", repeat "
# Standard errors that a blend may be below the best training.
BLEND_SHARE = 0.5


@dataclass(frozen=True)
class Candidate:
    """A method at a size: mean over validation folds, its standard error, number of features.

    `values` has one value per fold, in the order of the folds. `variant`, `alpha` and
    `class_weight` are those of the best training, `thresholding` how its thresholds are chosen,
    `mistakes` its wrong decisions per 1,000 documents, `features` their kind, as in rows.
    """

    problem: str
    method: str
    size: Size
    metric: str
    mean: float
    se: float
    n_features: float
    values: tuple[float, ...]
    variant: str = ""
    alpha: float | None = None
    class_weight: str = ""
    thresholding: Thresholding = "zero"
    mistakes: float | None = None
    features: str = ""

    @property
    def trained(self) -> TrainedVariant:
        return self.variant or self.method, self.size, self.alpha

    @property
    def n_folds(self) -> int:
        return len(self.values)

    @property
    def description(self) -> str:
        if projects(self.method):
            size = f"{self.size:,}" if isinstance(self.size, int) else f"{self.size:.1%} of the"
            return f"{self.method} with {size} components, combinations of all {self.nouns}"
        noun = self.nouns[:-1] if round(self.n_features) == 1 else self.nouns
        if keeps_all(self.method):
            return f"all {self.nouns}"
        return f"{self.method} with {self.n_features:,.0f} {noun}"

    @property
    def nouns(self) -> str:
        """What is selected: words, or n-grams of words or characters."""
        return "n-grams" if "ngrams" in self.features else "words"


@dataclass(frozen=True, eq=False)
class _Measured:
    """A candidate with the rows of its training, by fold, and the results of its thresholds."""

    candidate: Candidate
    folds: Mapping[str, RowTable]
    result: ThresholdResult | None = None

    def rows(self) -> Iterator[Row]:
        """The rows under the name of the method, decided by the thresholds."""
        for place, rows in enumerate(self.folds.values()):
            for row in rows:
                value = row.value
                if self.result is not None and row.metric in TUNABLE and value is not None:
                    value = self.result.values[row.metric][place]
                yield replace(row, method=self.candidate.method, value=value)


def candidates(
    rows: Iterable[Row],
    metric: str | Mapping[str, str],
    *,
    part: str = "validation",
    repeats: int = 1,
    families: Mapping[str, Sequence[str]] | None = None,
    counts: FoldCounts = lambda problem, variant: None,
) -> tuple[list[Candidate], RowTable]:
    """Every method at every size that has a value in all folds in which anything has, and its rows.

    Parameters
    ----------
    metric : the metric that decides, or that of each problem
    families : the methods that are trained for each method of the plan; default: itself
    counts : what thresholds are fitted on

    Draws are averaged within a fold first, because they share its documents. Repeats of the folds
    use the same documents again, so they do not reduce the standard error.
    """
    table = RowTable(row for row in rows if row.part == part)
    best: list[_Measured] = []
    for problem, of_problem in table.group_by("problem").items():
        decides = metric if isinstance(metric, str) else metric[problem]
        measured = list(_all_measured(of_problem, decides, repeats, counts))
        members = families or {name: (name,) for name in of_problem.distinct("method")}
        for family, variants in members.items():
            trained = [m for m in measured if m.candidate.variant in variants]
            sizes = group_pairs((m.candidate.size, m) for m in trained)
            for options in sizes.values():
                chosen = _chosen(options)
                best.append(replace(chosen, candidate=replace(chosen.candidate, method=family)))
    return [m.candidate for m in best], RowTable(row for m in best for row in m.rows())


def _all_measured(
    rows: RowTable, metric: str, repeats: int, counts: FoldCounts
) -> Iterator[_Measured]:
    """Every variant of every method, with each way of choosing thresholds, in all folds."""
    n_folds = len(rows.measured(metric).distinct("fold"))
    for (method, size, alpha), of_variant in rows.group_by("method", "size", "alpha").items():
        folds = of_variant.group_by("fold")
        decided = {fold: of_fold.measured(metric) for fold, of_fold in folds.items()}
        decided = {fold: of_fold for fold, of_fold in decided.items() if of_fold}
        if not decided or len(decided) < n_folds:
            continue
        candidate = _candidate(decided, metric, repeats)
        by_fold = counts(candidate.problem, (method, size, alpha))
        if by_fold is None or set(by_fold) != set(folds):
            yield _Measured(replace(candidate, mistakes=_mistakes(folds)), folds)
            continue
        for mode in modes_for(metric, len(next(iter(by_fold.values())))):
            result = _by_repeat([by_fold[fold] for fold in folds], list(folds), metric, mode)
            tuned = candidate
            if mode != "zero":
                tuned = _with_values(candidate, np.array(result.values[metric]), repeats)
            mistakes = 1000 * float(np.mean(result.mistakes))
            tuned = replace(tuned, thresholding=mode, mistakes=mistakes)
            yield _Measured(tuned, folds, result if mode != "zero" else None)


def _chosen(options: Sequence[_Measured]) -> _Measured:
    """The best training with the simplest thresholds that are clearly better; ties: largest alpha.

    The best of many trainings looks better than it is, which a blend, of which there is one, does
    not: it may be half a standard error below.

    The best of all with each way of choosing thresholds are compared, not each with itself: among
    many trainings, some have thresholds that only look good.
    """
    by_mode = group_pairs((option.candidate.thresholding, option) for option in options)
    best = [_best_training(by_mode[mode]) for mode in MODES if mode in by_mode]
    return best[simplest([np.array(m.candidate.values) for m in best])]


def _best_training(options: Sequence[_Measured]) -> _Measured:
    best = max(options, key=lambda m: (m.candidate.mean, m.candidate.alpha or 0.0))
    least = best.candidate.mean - BLEND_SHARE * best.candidate.se
    blends = [m for m in options if is_blend(m.candidate.variant) and m.candidate.mean >= least]
    return blends[0] if blends else best


def _by_repeat(
    folds: Sequence[Int32s], names: Sequence[str], metric: str, mode: Thresholding
) -> ThresholdResult:
    """Folds of one repeat are the other folds of each other."""
    pairs = zip(names, folds, strict=True)
    groups = group_pairs((name.partition(REPEAT)[2], fold) for name, fold in pairs)
    parts = [evaluate(group, metric, mode) for group in groups.values()]
    values = {name: [v for part in parts for v in part.values[name]] for name in TUNABLE}
    return ThresholdResult(values, [m for part in parts for m in part.mistakes])


def _candidate(by_fold: Mapping[str, RowTable], metric: str, repeats: int) -> Candidate:
    means = np.array([np.mean(rows.column("value")) for rows in by_fold.values()])
    n_features = np.mean(
        [np.mean([row.n_features or 0 for row in rows]) for rows in by_fold.values()]
    )
    first = next(iter(by_fold.values()))[0]
    candidate = Candidate(
        first.problem,
        first.method,
        first.size,
        metric,
        0.0,
        0.0,
        float(n_features),
        (),
        variant=first.method,
        alpha=first.alpha,
        class_weight=first.class_weight,
        features=first.features,
    )
    return _with_values(candidate, means, repeats)


def _with_values(candidate: Candidate, values: np.ndarray, repeats: int) -> Candidate:
    se = float(values.std(ddof=1) / np.sqrt(values.size / repeats)) if values.size > 1 else 0.0
    return replace(candidate, mean=float(values.mean()), se=se, values=tuple(values.tolist()))


def _mistakes(by_fold: Mapping[str, RowTable]) -> float | None:
    """Documents with a wrong prediction, per 1,000; None if the accuracy was not measured."""
    accuracies = [rows.measured("accuracy").column("value") for rows in by_fold.values()]
    if not all(accuracies):
        return None
    return 1000 * (1 - float(np.mean([np.mean(values) for values in accuracies])))


def best_of(candidates: Iterable[Candidate]) -> Candidate:
    """The highest mean; on ties the fewest features."""
    return min(candidates, key=lambda candidate: (-candidate.mean, candidate.n_features))


def smallest_of(candidates: Iterable[Candidate], least: float) -> Candidate:
    """The fewest features with a mean of at least `least`; on ties the higher mean.

    A projection reads all words, even if a few of them have no weight: it counts as large as the
    largest candidate, and among projections the one with the fewest components is the smallest.
    """
    offered = list(candidates)
    largest = max(candidate.n_features for candidate in offered)

    def extent(candidate: Candidate) -> tuple[float, float, float]:
        if projects(candidate.method):
            return largest, float(candidate.size), -candidate.mean
        return candidate.n_features, 0.0, -candidate.mean

    return min((c for c in offered if c.mean >= least), key=extent)
