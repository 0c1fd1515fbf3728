"""`curve`: measures along a path: quality against the number of words."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from tempfile import mkstemp
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError, SizeUnavailable
from laconic.model import Model
from laconic.numerics import measures as m
from laconic.vectors.problem import Problem
from laconic.vectors.targets import Targets

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier

Floats: TypeAlias = NDArray[np.float64]
Size: TypeAlias = int | float

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
    "best-f1": lambda decision, signs, rule: m.best_f1(decision, signs),
}


@dataclass(frozen=True)
class Row:
    """One measured value, or why there is none. Flat, so that a table is a list of them.

    `kept` are columns that the classifier saw, `terms` distinct words in the whole model.
    `seconds` is the training time of this size, the first size carrying what all sizes share.
    """

    problem: str
    method: str
    asked: Size
    kept: int | None
    terms: int | None
    measure: str
    value: float | None
    seconds: float
    status: str = "ok"
    reason: str = ""
    seed: int = 0

    @classmethod
    def columns(cls) -> list[str]:
        return [field.name for field in fields(cls)]


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
    rows: list[Row] = []
    for size, outcome, seconds in _outcomes(method, problem, asked):
        row = Row(problem.name, label, size, None, None, "", None, seconds, seed=seed)
        rows += _rows_of(outcome, problem, row, wanted)
        if progress is not None:
            progress(size)
    return Curve(problem.name, label, tuple(rows))


def _outcomes(
    method: PathClassifier, problem: Problem, sizes: list[Size]
) -> Iterator[tuple[Size, Model | SizeUnavailable, float]]:
    """Each size with its model, or why there is none, and the seconds it took."""
    if problem.y_train.ndim == 1 and (problem.y_train == problem.y_train[0]).all():
        reason = "all training documents are of one class. Choose another split"
        yield from ((size, SizeUnavailable(size, reason), 0.0) for size in sizes)
        return
    path = _timed(method.path(problem.X_train, problem.y_train, sizes))
    for size, (outcome, seconds) in zip(sizes, path, strict=True):
        yield size, outcome, seconds


def ascending(sizes: Iterable[Size]) -> list[Size]:
    """Distinct sizes in ascending order; counts or shares, not both."""
    given = [size.item() if isinstance(size, np.generic) else size for size in sizes]
    if not given:
        raise LaconicError("no sizes: give at least one, such as 10,100,1000")
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


def _rows_of(
    outcome: Model | SizeUnavailable, problem: Problem, row: Row, wanted: dict[str, Measure]
) -> Iterator[Row]:
    """`row` once a measure, filled in."""
    if isinstance(outcome, SizeUnavailable):
        for measure in wanted:
            yield replace(row, measure=measure, status="skipped", reason=outcome.reason)
        return
    decision = outcome.decision(problem.X_test)
    truth = Targets(np.empty(0), outcome.classes, outcome.rule).like(problem.y_test)
    row = replace(row, kept=outcome.size, terms=outcome.n_terms)
    for measure, of in wanted.items():
        value = of(decision, truth, outcome.rule)
        if np.isnan(value):
            reason = f"{measure} is not defined: the test documents do not have both answers"
            yield replace(row, measure=measure, status="skipped", reason=reason)
        else:
            yield replace(row, measure=measure, value=value)


@contextmanager
def rows_file(where: Path) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A file of rows, CSV or (by its ending) JSON lines, that appears whole or not at all.

    Opened before the work, so that a folder that cannot be written to is known at once.
    """
    check_output(where)
    jsonl = where.suffix != ".csv"
    try:
        handle, name = mkstemp(prefix=f".{where.name}.", suffix=".draft", dir=where.parent)
    except OSError as failure:
        raise LaconicError(f"{where}: cannot be written ({failure.strerror})") from None
    draft = Path(name)
    try:
        # a lone surrogate, which JSON may hold, has no UTF-8
        with open(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            table = csv.writer(stream)
            if not jsonl:
                table.writerow(Row.columns())

            def write(rows: Iterable[Row]) -> None:
                for row in rows:
                    if jsonl:
                        stream.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
                    else:
                        table.writerow([_cell(value) for value in astuple(row)])

            yield write
        draft.chmod(0o666 & ~_umask())
        draft.replace(where)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What is kept from others; `mkstemp` keeps everything."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_output(where: Path) -> None:
    """Rows may replace rows, never a file that something else wrote."""
    if where.suffix not in (".csv", ".jsonl", ".ndjson"):
        raise LaconicError(f"{where}: rows are written as .csv or .jsonl")
    if not where.parent.is_dir():
        raise LaconicError(f"{where}: cannot be written (there is no folder {where.parent})")
    if not where.exists():
        return
    start = b'{"problem"' if where.suffix != ".csv" else ",".join(Row.columns()).encode()
    if where.is_dir() or (where.stat().st_size and not where.read_bytes().startswith(start)):
        raise LaconicError(f"{where}: exists and is no file of rows. Choose another name.")


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: names come from strangers' files."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
