"""`NearestNeighbours`: scikit-learn's, which says in our words that there are too few documents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

from laconic.errors import LaconicError
from laconic.reduction import Matrix


class NearestNeighbours(KNeighborsClassifier):
    """The classes of the `n_neighbors` training documents that are nearest, as shares."""

    def predict_proba(self, X: Matrix) -> NDArray[np.float64] | list[NDArray[np.float64]]:
        """The share of each class among the neighbours."""
        if self.n_neighbors > self.n_samples_fit_:
            raise LaconicError(
                f"neighbours={self.n_neighbors}: only {self.n_samples_fit_} documents were trained "
                f"on. Give up to {self.n_samples_fit_} neighbours, or more documents"
            )
        return super().predict_proba(X)
