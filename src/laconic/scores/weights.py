"""A score from a trained classifier: how much a linear SVM weighs each term."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.dual import Rows, descend
from laconic.reduction import Floats, Matrix
from laconic.scores.counts import COMBINED, Combine, classified

# A ranking needs no more digits.
TOLERANCE = 1e-3


def svm_weight(
    X: Matrix,
    y: ArrayLike | None,
    combine: Combine = "max",
    alpha: float = 0.5,
    loss: Literal["hinge", "squared_hinge"] = "hinge",
) -> Floats:
    """|w| of a linear SVM with an intercept and C = 1/(2 alpha): Mladenić et al. 2004.

    Each class against all others; of several classes `combine` says what becomes of their weights.
    """
    documents, signs = classified("svm_weight", X, y, combine)
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"svm_weight(alpha={alpha!r}): an SVM needs a number above 0")
    rows = Rows.of(csr_array(documents))
    costs = np.full(len(signs), 1.0 / (2.0 * alpha))
    machines = [descend(rows, own, costs, loss=loss, tolerance=TOLERANCE) for own in signs.T]
    if unsolved := sum(not machine.solved for machine in machines):
        warnings.warn(
            f"svm_weight: {unsolved} of {len(machines)} problems did not converge, and their "
            "weights are rough. Give documents of unit length, or raise alpha",
            LaconicWarning,
            stacklevel=2,
        )
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))
