"""Regularized least squares over blocks: sums over documents, each in one pass.

With up to `FACTORISE_UP_TO` columns, the normal equations are sums: X'X, X'Y and Σ x. More columns
are solved by conjugate gradients, one pass per step for all columns of Y together. Y = ±1 is given
by `members`, so that no array has documents × classes numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks, column_sums, normal_product, refuse_gram
from laconic.numerics.members import signed
from laconic.numerics.quotient import quotient
from laconic.numerics.ridge.gram import centred_gram, centring, lower_gram, refuse_overflow
from laconic.numerics.ridge.path import Factorization, tridiagonal
from laconic.numerics.ridge.solve import (
    FACTORISE_UP_TO,
    Solution,
    column_lengths,
    least_norm_needs,
    solve_in_step,
    solve_system,
)
from laconic.types import Floats


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """Xc'Xc W = Xc'Y for Y = ±1, centred if there is an intercept.

    Parameters
    ----------
    X : Blocks
    members : (n_docs, n_classes), an entry for each document of a class
    x_mean, y_mean : the means, 0 without an intercept
    right : Xc'Y
    squared_norm : of X, the sum of the squared entries
    gram : Xc'Xc, of which the lower triangle is valid; None if there are too many columns
    """

    X: Blocks
    members: csr_array
    x_mean: Floats
    y_mean: Floats
    right: Floats
    squared_norm: float
    gram: Floats | None

    @classmethod
    def of(cls, X: Blocks, members: csr_array, intercept: bool) -> Self:
        """One pass."""
        n_docs, n_columns = X.shape
        if n_columns <= FACTORISE_UP_TO:
            refuse_gram(X)
        sums = X.total(EquationSums(with_gram=n_columns <= FACTORISE_UP_TO), members)
        squared_norm, total, by_class = sums[:3]
        refuse_overflow(float(squared_norm))
        n_members = np.bincount(members.indices, minlength=members.shape[1])
        x_mean, y_mean = np.zeros(n_columns), np.zeros(members.shape[1])
        if intercept:
            x_mean, y_mean = total / n_docs, 2.0 * n_members / n_docs - 1.0
        # X'Y = 2 X'M − Σ x; the mean of Y times Σ x is subtracted with an intercept
        right = 2.0 * by_class - np.multiply.outer(total, 1.0 + y_mean)
        gram = centred_gram(sums[3].T, x_mean, n_docs) if len(sums) > 3 else None
        return cls(X, members, x_mean, y_mean, right, float(squared_norm), gram)

    def solve(self, alpha: float) -> Solution:
        """Coefficients and intercepts of all classes."""
        if self.gram is not None:
            centred = centring(self.X.shape[0], self.x_mean)
            coef, condition = solve_system(self.gram, self.right, alpha, centred)
        else:
            if alpha == 0:
                raise least_norm_needs(self.X.shape, "the latter")
            coef, condition = solve_in_step(self._shifted(alpha), self.right)[0], np.nan
        return Solution(coef.T, self.y_mean - self.x_mean @ coef, condition)

    def _shifted(self, alpha: float) -> Any:
        n_docs, x_mean = self.X.shape[0], self.x_mean

        def product(W: Floats) -> Floats:
            result = normal_product(self.X, W) + alpha * W
            return result - np.outer(n_docs * x_mean, x_mean @ W) if x_mean.any() else result

        return product

    def residuals(self, solution: Solution, alpha: float) -> Floats:
        """As `solve.residuals`, by one pass."""
        coef = np.ascontiguousarray(solution.coef.T)
        back, total = self.X.total(ErrorSums(coef, solution.intercept), self.members)
        errors = back - np.outer(self.x_mean, total) - alpha * coef
        whole = np.full(coef.shape[1], self.squared_norm * self.X.shape[0])
        return quotient(column_lengths(errors), np.sqrt(whole))

    def factorize(self, intercept: bool) -> Factorization:
        """For many alphas and leave-one-out; it has no documents. The Gram matrix is replaced."""
        assert self.gram is not None
        empty, parts = csr_array((0, self.X.shape[1])), tridiagonal(self.gram)
        return Factorization(empty, self.X.shape[0], intercept, False, self.x_mean, *parts)

    def leave_one_out(self, factors: Factorization, alphas: Floats, score: LeaveOneOutScore) -> Any:
        """The sums of the scores of all documents, for each alpha, by one pass."""
        solved = tuple(factors.inverses(self.right, alphas))
        if len(solved) < alphas.size:
            factors.sound_spectrum  # noqa: B018 - computed once, for all blocks
        step = LeaveOneOutSums(factors, self.right, self.y_mean, alphas, solved, score)
        return self.X.total(step, self.members)


class LeaveOneOutScore(Protocol):
    """Sums over documents from their leave-one-out residuals and their labels as ±1."""

    def __call__(self, residuals: Floats, y_signed: Floats) -> Floats: ...


@dataclass(frozen=True)
class EquationSums:
    """(block, members) -> ‖X‖², Σ x, X'M, and X'X as the upper triangle of its rows"""

    with_gram: bool

    def __call__(self, block: csr_array, members: csr_array) -> tuple[Any, ...]:
        with np.errstate(over="ignore"):
            squares = np.vdot(block.data, block.data)
        sums = squares, column_sums(block), (block.T @ members.astype(np.float64)).toarray()
        if not self.with_gram or not np.isfinite(squares):
            return sums
        return *sums, lower_gram(block.T).T


@dataclass(frozen=True, eq=False)
class ErrorSums:
    """(block, members) -> X'(Y − XW − b), and the sums of Y − XW − b"""

    coef: Floats
    intercept: Floats

    def __call__(self, block: csr_array, members: csr_array) -> tuple[Floats, Floats]:
        errors = signed(members) - block @ self.coef - self.intercept
        return block.T @ errors, errors.sum(axis=0)


@dataclass(frozen=True, eq=False)
class LeaveOneOutSums:
    """(block, members) -> scores of the leave-one-out residuals, one line per alpha"""

    factors: Factorization
    right: Floats
    y_mean: Floats
    alphas: Floats
    solved: tuple[Floats, ...]
    score: LeaveOneOutScore

    def __call__(self, block: csr_array, members: csr_array) -> Floats:
        y_signed = signed(members)
        factors = self.factors.of(block)
        centred = y_signed - self.y_mean
        residuals = factors.held_out(centred, self.right, self.alphas, self.solved)
        return np.array([self.score(residual, y_signed) for residual in residuals])
