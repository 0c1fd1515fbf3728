"""What others select words by: chi2, recursive elimination, an L1 penalty, best subsets.

Recursive elimination removes a quarter of the remaining words per step; scikit-learn's
`RFE(step=0.25)` removes a quarter of all words, and would go from the last quarter down to 10 words
at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC, l1_min_c

from bench.frontier.classifiers import coefficients, fit
from laconic.text.problem import Problem
from laconic.types import Columns, Floats

# The columns for a size; None if there is no such selection.
Selection: TypeAlias = "Callable[[int], Columns | None]"

REMOVED_SHARE = 0.25
FEWEST = 10
# The L1 penalty's C grows by this factor, until MOST words have a weight.
STEP = np.sqrt(2)
LARGEST_C = 16.0
MOST = 3000
# abess gets so many words, by chi2, and is asked for so many at most: one fit of 20 Newsgroups
# takes half a minute there, and minutes beyond.
SCREENED = 2000
MOST_BY_ABESS = 300


def all_words(problem: Problem) -> Selection:
    return lambda size: np.arange(problem.X_train.shape[1])


def by_chi2(problem: Problem) -> Selection:
    return _prefixes(_chi2_order(problem))


def _chi2_order(problem: Problem) -> Columns:
    values = np.nan_to_num(chi2(problem.X_train, problem.y_train)[0], nan=-1.0)
    return np.argsort(-values, kind="stable")


def _prefixes(order: Columns) -> Selection:
    return lambda size: np.sort(order[:size])


def by_elimination(problem: Problem) -> Selection:
    """The last word to be removed is the best."""
    remaining, removed = np.arange(problem.X_train.shape[1]), []
    while remaining.size > FEWEST:
        svm = fit(LinearSVC(random_state=0), problem.X_train[:, remaining], problem.y_train)
        squares = np.square(coefficients(svm, len(problem.classes))[0]).sum(axis=0)
        left = max(FEWEST, int(remaining.size * (1 - REMOVED_SHARE)))
        order = np.argsort(-squares, kind="stable")
        removed.append(remaining[order[left:]])
        remaining = remaining[np.sort(order[:left])]
    return _prefixes(np.concatenate([remaining, *reversed(removed)]))


def by_l1(problem: Problem) -> Selection:
    """The heaviest words of the smallest C that gives enough words a weight."""
    rungs = [np.argsort(-w, kind="stable")[: np.count_nonzero(w)] for w in _l1_path(problem)]

    def of(size: int) -> Columns:
        enough = next((rung for rung in rungs if rung.size >= size), rungs[-1])
        return np.sort(enough[:size])

    return of


def _l1_path(problem: Problem) -> Iterator[Floats]:
    """The absolute weights of every word, summed over the classes, for growing C."""
    cost = _first_cost(problem) * STEP
    while cost <= LARGEST_C:
        model = LogisticRegression(
            C=cost, l1_ratio=1.0, solver="liblinear", tol=1e-3, random_state=0
        )
        fitted = fit(model, problem.X_train, problem.y_train)
        weights = np.abs(coefficients(fitted, len(problem.classes))[0]).sum(axis=0)
        if weights.any():
            yield weights
        if np.count_nonzero(weights) >= MOST:
            return
        cost *= STEP


def _first_cost(problem: Problem) -> float:
    """The largest C with which no word has a weight."""
    y = problem.y_train
    if y.ndim == 1:
        return float(l1_min_c(problem.X_train, y, loss="log"))
    columns = [column for column in y.T if 0 < column.sum() < column.size]
    return min(float(l1_min_c(problem.X_train, column, loss="log")) for column in columns)


def by_abess(problem: Problem) -> Selection:
    """Best subsets by splicing, of the words that are first by chi2.

    Several classes have a multinomial model; labels one linear model for all of them. Without the
    package there are none.
    """
    if find_spec("abess") is None:
        return lambda size: None
    candidates = np.sort(_chi2_order(problem)[:SCREENED])
    X = problem.X_train[:, candidates].toarray()

    def of(size: int) -> Columns | None:
        if size > min(MOST_BY_ABESS, candidates.size):
            return None
        weights = _abess_weights(X, problem, size)
        return candidates[np.flatnonzero(weights)]

    return of


def _abess_weights(X: Floats, problem: Problem, size: int) -> Floats:
    import abess

    y, n_classes = problem.y_train, len(problem.classes)
    if y.ndim > 1:
        model, y = abess.MultiTaskRegression(support_size=[size]), y.astype(np.float64)
    elif n_classes > 2:
        model, y = abess.MultinomialRegression(support_size=[size]), np.eye(n_classes)[y]
    else:
        model = abess.LogisticRegression(support_size=[size])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coef = model.fit(X, y).coef_
    return np.abs(np.asarray(coef).reshape(X.shape[1], -1)).sum(axis=1)


SELECTIONS: dict[str, Callable[[Problem], Selection]] = {
    "chi2": by_chi2,
    "RFE": by_elimination,
    "L1": by_l1,
    "abess": by_abess,
}
