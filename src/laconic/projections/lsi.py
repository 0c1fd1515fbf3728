"""`LSI`: latent semantic indexing, the leading singular vectors of the documents."""

from __future__ import annotations

from typing import Self

from numpy.typing import ArrayLike

from laconic.errors import LaconicError
from laconic.numerics.blocks import in_memory
from laconic.numerics.spectral.basis import leading_subspace
from laconic.numerics.spectral.spectrum import as_floats, column_squares
from laconic.projections.fitted import ProjectionReducer, fix_signs
from laconic.scores.spectral import warn_if_uncertain
from laconic.types import Matrix


class LSI(ProjectionReducer):
    """Latent semantic indexing: documents over the leading singular vectors (Torkkola, section 4).

    A document d becomes U'd, where U are the top right singular vectors of the documents as rows
    (left ones in eq. 1, because the paper's documents are columns). They are not divided by the
    singular values, and documents are not centred, so sparse documents stay sparse. A smaller size
    has the first components of a larger one. Labels are not used.

    Parameters
    ----------
    size : int, float or None, default=None
        Number of components: a number, a share in (0, 1] of the rank, None for the rank.
    longest : int or None, default=None
        The largest number of components, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, n_components)
        Orthonormal columns; the largest entry of each is positive.
    error_ : float
        Davis and Kahan's bound on the sine of the angle between the computed and the true subspace
        for documents in blocks; 0 in memory, where it is only rounding.
    """

    def __init__(self, size: int | float | None = None, *, longest: int | None = None) -> None:
        self.size = size
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Compute the singular vectors; labels are not used."""
        documents = as_floats(in_memory(self._read(X)))
        if not column_squares(documents).any():
            raise LaconicError("every term is empty: the documents have no directions")
        n_components = min(self._n_components(min(documents.shape)), *documents.shape)
        subspace = leading_subspace(documents, n_components)
        self.components_, self.error_ = fix_signs(subspace.vectors), subspace.error
        warn_if_uncertain("LSI", subspace)
        return self

    def _end(self) -> str:
        return f"the documents have rank {self.available_}."
