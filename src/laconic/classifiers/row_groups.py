"""Documents as solvers read them, and the rows of a model in groups that fit into memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.logistic.solve import BLOCK, LogisticSolution, PrimalStart
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Matrix

# Numbers of one array of a group: a score per document and row, or a coefficient.
NUMBERS = 2**24


def rows_of(X: Matrix) -> Rows | Blocks:
    """The documents in memory, or blocks that do not fit."""
    documents = in_memory(X)
    return documents if isinstance(documents, Blocks) else Rows.of(csr_array(documents))


def previous_start(classifier: Any, shape: tuple[int, int]) -> PrimalStart | None:
    """The coefficients of the previous fit, if they have this shape."""
    model = getattr(classifier, "model_", None)
    if model is None or model.coef.shape != shape:
        return None
    return PrimalStart(model.coef, model.intercept)


def row_groups(encoding: LabelEncoding, documents: Rows | Blocks) -> list[Columns]:
    """All rows of the model; over blocks in groups, of classes of about the same size."""
    rows = np.arange(encoding.n_rows)
    if not isinstance(documents, Blocks):
        return [rows]
    n_members = np.bincount(encoding.members.indices, minlength=rows.size)
    order = np.argsort(n_members, kind="stable")
    size = max(1, min(BLOCK, NUMBERS // max(documents.shape)))
    return [order[first : first + size] for first in range(0, order.size, size)]


def solved_in_groups(
    solve: Callable[[Columns, PrimalStart | None], LogisticSolution],
    encoding: LabelEncoding,
    documents: Rows | Blocks,
    start: PrimalStart | None,
) -> LogisticSolution:
    """The solutions of independent rows, solved group by group from their rows of the start."""
    groups = row_groups(encoding, documents)
    if len(groups) == 1 and np.array_equal(groups[0], np.arange(encoding.n_rows)):
        return solve(groups[0], start)
    n_rows = encoding.n_rows
    together = LogisticSolution.empty(n_rows, documents.n_columns, n_rows)
    for group in groups:
        part = None if start is None else PrimalStart(start.coef[group], start.intercept[group])
        together.put(group, solve(group, part))
    return together
