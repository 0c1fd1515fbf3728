"""The duality gap of a support vector machine: how far it can be from the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np

from laconic.numerics.svm.passes import DualPoint, HingeLoss, ProblemArrays
from laconic.types import Floats

# From this tolerance on, the gap alone decides.
LOOSE = 1e-5


def duality_gap(
    arrays: ProblemArrays,
    point: DualPoint,
    costs: Floats,
    loss: HingeLoss,
    coef: Floats,
    values: Floats,
    intercept: float,
) -> float:
    """The primal value of `coef` and b minus the dual value of `point`, as a share of the former.

    `values` are x'w. Summed per document: no term is negative, so nothing cancels.
    """
    slack = 1.0 - arrays.y_signed * (values + intercept)
    alphas, losses = point.alphas, np.maximum(slack, 0.0)
    if loss == "squared_hinge":
        losses = losses**2
    terms = costs * losses - alphas * slack + 0.5 * arrays.softness * alphas**2
    primal = 0.5 * float(coef @ coef) + float(costs @ losses)
    difference = coef - point.coef
    mismatch = 0.5 * float(difference @ difference) + abs(intercept * float(point.bias[1]))
    gap = float(terms.sum()) + mismatch
    return max(gap, 0.0) / primal if primal > 0.0 else 0.0


def balanced(arrays: ProblemArrays, alphas: Floats) -> Floats:
    """Duals with Σ α y = 0: those of the heavier class are scaled down.

    If the intercept is free, only such duals bound the objective from below.
    """
    negative, positive = (float(alphas[arrays.y_signed == label].sum()) for label in (-1.0, 1.0))
    heavier = max(negative, positive) or 1.0
    return np.asarray(alphas * np.where(arrays.y_signed > 0, negative, positive) / heavier)


def violation_limit(tolerance: float) -> float:
    """The largest violation of a solved problem; any if the gap alone decides."""
    return inf if tolerance >= LOOSE else tolerance


def violation_aim(tolerance: float) -> float:
    """The violation at which a solver stops to compute the gap.

    Where the gap alone decides, √tolerance: the gap is a mean of the squares of violations.
    """
    return sqrt(tolerance) if tolerance >= LOOSE else tolerance


def stretch(arrays: ProblemArrays, alphas: Floats, values: Floats) -> float:
    """The factor for w with which documents on the margin do not fall short of it by rounding.

    If costs are large and the classes are separable, a shortfall by rounding costs more than all
    of ½ ‖w‖².
    """
    margins = arrays.y_signed * values
    below = margins[(alphas < arrays.uppers) & (margins > 0.5)]
    return (1.0 + 4e-16) / float(below.min(initial=1.0))


def shortfall(solved: Sequence[bool], gaps: Sequence[float], tolerance: float) -> str | None:
    """Warning about the unsolved problems, or None if all are solved."""
    unsolved = [gap for done, gap in zip(solved, gaps, strict=True) if not done]
    if not unsolved:
        return None
    return (
        f"{len(unsolved)} of {len(gaps)} problems are not solved to a tolerance of {tolerance:g}: "
        f"the worst duality gap is {max(unsolved):.2g} of the objective"
    )
