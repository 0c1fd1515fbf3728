"""`LogisticClassifier`: logistic regression on all columns of X."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_sample_weight

from laconic.classifiers.path import LinearModelClassifier, read_training_data
from laconic.classifiers.row_groups import previous_start, rows_of, solved_in_groups
from laconic.classifiers.rows_solution import RowsSolution
from laconic.classifiers.svm_costs import ClassWeight, class_problems, document_costs
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks
from laconic.numerics.logistic.solve import (
    LogisticSolution,
    PrimalStart,
    solve_sigmoids,
    solve_softmax,
)
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Floats, Matrix
from laconic.validation import is_non_negative


class LogisticClassifier(LinearModelClassifier):
    """Logistic regression: min Σ c loss + alpha ‖w‖², f = Xw + b.

    For two classes the loss is log(1 + exp(−y f)), y = ±1. Several classes are one multinomial
    problem, log Σ exp f − f of the document's class, with one row per class. An indicator matrix
    has one binary problem per label. Solved by Newton's method (`laconic.numerics.logistic`), over
    blocks too.

    Parameters
    ----------
    alpha : float, default=0.1
        Strength of regularization, above 0, the same as in SVMClassifier. In scikit-learn's
        notation ½ ‖w‖² + C Σ c loss, C = 1/(2 alpha).
    fit_intercept : bool, default=True
        Whether to fit an intercept b, without penalty. Where the best b is infinite, because all
        documents are on one side or a class has no document with a weight, it is as if half a
        document were on the empty side: for all documents on one side w = 0 and
        b = ±log(1 + 2 Σ c).
    class_weight : None, "balanced" or dict, default=None
        The weight c of a document: 1 for None; the value of its class in the dict; or
        n_docs / (n_classes · n_docs_of_class) for "balanced". For an indicator matrix, "balanced"
        is n_docs / 2 over the number of documents with (without) the label, and a dict weights the
        documents with a label.
    warm_start : bool, default=False
        Whether to start from the coefficients of the previous `fit`, if it had as many rows and
        columns. The optimum is the same.
    tol : float, default=1e-5
        A problem is solved when the bound `gap_` is at most `tol`. The default is what metrics can
        see: fewer than 1 of 1,000 decisions differ from those of the optimum. For the optimum
        itself give 1e-10. A `LaconicWarning` reports problems that are not solved.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    gap_ : array of shape (n_problems,)
        The duality gap of each problem as a share of its objective: an upper bound on how far the
        objective is above the optimum. Several classes are one problem.
    solved_ : bool array of shape (n_problems,)
        Which problems are solved to `tol`.
    n_iter_ : array of shape (n_problems,)
        Newton steps; over blocks, passes over the documents.
    """

    def __init__(
        self,
        alpha: float = 0.1,
        *,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        tol: float = 1e-5,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.tol = tol

    def fit(self, X: Matrix, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the model; y has one class per document or is an indicator matrix."""
        documents, encoding = read_training_data(self, X, y)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, documents, dtype=np.float64, ensure_non_negative=True
            )
        shape = encoding.n_rows, documents.shape[1]
        start = previous_start(self, shape) if self.warm_start else None
        solution = self.fit_rows(rows_of(documents), encoding, start, weights)
        return self._set_model(solution.model(encoding))

    def fit_rows(
        self,
        rows: Rows | Blocks,
        encoding: LabelEncoding,
        start: Any = None,
        sample_weight: Floats | None = None,
    ) -> RowsSolution:
        """Train on a prefix of ranked documents, or on blocks, one pass per product.

        `start` is that of an earlier solution.
        """
        check_logistic(self.alpha, self.tol)
        solution = self._solve(rows, encoding, start, sample_weight)
        self.n_iter_, self.solved_, self.gap_ = solution.steps, solution.solved, solution.gap
        self._warn()
        return RowsSolution(
            solution.coef,
            solution.intercept,
            solution.solved,
            solution.gap,
            PrimalStart(solution.coef, solution.intercept),
            np.ones(1)
            if encoding.rule == "argmax"
            else np.tile([1.0, 0.0], (len(solution.coef), 1)),
        )

    def _solve(
        self,
        rows: Rows | Blocks,
        encoding: LabelEncoding,
        start: PrimalStart | None,
        weights: Floats | None,
    ) -> LogisticSolution:
        options: dict[str, Any] = {
            "intercept": bool(self.fit_intercept),
            "start": start,
            "tolerance": float(self.tol),
        }
        alpha = float(self.alpha)
        if encoding.rule == "argmax":
            by_document = document_costs(encoding, self.class_weight, weights)
            inputs = rows, encoding.codes, encoding.classes.size, by_document, alpha
            return solve_softmax(*inputs, **options)

        problems = class_problems(encoding, self.class_weight, weights)

        def solve(group: Columns, start: PrimalStart | None) -> LogisticSolution:
            inputs = rows, *problems.columns(group), alpha
            return solve_sigmoids(*inputs, **{**options, "start": start})

        return solved_in_groups(solve, encoding, rows, start)

    def _warn(self) -> None:
        if short := shortfall(self.solved_.tolist(), self.gap_.tolist(), self.tol):
            warnings.warn(
                f"LogisticClassifier: {short}. Divide documents by their lengths, raise "
                f"alpha={self.alpha:g}, or raise tol",
                LaconicWarning,
                stacklevel=4,
            )


def check_logistic(alpha: object, tol: object) -> None:
    """Raise LaconicError for parameters that no logistic regression accepts."""
    if not (is_non_negative(alpha) and alpha > 0):
        raise LaconicError(f"alpha={alpha!r}: logistic regression needs a number above 0")
    if not (is_non_negative(tol) and tol > 0):
        raise LaconicError(f"tol={tol!r}: give a number above 0")
