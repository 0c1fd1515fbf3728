"""Scores from trained SVMs: the weight of each term, or the round of its elimination."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.svm.dual import Dual, Rows
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.joint import descend_all
from laconic.scores.counts import COMBINED, Combine, read_labelled
from laconic.types import Columns, Floats, Matrix
from laconic.validation import is_share

# A ranking needs no higher precision.
TOLERANCE = 1e-3


def svm_weight(
    X: Matrix,
    y: ArrayLike | None,
    combine: Combine = "max",
    alpha: float = 0.5,
    loss: Literal["hinge", "squared_hinge"] = "hinge",
) -> Floats:
    """|w| of a linear SVM with an intercept and C = 1/(2 alpha) (Mladenić et al. 2004).

    Each class against all others; `combine` takes the "max" (the default), "mean" or "sum" of the
    weights of several classes.
    """
    documents, y_signed = read_labelled("svm_weight", X, y, combine)
    machines = _trained("svm_weight", csr_array(documents), y_signed, alpha, loss)
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))


def svm_elimination(
    X: Matrix,
    y: ArrayLike | None,
    alpha: float = 0.5,
    loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
    step: float = 0.25,
) -> Floats:
    """Recursive feature elimination with an SVM (Guyon et al. 2002).

    Train, drop the share `step` of the remaining terms (at least one) with the smallest Σ w² over
    the classes, retrain from the previous duals, repeat. The last remaining term has the score
    n_terms, the first dropped one has 1.
    """
    documents, y_signed = read_labelled("svm_elimination", X, y, "sum")
    if not is_share(step):
        raise LaconicError(f"svm_elimination(step={step!r}): give a share between 0 and 1")
    Z, remaining = csr_array(documents), np.arange(documents.shape[1])
    machines: Sequence[Dual] = ()
    dropped: list[Columns] = []
    while remaining.size > 1:
        machines = _trained("svm_elimination", Z, y_signed, alpha, loss, machines)
        importance = np.sum([machine.coef**2 for machine in machines], axis=0)
        # ties: the last column is dropped first
        order = np.lexsort((-remaining, importance))
        n_dropped = max(1, int(step * remaining.size))
        dropped.append(remaining[order[:n_dropped]])
        survivors = np.sort(order[n_dropped:])
        Z, remaining = Z[:, survivors], remaining[survivors]
    worst_first = np.concatenate([*dropped, remaining])
    scores = np.empty(worst_first.size)
    scores[worst_first] = np.arange(1.0, worst_first.size + 1)
    return scores


def _trained(
    name: str,
    documents: csr_array,
    y_signed: Floats,
    alpha: float,
    loss: Literal["hinge", "squared_hinge"],
    previous: Sequence[Dual] = (),
) -> list[Dual]:
    """One SVM per class, starting from the duals of the previous ones if there are any."""
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"{name}(alpha={alpha!r}): an SVM needs a number above 0")
    machines = descend_all(
        Rows.of(documents),
        y_signed,
        np.full(y_signed.shape, 1.0 / (2.0 * alpha)),
        loss=loss,
        starts=[(machine.alphas, machine.intercept) for machine in previous],
        tolerance=TOLERANCE,
    )
    solved, gaps = zip(*((machine.solved, machine.gap) for machine in machines), strict=True)
    if short := shortfall(solved, gaps, TOLERANCE):
        warnings.warn(
            f"{name}: {short}, so the weights are inaccurate. Divide documents by their lengths, "
            "or raise alpha",
            LaconicWarning,
            stacklevel=3,
        )
    return machines
