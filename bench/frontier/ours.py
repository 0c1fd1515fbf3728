"""Laconic's candidates: words for all classes and an SVM, or words a class in models of their own.

IG and WEIGHTS are the methods of these names with `then=svm`. "LARS words" are those of SVM-LARS,
by the λ₁ at which they come in or in turns of the classes, with an SVM trained anew on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np

from bench.frontier.corpora import Bools, Part, Task, vectorizer
from bench.frontier.families import (
    OURS,
    Asked,
    Budget,
    Family,
    Outcome,
    Serve,
    depths,
    size_within,
)
from laconic.classifiers.lars import LarsClassifier
from laconic.classifiers.masked import MaskedSVM
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.svm import SVMClassifier
from laconic.compact import CompactModel
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel
from laconic.reduction import Columns, Floats
from laconic.scores import document_frequency, information_gain, svm_weight
from laconic.selectors.top import TopTerms

BALANCED = {"": None, ", balanced": "balanced"}
# Enough for decisions; the estimator's own tolerance is for coefficients.
TOLERANCE = 1e-4
# Words that the paths of all classes are walked to, together.
WALKED = 6000
SHORTEST, LONGEST = 50, 500


@dataclass(frozen=True, eq=False)
class Laconic:
    """A linear model of ours, and the task that it was trained for."""

    model: LinearModel
    task: Task

    @property
    def words(self) -> int:
        return self.model.n_terms

    def answers(self, part: Part) -> Bools:
        decision = self.model.decision(part.X)
        if self.model.rule == "labels":
            return decision > 0
        chosen = decision.argmax(axis=1) if self.model.rule == "argmax" else decision[:, 0] > 0
        codes = self.model.classes[chosen.astype(np.intp)]
        return np.asarray(codes[:, None] == np.arange(len(self.task.classes)))

    def save(self, folder: Path) -> Path:
        where = folder / "model.laconic"
        self._compact().save(where)
        return where

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


def svms(costs: Sequence[float], norms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings of an SVM behind a selection of words."""
    return {
        f"C={cost:g}{weight}, norm={norm}": {"C": cost, "class_weight": own, "norm": norm}
        for (weight, own), norm, cost in product(BALANCED.items(), norms, costs)
    }


def shared_words(family: Family, task: Task, asked: Asked) -> Iterator[Outcome]:
    """The best words by a score, the same for all classes, then an SVM."""
    scores = task.once(f"scores {family.name}", SCORES[family.name])
    known = int(np.count_nonzero(scores > 0))
    for name, budgets in asked.items():
        made = dict(family.settings[name])
        svm = SVMClassifier(
            1 / (2 * made["C"]),
            class_weight=made["class_weight"],
            loss=made.get("loss", "squared_hinge"),
            tol=TOLERANCE,
        )
        path = ReduceThenFit(TopTerms(partial(_given, scores)), svm, norm=made["norm"])
        sizes = [task.n_words if budget is None else min(budget, known) for budget in budgets]
        yield from _along(path, task, name, budgets, sizes)


def own_words(family: Family, task: Task, asked: Asked) -> Iterator[Outcome]:
    """As many words a class as are within the budget together."""
    for name, budgets in asked.items():
        kind, given = family.settings[name]
        if given.get("threshold") and not task.multilabel and len(task.classes) > 2:
            yield from ((name, budget, "one of several classes is chosen") for budget in budgets)
            continue
        path, orders = ORDERS[kind](task, given)
        depth = depths(orders, task.n_words)
        sizes = [size_within(depth, int(cast(int, budget))) for budget in budgets]
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


def walked(task: Task, l2: float) -> LarsClassifier:
    """SVM-LARS to the end of its paths, which are as long as the budgets need."""

    def walk(task: Task) -> LarsClassifier:
        longest = int(np.clip(WALKED / len(task.classes), SHORTEST, LONGEST))
        return LarsClassifier(l2=l2, longest=longest).fit(task.train.X, task.y)

    return cast(LarsClassifier, task.once(f"walked {l2}", walk))


def _lars(task: Task, given: Mapping[str, Any]) -> tuple[PathClassifier, list[Columns]]:
    return LarsClassifier(norm="kept", **given), walked(task, given["l2"]).order_


def _masked(task: Task, given: Mapping[str, Any]) -> tuple[PathClassifier, list[Columns]]:
    def train(task: Task) -> list[Columns]:
        fitted = MaskedSVM("mask", size=1, tol=TOLERANCE, **settings).fit(task.train.X, task.y)
        return [machine.order for machine in fitted.machines_]

    settings = {key: value for key, value in given.items() if key != "variant"}
    orders = task.once(f"weights {settings}", train)
    return MaskedSVM(tol=TOLERANCE, **given), orders


def by_entry(task: Task) -> Floats:
    return walked(task, 1.0).scores_


def by_turn(task: Task) -> Floats:
    """Highest for a class's first word; 0 for words on no path."""
    depth = depths(walked(task, 1.0).order_, task.n_words)
    return (task.n_words - depth) / task.n_words


SCORES = {
    "ALL": lambda task: document_frequency(task.train.X),
    "IG": lambda task: information_gain(task.train.X, task.y),
    "WEIGHTS": lambda task: svm_weight(task.train.X, task.y),
    "LARS words, by λ₁": by_entry,
    "LARS words, in turns": by_turn,
}
ORDERS = {"lars": _lars, "masked": _masked}
FEW, MANY = (0.5, 4.0), (0.1, 0.5, 2.0, 8.0)
BOTH = ("kept", "document")
HINGE = {
    f"hinge, {name}": given | {"loss": "hinge"}
    for name, given in svms((1.0, 4.0), BOTH[:1]).items()
}
FAMILIES = (
    Family(OURS, "ALL", svms(MANY, BOTH[:1]) | HINGE, shared_words, cut=False, whole=True),
    *(
        Family(OURS, name, svms(FEW, BOTH), shared_words)
        for name in ("IG", "WEIGHTS", "LARS words, by λ₁", "LARS words, in turns")
    ),
    Family(
        OURS,
        "SVM-LARS",
        {
            "λ=1": ("lars", {"l2": 1.0}),
            "λ=1, threshold=loo": ("lars", {"l2": 1.0, "threshold": "loo"}),
        },
        own_words,
    ),
    Family(
        OURS,
        "EXACT",
        {
            f"C=1{name}": ("masked", {"variant": "exact", "alpha": 0.5, "class_weight": own})
            for name, own in BALANCED.items()
        },
        own_words,
    ),
    Family(
        OURS,
        "MASK",
        {"C=1": ("masked", {"variant": "mask", "alpha": 0.5, "class_weight": None})},
        own_words,
    ),
)
