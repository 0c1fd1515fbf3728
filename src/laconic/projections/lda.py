"""`LDA`: the directions in which classes are compact and far apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.spectral.discriminant import Block, discriminants, reduced_discriminants
from laconic.projections.fitted import ProjectionReducer, fix_signs
from laconic.reducer import Reducer
from laconic.reduction import Projection, Reduction, columns_for
from laconic.text.labels import LabelEncoding
from laconic.text.matrices import check_labelled
from laconic.types import Columns, Matrix
from laconic.validation import check_choice, is_non_negative

LabelHandling: TypeAlias = Literal["shared", "ignore"]

# reg="auto": on all terms, and after a first reduction.
REG = 3.0
REG_REDUCED = 0.01


class LDA(ProjectionReducer):
    """Linear discriminant analysis as a projection (Torkkola, sections 5 and 6).

    Components are eigenvectors of S_w⁻¹S_b, best first, where S_w is the covariance within classes
    and S_b that of the class means, each weighted by the share of its class. They have the scale
    w'(S_w + λI)w = 1, and their largest entry is positive. There are classes − 1 of them; larger
    sizes continue in the orthogonal complement of those before, block by block (Okada & Tomita
    1985). Documents are not centred.

    Parameters
    ----------
    first : Reducer or None, default=None
        The paper first reduces to a few hundred components, with `LSI(513)` or
        `RandomProjection(513)`; fewer if there are not that many. None works on the sparse
        documents themselves, which is faster and loses nothing to a first step.
    reg : float or "auto", default="auto"
        λ in units of the mean variance within classes: λ = reg·tr(S_w)/columns. "auto" is 3 on the
        documents themselves, where S_w is always singular, and 0.01 after a first reduction.
    labels : "shared" or "ignore", default="shared"
        A document of several classes counts in each with weight 1/classes, or is ignored.
    size : int, float or None, default=None
        Number of components: a number, a share in (0, 1] of the rank of S_b, None for that rank. It
        is classes − 1, or less if class means are linearly dependent, for example equal.
    longest : int or None, default=None
        The largest number of components, whatever `size`.

    Attributes
    ----------
    components_ : array of shape (n_terms, n_components)
        The projection from the original terms, including the first reduction.
    ratios_ : array of shape (n_components,)
        w'S_b w, the variance between classes over that within classes.
    reg_ : float
        The value of `reg` used.
    first_ : Selection, Projection or None
        The first reduction.
    """

    def __init__(
        self,
        first: Reducer | None = None,
        *,
        reg: float | Literal["auto"] = "auto",
        labels: LabelHandling = "shared",
        size: int | float | None = None,
        longest: int | None = None,
    ) -> None:
        self.first = first
        self.reg = reg
        self.labels = labels
        self.size = size
        self.longest = longest

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Compute the components, in as many blocks as `size` needs."""
        self._check_parameters()
        documents, labels = self._read_labelled(X, y)
        shares, counted = memberships(labels, self.labels)
        self.first_ = self._first(documents, labels)
        n_components = self._n_components(shares.shape[1] - 1)
        # shares and None need one block, which has as many directions as S_b has rank
        enough = n_components if isinstance(self.size, int | np.integer) else 1
        # threads gain little on such products, and the last bits would depend on their number
        with threadpool_limits(1, user_api="blas"):
            self._combine(self._blocks(_rows(documents, counted), shares), enough)
        return self

    def _read_labelled(self, X: Matrix, y: ArrayLike | None) -> tuple[Matrix, ArrayLike]:
        if isinstance(X, Blocks) and y is not None:
            check_labelled(X, np.shape(y)[0])
            return in_memory(self._read(X)), y
        documents, labels = validate_data(
            self, X, y, accept_sparse=("csr", "csc"), dtype=np.float64, multi_output=True
        )
        return documents, labels

    def _first(self, X: Matrix, y: ArrayLike) -> Reduction | None:
        if self.first is None:
            return None
        fitted: Reducer = clone(self.first).fit(X, y)
        return fitted.at(min(columns_for(fitted.size, fitted.available_), fitted.available_))

    def _blocks(self, X: Matrix, H: csr_array) -> Iterator[Block]:
        if self.first_ is None:
            self.reg_ = REG if self.reg == "auto" else float(self.reg)
            return discriminants(X, H, self.reg_)
        self.reg_ = REG_REDUCED if self.reg == "auto" else float(self.reg)
        Z = in_memory(self.first_.apply(X))
        return reduced_discriminants(Z.toarray() if issparse(Z) else Z, H, self.reg_)

    def _combine(self, blocks: Iterator[Block], enough: int) -> None:
        """Set the components from as many blocks as give `enough` directions."""
        used: list[Block] = []
        self._ended = False
        while sum(block.ratios.size for block in used) < enough and not self._ended:
            block = next(blocks, None)
            self._ended = block is None
            used += [] if block is None else [block]
        if not used:
            raise LaconicError(
                "the means of all classes are equal: no direction separates them. Are the "
                "documents empty?"
            )
        W = Projection(np.hstack([block.directions for block in used]))
        both = W if self.first_ is None else W.after(self.first_)
        self.components_ = fix_signs(both.components[:, : self.longest])
        self.ratios_ = np.concatenate([block.ratios for block in used])[: self.longest]

    def _end(self) -> str:
        if self._ended:
            return f"in the complement of {self.available_} directions all class means are equal."
        return (
            f"{self.available_} directions were fitted for size={self.size}. LDA with a larger "
            "size continues in their complement."
        )

    def _check_parameters(self) -> None:
        if self.reg != "auto" and not is_non_negative(self.reg):
            raise LaconicError(f"reg={self.reg!r}: give a number of at least 0, or 'auto'")
        check_choice("labels", self.labels, get_args(LabelHandling))
        if self.first is not None and not isinstance(self.first, Reducer):
            raise LaconicError(
                f"first={self.first!r}: give a reducer, such as LSI(513) or RandomProjection(513), "
                "or None"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _rows(X: Matrix, documents: Columns) -> Matrix:
    return X.take(documents) if isinstance(X, Blocks) else X[documents]


def memberships(y: ArrayLike, labels: LabelHandling) -> tuple[csr_array, Columns]:
    """The share of each class in each document that counts, and the rows of these documents.

    Documents without a class do not count; neither do classes without a document.
    """
    encoding = LabelEncoding.of(y)
    belongs = encoding.y_signed > 0
    if encoding.rule == "sign":
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
