"""The duality gap of a support vector machine: how far it can be from the optimum, in words too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from laconic.numerics.dual_passes import Arrays, Floats, Loss, Point


def duality_gap(
    arrays: Arrays,
    point: Point,
    costs: Floats,
    loss: Loss,
    coef: Floats,
    values: Floats,
    intercept: float,
) -> float:
    """The primal value of `coef` and b minus the dual value of `point`, as a share of the former.

    `values` are x'w. Added up one document at a time: no term is below 0, so nothing cancels.
    """
    short = 1.0 - arrays.y_signed * (values + intercept)
    alphas, lost = point.alphas, np.maximum(short, 0.0)
    if loss == "squared_hinge":
        lost = lost**2
    terms = costs * lost - alphas * short + 0.5 * arrays.softness * alphas**2
    primal = 0.5 * float(coef @ coef) + float(costs @ lost)
    apart = coef - point.coef
    unequal = 0.5 * float(apart @ apart) + abs(intercept * float(point.bias[1]))
    left = float(terms.sum()) + unequal
    return max(left, 0.0) / primal if primal > 0.0 else 0.0


def balanced(arrays: Arrays, alphas: Floats) -> Floats:
    """Duals with Σ α y = 0, those of the heavier side made smaller.

    Only such duals give a lower bound on the objective if the intercept is free.
    """
    against, for_it = (float(alphas[arrays.y_signed == side].sum()) for side in (-1.0, 1.0))
    heavier = max(against, for_it) or 1.0
    return np.asarray(alphas * np.where(arrays.y_signed > 0, against, for_it) / heavier)


def stretch(arrays: Arrays, alphas: Floats, values: Floats) -> float:
    """How much longer w must be so that documents on the margin are not short of it by rounding.

    Where costs are large and the classes can be divided, to be short by rounding costs more than
    all of ½ ‖w‖².
    """
    margins = arrays.y_signed * values
    below = margins[(alphas < arrays.uppers) & (margins > 0.5)]
    return (1.0 + 4e-16) / float(below.min(initial=1.0))


def shortfall(solved: Sequence[bool], gaps: Sequence[float], tolerance: float) -> str | None:
    """What to warn of after some problems, or None if all are solved."""
    worst = [gap for done, gap in zip(solved, gaps, strict=True) if not done]
    if not worst:
        return None
    return (
        f"{len(worst)} of {len(gaps)} problems are not solved to a tolerance of {tolerance:g}: "
        f"the worst duality gap is {max(worst):.2g} of the objective"
    )
