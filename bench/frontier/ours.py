"""Laconic's candidates: words for all classes and an SVM, or words a class in models of their own.

IG and RFE are the methods of these names with `then=svm`. "LARS words" are those of SVM-LARS,
by the λ₁ at which they come in, with an SVM trained anew on all of them for every class.
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
    Asked,
    Budget,
    Family,
    Outcome,
    Serve,
    size_within,
    svms,
    svms_behind,
)
from laconic.classifiers.lars import LarsClassifier
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.svm import SVMClassifier
from laconic.compact import CompactModel
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel
from laconic.reduction import Floats
from laconic.scores import document_frequency, information_gain, svm_elimination
from laconic.selectors.top import TopTerms

# As LinearSVC has it; the default is for coefficients that are right to many digits.
TOLERANCE = 1e-4
L2 = 1.0
# Words that the paths of all classes are walked to, together.
WALKED = 3500
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
        decision = self.model.decision(part.X)
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
        # a copy remembers nothing of the texts that were read before
        return lambda part: replace(compact).predict(part.texts or ())

    def _compact(self) -> CompactModel:
        reading = None if self.task.train.texts is None else vectorizer()
        task = self.task
        return CompactModel.of(self.model, reading, task.weighting, task.words, task.classes)


def shared_words(family: Family, task: Task, asked: Asked) -> Iterator[Outcome]:
    """The best words by a score, the same for all classes, then an SVM."""
    scores = task.once(f"scores {family.name}", SCORES[family.name])
    known = int(np.count_nonzero(scores > 0))
    for name, budgets in asked.items():
        given, norm = family.settings[name]
        alpha, weight = 1 / (2 * given["C"]), given["class_weight"]
        svm = SVMClassifier(alpha, class_weight=weight, tol=TOLERANCE)
        path = ReduceThenFit(TopTerms(partial(_given, scores)), svm, normalize=norm)
        sizes = [task.n_words if budget is None else min(budget, known) for budget in budgets]
        yield from _along(path, task, name, budgets, sizes)


def own_words(family: Family, task: Task, asked: Asked) -> Iterator[Outcome]:
    """As many words a class as are within the budget together."""
    for name, budgets in asked.items():
        given = family.settings[name]
        if given and not task.multilabel and len(task.classes) > 2:
            yield from ((name, budget, "one of several classes is chosen") for budget in budgets)
            continue
        path, orders = LarsClassifier(alpha=L2, normalize="selected", **given), walked(task).order_
        sizes = [size_within(orders, task.n_words, cast(int, budget)) for budget in budgets]
        few = [budget for budget, size in zip(budgets, sizes, strict=True) if not size]
        yield from ((name, budget, "one word a class is too many") for budget in few)
        enough = budgets[len(few) :]
        yield from _along(path, task, name, enough, sizes[len(few) :])


def _given(scores: Floats, X: Any, y: Any) -> Floats:
    return scores


def _along(
    path: PathClassifier, task: Task, name: str, budgets: Sequence[Budget], sizes: Sequence[int]
) -> Iterator[Outcome]:
    """A path is walked once for all budgets that have a size of their own."""
    wanted = sorted(set(sizes))
    models = dict(zip(wanted, path.path(task.train.X, task.y, wanted), strict=True))
    for budget, size in zip(budgets, sizes, strict=True):
        model = models[size]
        if isinstance(model, SizeUnavailable):
            yield name, budget, str(model)
        else:
            yield name, budget, Laconic(cast(LinearModel, model), task)


def walked(task: Task) -> LarsClassifier:
    """SVM-LARS to the end of its paths, which are as long as the budgets need."""

    def walk(task: Task) -> LarsClassifier:
        longest = int(np.clip(WALKED / len(task.classes), SHORTEST, LONGEST))
        return LarsClassifier(alpha=L2, longest=longest).fit(task.train.X, task.y)

    return cast(LarsClassifier, task.once("walked", walk))


def by_entry(task: Task) -> Floats:
    return walked(task).scores_


SCORES = {
    "ALL": lambda task: document_frequency(task.train.X),
    "IG": lambda task: information_gain(task.train.X, task.y),
    "RFE": lambda task: svm_elimination(task.train.X, task.y),
    "LARS words": by_entry,
}
# Nothing is left out of a document, so that both lengths are the same.
WHOLE = {name: (given, "selected") for name, given in svms(WHOLE_COSTS).items()}
FAMILIES = (
    Family(OURS, "ALL", WHOLE, shared_words, cut=False, whole=True),
    *(Family(OURS, name, svms_behind(COSTS), shared_words) for name in ("IG", "RFE", "LARS words")),
    Family(OURS, "SVM-LARS", {"λ=1": {}, "λ=1, threshold=loo": {"threshold": "loo"}}, own_words),
)
