"""Labels and costs of one problem per class, made for a few classes at a time.

All classes at once would take documents × classes numbers, several times over. Here memory follows
the labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array

from laconic.types import Floats, Int64s


@dataclass(frozen=True, eq=False)
class ClassProblems:
    """The members of each class against the rest.

    The cost of a document is its weight times that of its side, `inside` or `outside` the class,
    over 2 alpha.

    Parameters
    ----------
    members : (n_docs, n_classes), an entry for each document of a class
    inside, outside : (n_classes,)
    weights : (n_docs,), None for 1
    alpha : strength of regularization; 0.5 leaves the costs as they are
    """

    members: csr_array
    inside: Floats
    outside: Floats
    weights: Floats | None = None
    alpha: float = 0.5

    @property
    def n_docs(self) -> int:
        return int(self.members.shape[0])

    @property
    def n_classes(self) -> int:
        return int(self.members.shape[1])

    def columns(self, classes: Int64s) -> tuple[Floats, Floats]:
        """y_signed and costs of these classes, (n_docs, n_columns) each."""
        part = self._by_class[:, classes]
        y_signed = np.full(part.shape, -1.0)
        y_signed[part.indices, np.repeat(np.arange(classes.size), np.diff(part.indptr))] = 1.0
        costs = np.where(y_signed > 0, self.inside[classes], self.outside[classes])
        if self.weights is not None:
            costs *= self.weights[:, None]
        costs /= 2.0 * self.alpha
        return y_signed, costs

    def column(self, row: int) -> tuple[Floats, Floats]:
        """y_signed and costs of one class, (n_docs,) each."""
        y_signed, costs = self.columns(np.array([row]))
        return y_signed[:, 0], costs[:, 0]

    def signed(self, values: csr_array) -> csr_array:
        """Values by class and document, times 1 for members and -1 for the rest."""
        return csr_array(2.0 * values.multiply(self.members.T) - values)

    def costs_at(self, signed: csr_array) -> Floats:
        """The costs of the entries of a signed matrix by class and document."""
        rows = np.repeat(np.arange(self.n_classes), np.diff(signed.indptr))
        costs = np.where(signed.data > 0, self.inside[rows], self.outside[rows])
        if self.weights is not None:
            costs *= self.weights[signed.indices]
        return np.asarray(costs / (2.0 * self.alpha))

    @cached_property
    def _by_class(self) -> csc_array:
        return csc_array(self.members)
