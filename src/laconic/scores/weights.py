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
    documents, signs = classified("svm_weight", X, y, combine)
    machines = _trained("svm_weight", csr_array(documents), signs, alpha, loss)
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))


def svm_elimination(
    X: Matrix,
    y: ArrayLike | None,
    alpha: float = 0.5,
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
    share: float = 0.5,
) -> Floats:
    """How long an SVM keeps each term, if it loses those it weighs least and is trained anew.

    Recursive feature elimination (Guyon et al. 2002): by Σ w² over the classes, a `share` of the
    terms that are left at a time, one at least. Each training starts from the duals of the last.
    The last term has the score n_terms, the first that went has 1.
    """
    documents, signs = classified("svm_elimination", X, y, "sum")
    if not isinstance(share, Real) or not 0 < share < 1:
        raise LaconicError(f"svm_elimination(share={share!r}): give a share between 0 and 1")
    kept, left = csr_array(documents), np.arange(documents.shape[1])
    machines: Sequence[Dual] = ()
    gone: list[NDArray[np.intp]] = []
    while left.size > 1:
        machines = _trained("svm_elimination", kept, signs, alpha, loss, machines)
        importance = np.sum([machine.coef**2 for machine in machines], axis=0)
        # of equals the last go first
        order = np.lexsort((-left, importance))
        n_out = max(1, int(share * left.size))
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
    signs: Floats,
    alpha: float,
    loss: Literal["hinge", "squared_hinge"],
    before: Sequence[Dual] = (),
) -> list[Dual]:
    """One machine a class, from the duals of those before where there are any."""
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"{name}(alpha={alpha!r}): an SVM needs a number above 0")
    rows = Rows.of(documents)
    costs = np.full(len(signs), 1.0 / (2.0 * alpha))
    starts: list[tuple[Floats | None, float]] = [(one.alphas, one.intercept) for one in before]
    starts = starts or [(None, 0.0)] * signs.shape[1]
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
        for own, (start, intercept) in zip(signs.T, starts, strict=True)
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
