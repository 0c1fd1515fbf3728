"""Laconic's candidates: shared words and an SVM, or separate words per class.

IG and RFE are the methods `IG+svm` and `RFE+svm`. "LARS words" are those of SVM-LARS, in the order
of the λ₁ at which they enter, with an SVM retrained on all of them for every class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.frontier.corpora import Bools, Part, Task, vectorizer
from bench.frontier.families import (
    COSTS,
    OURS,
    WHOLE_COSTS,
    Budget,
    Family,
    Outcome,
    Requests,
    Serve,
    size_within,
    svms,
    svms_after_selection,
)
from laconic.classifiers.lars.classifier import LarsClassifier
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.svm import SVMClassifier
from laconic.compact import CompactModel
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel, margins
from laconic.scores import document_frequency, information_gain, svm_elimination
from laconic.selectors.top import TopTerms
from laconic.types import Floats

# LinearSVC's default; ours is for coefficients that are exact to many digits.
TOLERANCE = 1e-4
ALPHA = 1.0
# The length of the paths of all classes together, in words.
PATH_WORDS = 3500
SHORTEST, LONGEST = 50, 500


@dataclass(frozen=True, eq=False)
class Laconic:
    """A linear model of ours, and the task that it was trained for."""

    model: LinearModel
    task: Task

    @property
    def words(self) -> int:
        return self.model.n_features

    def answers(self, part: Part) -> Bools:
        decision = margins(self.model.decision(part.X), self.model)
        if self.model.rule == "labels":
            return decision > 0
        chosen = decision.argmax(axis=1) if self.model.rule == "argmax" else decision[:, 0] > 0
        codes = self.model.classes[chosen.astype(np.intp)]
        return np.asarray(codes[:, None] == np.arange(len(self.task.classes)))

    def save(self, folder: Path) -> None:
        self._compact().save(folder / "model.laconic")

    def serving(self) -> Serve:
        if self.task.test.texts is None:
            return lambda part: self.model.predict(part.X)
        compact = self._compact()
        # a copy has an empty cache
        return lambda part: replace(compact).predict(part.texts or ())

    def _compact(self) -> CompactModel:
        text_vectorizer = None if self.task.train.texts is None else vectorizer()
        task = self.task
        return CompactModel.of(
            self.model, text_vectorizer, task.weighting, task.words, task.classes
        )


def shared_words(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    """The best words by a score, the same for all classes, then an SVM."""
    scores = task.once(f"scores {family.name}", SCORES[family.name])
    n_scored = int(np.count_nonzero(scores > 0))
    for name, budgets in requests.items():
        settings, normalize = family.settings[name]
        alpha, weight = 1 / (2 * settings["C"]), settings["class_weight"]
        svm = SVMClassifier(alpha, class_weight=weight, tol=TOLERANCE)
        path = ReduceThenFit(TopTerms(partial(_constant, scores)), svm, normalize=normalize)
        sizes = [task.n_words if budget is None else min(budget, n_scored) for budget in budgets]
        yield from _along(path, task, name, budgets, sizes)


def words_per_class(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    """As many words per class as are within the budget together."""
    for name, budgets in requests.items():
        settings = family.settings[name]
        if settings and not task.multilabel and len(task.classes) > 2:
            yield from ((name, budget, "not for multiclass problems") for budget in budgets)
            continue
        path, orders = (
            LarsClassifier(alpha=ALPHA, normalize="selected", **settings),
            lars_path(task).order_,
        )
        sizes = [size_within(orders, task.n_words, cast(int, budget)) for budget in budgets]
        few = [budget for budget, size in zip(budgets, sizes, strict=True) if not size]
        yield from ((name, budget, "one word per class is too many") for budget in few)
        enough = budgets[len(few) :]
        yield from _along(path, task, name, enough, sizes[len(few) :])


def _constant(scores: Floats, X: Any, y: Any) -> Floats:
    return scores


def _along(
    path: PathClassifier, task: Task, name: str, budgets: Sequence[Budget], sizes: Sequence[int]
) -> Iterator[Outcome]:
    """One path for all budgets."""
    distinct = sorted(set(sizes))
    models = dict(zip(distinct, path.path(task.train.X, task.y, distinct), strict=True))
    for budget, size in zip(budgets, sizes, strict=True):
        model = models[size]
        if isinstance(model, SizeUnavailable):
            yield name, budget, str(model)
        else:
            yield name, budget, Laconic(cast(LinearModel, model), task)


def lars_path(task: Task) -> LarsClassifier:
    """SVM-LARS with paths as long as the budgets need."""

    def fit(task: Task) -> LarsClassifier:
        longest = int(np.clip(PATH_WORDS / len(task.classes), SHORTEST, LONGEST))
        return LarsClassifier(alpha=ALPHA, longest=longest).fit(task.train.X, task.y)

    return cast(LarsClassifier, task.once("lars path", fit))


def by_entry(task: Task) -> Floats:
    return lars_path(task).scores_


SCORES = {
    "ALL": lambda task: document_frequency(task.train.X),
    "IG": lambda task: information_gain(task.train.X, task.y),
    "RFE": lambda task: svm_elimination(task.train.X, task.y),
    "LARS words": by_entry,
}
# No word is left out, so both lengths are the same.
WHOLE = {name: (settings, "selected") for name, settings in svms(WHOLE_COSTS).items()}
FAMILIES = (
    Family(OURS, "ALL", WHOLE, shared_words, cut=False, whole=True),
    *(
        Family(OURS, name, svms_after_selection(COSTS), shared_words)
        for name in ("IG", "RFE", "LARS words")
    ),
    Family(
        OURS,
        "SVM-LARS",
        {"alpha=1": {}, "alpha=1, threshold=loo": {"threshold": "loo"}},
        words_per_class,
    ),
)
