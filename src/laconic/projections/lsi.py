"""`LSI`: the directions in which documents have the most length, whatever the labels."""

from __future__ import annotations

from typing import Self

from numpy.typing import ArrayLike

from laconic.errors import LaconicError
from laconic.numerics.basis import leading_basis
from laconic.numerics.spectrum import as_floats, column_squares
from laconic.projections.fitted import ProjectionReducer, fix_signs
from laconic.reduction import Matrix


class LSI(ProjectionReducer):
    """Latent semantic indexing: documents over the leading singular vectors (Torkkola, section 4).

    The columns of a document d are U'd, U being the top right singular vectors of the documents
    as rows (eq. 1: left ones, because the paper's documents are columns). They are not divided by
    the singular values, and nothing is centred, so that sparse documents stay sparse. A smaller
    size has the first columns of a larger one.

    Parameters
    ----------
    size : int, float or None
        How many columns: a number, a share in (0, 1] of the rank, None for all of it.
    longest : int or None
        Fit no more columns than that, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, columns), orthonormal, the largest entry of each
        positive
    """

    def __init__(self, size: int | float | None = None, *, longest: int | None = None) -> None:
        self.size = size
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """The singular vectors; labels are not used."""
        documents = as_floats(self._read(X))
        if not column_squares(documents).any():
            raise LaconicError("every term is empty: the documents have no directions")
        wanted = min(self._wanted(min(documents.shape)), *documents.shape)
        self.components_ = fix_signs(leading_basis(documents, wanted))
        return self

    def _end(self) -> str:
        return f"the documents have rank {self.available_}."
