"""`BSS`: deterministic selection of terms that preserves the geometry of the documents."""

from __future__ import annotations

import warnings
from math import sqrt
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.numerics.blocks import in_memory
from laconic.numerics.spectral.basis import Subspace, leading_subspace, row_basis
from laconic.numerics.spectral.bss import Sparsified, sparsify
from laconic.numerics.spectral.spectrum import as_floats, column_squares
from laconic.reducer import Reducer
from laconic.reduction import Promise, Selection
from laconic.scores.spectral import warn_if_uncertain
from laconic.types import Matrix
from laconic.validation import is_non_negative, is_number, is_whole

# For up to this many documents "auto" uses the whole row space.
WHOLE_UP_TO = 2_000
# One step takes 20 ms at rank 500, eight times as long at rank 1,000.
LARGEST_RANK = 500
# Words per direction with "auto": Lemma 1 then promises eigenvalues from ¼ to 2¼.
WORDS_PER_DIRECTION = 4
# Seconds per step / rank³ on one core, mostly for two inverses of rank × rank matrices.
SECONDS_PER_CUBE = 1e-10
# Longer runs give a warning.
HOURS_WITHOUT_WARNING = 0.5


class BSS(Reducer):
    """Deterministic selection by spectral sparsification (Paul & Drineas 2014, Algorithm 1).

    The algorithm of Batson, Spielman and Srivastava adds one term after another. The weighted terms
    preserve the length of every mixture of training documents, in the top `rank` directions, up to
    the factors 1 ± √(rank/size) (Lemma 1). Labels are not used. A term that is added repeatedly is
    one column with the combined weight, so there may be fewer than `size` columns. Selections of
    different sizes are not nested: `at` runs the algorithm again, in time that grows as
    size · rank³: half a second for 300 terms at rank 150, half an hour for 5,000 at rank 1,500.

    The basis is dense: it takes 8 bytes × terms × rank, and as much again during `fit`. For 50,000
    terms that is 40 MB at rank 100, and 800 MB for all directions of 2,000 documents.

    Parameters
    ----------
    rank : "auto", int or None, default="auto"
        Number of top singular vectors whose geometry is preserved; None for all. "auto" is all of
        them for up to 2,000 documents, otherwise ⌊size/4⌋, from 1 to 500. The size must exceed the
        rank; fit with the largest size that will be requested.
    gamma : float, default=0.0
        The paper's γ against an ill-conditioned A: A starts from γI. It is not needed, because the
        matrices that are inverted here are well conditioned, and it voids the promise of Lemma 1.
    repeat : float, default=0.2
        A term is added again rather than a new term of less than this share of its length, which
        would get a very large weight. 0: only if no new term can be added.
    size : int, float or None, default=None
        Steps of the algorithm: a number, or a share in (0, 1]. None, or all terms, keeps every term
        with weight 1.

    Attributes
    ----------
    basis_ : array of shape (n_terms, rank)
        Orthonormal basis of the documents.
    rank_ : int
        The rank of the basis, the largest that `at` uses.
    error_ : float
        Davis and Kahan's bound on the sine of the angle between the basis and the true subspace for
        documents in blocks; 0 in memory, where it is only rounding.
    scores_ : array of shape (n_terms,)
        The leverage of each term in the basis.
    occurs_ : bool array of shape (n_terms,)
        Whether a term occurs in any document.
    """

    def __init__(
        self,
        rank: int | Literal["auto"] | None = "auto",
        *,
        gamma: float = 0.0,
        repeat: float = 0.2,
        size: int | float | None = None,
    ) -> None:
        self.rank = rank
        self.gamma = gamma
        self.repeat = repeat
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Compute an orthonormal basis of the documents; labels are not used."""
        documents = as_floats(in_memory(self._read(X)))
        self._check_parameters()
        self.occurs_ = column_squares(documents) > 0
        if not self.occurs_.any():
            raise LaconicError("every term is empty: there is nothing to select from")
        rank = self._fitted_rank(documents.shape[0])
        if rank is None:
            subspace = Subspace(row_basis(documents))
        else:
            subspace = leading_subspace(documents, rank)
        warn_if_uncertain("BSS", subspace)
        self.basis_, self.error_ = subspace.vectors, subspace.error
        self.rank_ = self.basis_.shape[1]
        self.scores_ = np.einsum("ij,ij->i", self.basis_, self.basis_)
        self._by_size = rank if self.rank == "auto" else None
        return self

    @property
    def available_(self) -> int:
        return int(self.occurs_.sum())

    def _check_parameters(self) -> None:
        if self.rank not in ("auto", None) and not is_whole(self.rank, 1):
            raise LaconicError(
                f"rank={self.rank!r}: give a number of singular vectors of at least 1, 'auto', or "
                "None for all"
            )
        if not is_non_negative(self.gamma):
            raise LaconicError(f"gamma={self.gamma!r}: give a number of at least 0")
        if not (is_number(self.repeat) and 0 <= self.repeat <= 1):
            raise LaconicError(f"repeat={self.repeat!r}: give a share of a length, from 0 to 1")

    def _fitted_rank(self, n_docs: int) -> int | None:
        if self.rank != "auto":
            return self.rank
        if n_docs <= WHOLE_UP_TO:
            return None
        if isinstance(self.size, int | np.integer):
            return self._rank_for(int(self.size))
        return LARGEST_RANK

    def _rank_for(self, size: int) -> int:
        return min(max(1, size // WORDS_PER_DIRECTION), LARGEST_RANK)

    def _cut(self, size: int) -> Selection:
        n_terms = self.basis_.shape[0]
        if size == self.available_:
            return Selection(np.flatnonzero(self.occurs_), None, n_terms)
        rank = self.rank_
        if self._by_size is not None:
            rank = min(self._rank_for(size), rank)
        self._check_size(size, rank)
        self._check_work(size, rank)
        # threads gain little on small matrices, and the last bits would depend on their number
        with threadpool_limits(1, user_api="blas"):
            sparse = sparsify(self.basis_[:, :rank], size, gamma=self.gamma, repeat=self.repeat)
        promise = self._promise(rank, sparse)
        return Selection(sparse.rows, np.sqrt(sparse.squares), n_terms, promise)

    def _promise(self, rank: int, sparse: Sparsified) -> Promise | None:
        """Lemma 1 for the true singular vectors, as far as the basis is known to be close to them.

        ‖√S U z‖ changes by at most max √S · ‖U − ÛO‖ ≤ max √S · √2 · sin θ. The bound on θ is one
        for all vectors of the basis, not for some of them.
        """
        if self.gamma or self.error_ >= 1 or (self.error_ and rank < self.rank_):
            return None
        if not self.error_:
            return Promise(rank, sparse.low, sparse.high)
        slack = sqrt(2 * sparse.squares.max()) * self.error_
        return Promise(
            rank, max(sqrt(sparse.low) - slack, 0) ** 2, (sqrt(sparse.high) + slack) ** 2
        )

    def _check_size(self, size: int, rank: int) -> None:
        if size > self.available_:
            raise SizeUnavailable(
                size,
                f"only {self.available_} terms occur. Ask for a size up to {self.available_}.",
            )
        if self._by_size is not None and self._rank_for(size) > self._by_size:
            raise SizeUnavailable(
                size,
                f"BSS was fitted for size={self.size}, with {self._by_size} directions of the "
                f"documents. Fit BSS(size={size}).",
            )
        if size <= rank:
            larger = [f"Ask for a size above {rank}"] if rank < self.available_ else []
            lower = [f"set rank={max(1, size // 4)}"] if size > 1 else []
            advice = ", or ".join(larger + lower) or "Ask for all words"
            raise SizeUnavailable(
                size,
                f"BSS preserves {rank} directions of the documents, which takes more than {rank} "
                f"words. {advice[0].upper()}{advice[1:]}.",
            )

    def _check_work(self, size: int, rank: int) -> None:
        hours = size * rank**3 * SECONDS_PER_CUBE / 3600
        if self.gamma >= sqrt(size * rank):
            raise LaconicError(
                f"gamma={self.gamma:g}: γI would lie beyond the upper barrier of the algorithm. "
                f"Give less than {sqrt(size * rank):.3g}, √(size · rank)"
            )
        if hours > HOURS_WITHOUT_WARNING:
            warnings.warn(
                f"BSS, size {size:,} with rank {rank:,}: takes about {hours:,.0f} hours. Lower the "
                "rank: time grows with its cube",
                LaconicWarning,
                stacklevel=4,
            )
