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
paper: an oracle's choice, used alike by every method. `honest=True` lets each model choose its own
λ by leave-one-out on the training documents instead, and compares with all words treated the same.
Relative values divide by those of all words in the same split.

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.rls import RLSClassifier
from laconic.corpus.catalog import TECHTC, locate
from laconic.corpus.formats.gathering import Reading
from laconic.corpus.formats.techtc import read_all_techtc
from laconic.corpus.loading import load_corpus
from laconic.corpus.splits import random_splits
from laconic.curves import curve
from laconic.errors import LaconicError
from laconic.methods import Method, methods_called
from laconic.reduction import Matrix
from laconic.rows import Row
from laconic.scores import hellinger, leverage, squared_norm
from laconic.selectors.sampled import SampledTerms
from laconic.selectors.top import TopTerms
from laconic.vectors.problem import Problem
from laconic.vectors.vectorizer import Vectorizer
from laconic.vectors.weighting import Weighting

REFERENCE = (
    "A. Dasgupta, P. Drineas, B. Harb, V. Josifovski, M. W. Mahoney. Feature selection methods for "
    "text classification. KDD 2007, pages 230-239."
)
MEASURES = ("micro-f1", "macro-f1", "precision", "recall")
ALL_WORDS = "all words"
ALPHAS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)
LARGE_ALPHAS = (0.1, 0.2, 0.4, 0.8)
SMALL_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGE_SIZES = (300, 1000, 3000, 5000, 10_000, 20_000)
SMALL_METHODS = "DF,IG,US,WS,SS,SS[rank=10]"
LARGE_METHODS = "DF,IG,US,WS,SS[rank=100],SS[rank=1500]"
RANKS = "SS[rank=1],SS[rank=5],SS[rank=10],SS[rank=30],SS[rank=60],SS[rank=0.9],SS"


@dataclass(frozen=True)
class Scale:
    """How much of an experiment is run, and whether λ is chosen honestly."""

    sets: int
    splits: int
    draws: int
    honest: bool = False
    done: Callable[[str], None] = lambda name: None


PAPER = Scale(sets=100, splits=4, draws=5)
QUICK = Scale(sets=20, splits=1, draws=1)


def figure2(scale: Scale) -> Iterator[Row]:
    """All words of 20 Newsgroups, one split: quality against λ."""
    problem = next(news(replace(scale, splits=1)))
    for alpha in ALPHAS:
        method = ReduceThenFit(TopTerms(), RLSClassifier(alpha=alpha))
        yield from curve(method, problem, [1.0], MEASURES, name=f"λ = {alpha:g}").rows
        scale.done(f"λ = {alpha:g}")


def figure3(scale: Scale) -> Iterator[Row]:
    """TechTC-100: quality against size for all strategies. Figure 4(a) is its size 1000."""
    for problem in techtc(scale):
        yield from compare(problem, SMALL_METHODS, SMALL_SIZES, ALPHAS, scale)


def figure4b(scale: Scale) -> Iterator[Row]:
    """TechTC-100: subspace sampling with various ranks."""
    for problem in techtc(scale):
        yield from compare(problem, RANKS, SMALL_SIZES, ALPHAS, scale)


def figure4c(scale: Scale) -> Iterator[Row]:
    """TechTC-100: Hellinger distance from weighted to subspace sampling, by rank."""
    for problem in techtc(scale):
        X = problem.X_train
        weights = squared_norm(X)
        for rank in (1, 2, 5, 10, 20, 40, 60, 80, 100):
            chance = leverage(X, rank=rank)
            value = hellinger(weights / weights.sum(), chance / chance.sum())
            yield Row(
                problem.name, "SS, by rank", rank, "hellinger to WS", value, fold=problem.fold
            )
        scale.done(problem.name)


def figure5a(scale: Scale) -> Iterator[Row]:
    """20 Newsgroups: quality against size."""
    for problem in news(scale):
        yield from compare(problem, LARGE_METHODS, LARGE_SIZES, LARGE_ALPHAS, scale)


def figure5b(scale: Scale) -> Iterator[Row]:
    """RCV1: quality against size; Figure 5(c) is its macro-F1."""
    for problem in Problem.expand(load_corpus("rcv1"), task="labels"):
        yield from compare(problem, LARGE_METHODS, LARGE_SIZES, LARGE_ALPHAS, scale)


FIGURES: dict[str, Callable[[Scale], Iterator[Row]]] = {
    "2": figure2,
    "3": figure3,
    "4b": figure4b,
    "4c": figure4c,
    "5a": figure5a,
    "5b": figure5b,
}


