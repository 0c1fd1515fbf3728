"""Scores from trained SVMs: how much they weigh each term, or how long they keep it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.dual import Dual, Rows, descend
from laconic.numerics.dual_gap import shortfall
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
    documents, y_signed = classified("svm_weight", X, y, combine)
    machines = _trained("svm_weight", csr_array(documents), y_signed, alpha, loss)
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))


def svm_elimination(
    X: Matrix,
    y: ArrayLike | None,
    alpha: float = 0.5,
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
    step: float = 0.5,
) -> Floats:
    """Recursive feature elimination with an SVM (Guyon et al. 2002).

    Train, drop the share `step` of the remaining terms (at least one) with the smallest Σ w² over
    the classes, retrain from the previous duals, repeat. The last remaining term has the score
    n_terms, the first dropped one has 1.
    """
    documents, y_signed = classified("svm_elimination", X, y, "sum")
    if not isinstance(step, Real) or not 0 < step < 1:
        raise LaconicError(f"svm_elimination(step={step!r}): give a share between 0 and 1")
    kept, left = csr_array(documents), np.arange(documents.shape[1])
    machines: Sequence[Dual] = ()
    gone: list[NDArray[np.intp]] = []
    while left.size > 1:
        machines = _trained("svm_elimination", kept, y_signed, alpha, loss, machines)
        importance = np.sum([machine.coef**2 for machine in machines], axis=0)
        # of equals the last go first
        order = np.lexsort((-left, importance))
        n_out = max(1, int(step * left.size))
        gone.append(left[order[:n_out]])
        stay = np.sort(order[n_out:])
        kept, left = kept[:, stay], left[stay]
    worst_first = np.concatenate([*gone, left])
    scores = np.empty(worst_first.size)
    scores[worst_first] = np.arange(1.0, worst_first.size + 1)
    return scores


def _trained(
    name: str,
    documents: csr_array,
    y_signed: Floats,
    alpha: float,
    loss: Literal["hinge", "squared_hinge"],
    before: Sequence[Dual] = (),
) -> list[Dual]:
    """One machine a class, from the duals of those before where there are any."""
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"{name}(alpha={alpha!r}): an SVM needs a number above 0")
    rows = Rows.of(documents)
    costs = np.full(len(y_signed), 1.0 / (2.0 * alpha))
    starts: list[tuple[Floats | None, float]] = [(one.alphas, one.intercept) for one in before]
    starts = starts or [(None, 0.0)] * y_signed.shape[1]
    machines = [
        descend(
            rows,
            own,
            costs,
            loss=loss,
            start=start,
            start_intercept=intercept,
            tolerance=TOLERANCE,
        )
        for own, (start, intercept) in zip(y_signed.T, starts, strict=True)
    ]
    solved, gaps = zip(*((machine.solved, machine.gap) for machine in machines), strict=True)
    if short := shortfall(solved, gaps, TOLERANCE):
        warnings.warn(
            f"{name}: {short}, and the weights are rough. Divide documents by their lengths, or "
            "raise alpha",
            LaconicWarning,
            stacklevel=3,
        )
    return machines
