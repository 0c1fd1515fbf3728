"""Methods against each other, each at the size recommended for it, by every test that applies.

Answers of the validation folds (of several repeats the first) are pooled: each document has been
answered once, by a model that did not see it. Holm's correction is over the pairs of one problem
and test. The sizes were chosen on these very folds, which the tests do not know: p is a little
too bold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.methods import keeps_all, parse_method
from laconic.numerics.quotient import quotient
from laconic.rows import Size
from laconic.study.journal import Journal
from laconic.study.recommending import Candidate, Recommendation
from laconic.study.significance import (
    Verdict,
    holm,
    macro_t,
    mcnemar,
    micro_sign,
    paired_t,
    wilcoxon,
)
from laconic.study.stability import jaccard, kuncheva, nogueira
from laconic.study.task import Cut, Task

ALL_PROBLEMS = "all problems"
# Below this a rank test over problems cannot reach 5 %.
PROBLEMS_NEEDED = 6


@dataclass(frozen=True)
class Comparison:
    """One test of one pair of methods.

    Positive statistics and effects speak for `a`; McNemar's statistic has no sign, and its effect,
    an odds ratio, speaks for `a` above 1.
    `p` is two-sided, `holm` corrected for the other pairs of the same problem and test.
    """

    problem: str
    a: str
    b: str
    n_features_a: float
    n_features_b: float
    test: str
    statistic: float
    p: float
    holm: float
    effect: float
    effect_name: str
    n: int
    note: str


@dataclass(frozen=True)
class SelectionStability:
    """How much alike the words are that a method chooses in different folds; 1 is the same words.

    `low` and `high` bound Nogueira's index at 95 %. Kuncheva's is for selections of one size.
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
    folds: int


@dataclass(frozen=True, eq=False)
class Answers:
    """What a method answered in a fold: `right` by document and column, and hits for F1."""

    right: NDArray[np.bool_]
    hits: NDArray[np.int64]
    said_and_true: NDArray[np.int64]

    @classmethod
    def of(cls, cut: Cut, y_signed: NDArray[np.int8]) -> Answers:
        true = y_signed > 0
        return cls(
            (cut.chosen == true) & (y_signed != 0),
            (cut.chosen & true).sum(axis=0),
            cut.chosen.sum(axis=0) + true.sum(axis=0),
        )


Folds: TypeAlias = Mapping[str, Answers]


def _pooled_f1(folds: Sequence[Answers], n_columns: int) -> NDArray[np.float64] | None:
    """None where some fold's training lacks a class, so that columns do not correspond."""
    if any(fold.hits.size != n_columns for fold in folds):
        return None
    hits = np.sum([fold.hits for fold in folds], axis=0)
    both = np.sum([fold.said_and_true for fold in folds], axis=0)
    return quotient(2.0 * hits, both)


def compare(
    each: Iterable[Recommendation],
    tasks: Iterable[Task],
    journal: Journal,
    folds: int,
    n_columns: Mapping[str, int],
) -> Iterator[Comparison]:
    """Every pair of methods of a problem, and over problems where there are enough.

    `folds` are those of one repeat; `n_columns` the decisions about a document, by problem.
    """
    by_problem: dict[str, list[Candidate]] = defaultdict(list)
    for one in each:
        by_problem[one.problem].append(one.chosen)
    first = _first_repeat(tasks, folds)
    for problem, chosen in by_problem.items():
        answers = {one.method: _answers(one, first, journal) for one in chosen}
        pairs = list(combinations(chosen, 2))
        found = [
            list(_tests(a, b, answers[a.method], answers[b.method], folds, n_columns[problem]))
            for a, b in pairs
        ]
        yield from _corrected(pairs, found)
    yield from _over_problems(by_problem)


def _first_repeat(tasks: Iterable[Task], folds: int) -> dict[tuple[str, str], list[Task]]:
    """The tasks of a problem and method in the first repeat of the folds; of draws the first.

    A document is answered once in it: answers of more repeats would count it again.
    """
    found: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        if task.draw == 0 and len(found[task.problem, task.method]) < folds:
            found[task.problem, task.method].append(task)
    return found


def _answers(
    one: Candidate, first: Mapping[tuple[str, str], list[Task]], journal: Journal
) -> Folds:
    """By fold; a fold whose task failed is not among them."""
    found = {}
    for task in first[one.problem, one.method]:
        y_signed = journal.y_signed(task.key)
        cuts = [cut for cut in journal.cuts(task.key) if cut.size == one.size]
        if cuts and y_signed is not None:
            found[task.fold] = Answers.of(cuts[0], y_signed)
    return found


