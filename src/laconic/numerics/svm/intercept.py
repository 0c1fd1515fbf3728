"""The best intercept of a support vector machine with given weights."""

from __future__ import annotations

import numpy as np

from laconic.numerics.svm.passes import HingeLoss
from laconic.types import Bools, Floats

# Sums of costs that differ by this share are equal.
TIE = 1e-12


def best_intercept(values: Floats, y_signed: Floats, costs: Floats, loss: HingeLoss) -> float:
    """The b that minimises Σ C loss(y (x'w + b)), `values` being x'w.

    Document i is on the margin at b = y − x'w. The slope in b starts at −Σ C over y = 1 and grows:
    for the hinge by C at each of these borders, for either class.
    """
    weighted = costs > 0
    borders = (y_signed - values)[weighted]
    order = np.argsort(borders, kind="stable")
    borders, weights = borders[order], costs[weighted][order]
    positive = y_signed[weighted][order] > 0
    if loss == "hinge":
        return _middle(borders, weights, float(weights[positive].sum()))
    return _root(borders, weights, positive)


def _middle(borders: Floats, weights: Floats, target: float) -> float:
    """The border where the sum of weights passes the target; halfway to the next if it is met."""
    passed = np.cumsum(weights)
    slack = TIE * float(passed[-1])
    first = int(np.searchsorted(passed, target - slack))
    last = int(np.searchsorted(passed, target + slack, side="right"))
    return 0.5 * float(borders[first] + borders[min(last, borders.size - 1)])


def _root(borders: Floats, weights: Floats, positive: Bools) -> float:
    """The zero of Σ C (b − border) over documents short of the margin: y = 1 above b, else below.

    The slope is linear between borders. It is the sum of a positive part from the documents below
    and a negative part from those above, each summed from where it is 0, so nothing cancels. If no
    document is short of the margin, both are 0 between two borders.
    """
    above, below = np.where(positive, weights, 0.0), np.where(positive, 0.0, weights)
    steps = np.diff(borders)
    up, down = np.zeros(borders.size), np.zeros(borders.size)
    up[1:] = np.cumsum(np.cumsum(below)[:-1] * steps)
    down[:-1] = np.cumsum(np.cumsum(above[:0:-1]) * steps[::-1])[::-1]
    slopes = up - down
    first = int(np.searchsorted(slopes, 0.0))
    if slopes[first] == 0.0:
        last = int(np.searchsorted(slopes, 0.0, side="right")) - 1
        return 0.5 * float(borders[first] + borders[last])
    around = slice(first - 1, first + 1)
    return float(np.interp(0.0, slopes[around], borders[around]))
