"""Input of the dual descent: its checks, and the unit in which documents are read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.types import Floats, Indices, Int32s, Int64s

# Exponents of 2 up to which squares, and their squares, are far from the limits of floating point.
ORDINARY = 100.0
LEAST_COST = 1e-200
# Longer documents have a squared length that overflows, and are refused.
LONGEST = 1e150


@dataclass(frozen=True, eq=False)
class Rows:
    """Documents as the descent reads them: parts of the rows of a CSR matrix, scaled.

    Document i is `values[starts[i]:ends[i]] * scales[i]`. If columns are numbered by rank and rows
    are sorted, the best n words of every document are a prefix of its row, and nothing is copied.
    """

    starts: Int64s
    ends: Int64s
    columns: Int32s
    values: Floats
    scales: Floats
    n_columns: int

    @classmethod
    def of(cls, X: csr_array) -> Self:
        """Whole rows, unscaled. Duplicate entries are summed, in a copy."""
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        bounds = np.asarray(X.indptr, dtype=np.int64)
        columns = np.asarray(X.indices, dtype=np.int32)
        values = np.asarray(X.data, dtype=np.float64)
        return cls(bounds[:-1], bounds[1:], columns, values, np.ones(X.shape[0]), X.shape[1])

    def take(self, documents: Indices) -> Self:
        """The documents at these positions."""
        starts, ends = self.starts[documents], self.ends[documents]
        return replace(self, starts=starts, ends=ends, scales=self.scales[documents])

    @property
    def largest(self) -> float:
        """An upper bound on the entries."""
        return float(np.abs(self.values).max(initial=0.0) * self.scales.max(initial=0.0))

    @property
    def unit(self) -> float:
        return unit_of(self.largest)


def unit_of(largest: float) -> float:
    """A power of 2; in this unit, squared lengths of documents neither overflow nor underflow.

    It is 1 except for very long and very short documents, whose `largest` entry is very large or
    very small. Dividing by it is exact.
    """
    if largest == 0.0 or not largest < LONGEST:
        return 1.0
    exponent = float(np.round(np.log2(largest)))
    return 1.0 if abs(exponent) <= ORDINARY else 2.0**exponent


def refuse_shapes(n_docs: int, arrays: dict[str, Floats | None]) -> None:
    """Compiled functions do not check array bounds."""
    for name, numbers in arrays.items():
        if numbers is not None and np.shape(numbers) != (n_docs,):
            raise LaconicError(
                f"{name} of shape {np.shape(numbers)} for {n_docs} documents: "
                "give one number per document"
            )


def refuse_numbers(
    y_signed: Floats, costs: Floats, start: Floats | None, start_intercept: float | Floats
) -> None:
    """Invalid values would be solved for as another problem, or give invalid coefficients."""
    duals = np.zeros(0) if start is None else start
    for name, numbers, valid, advice in (
        ("y_signed", y_signed, np.abs(y_signed) == 1, "give 1 or -1"),
        (
            "costs",
            costs,
            np.isfinite(costs) & (np.asarray(costs) >= 0),
            "give finite numbers, 0 or more",
        ),
        ("start", duals, np.isfinite(duals), "give numbers, or None for 0"),
        ("start_intercept", start_intercept, np.isfinite(start_intercept), "give a number"),
    ):
        if not np.all(valid):
            value = np.extract(~np.asarray(valid), numbers)[0]
            raise LaconicError(f"{name} of {value:g}: {advice}")


def refuse_long(lengths: Floats) -> None:
    n_infinite = int(np.count_nonzero(~np.isfinite(lengths)))
    if n_infinite:
        raise LaconicError(
            f"documents: {n_infinite} of {lengths.size} have a squared length that is not finite. "
            "Divide documents by their lengths"
        )


def refuse_longest(rows: Rows) -> None:
    """For solvers that do not compute the lengths."""
    refuse_largest(rows.largest)


def refuse_largest(largest: float) -> None:
    """The same from the largest entry."""
    if not largest < LONGEST:
        raise LaconicError(
            f"documents with an entry of {largest:.0e}: the squared length is not finite. "
            "Divide documents by their lengths"
        )


def costs_in(unit: float, costs: Floats) -> Floats:
    """Costs that make documents in this unit the same problem."""
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.asarray(costs, dtype=np.float64) * unit * unit
    lost = int(np.count_nonzero(~np.isfinite(scaled) | ((scaled < LEAST_COST) & (costs > 0))))
    if lost and unit != 1.0:
        raise LaconicError(
            f"documents of a length of about {unit:.0e}: for {lost} of {scaled.size} the squared "
            "length times the cost overflows or underflows. Divide documents by their lengths"
        )
    return scaled
