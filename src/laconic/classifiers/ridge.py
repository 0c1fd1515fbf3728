"""`RLSClassifier`: regularized least squares classification on all columns of X."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import LinearModel
from laconic.numerics.metrics import accuracy, apply_rule, f1_micro
from laconic.numerics.ridge.gram import refuse_overflow, squared_norm
from laconic.numerics.ridge.path import factorize
from laconic.numerics.ridge.solve import FACTORISE_UP_TO, Solution, residuals, ridge
from laconic.text.labels import LabelEncoding
from laconic.types import Floats, Matrix

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


class RLSClassifier(LinearModelClassifier):
    """One regression on y = ±1 per class: min ‖Xw − y‖² + alpha ‖w‖² (Dasgupta et al. 2007, eq. 4).

    Parameters
    ----------
    alpha : float or "loo", default=1.0
        Strength of regularization, the paper's λ; not divided by the number of documents. 0 gives
        the least-norm least-squares solution. "loo" chooses the best of `alphas` by exact
        leave-one-out; one factorization serves all values and all classes. It needs at most 12,000
        documents or at most 12,000 terms (a square matrix of 1.2 GB). After a supervised selection
        of words, leave-one-out is optimistic.
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
        documents, encoding = read_training_data(self, X, y)
        refuse_overflow(squared_norm(documents))
        self.__dict__.pop("loo_", None)
        if isinstance(self.alpha, str):
            solution = self._fit_best(documents, encoding)
        else:
            self.alpha_ = self._number()
            solution = ridge(documents, encoding.y_signed, self.alpha_, self.fit_intercept)
        self.condition_ = solution.condition
        self.residual_ = residuals(
            documents, encoding.y_signed, solution, self.alpha_, self.fit_intercept
        )
        self.solved_ = self.residual_ <= UNSOLVED
        self._warn()
        size = documents.shape[1]
        return self._set_model(
            LinearModel(
                solution.coef, solution.intercept, encoding.classes, size, rule=encoding.rule
            )
        )

    def _number(self) -> float:
        if np.ndim(self.alpha) != 0:
            raise LaconicError(f"alpha={self.alpha!r}: give one number, or alpha='loo' and alphas")
        return float(_checked(self.alpha, "alpha")[0])

    def _fit_best(self, X: Matrix, encoding: LabelEncoding) -> Solution:
        value = self._criterion(encoding)
        if min(X.shape) > FACTORISE_UP_TO:
            raise LaconicError(
                f"alpha='loo' on {X.shape[0]} documents and {X.shape[1]} terms: leave-one-out "
                f"needs at most {FACTORISE_UP_TO} documents or terms. Select fewer words first, "
                "or give alpha a number"
            )
        factors = factorize(X, self.fit_intercept)
        alphas = self._candidates(factors.trace / X.shape[0])
        residuals_of = factors.leave_one_out(encoding.y_signed, alphas)
        values = np.array([value(residual) for residual in residuals_of])
        self.loo_ = LeaveOneOut(alphas, values, self.criterion)
        self.alpha_ = self.loo_.best
        return factors.solve(encoding.y_signed, self.alpha_)

    def _candidates(self, squared_length: float) -> Floats:
        if self.alphas is not None:
            return _checked(self.alphas, "alphas")
        return np.logspace(-3, 3, 13) * (squared_length if squared_length > 0 else 1.0)

    def _criterion(self, encoding: LabelEncoding) -> Callable[[Floats], float]:
        """The function that scores leave-one-out residuals."""
        if self.alpha != "loo" or self.criterion not in ("squared", "accuracy", "f1_micro"):
            raise LaconicError(
                f"alpha={self.alpha!r}, criterion={self.criterion!r}: alpha is a number or 'loo', "
                "criterion is 'squared', 'accuracy' or 'f1_micro'"
            )
        if self.criterion == "squared":
            return lambda residual: float(np.square(residual).mean())
        y_signed, rule = encoding.y_signed, encoding.rule
        if self.criterion == "accuracy":
            return lambda residual: accuracy(apply_rule(y_signed - residual, rule), y_signed)
        return lambda residual: f1_micro(apply_rule(y_signed - residual, rule), y_signed, rule)

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


def _checked(alphas: ArrayLike, name: str) -> Floats:
    try:
        numbers = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not numbers.size or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise LaconicError(f"{name}={alphas!r}: must be finite and at least 0")
    return numbers
