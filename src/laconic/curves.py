"""`curve`: measures along a path: quality against the number of words."""

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
from laconic.numerics import measures as m
from laconic.reduction import Floats
from laconic.rows import Row, Size
from laconic.vectors.problem import Problem
from laconic.vectors.targets import Targets

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier


# A warning names up to so many classes.
NAMED = 5
# A measure takes decision values, signs and the model's rule.
Measure: TypeAlias = Callable[[Floats, Floats, str], float]


def _of_choice(measure: Callable[[NDArray[np.bool_], Floats], float]) -> Measure:
    return lambda decision, signs, rule: measure(m.chosen_by(decision, rule), signs)


MEASURES: dict[str, Measure] = {
    "accuracy": _of_choice(m.accuracy),
    "micro-f1": _of_choice(m.micro_f1),
    "macro-f1": _of_choice(m.macro_f1),
    "precision": _of_choice(m.precision),
    "recall": _of_choice(m.recall),
    "auc": lambda decision, signs, rule: m.auc(decision, signs),
    "pooled-auc": lambda decision, signs, rule: m.pooled_auc(decision, signs),
    "best-f1": lambda decision, signs, rule: m.best_f1(decision, signs),
    "error": m.error,
}
# The less the better: measured and written down, but no goal to recommend by.
LESS_IS_BETTER = frozenset({"error"})


@dataclass(frozen=True, eq=False)
class Measured:
    """What a path gave for one size: a model with its decisions on the test documents, or a reason.

    `signs` are the true answers in the columns of `decision`; NaN where training had not seen the
    document's class.
    """

    asked: Size
    seconds: float
    model: Model | None = None
    decision: Floats | None = None
    signs: Floats | None = None
    reason: str = ""

    def values(self, measures: Mapping[str, Measure]) -> Iterator[tuple[str, float | None, str]]:
        """Each measure with its value, or None and why."""
        for name, of in measures.items():
            if self.model is None or self.decision is None or self.signs is None:
                yield name, None, self.reason
                continue
            value = of(self.decision, self.signs, self.model.rule)
            if np.isnan(value):
                reason = "is not defined: the test documents do not have both answers"
                yield name, None, f"{name} {reason}"
            else:
                yield name, value, ""

    def rows(self, like: Row, measures: Mapping[str, Measure]) -> Iterator[Row]:
        """`like` once a measure, filled in."""
        if self.model is not None:
            like = replace(like, kept=self.model.size, terms=self.model.n_terms)
        for measure, value, reason in self.values(measures):
            yield replace(
                like,
                asked=self.asked,
                measure=measure,
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

    def values(self, measure: str) -> dict[Size, float | None]:
        """The measure at each size asked; None where there is no model."""
        found = {row.asked: row.value for row in self.rows if row.measure == measure}
        if not found:
            known = sorted({row.measure for row in self.rows})
            raise KeyError(f"{measure!r} was not measured; there are {', '.join(known)}")
        return found


def curve(
    method: PathClassifier,
    problem: Problem,
    sizes: Iterable[Size],
    measures: Iterable[str] = ("accuracy", "micro-f1", "macro-f1"),
    *,
    name: str | None = None,
    seed: int = 0,
    progress: Callable[[Size], None] | None = None,
) -> Curve:
    """Train once, cut at every size, and measure each model on the test documents.

    Parameters
    ----------
    method : PathClassifier
    problem : Problem
    sizes : numbers of columns, or shares in (0, 1] of what the method can choose from
    measures : names from `laconic.curves.MEASURES`
    name : of the method in the rows, default: its own representation
    seed : of the method, for the rows
    progress : called with each size when it is done

    A size that cannot be had gives a row with status "skipped" and the reason; so does every size
    of a problem whose training documents are all of one class.
    """
    asked = ascending(sizes)
    wanted = known_measures(measures)
    label = name if name is not None else repr(method)
    like = Row(problem.name, label, asked[0], "", seed=seed, fold=problem.fold)
    rows: list[Row] = []
    for measured in measure_path(method, problem, asked):
        rows += measured.rows(like, wanted)
        if progress is not None:
            progress(measured.asked)
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
        signs = Targets(np.empty(0), model.classes, model.rule).like(problem.y_test)
        _warn_unseen(problem, np.asarray(np.isnan(signs).any(axis=1)))
        yield Measured(size, seconds, model, decided(), signs)


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


def known_measures(names: Iterable[str]) -> dict[str, Measure]:
    asked = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in asked if name not in MEASURES]
    if unknown or not asked:
        raise LaconicError(f"measure {unknown or 'missing'}: choose from {', '.join(MEASURES)}")
    return {name: MEASURES[name] for name in asked}


def _timed(path: Iterator[Any]) -> Iterator[tuple[Any, float]]:
    while True:
        start = perf_counter()
        try:
            outcome = next(path)
        except StopIteration:
            return
        yield outcome, perf_counter() - start
