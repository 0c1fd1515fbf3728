"""The usual alternatives: scikit-learn's selections and L1 penalties, then LinearSVC.

Recursive elimination removes 30 % of the remaining words per step; a step of 0.3 in scikit-learn's
RFE is 30 % of all words, and would go from the last tenth down to 10 words at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from bench.frontier.corpora import Bools, Part, Task
from bench.frontier.families import (
    COSTS,
    PEERS,
    WHOLE_COSTS,
    Family,
    Outcome,
    Requests,
    Serve,
    room,
    svms,
    svms_after_selection,
)
from laconic.model import Normalize
from laconic.types import Columns, Floats

# The L1 penalty's C grows by this factor, until no more words are needed.
STEP = np.sqrt(2)
FIRST, LAST = 2.0**-6, 2.0**4
MOST = 3000
REMOVED_SHARE = 0.3
FEWEST = 10
TOKEN = r"(?u)\w\w+"


@dataclass(frozen=True, eq=False)
class SelectedColumns:
    """A classifier on some columns of the task's vectors, normalized over them if `normalized`."""

    columns: Columns
    classifier: BaseEstimator
    task: Task
    normalized: bool = False

    @property
    def words(self) -> int:
        return int(self.columns.size)

    def answers(self, part: Part) -> Bools:
        return self._columns_of(self.classifier.predict(cut(part.X, self.columns, self.normalized)))

    def save(self, folder: Path) -> None:
        """Save the classifier and the words with their idf: all words if the length needs them."""
        if not self.task.word_counts:
            words = _dumped(self.task.words[self.columns])
        elif self.normalized:
            words = _dumped(vectorizer_of(self.task, self.columns))
        else:
            words = self.task.once("vectorizer", _dumped_vectorizer)
        (folder / "words.joblib").write_bytes(words)
        joblib.dump((self.columns, self.classifier), folder / "model.joblib", compress=3)

    def serving(self) -> Serve:
        columns, predict = self.columns, self.classifier.predict
        if self.task.test.texts is None:
            return lambda part: predict(cut(part.X, columns, self.normalized))
        if self.normalized:
            selected = vectorizer_of(self.task, columns)
            return lambda part: predict(selected.transform(part.texts))
        vectorizer = vectorizer_of(self.task)
        return lambda part: predict(vectorizer.transform(part.texts)[:, columns])

    def _columns_of(self, predicted: Any) -> Bools:
        if self.task.multilabel:
            return np.asarray(predicted, dtype=bool)
        return np.asarray(np.asarray(predicted)[:, None] == np.arange(len(self.task.classes)))


def cut(X: csr_array, columns: Columns, normalized: bool) -> csr_array:
    return normalize(X[:, columns]) if normalized else X[:, columns]


def vectorizer_of(task: Task, columns: Columns | slice = slice(None)) -> TfidfVectorizer:
    """From texts to the task's vectors, or to unit vectors over some of its words."""
    words = task.words[columns].tolist()
    vectorizer = TfidfVectorizer(token_pattern=TOKEN, vocabulary=words, sublinear_tf=True)
    vectorizer.idf_ = np.asarray(task.weighting.idf_)[columns]
    return vectorizer


def _dumped_vectorizer(task: Task) -> bytes:
    return _dumped(vectorizer_of(task))


def _dumped(value: Any) -> bytes:
    stream = BytesIO()
    joblib.dump(value, stream, compress=3)
    return stream.getvalue()


def one_per_class(classifier: BaseEstimator, task: Task) -> BaseEstimator:
    """LinearSVC is multiclass, but not multilabel."""
    binary = len(task.classes) == 2 and not task.multilabel
    direct = binary or (isinstance(classifier, LinearSVC) and not task.multilabel)
    return classifier if direct else OneVsRestClassifier(classifier)


def trained(
    classifier: BaseEstimator, task: Task, columns: Columns, normalized: bool = False
) -> BaseEstimator:
    with warnings.catch_warnings():
        # labels without a training document; liblinear's limit of iterations
        warnings.simplefilter("ignore")
        return one_per_class(classifier, task).fit(cut(task.train.X, columns, normalized), task.y)


def weights(classifier: BaseEstimator) -> Floats:
    """The squared length of each column's coefficients over the classes."""
    estimators = getattr(classifier, "estimators_", [classifier])
    total: Any = 0.0
    for coef in (estimator.coef_ for estimator in estimators if hasattr(estimator, "coef_")):
        squares = coef.power(2) if issparse(coef) else np.square(coef)
        total = total + np.asarray(squares.sum(axis=0)).ravel()
    return np.asarray(total)


