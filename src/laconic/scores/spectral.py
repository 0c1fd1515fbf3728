"""Scores for sampling: pure functions (X, y) -> one number per term; labels are not used.

A draw normalizes them to probabilities, so leverage is in effect divided by the rank (eq. 22 of
Dasgupta et al. 2007), not by the number of documents. Empty terms score 0 and are never drawn.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.spectral.basis import Subspace
from laconic.numerics.spectral.leverage import (
    Leverage,
    full_leverage,
    ridge_leverage,
    truncated_leverage,
)
from laconic.numerics.spectral.spectrum import as_floats, column_squares, rank_holding
from laconic.types import Floats, Matrix
from laconic.validation import is_non_negative, is_share, is_whole

# Larger errors of the scores give a warning: the rank cuts between nearly equal singular values.
UNCERTAIN = 0.01


def uniform(X: Matrix, y: ArrayLike | None = None) -> Floats:
    """1 for every term with a weight in any document (US: uniform sampling)."""
    documents = _documents("uniform", X)
    if isinstance(documents, Blocks):
        sums = documents.total(_magnitudes)
    else:
        sums = np.asarray(abs(documents).sum(axis=0)).ravel()
    return np.asarray(sums > 0, dtype=np.float64)


def _magnitudes(block: csr_array) -> Floats:
    return np.bincount(block.indices, np.abs(block.data), block.shape[1]).astype(np.float64)


def lottery(X: Matrix, y: ArrayLike | None = None, *, random_state: int = 0) -> Floats:
    """A random number in (0, 1] for every term with a weight in any document.

    `TopTerms(by=lottery)` draws terms uniformly at random, without replacement and without weights
    (the baseline of Paul & Drineas 2014); a draw by `uniform` would rescale them.
    """
    occurs = uniform(X) > 0
    return np.where(occurs, 1.0 - np.random.default_rng(random_state).random(occurs.size), 0.0)


def squared_norm(X: Matrix, y: ArrayLike | None = None) -> Floats:
    """The sum of squared weights of a term over documents (WS: weight-based sampling, eq. 23)."""
    return column_squares(_documents("squared_norm", X))


def leverage(
    X: Matrix, y: ArrayLike | None = None, *, rank: int | float | None = None, ridge: float = 0.0
) -> Floats:
    """The leverage of each term (SS: subspace sampling, eq. 22).

    It is the squared length of the term's row in an orthonormal basis of the row space of X. It
    lies in [0, 1] and is large for terms that the other terms do not explain. The sum over terms is
    the rank.

    Parameters
    ----------
    X : array, sparse array or blocks of shape (n_docs, n_terms)
        Of blocks that do not fit into memory, all singular vectors and ridge leverage are available
        up to 12,000 documents or terms; beyond that give a rank.
    y : ignored
    rank : int, float or None, default=None
        Leverage in the top singular vectors only: their number, or a share in (0, 1) of the squared
        Frobenius norm. None, or more than there are, for all.
    ridge : float, default=0.0
        Ridge leverage x'(XX' + ridge·I)⁻¹x, which discounts directions that regularization shrinks.

    Returns
    -------
    array of shape (n_terms,)
    """
    return measure_leverage(X, rank=rank, ridge=ridge).scores


def measure_leverage(X: Matrix, *, rank: int | float | None, ridge: float) -> Leverage:
    """The scores with their rank and error; warns if the subspace is not well defined."""
    _check_parameters(rank, ridge)
    documents = _documents("leverage", X)
    if ridge > 0:
        return ridge_leverage(documents, ridge)
    if rank is None:
        return full_leverage(documents)
    if not isinstance(rank, int | np.integer):
        rank = rank_holding(documents, float(rank))
    truncated = truncated_leverage(documents, int(rank))
    if truncated.error > UNCERTAIN:
        warnings.warn(
            f"rank={rank} cuts between nearly equal singular values: scores may be off by "
            f"{min(truncated.error, 1.0):.2g}. Choose another rank nearby.",
            LaconicWarning,
            stacklevel=3,
        )
    return truncated


def warn_if_uncertain(name: str, subspace: Subspace) -> None:
    """Warn if the singular vectors of a reducer, of documents in blocks, are not accurate."""
    if subspace.error > UNCERTAIN:
        warnings.warn(
            f"{name}: the singular values around {subspace.vectors.shape[1]} are nearly equal, so "
            f"its subspace may be off by {min(subspace.error, 1.0):.2g} (sine of the angle). "
            "Choose another number nearby",
            LaconicWarning,
            stacklevel=3,
        )


def _documents(name: str, X: Matrix) -> Matrix:
    """Validated documents with finite entries: sparse, dense, or blocks that are too large."""
    X = in_memory(X)
    if isinstance(X, Blocks):
        if X.total(_n_not_finite):
            raise _not_finite(name)
        return X
    try:
        documents = as_floats(X if issparse(X) else np.asarray(X, dtype=np.float64))
    except (TypeError, ValueError):
        raise LaconicError(
            f"{name}: X has entries that are not numbers, or rows of different lengths. Give "
            "documents in rows and terms in columns."
        ) from None
    if documents.ndim != 2:
        raise LaconicError(f"{name}: X has the shape {documents.shape}. Give documents in rows.")
    if not np.isfinite(documents.data if issparse(documents) else documents).all():
        raise _not_finite(name)
    return documents


def _n_not_finite(block: csr_array) -> int:
    return int(np.count_nonzero(~np.isfinite(block.data)))


def _not_finite(name: str) -> LaconicError:
    return LaconicError(
        f"{name}: X has entries that are NaN or infinite. Replace them first, for example by 0."
    )


def _check_parameters(rank: object, ridge: float) -> None:
    if not is_non_negative(ridge):
        raise LaconicError(f"ridge={ridge!r}: must be a number of at least 0")
    if rank is None:
        return
    if ridge > 0:
        raise LaconicError(f"rank={rank} and ridge={ridge}: give only one of them")
    if not is_whole(rank, 1) and not is_share(rank):
        raise LaconicError(
            f"rank={rank!r}: give a whole number of at least 1, a share in (0, 1) of the squared "
            "Frobenius norm, or None for all"
        )


def hellinger(p: ArrayLike, q: ArrayLike) -> float:
    """Hellinger distance √Σ(√p_i − √q_i)², from 0 (equal) to √2 (disjoint); no factor 1/√2."""
    left, right = _distribution(p), _distribution(q)
    if left.shape != right.shape:
        raise LaconicError(
            f"distributions over {left.size} and {right.size} terms: give the same terms for both"
        )
    return float(np.linalg.norm(np.sqrt(left) - np.sqrt(right)))


def _distribution(probabilities: ArrayLike) -> Floats:
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 1 or not (p >= 0).all() or abs(p.sum() - 1.0) > 1e-9:
        raise LaconicError(
            "a distribution is one row of numbers of at least 0 with sum 1, not of shape "
            f"{p.shape} with sum {p.sum():.12g}. Divide scores by their sum."
        )
    return p
