"""Dasgupta, Drineas, Harb, Josifovski, Mahoney: feature selection methods for text classification,
KDD 2007.

Notation
--------
======================  ==================================================
the paper               here
======================  ==================================================
A, terms × documents    X.T; documents are rows of X
n features, d objects   n_terms, n_docs
r                       `budget` of a Bernoulli draw; `size` of an exact one
k                       `rank`
λ                       `alpha`
p_i, p̃_i                `chance`, min(1, budget · chance)
S = RᵀR                 squared weights of a `Selection`
f(q), f̃                 `LinearModel.decision`
MIF, MAF                "micro-f1", "macro-f1"
RelMIF                  "relative micro-f1"
======================  ==================================================

Recipes: DF, IG, US, WS, SS[rank=k], SRLS in `laconic.methods`.

Protocol
--------
One regression a class, each decided by f > 0; the value of a document with no chosen word is 0, a
no. Per split, λ_max is the λ of the best micro-F1 of all words *on the test documents*, as in the
paper: an oracle's choice, used alike by every method. So a figure is two plans, worked off in one
folder: all words with each λ (`ALL[lambda=0.4]`), then the methods with the λ that these rows give.
`honest=True` lets each model choose its own λ by leave-one-out on the training documents instead,
and compares with all words treated the same: one plan. Relative values divide by those of all words
in the same split.

Deviations
----------
- Sizes are exact (`top`), because a Bernoulli draw with budget r keeps fewer than r words; the
  methods are compared at equal counts.
- TechTC-100 is not the official preprocessing. 20 Newsgroups is vectorized here from the 19,997
  messages, without their headers (which name the newsgroup), from stems in two training messages
  or more; the paper took Rennie's vectors of 62,000 terms. RCV1 are the five samples of 6,000
  documents, pooled without repeats and split 80/20; presence in them is a non-zero weight.
- TechTC-100's F1 is that of the class +1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.methods import method_called, methods_called
from laconic.papers.figures import (
    ROWS,
    Figure,
    Point,
    Reproduced,
    Scale,
    tables_by_size,
    worked_off,
)
from laconic.papers.findings import Finding
from laconic.rows import Row, Size, make_folder, rows_file
from laconic.scores import hellinger, leverage, squared_norm
from laconic.study.executors import Executor
from laconic.study.plan import Plan
from laconic.study.ready import Ready
from laconic.study.settings import Source, Splitting, Training, Vectorizing
from laconic.study.study import Event, Listener, Study
from laconic.vectors.problem import Problem

HONEST = True
ABSENT: tuple[Finding, ...] = ()
REFERENCE = (
    "A. Dasgupta, P. Drineas, B. Harb, V. Josifovski, M. W. Mahoney. Feature selection methods for "
    "text classification. KDD 2007, pages 230-239."
)
GOAL = "micro-f1"
MEASURES = (GOAL, "macro-f1", "precision", "recall")
ALPHAS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)
LARGE_ALPHAS = (0.1, 0.2, 0.4, 0.8)
SMALL_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGE_SIZES = (300, 1000, 3000, 5000, 10_000, 20_000)
SMALL_METHODS = "DF,IG,US,WS,SS,SS[rank=10]"
LARGE_METHODS = "DF,IG,US,WS,SS[rank=100],SS[rank=1500]"
RANKS = "SS[rank=1],SS[rank=5],SS[rank=10],SS[rank=30],SS[rank=60],SS[rank=0.9],SS"

PAPER = Scale(sets=100, splits=4, draws=5)
QUICK = Scale(sets=20, splits=1, draws=1)


def techtc(scale: Scale) -> Plan:
    """4:1 splits of the two-class sets, ltc."""
    source = Source("techtc100", first=scale.sets)
    return _plan(source, Splitting(0.2, folds=0, splits=scale.splits), Vectorizing(min_df=1))


def news(scale: Scale) -> Plan:
    """4:1 splits of the 19,997 messages: Porter stems in two messages or more, ltc."""
    split = Splitting(0.2, folds=0, splits=scale.splits)
    vectors = Vectorizing(stem="porter", min_df=2)
    return replace(_plan(Source("20news-bodies"), split, vectors), task="labels")


def one_split(scale: Scale) -> Plan:
    return news(replace(scale, splits=1))


def rcv1(scale: Scale) -> Plan:
    """Its own split, weights as they come."""
    split = Splitting("given", folds=0)
    return replace(_plan(Source("rcv1"), split, Vectorizing(min_df=1)), task="labels")


def _plan(source: Source, split: Splitting, vectors: Vectorizing) -> Plan:
    """What all figures share."""
    training = Training(alpha=1.0, intercept=False, norm="document")
    return Plan(
        (source,),
        measures=MEASURES,
        split=split,
        vectors=vectors,
        training=training,
        detail=False,
    )


@dataclass(frozen=True)
class ByLambda:
    """All words, with each λ."""

    about: str
    setting: Callable[[Scale], Plan]
    alphas: tuple[float, ...] = ALPHAS
    full: Scale = PAPER
    quick: Scale = QUICK

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> Reproduced:
        plan = replace(self.setting(scale), methods=all_words(self.alphas))
        return _reproduced(worked_off([Study(plan, where)], executor, how))


@dataclass(frozen=True)
class BySize:
    """The methods at every size, relative to all words; λ as the protocol says."""

    about: str
    setting: Callable[[Scale], Plan]
    methods: str
    sizes: tuple[int, ...]
    alphas: tuple[float, ...]
    full: Scale = PAPER
    quick: Scale = QUICK

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> Reproduced:
        return _reproduced(self._rows(where, scale, executor, how))

    def _rows(
        self, where: Path, scale: Scale, executor: Executor | None, how: dict[str, Any]
    ) -> list[Row]:
        names = tuple(method.name for method in methods_called(self.methods))
        plan = replace(self.setting(scale), methods=names, sizes=self.sizes, seeds=scale.draws)
        if scale.honest:
            whole = all_words(["loo"])
            plan = replace(plan, methods=(*whole, *names), training=_with(plan, "loo"))
            return worked_off([Study(plan, where)], executor, how)
        first = Study(replace(plan, methods=all_words(self.alphas)), where)
        found = worked_off([first], executor, how)
        corpora = tuple(ready.corpus for ready in first.corpora)
        second = replace(plan, corpora=corpora, training=_with(plan, best_alphas(found)))
        return worked_off([first, Study(second, where)], executor, how)


@dataclass(frozen=True)
class Distances:
    """Hellinger distance from weighted to subspace sampling, by rank: computed anew each time."""

    about: str
    setting: Callable[[Scale], Plan]
    ranks: tuple[int, ...] = (1, 2, 5, 10, 20, 40, 60, 80, 100)
    full: Scale = PAPER
    quick: Scale = QUICK

    def run(
        self,
        where: Path,
        scale: Scale,
        executor: Executor | None = None,
        *,
        listen: Listener = lambda event: None,
        progress: Callable[[int, int], None] | None = None,
        **how: Any,
    ) -> Reproduced:
        make_folder(where)
        rows: list[Row] = []
        with rows_file(where / ROWS) as write:
            plan = self.setting(scale)
            total = scale.sets * scale.splits
            for done, problem in enumerate(_problems(plan, progress), 1):
                rows += self.rows(problem)
                listen(Event("task", f"{problem.name}, {problem.fold}", done, total, "ok"))
            write(rows)
        return _reproduced(rows)

    def rows(self, problem: Problem) -> Iterator[Row]:
        X = problem.X_train
        weights = squared_norm(X)
        for rank in self.ranks:
            chance = leverage(X, rank=rank)
            value = hellinger(weights / weights.sum(), chance / chance.sum())
            yield Row(
                problem.name, "SS, by rank", rank, "hellinger to WS", value, fold=problem.fold
            )


def _problems(plan: Plan, progress: Any) -> Iterator[Problem]:
    for corpus in plan.load(progress):
        ready = Ready.of(plan, corpus)
        for split in ready.splits:
            yield from ready.problems(split, [question.name for question in ready.questions])


def _with(plan: Plan, alpha: Any) -> Training:
    return replace(plan.training, alpha=alpha)


def all_words(alphas: Iterable[float | str]) -> tuple[str, ...]:
    return tuple(f"ALL[lambda={alpha}]" for alpha in alphas)


def is_all_words(row: Row) -> bool:
    return row.method.partition("[")[0] == "ALL"


def best_alphas(rows: Iterable[Row]) -> dict[str, float]:
    """λ_max of each problem and fold, as `Training` takes it."""
    asked = {(row.problem, row.fold): row.reason for row in rows if is_all_words(row)}
    best = best_all_words(rows)
    for (problem, fold), reason in asked.items():
        if (problem, fold) not in best:
            raise LaconicError(
                f"{problem}, {fold}: all words could be measured with no λ ({reason}), so there "
                "is none for the methods. Mend that, and run again with --retry-failed"
            )
    return {
        f"{problem}, {fold}": method_called(method).alpha
        for (problem, fold), method in best.items()
    }


def best_all_words(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """For each problem and fold, all words with the λ of the best micro-F1; of equals the least."""
    best: dict[tuple[str, str], tuple[float, float, str]] = {}
    for row in rows:
        if is_all_words(row) and row.measure == GOAL and row.value is not None:
            alpha = method_called(row.method).alpha
            least = -alpha if isinstance(alpha, float) else 0.0
            place, found = (row.problem, row.fold), (row.value, least, row.method)
            best[place] = max(best.get(place, found), found)
    return {place: method for place, (_, _, method) in best.items()}


FIGURES: dict[str, Figure] = {
    "2": ByLambda("20 Newsgroups, all words of one split: quality against λ", one_split),
    "3": BySize(
        "TechTC-100: quality against size for all strategies; figure 4(a) is its size 1000",
        techtc,
        SMALL_METHODS,
        SMALL_SIZES,
        ALPHAS,
    ),
    "4b": BySize(
        "TechTC-100: subspace sampling with various ranks", techtc, RANKS, SMALL_SIZES, ALPHAS
    ),
    "4c": Distances("TechTC-100: Hellinger distance from WS to SS, by rank", techtc),
    "5a": BySize(
        "20 Newsgroups: quality against size", news, LARGE_METHODS, LARGE_SIZES, LARGE_ALPHAS
    ),
    "5b": BySize(
        "RCV1: quality against size; figure 5(c) is its macro-F1",
        rcv1,
        LARGE_METHODS,
        LARGE_SIZES,
        LARGE_ALPHAS,
    ),
}


def points(rows: Iterable[Row]) -> list[Point]:
    """Means over draws, then over problems.

    "relative" are values as shares of those of all words with the best λ; where these were not
    measured, or nothing else was, values stay as they are.
    """
    measured = [row for row in rows if row.value is not None]
    methods = [row for row in measured if not is_all_words(row)]
    best = best_all_words(measured) if methods else {}
    whole = {
        (row.problem, row.fold, row.measure): row.value
        for row in measured
        if best.get((row.problem, row.fold)) == row.method
    }
    gathered: dict[tuple[str, Size, str], dict[tuple[str, str], list[float]]] = defaultdict(dict)
    for row in methods or measured:
        full = whole.get((row.problem, row.fold, row.measure))
        measure = row.measure if full is None else f"relative {row.measure}"
        ratio = row.value if full is None else row.value / full if full > 0 else float("nan")
        key = (row.method, row.asked, measure)
        gathered[key].setdefault((row.problem, row.fold), []).append(ratio)
    return [
        Point.over(*key, (float(np.mean(values)) for values in by_problem.values()))
        for key, by_problem in gathered.items()
    ]


def _reproduced(rows: list[Row]) -> Reproduced:
    return Reproduced(rows, tables_by_size(points(rows)))