def ranked(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    """The best words of a ranking, then LinearSVC."""
    order = task.once(f"order {family.name}", ORDERS[family.name])
    for name, budgets in requests.items():
        for budget in budgets:
            columns = np.sort(order[: task.n_words if budget is None else budget])
            yield name, budget, svm_on(task, columns, *family.settings[name])


def svm_on(
    task: Task, columns: Columns, settings: dict[str, Any], normalize: Normalize
) -> SelectedColumns:
    """LinearSVC on some words."""
    normalized = normalize == "selected"
    svm = trained(LinearSVC(random_state=0, **settings), task, columns, normalized)
    return SelectedColumns(columns, svm, task, normalized)


def by_chi2(task: Task) -> Columns:
    values = np.nan_to_num(chi2(task.train.X, task.y)[0], nan=-1.0)
    return np.argsort(-values, kind="stable")


def by_elimination(task: Task) -> Columns:
    """Best first; the last word to be removed is the best."""
    remaining, removed = np.arange(task.n_words), []
    while remaining.size > FEWEST:
        squares = weights(trained(LinearSVC(random_state=0), task, remaining))
        left = max(FEWEST, int(remaining.size * (1 - REMOVED_SHARE)))
        order = np.argsort(-squares, kind="stable")
        removed.append(remaining[order[left:]])
        remaining = remaining[np.sort(order[:left])]
    return np.concatenate([remaining, *reversed(removed)])


@dataclass(frozen=True, eq=False)
class Penalised:
    """A model with an L1 penalty; `columns` are the words with a weight, heaviest first."""

    classifier: BaseEstimator
    columns: Columns


def ladder(task: Task) -> list[Penalised]:
    """Models of growing C, until one has enough words, or C is large."""

    def climb(task: Task) -> list[Penalised]:
        rungs: list[Penalised] = []
        cost, every = FIRST, np.arange(task.n_words)
        while cost <= LAST and not (rungs and rungs[-1].columns.size >= MOST):
            fitted = trained(l1_logistic(cost), task, every)
            squares = weights(fitted)
            order = np.argsort(-squares, kind="stable")
            rungs.append(Penalised(sparse(fitted), order[: np.count_nonzero(squares)]))
            cost *= STEP
        return rungs

    models: list[Penalised] = task.once("ladder", climb)
    return models


def sparse(classifier: BaseEstimator) -> BaseEstimator:
    for estimator in getattr(classifier, "estimators_", [classifier]):
        if hasattr(estimator, "sparsify"):
            estimator.sparsify()
    return classifier


def penalised(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    """The model of the largest C whose words are within the budget."""
    for name, budgets in requests.items():
        rungs = ladder(task)
        for budget in budgets:
            within = [rung for rung in rungs if 0 < rung.columns.size <= room(budget)]
            if not within:
                yield name, budget, "no C gives so few words"
                continue
            best = max(within, key=lambda rung: rung.columns.size)
            yield name, budget, Whole(best.columns, best.classifier, task)


@dataclass(frozen=True, eq=False)
class Whole(SelectedColumns):
    """A classifier over all words, most of which have no weight."""

    def answers(self, part: Part) -> Bools:
        return self._columns_of(self.classifier.predict(part.X))

    def serving(self) -> Serve:
        if self.task.test.texts is None:
            return lambda part: self.classifier.predict(part.X)
        vectorizer = vectorizer_of(self.task)
        return lambda part: self.classifier.predict(vectorizer.transform(part.texts))


def refitted(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    """The heaviest words of the smallest C that has enough, then LinearSVC."""
    for name, budgets in requests.items():
        rungs = ladder(task)
        for budget in budgets:
            enough = [rung for rung in rungs if rung.columns.size >= room(budget)] or rungs[-1:]
            columns = np.sort(enough[0].columns[:budget])
            yield name, budget, svm_on(task, columns, *family.settings[name])


def l1_logistic(cost: float) -> BaseEstimator:
    return LogisticRegression(C=cost, l1_ratio=1.0, solver="liblinear", tol=1e-3, random_state=0)


ORDERS: dict[str, Callable[[Task], Columns]] = {
    "LinearSVC": lambda task: np.arange(task.n_words),
    "chi2 + LinearSVC": by_chi2,
    "RFE + LinearSVC": by_elimination,
}
WHOLE = {name: (settings, "all") for name, settings in svms(WHOLE_COSTS).items()}
FAMILIES = (
    Family(PEERS, "LinearSVC", WHOLE, ranked, cut=False, whole=True),
    Family(PEERS, "chi2 + LinearSVC", svms_after_selection(COSTS), ranked),
    Family(PEERS, "RFE + LinearSVC", svms_after_selection(COSTS), ranked),
    Family(PEERS, "L1 logistic regression", {"C by the budget": {}}, penalised),
    Family(PEERS, "L1 logistic regression, then LinearSVC", svms_after_selection(COSTS), refitted),
)
