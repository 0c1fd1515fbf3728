"""`RLSClassifier`: regularized least squares classification on all columns of X."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import LinearModel
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.metrics import apply_rule
from laconic.numerics.quotient import quotient
from laconic.numerics.ridge.block_sums import NormalEquations
from laconic.numerics.ridge.gram import refuse_overflow, squared_norm
from laconic.numerics.ridge.path import factorize
from laconic.numerics.ridge.solve import FACTORISE_UP_TO, Solution, residuals, ridge
from laconic.text.labels import LabelEncoding
from laconic.types import Floats, Matrix, Rule

Criterion: TypeAlias = Literal["squared", "accuracy", "f1_micro"]

# Fewer than 4 digits of the coefficients can be trusted beyond this.
ILL_CONDITIONED = 1e12
# Rows with a larger relative residual of the normal equations are not solved.
UNSOLVED = 1e-6


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The leave-one-out score of each alpha: the mean squared error, or a metric."""

    alphas: Floats
    values: Floats
    criterion: Criterion

    @property
    def best(self) -> float:
        """The best alpha; ties go to the largest."""
        scores = -self.values if self.criterion == "squared" else self.values
        if np.isnan(scores).all():
            raise LaconicError(
                "alpha='loo': nothing is left to train on when one document is left out. "
                "Give alpha a number, or more documents"
            )
        return float(self.alphas[scores == np.nanmax(scores)].max())


@dataclass(frozen=True)
class CriterionSums:
    """What the criterion is the quotient of, summed over documents."""

    criterion: Criterion
    rule: Rule

    def __call__(self, residuals: Floats, y_signed: Floats) -> Floats:
        """From leave-one-out residuals and labels."""
        if self.criterion == "squared":
            return np.array([np.square(residuals).sum(), residuals.size])
        predicted, true = apply_rule(y_signed - residuals, self.rule), y_signed > 0
        if self.criterion == "accuracy" or self.rule != "labels":
            return np.array([(predicted == true).all(axis=1).sum(), len(true)], dtype=np.float64)
        n_both = 2 * (predicted & true).sum()
        return np.array([n_both, predicted.sum() + true.sum()], dtype=np.float64)


