"""Decision values of weighted documents: linear, or with a Gaussian kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.numerics.quotient import quotient
from laconic.numerics.text.numpy_kernels import bounds, documents, spans, totals
from laconic.runtime.choices import Normalize
from laconic.runtime.counts import Vectors
from laconic.types import Columns, Floats, Int32s, Int64s

# Values of a kernel that are in memory at once.
BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class Coefficients:
    """A linear map from words to rows, by word.

    The coefficients of word w are `values[firsts[w]:firsts[w + 1]]`; coefficient i belongs to row
    `rows[i]`, ascending within a word.
    """

    firsts: Int64s
    rows: Int32s
    values: Floats
    n_rows: int

    @classmethod
    def dense(cls, values: Floats) -> Coefficients:
        """Those of an array of shape (n_words, n_rows)."""
        n_words, n_rows = values.shape
        rows = np.arange(values.size) % max(n_rows, 1)
        firsts = np.arange(n_words + 1, dtype=np.int64) * n_rows
        return cls(firsts, rows.astype(np.int32), values.flatten(), n_rows)

    @classmethod
    def of_terms(cls, terms: Columns, weights: Floats, n_words: int) -> Coefficients:
        """One coefficient in each row: the weight of a term, which is a word."""
        if (terms >= n_words).any() or np.unique(terms).size != terms.size:
            raise LaconicError(f"the terms are not distinct columns among {n_words:,}")
        order = np.argsort(terms)
        firsts = bounds(np.bincount(terms, minlength=n_words))
        return cls(firsts, order.astype(np.int32), weights[order], terms.size)

    @property
    def n_words(self) -> int:
        return self.firsts.size - 1

    @property
    def features(self) -> Columns:
        """The words that have a coefficient, even 0, ascending."""
        return np.flatnonzero(np.diff(self.firsts))

    def array(self) -> Floats:
        """The coefficients of a dense map, of shape (n_words, n_rows)."""
        return self.values.reshape(self.n_words, self.n_rows)

    def sums(self, X: Vectors, *, normalize_selected: bool = False) -> Floats:
        """Weights times coefficients, added up in each row: shape (n_docs, n_rows)."""
        from laconic.numerics.text.decisions import linear_decisions

        return np.asarray(
            linear_decisions(
                *X, self.firsts, self.rows, self.values, self.n_rows, normalize_selected
            )
        )


@dataclass(frozen=True, eq=False)
class LinearDecision:
    """Weights times coefficients, plus intercepts.

    With normalize="selected" each row is divided by the length over its words.
    """

    coefficients: Coefficients
    intercept: Floats
    normalize: Normalize

    @property
    def n_words(self) -> int:
        return self.coefficients.n_words

    @property
    def features(self) -> Columns:
        """The words that are used, ascending."""
        return self.coefficients.features

    @property
    def numbers(self) -> tuple[Any, ...]:
        return self.coefficients.values, self.intercept

    def values(self, X: Vectors) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        selected = self.normalize == "selected"
        return self.coefficients.sums(X, normalize_selected=selected) + self.intercept

    def explained(
        self, X: Vectors, words: Sequence[str], top: int | None
    ) -> list[list[tuple[str, float]]]:
        """The words of one document with what they add to each row, strongest first."""
        firsts, n_rows = self.coefficients.firsts, self.coefficients.n_rows
        order = np.argsort(X.columns)
        sizes = np.diff(firsts)[X.columns[order]]
        entries = spans(firsts[X.columns[order]], sizes)
        rows, columns = self.coefficients.rows[entries], np.repeat(X.columns[order], sizes)
        weights = np.repeat(X.values[order], sizes)
        shares = weights * self.coefficients.values[entries]
        if self.normalize == "selected":
            squares = totals(rows, weights**2, (n_rows, 1))[:, 0]
            shares = shares * quotient(1.0, np.sqrt(squares))[rows]
        by_row = np.argsort(rows, kind="stable")
        parts = np.split(by_row, np.searchsorted(rows[by_row], np.arange(1, n_rows)))
        return [strongest(words, columns[part], shares[part], top) for part in parts]


def strongest(
    words: Sequence[str] | NDArray[Any], columns: NDArray[Any], shares: Floats, top: int | None
) -> list[tuple[str, float]]:
    """The words with the largest shares in absolute value, except for shares of 0."""
    order = np.lexsort((columns, -np.abs(shares)))
    order = order[shares[order] != 0][:top]
    return [(str(words[columns[i]]), float(shares[i])) for i in order]


@dataclass(frozen=True, eq=False)
class KernelDecision:
    """Σ dual_i · exp(−gamma ‖z − support_i‖²) + intercept, for each row, of reduced documents z.

    Parameters
    ----------
    reduction : Coefficients
    terms : the words of the rows of a reduction that selects; None for a dense one
    support : array of shape (n_support, size)
    dual : array of shape (n_rows, n_support)
    intercept : array of shape (n_rows,)
    gamma : float, positive
    normalize : "selected" divides by the length over the words of the reduction
    """

    reduction: Coefficients
    terms: Columns | None
    support: Floats
    dual: Floats
    intercept: Floats
    gamma: float
    normalize: Normalize

    def __post_init__(self) -> None:
        n_rows, n_support, size = len(self.intercept), len(self.support), self.reduction.n_rows
        shapes = self.support.shape, self.dual.shape
        expected = (n_support, size), (n_rows, n_support)
        # without support vectors, nothing bounds the number of columns
        if not n_support or shapes != expected:
            raise LaconicError(
                f"a kernel model of {n_rows} rows over {size} columns has arrays of shapes "
                f"{expected}, not {shapes}"
            )
        if not self.gamma > 0:
            raise LaconicError(f"gamma={self.gamma}: must be positive")

    @property
    def n_words(self) -> int:
        return self.reduction.n_words

    @property
    def features(self) -> Columns:
        """The words that are used, ascending."""
        if self.terms is not None:
            return np.sort(self.terms)
        return np.flatnonzero(self.reduction.array().any(axis=1))

    @property
    def term_weights(self) -> Floats:
        """The weights of the terms, in their order."""
        weights = np.empty_like(self.reduction.values)
        weights[self.reduction.rows] = self.reduction.values
        return weights

    @property
    def numbers(self) -> tuple[Any, ...]:
        return self.reduction.values, self.support, self.dual, self.intercept, self.gamma

    def values(self, X: Vectors) -> Floats:
        """Decision values of shape (n_docs, n_rows)."""
        step = max(1, BLOCK // max(self.support.shape))
        parts = range(0, X.n_docs, step)
        blocks = [self._block(X.part(at, at + step)) for at in parts]
        return np.concatenate([np.empty((0, len(self.intercept))), *blocks])

    def _block(self, X: Vectors) -> Floats:
        Z = self.reduction.sums(X)
        if self.normalize == "selected":
            Z = Z * quotient(1.0, self._lengths(X))[:, None]
        products = Z @ self.support.T
        squares = np.square(Z).sum(axis=1)[:, None] + np.square(self.support).sum(axis=1)
        kernel = np.exp(-self.gamma * np.maximum(squares - 2.0 * products, 0.0))
        return np.asarray(kernel @ self.dual.T + self.intercept)

    def _lengths(self, X: Vectors) -> Floats:
        """The length of each document over the words that are used."""
        used = np.zeros(self.n_words, bool)
        used[self.features] = True
        starts = bounds(used[X.columns])[X.starts]
        # in the order of the columns, as a sparse array adds up its rows
        order = np.lexsort((X.columns, documents(X.starts)))
        squares = X.values[order[used[X.columns[order]]]] ** 2
        totals_of_docs = np.zeros(X.n_docs)
        not_empty = np.flatnonzero(np.diff(starts))
        totals_of_docs[not_empty] = np.add.reduceat(squares, starts[not_empty])
        return np.sqrt(totals_of_docs)
