"""Aggressive forward selection, a baseline for LARS; Keerthi (2005) warns that it is too greedy.

Optimise over the selected features (solve g_A = 0), then add the one with the largest gradient.
LARS selects the same first feature, but follows it only until another is equally good.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.newton import Minimum, curvature, minimum
from laconic.numerics.lars.state import FEATURE_TIE, ZERO_L1, Bias, LarsPoint, check_arguments
from laconic.types import Bools, Floats, Int64s, Matrix


def forward(
    X: Matrix | Documents,
    y_signed: Floats,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """Yield one point per number of features: 1, 2, … until no gradient is left.

    Same arguments as `lars`. `l1` is the largest gradient of an unselected feature, `entry_l1` that
    of each feature when it was selected. Tied features are selected in column order.
    """
    documents = Documents.of(X)
    labels = check_arguments(documents, y_signed, alpha, bias)
    constant = documents.constant
    outside = documents.lengths > 0.0
    outside[constant] = bias == "selectable"
    columns = np.array([constant] if bias == "always" else [], dtype=np.int64)
    entries: list[float] = []
    optimum = _optimum(documents, columns, labels, np.zeros(columns.size), loss, alpha)
    while True:
        chosen, largest = _steepest(documents, optimum.residuals, outside)
        if entries and chosen != constant:
            yield _point(columns, constant, optimum, largest, entries, loss)
        if chosen is None:
            return
        outside[chosen] = False
        columns = np.append(columns, chosen)
        if chosen != constant:
            entries.append(largest)
        optimum = _optimum(documents, columns, labels, np.append(optimum.coef, 0.0), loss, alpha)


def _optimum(
    documents: Documents, columns: Int64s, y_signed: Floats, start: Floats, loss: str, alpha: float
) -> Minimum:
    Z = csr_array(documents.by_column[:, columns])
    return minimum(Z, y_signed, loss=loss, alpha=alpha, start=start)


def _steepest(documents: Documents, residuals: Floats, outside: Bools) -> tuple[int | None, float]:
    """The column with the largest gradient, and this gradient; None and 0 if all are rounding."""
    g = np.where(outside, np.abs(documents.by_column.T @ residuals), 0.0)
    largest = float(g.max())
    if largest <= ZERO_L1 * documents.lengths.max() * np.sqrt(documents.n_docs):
        return None, 0.0
    return int(np.flatnonzero(g >= largest * (1.0 - FEATURE_TIE))[0]), largest


def _point(
    columns: Int64s, constant: int, optimum: Minimum, l1: float, entries: list[float], loss: str
) -> LarsPoint:
    words = columns != constant
    return LarsPoint(
        columns[words],
        optimum.coef[words],
        float(optimum.coef[~words].sum()),
        l1,
        np.array(entries),
        np.flatnonzero(curvature(optimum.margins, loss)),
        None if l1 > 0.0 else "finished",
    )
