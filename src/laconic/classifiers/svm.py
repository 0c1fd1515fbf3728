"""`SVMClassifier`: one linear support vector machine per class, on all columns of X."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from laconic.classifiers.path import LinearModelClassifier, not_in_memory, read_training_data
from laconic.classifiers.row_groups import previous_start, rows_of, solved_in_groups
from laconic.classifiers.rows_solution import RowsSolution
from laconic.classifiers.svm_costs import ClassWeight, class_problems
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks
from laconic.numerics.logistic.solve import LogisticSolution, PrimalStart
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Dual, Rows, support
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.joint import descend_all
from laconic.numerics.svm.squared_hinge import solve_squared_hinges
from laconic.numerics.svm.start import DualStart, SupportDuals
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Floats, Matrix
from laconic.validation import check_choice, is_non_negative

SVMLoss: TypeAlias = Literal["squared_hinge", "hinge"]

# The largest number of passes over the documents.
EPOCHS = 20_000


class SVMClassifier(LinearModelClassifier):
    """One linear SVM per class: min Σ c loss(y f) + alpha ‖w‖², f = Xw + b, y = ±1.

    Solved in the dual, by coordinate descent and Newton steps (`laconic.numerics.svm.dual`); over
    blocks that do not fit into memory, the squared hinge is solved by Newton's method in w and b.
    Documents may have any length; training is fastest at unit length.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of regularization, above 0, the same as in RLSClassifier. In the notation
        ½ ‖w‖² + C Σ c loss, C = 1/(2 alpha) for both losses.
    fit_intercept : bool, default=True
        Whether to fit an intercept b, without penalty. If the best intercept is not unique, b is
        the middle of the interval; if all documents are on one side, w = 0 and b = ±1.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        max(0, 1 − y f)² or max(0, 1 − y f).
    class_weight : None, "balanced" or dict, default=None
        The weight c of a document: 1 for None; the value of its class in the dict; or
        n_docs / (n_classes · n_docs_of_class) for "balanced". With several classes, one-vs-rest,
        the rest have weight 1. For an indicator matrix, "balanced" is n_docs / 2 over the number of
        documents with (without) the label, and a dict weights the documents with a label.
    warm_start : bool, default=False
        Whether to start from the dual variables of the previous `fit`, if it had as many documents
        and classes. The optimum is the same.
    tol : float, default=1e-4
        A row is solved when the duality gap is at most `tol` times the objective. The default is
        what metrics can see: fewer than 1 of 1,000 decisions differ from those of the optimum. For
        the optimum itself give 1e-10: below 1e-5, no document may violate its optimality condition
        by more than `tol` times the margin either. A `LaconicWarning` reports rows that are not
        solved.

    Attributes
    ----------
    model_ : LinearModel
        The fitted model.
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (n_rows, n_terms)
    intercept_ : array of shape (n_rows,)
    dual_coef_ : csr_array of shape (n_rows, n_docs)
        y α, with coef_ = dual_coef_ @ X (over blocks, at the optimum only). α is at most C c for
        the hinge, and 2 C c max(0, 1 − y f) for the squared hinge.
    support_ : array
        Documents that are support vectors of any row: α above 10⁻⁶ C c, or 10⁻⁶ of the largest.
    solved_ : bool array of shape (n_rows,)
        Which rows are solved to `tol`.
    gap_ : array of shape (n_rows,)
        The duality gap of each row as a share of its objective: an upper bound on how far the
        objective is above the optimum.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        loss: SVMLoss = "squared_hinge",
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        tol: float = 1e-4,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.tol = tol

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train the machines; y has one class per document or is an indicator matrix."""
        check_svm(self.alpha, self.loss, self.tol)
        documents, encoding = read_training_data(self, X, y)
        problems = class_problems(encoding, self.class_weight, alpha=self.alpha)
        rows, start = rows_of(documents), None
        if self.warm_start:
            in_blocks, shape = isinstance(rows, Blocks), (encoding.n_rows, documents.shape[1])
            start = previous_start(self, shape) if in_blocks else self._previous(problems)
        solution = self.fit_rows(rows, encoding, start)
        self._keep_duals(problems, solution.duals)
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
        check_svm(self.alpha, self.loss, self.tol)
        if isinstance(rows, Blocks):
            return self._fit_blocks(rows, encoding, start, sample_weight)
        problems = class_problems(encoding, self.class_weight, sample_weight, self.alpha)
        machines = self._machines(rows, problems, start)
        # machine by machine: the duals of all documents are in memory for a few
        duals, coefs, figures = [], [], []
        for machine in machines:
            duals.append(SupportDuals.of(machine.alphas))
            coefs.append(machine.coef)
            figures.append((machine.intercept, machine.gap, machine.solved))
        intercept, gaps, solved = (np.array(values) for values in zip(*figures, strict=True))
        self.solved_, self.gap_ = solved, gaps
        self._warn()
        next_start = DualStart.of(duals, intercept, self.alpha, rows.starts.size)
        return RowsSolution(np.vstack(coefs), intercept, solved, gaps, next_start, duals=next_start)

    def _fit_blocks(
        self,
        blocks: Blocks,
        encoding: LabelEncoding,
        start: PrimalStart | None,
        sample_weight: Floats | None,
    ) -> RowsSolution:
        """By Newton's method in w and b, some rows at a time."""
        if self.loss != "squared_hinge":
            raise not_in_memory(
                "SVMClassifier(loss='hinge')", blocks, "or choose loss='squared_hinge'"
            )
        problems = class_problems(encoding, self.class_weight, sample_weight)
        duals: dict[int, SupportDuals] = {}

        def solve(group: Columns, start: PrimalStart | None) -> LogisticSolution:
            machines = solve_squared_hinges(
                blocks,
                *problems.columns(group),
                float(self.alpha),
                intercept=bool(self.fit_intercept),
                start=start,
                tolerance=float(self.tol),
            )
            alphas = map(SupportDuals.of, np.abs(machines.duals).T)
            duals.update(zip(group.tolist(), alphas, strict=True))
            return machines.solution

        solution = solved_in_groups(solve, encoding, blocks, start)
        self.solved_, self.gap_ = solution.solved, solution.gap
        self._warn()
        in_order = [duals[row] for row in range(encoding.n_rows)]
        return RowsSolution(
            solution.coef,
            solution.intercept,
            solution.solved,
            solution.gap,
            PrimalStart(solution.coef, solution.intercept),
            duals=DualStart.of(in_order, solution.intercept, self.alpha, encoding.n_docs),
        )

    def _machines(
        self, rows: Rows, problems: ClassProblems, start: DualStart | None
    ) -> Iterator[Dual]:
        """One machine per row, all on one copy of the documents."""
        return descend_all(
            rows,
            problems,
            loss=self.loss,
            intercept=bool(self.fit_intercept),
            start=None if start is None else partial(start.row, alpha=self.alpha),
            tolerance=self.tol,
            epochs=EPOCHS,
        )

    def _previous(self, problems: ClassProblems) -> DualStart | None:
        """The duals and intercepts of the previous fit, if their shape is the same."""
        previous = getattr(self, "dual_coef_", None)
        if previous is None or previous.shape != (problems.n_classes, problems.n_docs):
            return None
        # the dual of a document that has changed sides is negative here, and is clipped to 0
        return DualStart(problems.signed(previous), self.intercept_, self._dual_alpha)

    def _keep_duals(self, problems: ClassProblems, duals: DualStart) -> None:
        self._dual_alpha = self.alpha
        self.dual_coef_ = problems.signed(duals.alphas)
        values, C = np.abs(self.dual_coef_.data), problems.costs_at(self.dual_coef_)
        self.support_ = np.unique(self.dual_coef_.indices[support(values, C)])

    def _warn(self) -> None:
        if short := shortfall(self.solved_.tolist(), self.gap_.tolist(), self.tol):
            warnings.warn(
                f"SVMClassifier: {short}. Divide documents by their lengths, raise "
                f"alpha={self.alpha:g}, or raise tol",
                LaconicWarning,
                stacklevel=4,
            )


def check_svm(alpha: object, loss: object, tol: object) -> None:
    """Raise LaconicError for parameters that no SVM accepts."""
    if not _positive(alpha):
        raise LaconicError(f"alpha={alpha!r}: an SVM needs a number above 0")
    if not _positive(tol):
        raise LaconicError(f"tol={tol!r}: give a number above 0")
    check_choice("loss", loss, get_args(SVMLoss))


def _positive(number: object) -> bool:
    return is_non_negative(number) and number > 0
