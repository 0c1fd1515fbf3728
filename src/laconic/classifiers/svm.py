"""`SVMClassifier`: linear support vector machines, one per class, on the columns they are given."""

from __future__ import annotations

import warnings
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.classifiers.path import LinearDeciding, read_documents
from laconic.classifiers.svm_costs import ClassWeight, costs
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import LinearModel
from laconic.numerics.dual import Dual, Rows, descend, support
from laconic.numerics.dual_gap import shortfall
from laconic.reduction import Floats, Matrix
from laconic.vectors.labels import LabelEncoding

Loss: TypeAlias = Literal["squared_hinge", "hinge"]

# The most passes over the documents.
EPOCHS = 20_000


class SVMClassifier(LinearDeciding):
    """One linear SVM per class: min Σ c loss(y f) + alpha ‖w‖², f = Xw + b, y = ±1.

    Solved in the dual, by coordinate descent and Newton steps (`laconic.numerics.dual`). Documents
    of any length are taken; those of unit length are solved fastest.

    Parameters
    ----------
    alpha : float, default=1.0
        The ridge λ, the same as of RLSClassifier; above 0. In the notation ½ ‖w‖² + C Σ c loss it
        is C = 1/(2 alpha), for both losses.
    fit_intercept : bool, default=True
        Whether there is an intercept b. It has no penalty. Where several intercepts are best, it is
        the middle of them; where all documents are on one side, w = 0 and b = ±1.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        max(0, 1 − y f)² or max(0, 1 − y f).
    class_weight : None, "balanced" or dict, default=None
        The c of a document: 1; or of its class, n_docs / (n_classes · the documents of the class)
        if balanced. One class against the rest: the rest have 1. Labels of an indicator matrix:
        balanced is n_docs / 2 over the documents on either side, a dict weighs those with a label.
    warm_start : bool, default=False
        Whether to start from the duals of the last `fit`, where that had as many documents and
        classes. The optimum is the same.
    tol : float, default=1e-8
        When a row is solved, for both losses: the duality gap is at most `tol` of the objective,
        and no document violates its optimality condition by more than `tol` of the margin.
        Whenever a row is not solved, a `LaconicWarning` says so.

    Attributes
    ----------
    model_ : LinearModel
    classes_ : array
    coef_, intercept_ : arrays of shape (n_rows, n_terms) and (n_rows,)
    dual_coef_ : csr_array of shape (n_rows, n_docs)
        y α: coef_ is dual_coef_ @ X. α is at most C c with the hinge, and 2 C c max(0, 1 − y f)
        with its square.
    support_ : array
        Documents that are support vectors of any row: α above 10⁻⁶ C c, or 10⁻⁶ of the largest.
    solved_ : bool array of shape (n_rows,)
        Which rows are solved to `tol`.
    gap_ : array of shape (n_rows,)
        The duality gap of each row as a share of its objective. The objective of a row that is not
        solved is at most this share above the least possible; that of a solved row about `tol`.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        loss: Loss = "squared_hinge",
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        tol: float = 1e-8,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.tol = tol

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train on documents and their classes, or on an indicator matrix of labels."""
        check_svm(self.alpha, self.loss, self.tol)
        documents, encoding = read_documents(self, X, y)
        C = costs(encoding, self.class_weight) / (2.0 * self.alpha)
        machines = self._machines(documents, encoding, C)
        self.solved_ = np.array([machine.solved for machine in machines])
        self.gap_ = np.array([machine.gap for machine in machines])
        self._warn()
        self._keep_duals(
            np.vstack([machine.alphas for machine in machines]), encoding.y_signed.T, C.T
        )
        coef = np.vstack([machine.coef for machine in machines])
        intercept = np.array([machine.intercept for machine in machines])
        size = documents.shape[1]
        return self._keep(LinearModel(coef, intercept, encoding.classes, size, rule=encoding.rule))

    def _machines(self, X: Matrix, encoding: LabelEncoding, C: Floats) -> list[Dual]:
        """One machine per row. All of them read one copy of the documents."""
        documents = Rows.of(csr_array(X))
        rows = zip(encoding.y_signed.T, C.T, self._starts(encoding), strict=True)
        return [
            descend(
                documents,
                y_signed,
                mine,
                loss=self.loss,
                intercept=bool(self.fit_intercept),
                start=alphas,
                start_intercept=b,
                tolerance=self.tol,
                epochs=EPOCHS,
            )
            for y_signed, mine, (alphas, b) in rows
        ]

    def _starts(self, encoding: LabelEncoding) -> list[tuple[Floats | None, float]]:
        """Of each row the duals of the last fit, if they are of this shape; else none."""
        shape = encoding.y_signed.T.shape
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        if last is None or last.shape != shape:
            return [(None, 0.0)] * shape[0]
        # where a document has changed sides, its dual is cut to 0
        alphas = last.toarray() * encoding.y_signed.T
        return [(alphas[row], float(self.intercept_[row])) for row in range(shape[0])]

    def _keep_duals(self, alphas: Floats, y_signed: Floats, C: Floats) -> None:
        self.dual_coef_ = csr_array(alphas * y_signed)
        self.support_ = np.flatnonzero(support(alphas, C).any(axis=0))

    def _warn(self) -> None:
        if short := shortfall(self.solved_, self.gap_, self.tol):
            warnings.warn(
                f"SVMClassifier: {short}. Divide documents by their lengths, raise "
                f"alpha={self.alpha:g}, or raise tol",
                LaconicWarning,
                stacklevel=3,
            )


def check_svm(alpha: object, loss: object, tol: object) -> None:
    """What every SVM refuses."""
    if not _positive(alpha):
        raise LaconicError(f"alpha={alpha!r}: an SVM needs a number above 0")
    if not _positive(tol):
        raise LaconicError(f"tol={tol!r}: give a number above 0")
    if loss not in get_args(Loss):
        raise LaconicError(f"loss={loss!r}: choose from {', '.join(get_args(Loss))}")


def _positive(number: object) -> bool:
    real = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    return bool(real and np.isfinite(number) and number > 0)
