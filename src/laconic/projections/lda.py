"""`LDA`: the directions in which classes lie apart and are compact."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from laconic.errors import LaconicError
from laconic.numerics.discriminant import Block, discriminants, reduced_discriminants
from laconic.projections.fitted import ProjectionReducer, fix_signs
from laconic.reducer import Reducer
from laconic.reduction import Columns, Matrix, Projection, Reduction, columns_for
from laconic.vectors.labels import LabelEncoding

Labels: TypeAlias = Literal["shared", "ignore"]

# What "auto" means: on all terms, and behind a first reduction.
REG = 3.0
REG_BEHIND = 0.01


class LDA(ProjectionReducer):
    """Linear discriminant analysis as a projection (Torkkola, sections 5 and 6).

    Columns are eigenvectors of S_w⁻¹S_b, best first, S_w being the covariance within classes and
    S_b that of the class means, each weighted by the share of its class. They have the scale
    w'(S_w + λI)w = 1, and their largest entry is positive. There are classes − 1 of them; a number
    above that goes on in the orthogonal complement of those before, block after block (Okada &
    Tomita 1985). Nothing is centred.

    Parameters
    ----------
    first : Reducer or None
        The paper's way is a first reduction to some hundred columns: `LSI(513)` or
        `RandomProjection(513)`; fewer where it has no more. None, the default, works on the sparse
        documents themselves: faster, and what the first step drops is not lost.
    reg : float or "auto", default="auto"
        λ in mean variances within classes: λ = reg·tr(S_w)/columns. "auto" is 3 on the documents
        themselves, where S_w never has an inverse, and 0.01 behind a first reduction.
    labels : "shared" or "ignore", default="shared"
        A document of several classes counts in each with weight 1/classes, or not at all.
    size : int, float or None
        How many columns: a number, a share in (0, 1] of the rank of S_b, None for that rank. It is
        classes − 1, or less where class means depend on each other: two of them are equal, say.
    longest : int or None
        Find no more columns than that, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, columns), both reductions in one
    ratios_ : array of shape (columns,), w'S_b w: between classes by within
    reg_ : float, the one used
    first_ : the first reduction, or None
    """

    def __init__(
        self,
        first: Reducer | None = None,
        *,
        reg: float | Literal["auto"] = "auto",
        labels: Labels = "shared",
        size: int | float | None = None,
        longest: int | None = None,
    ) -> None:
        self.first = first
        self.reg = reg
        self.labels = labels
        self.size = size
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Find the directions, as many blocks as `size` needs."""
        self._refuse()
        documents, labels = validate_data(
            self, X, y, accept_sparse=("csr", "csc"), dtype=np.float64, multi_output=True
        )
        shares, counted = memberships(labels, self.labels)
        self.first_ = self._first(documents, labels)
        wanted = self._wanted(shares.shape[1] - 1)
        # one block has as many directions as the class means; only a number asks for more
        enough = wanted if isinstance(self.size, int | np.integer) else 1
        # threads gain little on such products, and the last bits would depend on their number
        with threadpool_limits(1, user_api="blas"):
            self._keep(self._blocks(documents[counted], shares), enough)
        return self

    def _first(self, X: Matrix, y: ArrayLike) -> Reduction | None:
        if self.first is None:
            return None
        fitted = clone(self.first).fit(X, y)
        return fitted.at(min(columns_for(fitted.size, fitted.available_), fitted.available_))

    def _blocks(self, X: Matrix, H: csr_array) -> Iterator[Block]:
        if self.first_ is None:
            self.reg_ = REG if self.reg == "auto" else float(self.reg)
            return discriminants(X, H, self.reg_)
        self.reg_ = REG_BEHIND if self.reg == "auto" else float(self.reg)
        Z = self.first_.apply(X)
        return reduced_discriminants(Z.toarray() if issparse(Z) else Z, H, self.reg_)

    def _keep(self, blocks: Iterator[Block], enough: int) -> None:
        found: list[Block] = []
        self._ended = False
        while sum(block.ratios.size for block in found) < enough and not self._ended:
            block = next(blocks, None)
            self._ended = block is None
            found += [] if block is None else [block]
        if not found:
            raise LaconicError(
                "the means of all classes are equal: no direction tells them apart. Are the "
                "documents empty?"
            )
        W = Projection(np.hstack([block.directions for block in found]))
        both = W if self.first_ is None else W.after(self.first_)
        self.components_ = fix_signs(both.components[:, : self.longest])
        self.ratios_ = np.concatenate([block.ratios for block in found])[: self.longest]

    def _end(self) -> str:
        if self._ended:
            return f"in the complement of {self.available_} directions all class means are equal."
        return (
            f"{self.available_} directions were fitted, for size={self.size}. LDA with a larger "
            "size goes on in their complement."
        )

    def _refuse(self) -> None:
        number = isinstance(self.reg, int | float | np.number) and not isinstance(self.reg, bool)
        if self.reg != "auto" and not (number and 0 <= self.reg < inf):
            raise LaconicError(f"reg={self.reg!r}: give a number of at least 0, or 'auto'")
        if self.labels not in get_args(Labels):
            raise LaconicError(f"labels={self.labels!r}: choose from {', '.join(get_args(Labels))}")
        if self.first is not None and not isinstance(self.first, Reducer):
            raise LaconicError(
                f"first={self.first!r}: give a reducer, such as LSI(513) or RandomProjection(513), "
                "or None"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def memberships(y: ArrayLike, labels: Labels) -> tuple[csr_array, Columns]:
    """The share of each class in each counted document, and which documents count.

    Documents without a class do not; neither do classes without a document.
    """
    targets = LabelEncoding.of(y)
    belongs = targets.y_signed > 0
    if targets.rule == "sign":
        belongs = np.hstack([~belongs, belongs])
    n_classes = belongs.sum(axis=1)
    counted = np.flatnonzero(n_classes == 1 if labels == "ignore" else n_classes > 0)
    belongs = belongs[counted][:, belongs[counted].any(axis=0)]
    if belongs.shape[1] < 2:
        raise LaconicError(
            f"{belongs.shape[1]} classes have documents that count: LDA needs at least two. "
            f"{'Set labels=shared. ' if labels == 'ignore' else ''}Give documents of more classes."
        )
    return csr_array(belongs / n_classes[counted][:, None]), counted