class RLSClassifier(LinearModelClassifier):
    """One regression on y = ±1 per class: min ‖Xw − y‖² + alpha ‖w‖² (Dasgupta et al. 2007, eq. 4).

    Parameters
    ----------
    alpha : float or "loo", default=1.0
        Strength of regularization, the paper's λ; not divided by the number of documents. 0 gives
        the least-norm least-squares solution. "loo" chooses the best of `alphas` by exact
        leave-one-out; one factorization serves all values and all classes. It needs at most 12,000
        documents or at most 12,000 terms (a square matrix of 1.2 GB); over blocks, terms. After a
        supervised selection of words, leave-one-out is optimistic.
    alphas : array-like or None, default=None
        Candidates for "loo". None is 13 values from 10⁻³ to 10³ times the mean squared length of a
        document, which is 1 for text of unit length.
    criterion : "squared", "accuracy" or "f1_micro", default="squared"
        What "loo" optimises: the mean squared error (PRESS) or a metric of the predictions. Ties go
        to the largest alpha. For an indicator matrix "accuracy" is subset accuracy: the share of
        documents with all labels right; otherwise "f1_micro" is the accuracy.
    fit_intercept : bool, default=False
        Whether to fit an intercept, without penalty. The paper has none.

    Attributes
    ----------
    alpha_ : float
        The alpha of the model.
    loo_ : LeaveOneOut
        `alphas` and their `values`; only with alpha="loo".
    condition_ : float
        Condition number of the linear system (an estimate if alpha is a number); NaN if an
        iterative solver was used. There is a warning above 10¹².
    residual_ : array of shape (n_rows,)
        The residual of the normal equations X'(y − Xw) = alpha·w of each row, relative to ‖X‖‖y‖,
        an upper bound on ‖X'y‖. With an intercept, X and y are centred.
    solved_ : bool array of shape (n_rows,)
        Whether that residual is at most 10⁻⁶. There is a warning otherwise.
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    """

    def __init__(
        self,
        *,
        alpha: float | Literal["loo"] = 1.0,
        alphas: ArrayLike | None = None,
        criterion: Criterion = "squared",
        fit_intercept: bool = False,
    ) -> None:
        self.alpha = alpha
        self.alphas = alphas
        self.criterion = criterion
        self.fit_intercept = fit_intercept

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train the model; y has one class per document or is an indicator matrix."""
        given, encoding = read_training_data(self, X, y)
        documents = in_memory(given)
        self.__dict__.pop("loo_", None)
        if isinstance(documents, Blocks):
            solution = self._fit_blocks(documents, encoding)
        else:
            solution = self._fit_matrix(documents, encoding)
        self.condition_ = solution.condition
        self.solved_ = self.residual_ <= UNSOLVED
        self._warn()
        size = given.shape[1]
        return self._set_model(
            LinearModel(
                solution.coef, solution.intercept, encoding.classes, size, rule=encoding.rule
            )
        )

    def _fit_matrix(self, X: Matrix, encoding: LabelEncoding) -> Solution:
        refuse_overflow(squared_norm(X))
        if isinstance(self.alpha, str):
            solution = self._fit_best(X, encoding)
        else:
            self.alpha_ = self._number()
            solution = ridge(X, encoding.y_signed, self.alpha_, self.fit_intercept)
        inputs = encoding.y_signed, solution, self.alpha_, self.fit_intercept
        self.residual_ = residuals(X, *inputs)
        return solution

    def _fit_blocks(self, X: Blocks, encoding: LabelEncoding) -> Solution:
        """By sums over the blocks."""
        score = self._score(encoding) if isinstance(self.alpha, str) else None
        if score is not None:
            _refuse_side(X.shape[1], X.shape)
        equations = NormalEquations.of(X, encoding.members, bool(self.fit_intercept))
        if score is None:
            self.alpha_ = self._number()
            solution = equations.solve(self.alpha_)
        else:
            factors = equations.factorize(bool(self.fit_intercept))
            alphas = self._candidates(factors.trace / X.shape[0])
            self._choose(alphas, equations.leave_one_out(factors, alphas, score))
            solution = factors.solve_right(equations.right, equations.y_mean, self.alpha_)
        self.residual_ = equations.residuals(solution, self.alpha_)
        return solution

    def _number(self) -> float:
        if np.ndim(self.alpha) != 0:
            raise LaconicError(f"alpha={self.alpha!r}: give one number, or alpha='loo' and alphas")
        return float(_checked(self.alpha, "alpha")[0])

    def _fit_best(self, X: Matrix, encoding: LabelEncoding) -> Solution:
        score = self._score(encoding)
        _refuse_side(min(X.shape), X.shape)
        factors = factorize(X, self.fit_intercept)
        alphas = self._candidates(factors.trace / X.shape[0])
        residuals_of = factors.leave_one_out(encoding.y_signed, alphas)
        y_signed = encoding.y_signed
        self._choose(alphas, np.array([score(residual, y_signed) for residual in residuals_of]))
        return factors.solve(y_signed, self.alpha_)

    def _choose(self, alphas: Floats, sums: Floats) -> None:
        """The best alpha by the sums of the scores."""
        self.loo_ = LeaveOneOut(alphas, quotient(sums[:, 0], sums[:, 1]), self.criterion)
        self.alpha_ = self.loo_.best

    def _candidates(self, squared_length: float) -> Floats:
        if self.alphas is not None:
            return _checked(self.alphas, "alphas")
        return np.logspace(-3, 3, 13) * (squared_length if squared_length > 0 else 1.0)

    def _score(self, encoding: LabelEncoding) -> CriterionSums:
        """The function that scores leave-one-out residuals."""
        if self.alpha != "loo" or self.criterion not in ("squared", "accuracy", "f1_micro"):
            raise LaconicError(
                f"alpha={self.alpha!r}, criterion={self.criterion!r}: alpha is a number or 'loo', "
                "criterion is 'squared', 'accuracy' or 'f1_micro'"
            )
        return CriterionSums(self.criterion, encoding.rule)

    def _warn(self) -> None:
        if self.condition_ > ILL_CONDITIONED:
            problem = f"the system has condition number {self.condition_:.0e}"
        elif not self.solved_.all():
            rows = f"{(~self.solved_).sum()} of {self.solved_.size} rows"
            problem = f"{rows} have relative residuals of up to {self.residual_.max():.0e}"
        else:
            return
        warnings.warn(
            f"RLSClassifier: {problem} with alpha={self.alpha_:g}, so few digits of the "
            "coefficients are right. Raise alpha",
            LaconicWarning,
            stacklevel=3,
        )


def _refuse_side(side: int, shape: tuple[int, ...]) -> None:
    if side > FACTORISE_UP_TO:
        raise LaconicError(
            f"alpha='loo' on {shape[0]} documents and {shape[1]} terms: leave-one-out needs at "
            f"most {FACTORISE_UP_TO} documents or terms, and of documents that do not fit into "
            "memory, terms. Select fewer words first, or give alpha a number"
        )


def _checked(alphas: ArrayLike, name: str) -> Floats:
    try:
        numbers = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not numbers.size or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise LaconicError(f"{name}={alphas!r}: must be finite and at least 0")
    return numbers
