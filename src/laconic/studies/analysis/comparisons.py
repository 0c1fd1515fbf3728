"""Comparisons of methods, each at the size recommended for it, by every test that applies.

Decisions on the validation folds (of repeats, the first) are pooled: each document is decided once,
by a model that was not trained on it. Holm's correction is over the pairs of one problem and test.
The sizes were chosen on these same folds, which the tests ignore: p is slightly too small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeAlias

import numpy as np

from laconic.methods import keeps_all, parse_method
from laconic.numerics.quotient import quotient
from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.out_of_fold import FoldResult, OutOfFold
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.analysis.significance import (
    PairedTest,
    holm,
    macro_t,
    mcnemar,
    micro_sign,
    paired_t,
    wilcoxon,
)
from laconic.studies.analysis.stability import jaccard, kuncheva, nogueira
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.studies.plan import Plan
from laconic.types import Bools, Floats, Int64s, Size

ALL_PROBLEMS = "all problems"
# With fewer, a rank test over problems cannot reach 5 %.
PROBLEMS_NEEDED = 6


@dataclass(frozen=True)
class Comparison:
    """One test of one pair of methods.

    Positive statistics and effects favour `method_a`. McNemar's statistic has no sign, and its
    effect, an odds ratio, favours `method_a` above 1. `p` is two-sided; `p_holm` is corrected for
    the other pairs of the same problem and test.
    """

    problem: str
    method_a: str
    method_b: str
    n_features_a: float
    n_features_b: float
    test: str
    statistic: float
    p: float
    p_holm: float
    effect: float
    effect_name: str
    n_pairs: int
    note: str


@dataclass(frozen=True)
class SelectionStability:
    """How similar the words are that a method selects in different folds; 1 is identical.

    `low` and `high` are 95 % limits of Nogueira's index. Kuncheva's needs selections of one size.
    """

    problem: str
    method: str
    size: Size
    n_features: float
    jaccard: float
    kuncheva: float
    nogueira: float
    low: float
    high: float
    n_folds: int


@dataclass(frozen=True, eq=False)
class FoldDecisions:
    """Decisions of a method in a fold: `correct` by document and column, and counts for F1."""

    correct: Bools
    true_positives: Int64s
    predicted_plus_actual: Int64s

    @classmethod
    def of(cls, result: FoldResult) -> FoldDecisions:
        true, chosen = result.y_signed > 0, result.chosen
        return cls(
            (chosen == true) & (result.y_signed != 0),
            (chosen & true).sum(axis=0),
            chosen.sum(axis=0) + true.sum(axis=0),
        )


ByFold: TypeAlias = Mapping[str, FoldDecisions]


def _decisions(candidate: Candidate, out_of_fold: OutOfFold) -> ByFold:
    if candidate.thresholding != "zero":
        return {}  # predictions are stored for the threshold 0 only
    results = out_of_fold.results(candidate.problem, candidate.trained)
    return {fold: FoldDecisions.of(result) for fold, result in results.items()}


def _pooled_f1(folds: Sequence[FoldDecisions], n_columns: int) -> Floats | None:
    """F1 per class; None if some fold's training lacks a class, since columns then differ."""
    if any(fold.true_positives.size != n_columns for fold in folds):
        return None
    true_positives = np.sum([fold.true_positives for fold in folds], axis=0)
    both = np.sum([fold.predicted_plus_actual for fold in folds], axis=0)
    return quotient(2.0 * true_positives, both)


def compare(
    recommendations: Iterable[Recommendation],
    tasks: Iterable[Task],
    journal: Journal,
    n_folds: int,
    n_columns: Mapping[str, int],
) -> Iterator[Comparison]:
    """Compare every pair of methods within a problem, and over problems if there are enough.

    `recommendations` has one per problem and method, `n_folds` is that of one repeat, `n_columns`
    the number of decisions per document, by problem.
    """
    by_problem = group_pairs((r.problem, r.chosen) for r in recommendations)
    out_of_fold = OutOfFold(tasks, journal, n_folds)
    for problem, chosen in by_problem.items():
        decisions = {c.method: _decisions(c, out_of_fold) for c in chosen}
        pairs = list(combinations(chosen, 2))
        tests = [
            list(
                _tests(a, b, decisions[a.method], decisions[b.method], n_folds, n_columns[problem])
            )
            for a, b in pairs
        ]
        yield from _corrected(pairs, tests)
    yield from _over_problems(by_problem)


def _tests(
    a: Candidate,
    b: Candidate,
    decisions_a: ByFold,
    decisions_b: ByFold,
    n_folds: int,
    n_columns: int,
) -> Iterator[PairedTest]:
    yield paired_t(a.values, b.values, test_share=1 / (n_folds - 1))
    common = [fold for fold in decisions_a if fold in decisions_b]
    if not common:
        return
    note = "" if len(common) == n_folds else f"{len(common)} of {n_folds} folds have both"
    folds_a, folds_b = [decisions_a[f] for f in common], [decisions_b[f] for f in common]
    for test in _decision_tests(folds_a, folds_b, n_columns):
        yield replace(test, note="; ".join(filter(None, (test.note, note))))


