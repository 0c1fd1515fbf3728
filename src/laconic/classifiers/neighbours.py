"""`NearestNeighbors`: scikit-learn's k-NN, with our error where there are too few documents."""

from __future__ import annotations

from sklearn.neighbors import KNeighborsClassifier

from laconic.errors import LaconicError
from laconic.types import Floats, Matrix


class NearestNeighbors(KNeighborsClassifier):
    """The shares of the classes among the `n_neighbors` nearest training documents."""

    def predict_proba(self, X: Matrix) -> Floats | list[Floats]:
        """The share of each class among the neighbors."""
        if self.n_neighbors > self.n_samples_fit_:
            raise LaconicError(
                f"n_neighbors={self.n_neighbors}: there are only {self.n_samples_fit_} training "
                f"documents. Set n_neighbors to {self.n_samples_fit_} or less, or give more "
                "documents"
            )
        shares: Floats | list[Floats] = super().predict_proba(X)
        return shares