def techtc(scale: Scale) -> Iterator[Problem]:
    """4:1 splits of the two-class sets, ltc."""
    for corpus in islice(read_all_techtc(locate(TECHTC), Reading()), scale.sets):
        yield from Problem.expand(corpus, random_splits(corpus, times=scale.splits))


def news(scale: Scale) -> Iterator[Problem]:
    """4:1 splits of the 19,997 messages: Porter stems in two messages or more, ltc."""
    whole = load_corpus("20news")
    corpus = replace(whole, texts=tuple(map(without_header, whole.texts or ())))
    return Problem.expand(
        corpus,
        random_splits(corpus, times=scale.splits),
        vectorizer=Vectorizer(stem="porter", n_jobs=-1),
        weighting=Weighting("ltc", min_df=2),
        task="labels",
    )


def without_header(message: str) -> str:
    """What follows the first empty line: the header names the newsgroup."""
    return message.partition("\n\n")[2]


def compare(
    problem: Problem,
    methods: str,
    sizes: Sequence[int],
    alphas: Sequence[float],
    scale: Scale,
) -> Iterator[Row]:
    """All words at the best λ, then every method at every size with that λ."""
    alpha, whole = all_words(problem, ("loo",) if scale.honest else alphas)
    scale.done(f"{ALL_WORDS} of {problem.name}")
    yield from whole
    reachable = [size for size in sizes if size <= problem.X_train.shape[1]]
    for method in methods_called(methods):
        for seed, path in enumerate(draws_of(method, problem, alpha, scale.draws)):
            rows = curve(path, problem, reachable, MEASURES, name=method.name).rows
            yield from (replace(row, seed=seed) for row in rows)
        scale.done(f"{method.name} on {problem.name}")


def all_words(
    problem: Problem, alphas: Sequence[float | str]
) -> tuple[float | str, tuple[Row, ...]]:
    """The λ of the best micro-F1 on the test documents, and the rows of all words with it."""
    outcomes = []
    for alpha in alphas:
        method = ReduceThenFit(TopTerms(), RLSClassifier(alpha=alpha))
        found = curve(method, problem, [1.0], MEASURES, name=ALL_WORDS)
        outcomes.append((found.values("micro-f1")[1.0], alpha, found.rows))
    _, alpha, rows = max(outcomes, key=lambda outcome: outcome[0])
    return alpha, rows


def draws_of(
    method: Method, problem: Problem, alpha: float | str, draws: int
) -> Iterator[PathClassifier]:
    """The method, drawn several times where it is random; scores are computed once."""
    if not method.random:
        yield method.build(alpha)
        return
    fitted = method.recipe(**method.settings).fit(problem.X_train, problem.y_train)
    for seed in range(draws):
        reducer = SampledTerms(Given(fitted.scores_), draw=fitted.draw, random_state=seed)
        yield ReduceThenFit(reducer, RLSClassifier(alpha=alpha))


@dataclass(frozen=True, eq=False)
class Given:
    """Scores that are known already."""

    scores: NDArray[np.float64]

    def __call__(self, X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
        return self.scores


@dataclass(frozen=True)
class Point:
    """A mean over problems and draws, as the paper's figures show it."""

    method: str
    asked: int | float
    measure: str
    mean: float
    sd: float
    problems: int


def points(rows: Iterable[Row]) -> list[Point]:
    """Means over draws, then over problems.

    "relative" are values as shares of those of all words; where these were not measured, values
    stay as they are.
    """
    gathered: dict[tuple[str, int | float, str], dict[tuple[str, str], list[float]]] = defaultdict(
        dict
    )
    whole: dict[tuple[str, str, str], float] = {}
    for row in rows:
        if row.value is None:
            continue
        if row.method == ALL_WORDS:
            whole[row.problem, row.fold, row.measure] = row.value
            continue
        full = whole.get((row.problem, row.fold, row.measure))
        measure = row.measure if full is None else f"relative {row.measure}"
        ratio = row.value if full is None else row.value / full if full > 0 else float("nan")
        key = (row.method, row.asked, measure)
        gathered[key].setdefault((row.problem, row.fold), []).append(ratio)
    return [_point(key, by_problem) for key, by_problem in gathered.items()]


def _point(
    key: tuple[str, int | float, str], by_problem: dict[tuple[str, str], list[float]]
) -> Point:
    means = np.array([np.mean(values) for values in by_problem.values()])
    means = means[~np.isnan(means)]
    sd = float(means.std(ddof=1)) if means.size > 1 else 0.0
    return Point(*key, float(means.mean()) if means.size else float("nan"), sd, means.size)


def figure_called(name: str) -> Callable[[Scale], Iterator[Row]]:
    if name not in FIGURES:
        raise LaconicError(f"figure {name!r} of dasgupta2007: choose from {', '.join(FIGURES)}")
    return FIGURES[name]
