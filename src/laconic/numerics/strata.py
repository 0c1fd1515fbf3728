"""Documents in strata by their rarest labels, so rare labels are spread most evenly."""

from __future__ import annotations

import numpy as np

from laconic.types import Columns, Indices, Matrix


def rarest_label(labels: Matrix) -> Columns:
    """The column of each document's rarest label: the first of equals, and n_labels without any.

    `labels` has documents in rows: an array or a sparse array whose nonzero entries are labels.
    """
    documents, columns = labels.nonzero()
    counts = np.bincount(columns, minlength=labels.shape[1])
    rarest_last = np.lexsort((-columns, -counts[columns]))
    stratum = np.full(labels.shape[0], labels.shape[1], dtype=np.intp)
    stratum[documents[rarest_last]] = columns[rarest_last]
    return stratum


def stratified_order(
    documents: Indices, stratum: Indices, rng: np.random.Generator | np.random.RandomState
) -> Indices:
    """The documents, ordered by their strata and at random within each."""
    shuffled = rng.permutation(documents)
    return shuffled[np.argsort(stratum[shuffled], kind="stable")]
