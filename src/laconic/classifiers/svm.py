"""`SVMClassifier`: linear support vector machines, one a class, on the columns they are given."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse, vstack
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from laconic.classifiers.path import LinearDeciding, read_documents
from laconic.classifiers.svm_costs import ClassWeight, costs
from laconic.errors import LaconicError, LaconicWarning
from laconic.model import LinearModel
from laconic.numerics.dual import Rows, descend, support
from laconic.reduction import Floats, Matrix
from laconic.vectors.targets import Targets

Loss: TypeAlias = Literal["squared_hinge", "hinge"]

# Where the solvers stop: the gradient relative to the first one, and the violation of a margin.
TOLERANCE = {"squared_hinge": 1e-10, "hinge": 1e-8}
STEPS = {"squared_hinge": 10_000, "hinge": 20_000}
# liblinear penalises the intercept as the weight of a column of this number: b²/10⁴ instead of b².
INTERCEPT_COLUMN = 100.0


class Trained(NamedTuple):
    """What one class's problem gave."""

    coef: Floats
    intercept: float
    alphas: Floats
    solved: bool


class SVMClassifier(LinearDeciding):
    """One linear SVM a class: min Σ c loss(y f) + alpha ‖w‖², f = Xw + b, y = ±1.

    Parameters
    ----------
    alpha : float, default=1.0
        The ridge λ, the same as of RLSClassifier; above 0. In the notation ½ ‖w‖² + C Σ c loss it
        is C = 1/(2 alpha), for both losses.
    fit_intercept : bool, default=True
        An intercept b without penalty (with the squared hinge: alpha b²/10⁴, a trace of one).
    loss : "squared_hinge" or "hinge", default="squared_hinge"
        max(0, 1 − y f)², by liblinear; or max(0, 1 − y f), by `laconic.numerics.dual`.
    class_weight : None, "balanced" or dict, default=None
        The c of a document: 1; or of its class, n_docs / (n_classes · the documents of the class)
        if balanced. One class against the rest: the rest have 1. Labels of an indicator matrix:
        balanced is n_docs / 2 over the documents on either side, a dict weighs those with a label.
    warm_start : bool, default=False
        Whether the hinge is descended from the duals of the last `fit`, where that had as many
        documents and classes. The optimum is the same.
    tol : float or None, default=None
        Where to stop. Hinge: the largest violation of the optimality conditions, in units of the
        margin (1e-8). Squared hinge: the gradient as a share of the first one (1e-10).

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
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        loss: Loss = "squared_hinge",
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        tol: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.tol = tol

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Train on documents and their classes, or on an indicator matrix of labels."""
        check_svm(self.alpha, self.loss, 1.0 if self.tol is None else self.tol)
        documents, targets = read_documents(self, X, y)
        C = costs(targets, self.class_weight) / (2.0 * self.alpha)
        train = self._by_dual if self.loss == "hinge" else self._by_primal
        rows = train(documents, targets, C)
        self._warn(sum(not row.solved for row in rows), len(rows))
        self._keep_duals(np.vstack([row.alphas for row in rows]), targets.signs.T, C.T)
        coef = np.vstack([row.coef for row in rows])
        intercept = np.array([row.intercept for row in rows])
        size = documents.shape[1]
        return self._keep(LinearModel(coef, intercept, targets.classes, size, rule=targets.rule))

    @property
    def _tolerance(self) -> float:
        return TOLERANCE[self.loss] if self.tol is None else self.tol

    def _by_dual(self, X: Matrix, targets: Targets, C: Floats) -> list[Trained]:
        """All rows read one copy of the documents."""
        documents = Rows.of(csr_array(X))
        starts = self._starts(targets)
        found = []
        for signs, mine, (alphas, b) in zip(targets.signs.T, C.T, starts, strict=True):
            dual = descend(
                documents,
                signs,
                mine,
                intercept=self.fit_intercept,
                start=alphas,
                start_intercept=b,
                tolerance=self._tolerance,
                epochs=STEPS["hinge"],
            )
            found.append(Trained(dual.coef, dual.intercept, dual.alphas, dual.solved))
        return found

    def _starts(self, targets: Targets) -> list[tuple[Floats | None, float]]:
        """Of each row the duals of the last fit, if they are of this shape; else none."""
        shape = targets.signs.T.shape
        last = getattr(self, "dual_coef_", None) if self.warm_start else None
        if last is None or last.shape != shape:
            return [(None, 0.0)] * shape[0]
        # where a document has changed sides, its dual is cut to 0
        alphas = last.toarray() * targets.signs.T
        return [(alphas[row], float(self.intercept_[row])) for row in range(shape[0])]

    def _by_primal(self, X: Matrix, targets: Targets, C: Floats) -> list[Trained]:
        documents = _with_short_indices(X) if issparse(X) else X
        return [
            self._machine(documents, signs, mine)
            for signs, mine in zip(targets.signs.T, C.T, strict=True)
        ]

    def _machine(self, X: Matrix, signs: Floats, C: Floats) -> Trained:
        kept = signs[C > 0]
        one_sided = bool((kept == kept[:1]).all())
        if one_sided and (self.fit_intercept or not kept.size):
            bias = float(kept[0]) if kept.size and self.fit_intercept else 0.0
            return Trained(np.zeros(X.shape[1]), bias, np.zeros(signs.size), solved=True)
        machine = LinearSVC(
            dual=False,
            fit_intercept=self.fit_intercept,
            intercept_scaling=INTERCEPT_COLUMN,
            tol=self._tolerance,
            max_iter=STEPS["squared_hinge"],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if one_sided:
                # an empty document on the other side has f = 0 for every w: it changes no optimum
                both, weights = np.append(signs, -kept[0]), np.append(C, C.max())
                machine.fit(_with_empty_document(X), both, sample_weight=weights)
            else:
                machine.fit(X, signs, sample_weight=C)
        coef, bias = machine.coef_[0], float(np.ravel(machine.intercept_)[0])
        alphas = 2.0 * C * np.maximum(0.0, 1.0 - signs * (X @ coef + bias))
        return Trained(coef, bias, alphas, bool(np.max(machine.n_iter_) < machine.max_iter))

    def _keep_duals(self, alphas: Floats, signs: Floats, C: Floats) -> None:
        self.dual_coef_ = csr_array(alphas * signs)
        self.support_ = np.flatnonzero(support(alphas, C).any(axis=0))

    def _warn(self, unsolved: int, n_rows: int) -> None:
        if unsolved:
            warnings.warn(
                f"SVMClassifier: {unsolved} of {n_rows} problems did not converge with "
                f"alpha={self.alpha:g}, so that few digits of their coefficients are right. "
                "Give documents of unit length, or raise alpha",
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


def _with_short_indices(X: Matrix) -> Matrix:
    """liblinear counts in 32 bits."""
    if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32:
        return X
    if X.nnz > np.iinfo(np.int32).max:
        raise LaconicError(f"{X.nnz:,} entries: an SVM takes up to 2³¹. Select words first")
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return type(X)(parts, shape=X.shape)


def _with_empty_document(X: Matrix) -> Matrix:
    shape = (1, X.shape[1])
    if issparse(X):
        return vstack([X, csr_array(shape)], format="csr")
    return np.vstack([X, np.zeros(shape)])
