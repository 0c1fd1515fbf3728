"""Scores to draw by: pure functions (X, y) -> one number per term; labels are not used.

A draw normalises them to chances, so a leverage is in effect divided by the rank (eq. 22 of
Dasgupta et al. 2007), not by the number of documents. An empty term scores 0: nothing is lost by
never drawing it.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.leverage import Leverage, full_leverage, ridge_leverage, truncated_leverage
from laconic.numerics.spectrum import as_floats, column_squares, rank_holding
from laconic.reduction import Matrix

# Scores this uncertain are worth a word: the cut falls between nearly equal singular values.
UNCERTAIN = 0.01


def uniform(X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
    """1 for every term that has a weight anywhere (US: uniform sampling)."""
    documents = _documents("uniform", X)
    return (np.asarray(abs(documents).sum(axis=0)).ravel() > 0).astype(np.float64)


def lottery(X: Matrix, y: ArrayLike | None = None, *, random_state: int = 0) -> NDArray[np.float64]:
    """A random number in (0, 1] for every term that has a weight anywhere.

    `TopTerms(by=lottery)` takes terms uniformly at random, without replacement and as they are (the
    baseline of Paul & Drineas 2014), where a draw by `uniform` would rescale them.
    """
    occurs = uniform(X) > 0
    return np.where(occurs, 1.0 - np.random.default_rng(random_state).random(occurs.size), 0.0)


def squared_norm(X: Matrix, y: ArrayLike | None = None) -> NDArray[np.float64]:
    """Sum of squared weights of a term over documents (WS: weight-based sampling, eq. 23)."""
    return column_squares(_documents("squared_norm", X))


def leverage(
    X: Matrix, y: ArrayLike | None = None, *, rank: int | float | None = None, ridge: float = 0.0
) -> NDArray[np.float64]:
    """How much a term sticks out of what the others explain (SS: subspace sampling, eq. 22).

    The squared length of its row in an orthonormal basis of the row space of X: in [0, 1],
    summing to the rank.

    Parameters
    ----------
    rank : int, float or None
        The top singular vectors only: so many, or a share in (0, 1) of the squared Frobenius norm.
        None, or more than there are: all.
    ridge : float
        The ridge λ: x'(XX' + λI)⁻¹x, which does not count what regularization cuts off.
    """
    return measure_leverage(X, rank=rank, ridge=ridge).scores


def measure_leverage(X: Matrix, *, rank: int | float | None, ridge: float) -> Leverage:
    """The scores with their rank and error; warns where the subspace is not well defined."""
    _refuse(rank, ridge)
    documents = _documents("leverage", X)
    if ridge > 0:
        return ridge_leverage(documents, ridge)
    if rank is None:
        return full_leverage(documents)
    if not isinstance(rank, int | np.integer):
        rank = rank_holding(documents, float(rank))
    found = truncated_leverage(documents, int(rank))
    if found.error > UNCERTAIN:
        warnings.warn(
            f"rank={rank} cuts between nearly equal singular values: scores may be off by "
            f"{min(found.error, 1.0):.2g}. Another rank nearby is better defined.",
            LaconicWarning,
            stacklevel=3,
        )
    return found


def _documents(name: str, X: Matrix) -> Matrix:
    """Documents in rows, sparse or not, as finite numbers."""
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
        raise LaconicError(
            f"{name}: X has entries that are NaN or infinite. Replace them first, by 0 say."
        )
    return documents


def _refuse(rank: object, ridge: float) -> None:
    number = isinstance(ridge, int | float | np.number) and not isinstance(ridge, bool)
    if not (number and np.isfinite(ridge) and ridge >= 0):
        raise LaconicError(f"ridge={ridge!r}: must be a number of at least 0")
    if rank is None:
        return
    if ridge > 0:
        raise LaconicError(f"rank={rank} and ridge={ridge}: both cut the spectrum; give one")
    whole = isinstance(rank, int | np.integer) and not isinstance(rank, bool) and rank >= 1
    if not whole and not (isinstance(rank, float | np.floating) and 0 < rank < 1):
        raise LaconicError(
            f"rank={rank!r}: give a whole number of at least 1, a share in (0, 1) of the squared "
            "Frobenius norm, or None for all"
        )


def hellinger(p: ArrayLike, q: ArrayLike) -> float:
    """√Σ(√p_i − √q_i)², from 0 (equal) to √2 (nothing in common): the paper has no 1/√2."""
    left, right = _distribution(p), _distribution(q)
    if left.shape != right.shape:
        raise LaconicError(
            f"distributions over {left.size} and {right.size} terms: give equally many"
        )
    return float(np.linalg.norm(np.sqrt(left) - np.sqrt(right)))


def _distribution(chance: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(chance, dtype=np.float64)
    if p.ndim != 1 or not (p >= 0).all() or abs(p.sum() - 1.0) > 1e-9:
        raise LaconicError(
            "a distribution is one row of numbers of at least 0 with sum 1; "
            f"here shape {p.shape}, sum {p.sum():.12g}. Divide scores by their sum."
        )
    return p