def _tests(
    a: Candidate, b: Candidate, of_a: Folds, of_b: Folds, folds: int, n_columns: int
) -> Iterator[Verdict]:
    yield paired_t(a.values, b.values, test_share=1 / (folds - 1))
    common = [fold for fold in of_a if fold in of_b]
    if not common:
        return
    note = "" if len(common) == folds else f"{len(common)} of {folds} folds have both"
    for verdict in _of_answers([of_a[f] for f in common], [of_b[f] for f in common], n_columns):
        yield replace(verdict, note="; ".join(filter(None, (verdict.note, note))))


def _of_answers(a: Sequence[Answers], b: Sequence[Answers], n_columns: int) -> Iterator[Verdict]:
    yield mcnemar(
        np.concatenate([fold.right.all(axis=1) for fold in a]),
        np.concatenate([fold.right.all(axis=1) for fold in b]),
    )
    yield micro_sign(
        np.concatenate([fold.right.ravel() for fold in a]),
        np.concatenate([fold.right.ravel() for fold in b]),
    )
    f1_a, f1_b = _pooled_f1(a, n_columns), _pooled_f1(b, n_columns)
    if f1_a is not None and f1_b is not None and n_columns > 1:
        yield macro_t(f1_a, f1_b)


def _corrected(
    pairs: Sequence[tuple[Candidate, Candidate]], found: Sequence[Sequence[Verdict]]
) -> Iterator[Comparison]:
    flat = [
        _comparison(a, b, verdict)
        for (a, b), verdicts in zip(pairs, found, strict=True)
        for verdict in verdicts
    ]
    for test in dict.fromkeys(one.test for one in flat):
        same = [one for one in flat if one.test == test]
        for one, corrected in zip(same, holm([one.p for one in same]), strict=True):
            yield replace(one, holm=float(corrected))


def _comparison(a: Candidate, b: Candidate, found: Verdict) -> Comparison:
    return Comparison(
        a.problem,
        a.method,
        b.method,
        a.n_features,
        b.n_features,
        found.test,
        found.statistic,
        found.p,
        found.p,
        found.effect,
        found.effect_name,
        found.n,
        found.note,
    )


def _over_problems(by_problem: Mapping[str, list[Candidate]]) -> Iterator[Comparison]:
    """Wilcoxon's signed ranks of the means, a pair of methods over all problems that have both."""
    if len(by_problem) < PROBLEMS_NEEDED:
        return
    table = {name: {one.method: one for one in chosen} for name, chosen in by_problem.items()}
    methods = list(dict.fromkeys(m for chosen in table.values() for m in chosen))
    pairs, found = [], []
    for a, b in combinations(methods, 2):
        both = [(of[a], of[b]) for of in table.values() if a in of and b in of]
        if len(both) < PROBLEMS_NEEDED:
            continue
        pairs.append((_mean([x for x, _ in both]), _mean([y for _, y in both])))
        found.append([wilcoxon([x.mean for x, _ in both], [y.mean for _, y in both])])
    yield from _corrected(pairs, found)


def _mean(several: Sequence[Candidate]) -> Candidate:
    n_features = float(np.mean([one.n_features for one in several]))
    return replace(several[0], problem=ALL_PROBLEMS, n_features=n_features)


def stabilities(
    tasks: Iterable[Task], journal: Journal, n_terms: Mapping[str, int]
) -> Iterator[SelectionStability]:
    """Of every method at every size, over the folds; of draws the first.

    `n_terms` words of a problem could be chosen in some fold. Not of methods that keep every word,
    or mix all of them in every column.
    """
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task in tasks:
        if task.draw == 0 and _chooses(task.method):
            groups[task.problem, task.method].append(task.key)
    for (problem, method), keys in groups.items():
        chosen: dict[Size, list[NDArray[np.int64]]] = defaultdict(list)
        for key in keys:
            for cut in journal.cuts(key):
                chosen[cut.size].append(cut.terms)
        for asked, selections in chosen.items():
            if len(selections) == len(keys) > 1:
                yield _stability(problem, method, asked, selections, n_terms[problem])


def _chooses(method: str) -> bool:
    return not (keeps_all(method) or parse_method(method).projects)


def _stability(
    problem: str, method: str, asked: Size, selections: list[NDArray[np.int64]], n_terms: int
) -> SelectionStability:
    # columns are those of all words of the corpus, of which only n_terms could be chosen
    seen = np.unique(np.concatenate(selections))
    selections = [np.searchsorted(seen, terms) for terms in selections]
    sizes = [terms.size for terms in selections]
    return SelectionStability(
        problem,
        method,
        asked,
        float(np.mean(sizes)),
        jaccard(selections),
        kuncheva(selections, n_terms) if len(set(sizes)) == 1 else np.nan,
        *nogueira(selections, n_terms),
        len(selections),
    )