def _decision_tests(
    a: Sequence[FoldDecisions], b: Sequence[FoldDecisions], n_columns: int
) -> Iterator[PairedTest]:
    yield mcnemar(
        np.concatenate([fold.correct.all(axis=1) for fold in a]),
        np.concatenate([fold.correct.all(axis=1) for fold in b]),
    )
    yield micro_sign(
        np.concatenate([fold.correct.ravel() for fold in a]),
        np.concatenate([fold.correct.ravel() for fold in b]),
    )
    f1_a, f1_b = _pooled_f1(a, n_columns), _pooled_f1(b, n_columns)
    if f1_a is not None and f1_b is not None and n_columns > 1:
        yield macro_t(f1_a, f1_b)


def _corrected(
    pairs: Sequence[tuple[Candidate, Candidate]], tests: Sequence[Sequence[PairedTest]]
) -> Iterator[Comparison]:
    comparisons = [
        _comparison(a, b, test)
        for (a, b), of_pair in zip(pairs, tests, strict=True)
        for test in of_pair
    ]
    for family in group_pairs((comparison.test, comparison) for comparison in comparisons).values():
        corrected = holm([comparison.p for comparison in family])
        for comparison, p_holm in zip(family, corrected, strict=True):
            yield replace(comparison, p_holm=float(p_holm))


def _comparison(a: Candidate, b: Candidate, test: PairedTest) -> Comparison:
    return Comparison(
        a.problem,
        a.method,
        b.method,
        a.n_features,
        b.n_features,
        test.test,
        test.statistic,
        test.p,
        test.p,
        test.effect,
        test.effect_name,
        test.n,
        test.note,
    )


def _over_problems(by_problem: Mapping[str, list[Candidate]]) -> Iterator[Comparison]:
    """Wilcoxon's signed-rank test of means, per pair of methods, over problems that have both."""
    if len(by_problem) < PROBLEMS_NEEDED:
        return
    table = {name: {c.method: c for c in chosen} for name, chosen in by_problem.items()}
    methods = list(dict.fromkeys(m for chosen in table.values() for m in chosen))
    pairs, tests = [], []
    for a, b in combinations(methods, 2):
        both = [(chosen[a], chosen[b]) for chosen in table.values() if a in chosen and b in chosen]
        if len(both) < PROBLEMS_NEEDED:
            continue
        pairs.append((_average([x for x, _ in both]), _average([y for _, y in both])))
        tests.append([wilcoxon([x.mean for x, _ in both], [y.mean for _, y in both])])
    yield from _corrected(pairs, tests)


def _average(candidates: Sequence[Candidate]) -> Candidate:
    n_features = float(np.mean([candidate.n_features for candidate in candidates]))
    return replace(candidates[0], problem=ALL_PROBLEMS, n_features=n_features)


def selection_stability(
    tasks: Iterable[Task], journal: Journal, n_terms: Mapping[str, int], plan: Plan
) -> Iterator[SelectionStability]:
    """The stability of every method at every size over the folds, first draw only.

    `n_terms` is the number of words of a problem that some fold could select. Methods that keep
    all words, or combine all of them in every component, have none. Classifiers and alphas of one
    method have the same words.
    """
    first_draws = [task for task in tasks if task.draw == 0]
    by_variant = group_pairs(((task.problem, task.method), task.key) for task in first_draws)
    families = plan.families(task.method for task in first_draws)
    for problem, method in product(dict.fromkeys(t.problem for t in first_draws), families):
        keys = next(
            (by_variant[problem, v] for v in families[method] if (problem, v) in by_variant), []
        )
        if not (keys and _selects(method)):
            continue
        cuts = ({cut.size: cut.terms for cut in journal.cuts(key)} for key in keys)
        by_size = group_pairs(pair for of_task in cuts for pair in of_task.items())
        for size, selections in by_size.items():
            if len(selections) == len(keys) > 1:
                yield _stability(problem, method, size, selections, n_terms[problem])


def _selects(method: str) -> bool:
    return not (keeps_all(method) or parse_method(method).projects)


def _stability(
    problem: str, method: str, size: Size, selections: list[Int64s], n_terms: int
) -> SelectionStability:
    # columns are those of all words of the corpus, of which only n_terms could be selected
    selected = np.unique(np.concatenate(selections))
    selections = [np.searchsorted(selected, terms) for terms in selections]
    sizes = [terms.size for terms in selections]
    return SelectionStability(
        problem,
        method,
        size,
        float(np.mean(sizes)),
        jaccard(selections),
        kuncheva(selections, n_terms) if len(set(sizes)) == 1 else np.nan,
        *nogueira(selections, n_terms),
        len(selections),
    )
