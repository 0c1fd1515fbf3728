"""Scores from trained SVMs: the weight of each term, or the round of its elimination."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Dual, Rows
from laconic.numerics.svm.gap import shortfall
from laconic.numerics.svm.joint import descend_all
from laconic.numerics.svm.passes import HingeLoss
from laconic.numerics.svm.start import DualStart, SupportDuals
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
    loss: HingeLoss = "hinge",
) -> Floats:
    """|w| of a linear SVM with an intercept and C = 1/(2 alpha) (Mladenić et al. 2004).

    Each class against all others; `combine` takes the "max" (the default), "mean" or "sum" of the
    weights of several classes.
    """
    documents, problems = _read("svm_weight", X, y, alpha, combine)
    machines = _trained("svm_weight", documents, problems, loss)
    return COMBINED[combine](np.abs(np.column_stack([machine.coef for machine in machines])))


def svm_elimination(
    X: Matrix,
    y: ArrayLike | None,
    alpha: float = 0.5,
    loss: HingeLoss = "squared_hinge",
    step: float = 0.25,
) -> Floats:
    """Recursive feature elimination with an SVM (Guyon et al. 2002).

    Train, drop the share `step` of the remaining terms (at least one) with the smallest Σ w² over
    the classes, retrain from the previous duals, repeat. The last remaining term has the score
    n_terms, the first dropped one has 1.
    """
    Z, problems = _read("svm_elimination", X, y, alpha, "sum")
    if not is_share(step):
        raise LaconicError(f"svm_elimination(step={step!r}): give a share between 0 and 1")
    remaining, start = np.arange(Z.shape[1]), None
    dropped: list[Columns] = []
    while remaining.size > 1:
        importance, start = _importance(Z, problems, loss, start)
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


def _importance(
    Z: csr_array, problems: ClassProblems, loss: HingeLoss, start: DualStart | None
) -> tuple[Floats, DualStart]:
    """Σ w² over the classes, and the duals of the next round."""
    importance, duals, intercepts = np.zeros(Z.shape[1]), [], []
    for machine in _trained("svm_elimination", Z, problems, loss, start):
        importance += machine.coef**2
        duals.append(SupportDuals.of(machine.alphas))
        intercepts.append(machine.intercept)
    return importance, DualStart.of(duals, np.array(intercepts), problems.alpha, Z.shape[0])


def _read(
    name: str, X: Matrix, y: ArrayLike | None, alpha: float, combine: Combine
) -> tuple[csr_array, ClassProblems]:
    """The documents, and one problem per class with C = 1/(2 alpha)."""
    documents, encoding = read_labelled(name, X, y, combine)
    if isinstance(alpha, str) or not alpha > 0:
        raise LaconicError(f"{name}(alpha={alpha!r}): an SVM needs a number above 0")
    ones = np.ones(encoding.n_rows)
    return csr_array(documents), ClassProblems(encoding.members, ones, ones, alpha=alpha)


def _trained(
    name: str,
    documents: csr_array,
    problems: ClassProblems,
    loss: HingeLoss,
    start: DualStart | None = None,
) -> Iterator[Dual]:
    """One SVM per class, starting from earlier duals if there are any."""
    solved, gaps = [], []
    for machine in descend_all(
        Rows.of(documents),
        problems,
        loss=loss,
        start=None if start is None else partial(start.row, alpha=problems.alpha),
        tolerance=TOLERANCE,
    ):
        solved.append(machine.solved)
        gaps.append(machine.gap)
        yield machine
    if short := shortfall(solved, gaps, TOLERANCE):
        warnings.warn(
            f"{name}: {short}, so the weights are inaccurate. Divide documents by their lengths, "
            "or raise alpha",
            LaconicWarning,
            stacklevel=3,
        )
