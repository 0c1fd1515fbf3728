"""`curve`: metrics along a path: quality against the number of features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from laconic.errors import LaconicError, SizeUnavailable, warn_again
from laconic.model import Model, margins
from laconic.numerics import metrics as m
from laconic.rows import Row, RowTable
from laconic.text.labels import signed_labels
from laconic.text.problem import Problem
from laconic.types import Bools, Floats, Size
from laconic.validation import is_number

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier


# The most classes that a warning names.
NAMED = 5


class Metric(Protocol):
    """Takes decision values minus thresholds, labels as ±1 and the model's rule.

    `n_unseen` is the number of classes of the documents whose labels are NaN.
    """

    def __call__(
        self, decision: Floats, y_signed: Floats, rule: str, n_unseen: int = 1
    ) -> float: ...


def _of_decisions(metric: Callable[[Floats, Floats], float]) -> Metric:
    return lambda decision, y_signed, rule, n_unseen=1: metric(decision, y_signed)


def _of_predictions(metric: Callable[[Bools, Floats], float]) -> Metric:
    return lambda decision, y_signed, rule, n_unseen=1: metric(
        m.apply_rule(decision, rule), y_signed
    )


def _of_classes(metric: Callable[[Bools, Floats, str, int], float]) -> Metric:
    return lambda decision, y_signed, rule, n_unseen=1: metric(
        m.apply_rule(decision, rule), y_signed, rule, n_unseen
    )


METRICS: dict[str, Metric] = {
    "accuracy": _of_predictions(m.accuracy),
    "balanced_accuracy": _of_classes(m.balanced_accuracy),
    "f1": _of_predictions(m.f1),
    "precision": _of_predictions(m.precision),
    "recall": _of_predictions(m.recall),
    "f1_micro": _of_classes(m.f1_micro),
    "f1_macro": _of_classes(m.f1_macro),
    "precision_macro": _of_classes(m.precision_macro),
    "recall_macro": _of_classes(m.recall_macro),
    "roc_auc": _of_decisions(m.roc_auc),
    "roc_auc_micro": _of_decisions(m.roc_auc_micro),
    "best_f1": _of_decisions(m.best_f1),
    "error": lambda decision, y_signed, rule, n_unseen=1: m.error(decision, y_signed, rule),
}
# Metrics of which lower is better; they cannot decide a recommendation.
LOSSES = frozenset({"error"})
CONSTANT = "the labels of the test documents are all equal"
UNDEFINED = {
    "f1": "it is for two classes. Choose f1_micro or f1_macro",
    "precision": "it is for two classes. Choose precision_macro",
    "recall": "it is for two classes. Choose recall_macro",
    "balanced_accuracy": "it is for one label per document. Choose f1_macro",
}


@dataclass(frozen=True, eq=False)
class SizeResult:
    """One size of a path: a model with its decisions on the test documents, or a reason.

    `y_signed` are the labels in the columns of `decision`; NaN for classes without a training
    document, about which there is a note; `n_unseen` is the number of these classes. `alpha` is
    that of the model, if several were tried.
    """

    size: Size
    seconds: float
    model: Model | None = None
    decision: Floats | None = None
    y_signed: Floats | None = None
    n_unseen: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()
    alpha: float | None = None

    def values(self, metrics: Mapping[str, Metric]) -> Iterator[tuple[str, float | None, str]]:
        """Each metric with its value, or None and the reason."""
        for name, metric in metrics.items():
            if self.model is None or self.decision is None or self.y_signed is None:
                yield name, None, self.reason
                continue
            f = margins(self.decision, self.model)
            value = metric(f, self.y_signed, self.model.rule, self.n_unseen)
            if np.isnan(value):
                yield name, None, f"{name} is not defined: {UNDEFINED.get(name, CONSTANT)}"
            else:
                yield name, value, ""

    def rows(self, template: Row, metrics: Mapping[str, Metric]) -> Iterator[Row]:
        """The template filled in, once per metric."""
        if self.model is not None:
            template = replace(
                template, model_size=self.model.size, n_features=self.model.n_features
            )
        for metric, value, reason in self.values(metrics):
            yield replace(
                template,
                size=self.size,
                alpha=template.alpha if self.alpha is None else self.alpha,
                metric=metric,
                value=value,
                seconds=self.seconds,
                status="skipped" if value is None else "ok",
                reason=reason,
            )


@dataclass(frozen=True, eq=False)
class Curve:
    """The rows of one method on one problem, by ascending size."""

    problem: str
    method: str
    rows: RowTable

    def values(self, metric: str) -> dict[Size, float | None]:
        """The metric at each size; None where there is no model."""
        values = {row.size: row.value for row in self.rows.where(metric=metric)}
        if not values:
            available = sorted(self.rows.distinct("metric"))
            raise KeyError(f"{metric!r} was not measured; available: {', '.join(available)}")
        return values


def curve(
    method: PathClassifier,
    problem: Problem,
    sizes: Iterable[Size],
    metrics: Iterable[str] = ("accuracy", "f1_micro", "f1_macro"),
    *,
    name: str | None = None,
    draw: int = 0,
    progress: Callable[[Size], None] | None = None,
) -> Curve:
    """Train once, and evaluate the model of each size on the test documents.

    A size that is not available gives a row with status "skipped" and the reason; so does every
    size of a problem whose training documents all belong to one class.

    Parameters
    ----------
    method : PathClassifier
    problem : Problem
    sizes : iterable of int or float
        Numbers of columns, or shares in (0, 1] of what the method can select from.
    metrics : iterable of str, default=("accuracy", "f1_micro", "f1_macro")
        Names from `laconic.curves.METRICS`.
    name : str or None, default=None
        The method's name in the rows; None is its representation.
    draw : int, default=0
        The number of the draw in the rows, for a random method.
    progress : callable or None, default=None
        Called with each size when it is done.

    Returns
    -------
    Curve
    """
    requested = ascending(sizes)
    functions = known_metrics(metrics)
    label = name if name is not None else repr(method)
    template = Row(problem.name, label, requested[0], "", draw=draw, fold=problem.fold)
    rows: list[Row] = []
    for result in evaluate_path(method, problem, requested):
        rows += result.rows(template, functions)
        warn_again(result.notes)
        if progress is not None:
            progress(result.size)
    return Curve(problem.name, label, RowTable(rows))


def evaluate_path(
    method: PathClassifier,
    problem: Problem,
    sizes: list[Size],
    alphas: Sequence[float] = (),
    classifiers: Sequence[BaseEstimator] = (),
) -> Iterator[SizeResult]:
    """Train once; the model and decisions at each of these ascending sizes, or why not.

    For a `ReduceThenFit`: with `alphas`, one result per alpha at each size; with `classifiers`,
    each size has its own.
    """
    grid = list(product(sizes, alphas or (None,)))
    if problem.y_train.ndim == 1 and (problem.y_train == problem.y_train[0]).all():
        reason = "all training documents are of one class. Choose another split"
        yield from (SizeResult(size, 0.0, reason=reason, alpha=alpha) for size, alpha in grid)
        return
    data = problem.X_train, problem.y_train, sizes, problem.X_test
    options = {"alphas": alphas, "classifiers": classifiers}
    along = method.along(*data, **{name: value for name, value in options.items() if value})
    for (size, alpha), (outcome, seconds) in zip(grid, _timed(along), strict=True):
        if isinstance(outcome, SizeUnavailable):
            yield SizeResult(size, seconds, reason=outcome.reason, alpha=alpha)
            continue
        model, decisions = outcome
        if not problem.X_test.shape[0]:
            yield SizeResult(size, seconds, model, alpha=alpha)
            continue
        y_signed = signed_labels(problem.y_test, model.classes, model.rule)
        unseen = np.asarray(np.isnan(y_signed).any(axis=1))
        codes = np.unique(problem.y_test[unseen]) if unseen.any() else ()
        names = [problem.classes[code] for code in codes]
        measured = decisions(), y_signed, len(names)
        notes = tuple(_unseen(problem, unseen, names))
        yield SizeResult(size, seconds, model, *measured, notes=notes, alpha=alpha)


def _unseen(problem: Problem, unseen: Bools, names: list[str]) -> Iterator[str]:
    """A class without training documents is never predicted: its documents are always wrong."""
    if not names:
        return
    more = f", and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    yield (
        f"{problem.name}: {np.count_nonzero(unseen):,} of {unseen.size:,} evaluated documents "
        f"belong to classes without a training document ({', '.join(names[:NAMED])}{more}). No "
        "model can predict these. Merge rare classes, or use fewer folds"
    )


def ascending(sizes: Iterable[Size]) -> list[Size]:
    """Distinct sizes in ascending order; counts or shares, not both."""
    values = [size.item() if isinstance(size, np.generic) else size for size in sizes]
    if not values:
        raise LaconicError("no sizes: give at least one, such as 10,100,1000")
    for size in values:
        if not is_number(size):
            raise LaconicError(f"size {size!r}: give a whole number from 1, or a share in (0, 1]")
    shares = {isinstance(size, float) for size in values}
    if len(shares) > 1:
        raise LaconicError(f"sizes {values}: give numbers of words or shares in (0, 1], not both")
    distinct = sorted(set(values))
    invalid = [size for size in distinct if size <= 0 or (True in shares and size > 1)]
    if invalid:
        raise LaconicError(
            f"size {invalid[0]}: give a whole number from 1, or a share in (0, 1] such as 0.05"
        )
    return distinct


def known_metrics(names: Iterable[str]) -> dict[str, Metric]:
    """The functions of these metrics by name."""
    requested = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in requested if name not in METRICS]
    if unknown or not requested:
        names = ", ".join(map(repr, unknown)) or "missing"
        raise LaconicError(f"metric {names}: choose from {', '.join(METRICS)}")
    return {name: METRICS[name] for name in requested}


def _timed(path: Iterator[Any]) -> Iterator[tuple[Any, float]]:
    while True:
        start = perf_counter()
        try:
            outcome = next(path)
        except StopIteration:
            return
        yield outcome, perf_counter() - start
