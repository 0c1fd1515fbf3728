"""`curve`: metrics along a path: quality against the number of features."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.model import Model
from laconic.numerics import metrics as m
from laconic.reduction import Floats
from laconic.rows import Row, Size
from laconic.vectors.labels import LabelEncoding
from laconic.vectors.problem import Problem

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier


# A warning names up to so many classes.
NAMED = 5
# A metric takes decision values, labels as ±1 and the model's rule.
Metric: TypeAlias = Callable[[Floats, Floats, str], float]


def _of_predictions(metric: Callable[[NDArray[np.bool_], Floats], float]) -> Metric:
    return lambda decision, y_signed, rule: metric(m.apply_rule(decision, rule), y_signed)


METRICS: dict[str, Metric] = {
    "accuracy": _of_predictions(m.accuracy),
    "balanced_accuracy": m.balanced_accuracy,
    "f1": _of_predictions(m.f1),
    "f1_micro": _of_predictions(m.f1_micro),
    "f1_macro": _of_predictions(m.f1_macro),
    "precision_macro": _of_predictions(m.precision_macro),
    "recall_macro": _of_predictions(m.recall_macro),
    "roc_auc": lambda decision, y_signed, rule: m.roc_auc(decision, y_signed),
    "roc_auc_micro": lambda decision, y_signed, rule: m.roc_auc_micro(decision, y_signed),
    "best_f1": lambda decision, y_signed, rule: m.best_f1(decision, y_signed),
    "error": m.error,
}
# Metrics of which less is better; they cannot decide a recommendation.
LOSSES = frozenset({"error"})
ONE_SIDED = "the labels of the test documents are all equal"
UNDEFINED = {
    "f1": "it is for two classes. Choose f1_micro or f1_macro",
    "balanced_accuracy": "it is for one label per document. Choose f1_macro",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """One size of a path: a model with its decisions on the test documents, or a reason.

    `y_signed` are the labels in the columns of `decision`; NaN for classes without a training
    document.
    """

    size: Size
    seconds: float
    model: Model | None = None
    decision: Floats | None = None
    y_signed: Floats | None = None
    reason: str = ""

    def values(self, metrics: Mapping[str, Metric]) -> Iterator[tuple[str, float | None, str]]:
        """Each metric with its value, or None and the reason."""
        for name, metric in metrics.items():
            if self.model is None or self.decision is None or self.y_signed is None:
                yield name, None, self.reason
                continue
            value = metric(self.decision, self.y_signed, self.model.rule)
            if np.isnan(value):
                yield name, None, f"{name} is not defined: {UNDEFINED.get(name, ONE_SIDED)}"
            else:
                yield name, value, ""

    def rows(self, like: Row, metrics: Mapping[str, Metric]) -> Iterator[Row]:
        """`like` filled in, once per metric."""
        if self.model is not None:
            like = replace(like, model_size=self.model.size, n_features=self.model.n_features)
        for metric, value, reason in self.values(metrics):
            yield replace(
                like,
                size=self.size,
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
    rows: tuple[Row, ...]

    def values(self, metric: str) -> dict[Size, float | None]:
        """The metric at each size; None where there is no model."""
        values = {row.size: row.value for row in self.rows if row.metric == metric}
        if not values:
            measured = sorted({row.metric for row in self.rows})
            raise KeyError(f"{metric!r} was not measured; there are {', '.join(measured)}")
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
    """Train once, cut at every size, and evaluate each model on the test documents.

    Parameters
    ----------
    method : PathClassifier
    problem : Problem
    sizes : numbers of columns, or shares in (0, 1] of what the method can choose from
    metrics : names from `laconic.curves.METRICS`
    name : the method's name in the rows, default: its representation
    draw : the number of the draw in the rows, for a random method
    progress : called with each size when it is done

    A size that is not available gives a row with status "skipped" and the reason; so does every
    size of a problem whose training documents all belong to one class.
    """
    asked = ascending(sizes)
    wanted = known_metrics(metrics)
    label = name if name is not None else repr(method)
    like = Row(problem.name, label, asked[0], "", draw=draw, fold=problem.fold)
    rows: list[Row] = []
    for measured in measure_path(method, problem, asked):
        rows += measured.rows(like, wanted)
        if progress is not None:
            progress(measured.size)
    return Curve(problem.name, label, tuple(rows))


def measure_path(method: PathClassifier, problem: Problem, sizes: list[Size]) -> Iterator[Measured]:
    """Train once; each of these ascending sizes with its model and decisions, or why not."""
    if problem.y_train.ndim == 1 and (problem.y_train == problem.y_train[0]).all():
        reason = "all training documents are of one class. Choose another split"
        yield from (Measured(size, 0.0, reason=reason) for size in sizes)
        return
    along = _timed(method.along(problem.X_train, problem.y_train, sizes, problem.X_test))
    for size, (outcome, seconds) in zip(sizes, along, strict=True):
        if isinstance(outcome, SizeUnavailable):
            yield Measured(size, seconds, reason=outcome.reason)
            continue
        model, decided = outcome
        y_signed = LabelEncoding(np.empty(0), model.classes, model.rule).transform(problem.y_test)
        _warn_unseen(problem, np.asarray(np.isnan(y_signed).any(axis=1)))
        yield Measured(size, seconds, model, decided(), y_signed)


def _warn_unseen(problem: Problem, unseen: NDArray[np.bool_]) -> None:
    """A class without a training document has no model, and every answer about it is wrong."""
    if not unseen.any():
        return
    names = [problem.classes[code] for code in np.unique(problem.y_test[unseen])]
    more = f", and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    warnings.warn(
        f"{problem.name}: {np.count_nonzero(unseen):,} of {unseen.size:,} documents that are "
        f"measured belong to classes without a training document ({', '.join(names[:NAMED])}"
        f"{more}). No model can predict these. Merge rare classes, or use fewer folds",
        LaconicWarning,
        stacklevel=3,
    )


def ascending(sizes: Iterable[Size]) -> list[Size]:
    """Distinct sizes in ascending order; counts or shares, not both."""
    given = [size.item() if isinstance(size, np.generic) else size for size in sizes]
    if not given:
        raise LaconicError("no sizes: give at least one, such as 10,100,1000")
    for size in given:
        if isinstance(size, bool) or not isinstance(size, int | float):
            raise LaconicError(f"size {size!r}: give a whole number from 1, or a share in (0, 1]")
    shares = {isinstance(size, float) for size in given}
    if len(shares) > 1:
        raise LaconicError(f"sizes {given}: give numbers of words or shares in (0, 1], not both")
    asked = sorted(set(given))
    wrong = [size for size in asked if size <= 0 or (True in shares and size > 1)]
    if wrong:
        raise LaconicError(
            f"size {wrong[0]}: give a whole number from 1, or a share in (0, 1] such as 0.05"
        )
    return asked


def known_metrics(names: Iterable[str]) -> dict[str, Metric]:
    asked = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in asked if name not in METRICS]
    if unknown or not asked:
        raise LaconicError(f"metric {unknown or 'missing'}: choose from {', '.join(METRICS)}")
    return {name: METRICS[name] for name in asked}


def _timed(path: Iterator[Any]) -> Iterator[tuple[Any, float]]:
    while True:
        start = perf_counter()
        try:
            outcome = next(path)
        except StopIteration:
            return
        yield outcome, perf_counter() - start
