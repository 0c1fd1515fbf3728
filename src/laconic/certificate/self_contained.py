"""Suprema for models that divide documents by different lengths: Proposition 15, row by row.

One model reads, in each row, at least the words of the other: it is the outer one. Usually that is
the full model, whose length over its own words is that over all words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from laconic.certificate.parts import NotComputed
from laconic.model import LinearModel
from laconic.numerics.bounds import suprema as of
from laconic.numerics.bounds.self_contained import split_reach, with_negatives
from laconic.types import Floats, Indices, Rule


@dataclass(frozen=True, eq=False)
class RowCoefficients:
    """The coefficients of each row on the words by whose length it divides a document."""

    coef: csr_array
    everything: bool

    @classmethod
    def of(cls, model: LinearModel) -> RowCoefficients:
        return cls(csr_array(model.coef), model.normalize == "all")

    def columns(self, row: int) -> Indices:
        if self.everything:
            return np.arange(self.coef.shape[1])
        return np.asarray(self.coef.indices[self._entries(row)])

    def values(self, row: int) -> Floats:
        """The coefficients of a row over the vocabulary."""
        values, entries = np.zeros(self.coef.shape[1]), self._entries(row)
        values[self.coef.indices[entries]] = self.coef.data[entries]
        return values

    def contain(self, other: RowCoefficients) -> bool:
        """Whether each row reads all words of the same row of the other."""
        rows = range(self.coef.shape[0])
        return self.everything or all(
            np.isin(other.columns(row), self.columns(row)).all() for row in rows
        )

    def _entries(self, row: int) -> slice:
        return slice(self.coef.indptr[row], self.coef.indptr[row + 1])


@dataclass(frozen=True, eq=False)
class SplitPair:
    """The inner and the outer model; `sign` is 1 if the small one is the inner one, else −1.

    `shift` is the difference small − full of the intercepts.
    """

    inner: RowCoefficients
    outer: RowCoefficients
    sign: float
    shift: Floats
    rule: Rule

    @classmethod
    def read(cls, full: LinearModel, small: LinearModel) -> SplitPair | NotComputed:
        words, fewer = RowCoefficients.of(full), RowCoefficients.of(small)
        shift = small.intercept - full.intercept
        if words.contain(fewer):
            return cls(fewer, words, 1.0, shift, full.rule)
        if fewer.contain(words):
            return cls(words, fewer, -1.0, shift, full.rule)
        return NotComputed(
            "the full model does not read all words of the small one, and both divide documents by "
            "their length over their own words. Train the full model on all words"
        )

    @cached_property
    def groups(self) -> tuple[bytes, ...]:
        """Rows with equal entries read the same words in both models."""
        rows = range(self.inner.coef.shape[0])
        return tuple(
            b"".join(
                np.int64(columns.size).tobytes() + columns.astype(np.int64).tobytes()
                for columns in (self.inner.columns(row), self.outer.columns(row))
                if columns.size < self.inner.coef.shape[1]
            )
            for row in rows
        )

    def split(self, row: int) -> tuple[Floats, Floats, Floats]:
        """Coefficients on the inner words in both models, and on the other words of the outer."""
        selected, w = self.inner.columns(row), self.outer.values(row)
        rest = np.zeros(w.size, dtype=bool)
        rest[self.outer.columns(row)] = True
        rest[selected] = False
        return self.inner.values(row)[selected], w[selected], w[rest]

    def everywhere(self) -> Floats:
        """The largest |small − full| of each row over documents of any sign."""
        return np.maximum(*self._row_limits(signed=True))

    @cached_property
    def text(self) -> of.ChangeLimits:
        """Limits over documents without negative entries."""
        return self._limits(signed=False)

    @cached_property
    def vectors(self) -> of.ChangeLimits:
        """Limits over documents of any sign."""
        return self._limits(signed=True)

    def _limits(self, signed: bool) -> of.ChangeLimits:
        up, down = self._row_limits(signed)
        leads = of.added_leads(up, down)
        n_rows, n_terms = self.outer.coef.shape
        if self.rule == "argmax" and n_rows**2 * n_terms <= of.PAIR_ENTRIES:
            for a in range(n_rows):
                self._compare(a, leads, signed)
        return of.ChangeLimits(up, down, leads)

    def _row_limits(self, signed: bool) -> tuple[Floats, Floats]:
        rows = range(self.shift.size)
        up, down = np.array([self._reach(self.split(row), signed) for row in rows]).T
        slack = of.ROUNDING * np.abs(self.shift)
        return up + self.shift + slack, down - self.shift + slack

    def _compare(self, a: int, leads: Floats, signed: bool) -> None:
        """Leads between class a and those before it that read the same words."""
        first = self.split(a)
        for c in range(a):
            if self.groups[a] != self.groups[c]:
                continue
            pairs = zip(first, self.split(c), strict=True)
            up, down = self._reach([part - other for part, other in pairs], signed)
            shift = self.shift[a] - self.shift[c]
            slack = of.ROUNDING * (abs(self.shift[a]) + abs(self.shift[c]))
            leads[a, c] = min(leads[a, c], up + shift + slack)
            leads[c, a] = min(leads[c, a], down - shift + slack)

    def _reach(self, split: Sequence[Floats], signed: bool) -> tuple[float, float]:
        """Suprema of small − full and of full − small, without intercepts."""
        parts = [self.sign * part for part in split]
        if signed:
            both = split_reach(*map(with_negatives, parts))
            return both, both
        return split_reach(*parts), split_reach(*(-part for part in parts))

    def stretch(self, lengths: Floats) -> Floats:
        """The most by which a difference of two rows changes if documents get length 1."""
        if not self.outer.everything:
            return np.zeros(lengths.size)
        weight = of.largest(of.by_rows(of.lengths, self.outer.coef))
        return np.where(lengths > 0, 2.0 * weight * np.abs(lengths - 1.0), 0.0)
