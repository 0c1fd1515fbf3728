"""`curve`: measures along a path: quality against the number of words."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
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
    progress : called with each size when it is done

    A size that cannot be had gives a row with status "skipped" and the reason.
    """
    asked = ascending(sizes)
    wanted = known_measures(measures)
    label = name if name is not None else repr(method)
    targets = Targets.of(problem.y_train)
    truth = targets.like(problem.y_test)
    rows: list[Row] = []
    path = _timed(method.path(problem.X_train, problem.y_train, asked))
    for size, (outcome, seconds) in zip(asked, path, strict=True):
        rows += _rows_of(outcome, problem, label, size, wanted, truth, seconds)
        if progress is not None:
            progress(size)
    return Curve(problem.name, label, tuple(rows))


def ascending(sizes: Iterable[Size]) -> list[Size]:
    """Distinct sizes in ascending order; counts or shares, not both."""
    asked = sorted(set(sizes))
    if not asked:
        raise LaconicError("no sizes: give at least one, such as 10,100,1000")
    shares = [isinstance(size, float | np.floating) for size in asked]
    if any(shares) and not all(shares):
        raise LaconicError(f"sizes {asked}: give numbers of words or shares in (0, 1], not both")
    wrong = [s for s, share in zip(asked, shares, strict=True) if s <= 0 or (share and s > 1)]
    if wrong:
        raise LaconicError(
            f"size {wrong[0]}: give a whole number from 1, or a share in (0, 1] such as 0.05"
        )
    return asked


def known_measures(names: Iterable[str]) -> dict[str, Measure]:
    asked = list(names)
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
    outcome: Model | SizeUnavailable,
    problem: Problem,
    method: str,
    size: Size,
    wanted: dict[str, Measure],
    truth: Floats,
    seconds: float,
) -> Iterator[Row]:
    if isinstance(outcome, SizeUnavailable):
        for measure in wanted:
            gap = (size, None, None, measure, None, seconds)
            yield Row(problem.name, method, *gap, status="skipped", reason=outcome.reason)
        return
    decision = outcome.decision(problem.X_test)
    for measure, of in wanted.items():
        value = of(decision, truth, outcome.rule)
        yield Row(
            problem.name, method, size, outcome.size, outcome.n_terms, measure, value, seconds
        )


@contextmanager
def rows_file(where: Path) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A file of rows, CSV or (by its ending) JSON lines, that appears whole or not at all.

    Opened before the work, so that a folder that cannot be written to is known at once.
    """
    jsonl = where.suffix in (".jsonl", ".ndjson")
    if not jsonl and where.suffix != ".csv":
        raise LaconicError(f"{where}: rows are written as .csv or .jsonl")
    _check_overwrites_rows(where)
    draft = where.with_name(f".{where.name}.draft")
    try:
        stream = draft.open("w", encoding="utf-8", newline="")
    except OSError as problem:
        raise LaconicError(f"{where}: cannot be written ({problem.strerror})") from None
    try:
        with stream:
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
        draft.replace(where)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _check_overwrites_rows(where: Path) -> None:
    """Rows may replace rows, never a file that something else wrote."""
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
