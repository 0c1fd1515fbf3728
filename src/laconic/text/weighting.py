"""`Weighting`: counts become weights, and rare or frequent words are left out.

It is separate from `Vectorizer` because corpora that come as vectors need it too, and because it
is fitted on each training fold, while words are counted once.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks, canonical, csr_of, occurrences
from laconic.numerics.text.weights import idf, weighted
from laconic.options import Options, from_attributes, init_from, option
from laconic.runtime.choices import Length, Scheme
from laconic.text.matrices import read_documents
from laconic.text.options import NORMS, WeightingOptions
from laconic.types import Bools, Floats, Integers
from laconic.validation import check_choice


@dataclass(frozen=True)
class NormOptions(Options):
    norm: Literal["scheme", "l1", "l2"] | None = option(
        "scheme",
        "Norm by which a document is divided; scheme is the norm of the scheme. A document without "
        "words stays zero.",
    )
    min_length: int = option(
        1,
        "Shortest word to keep, in characters. Needs the words: fit with a DataFrame, or with "
        "`fit(X, words=...)`.",
    )


# A matrix alone does not say what its numbers are, and an estimator leaves nothing out unless
# it is asked to; a study chooses the scheme for its corpus and leaves out words that occur once.
@init_from(WeightingOptions, NormOptions, positional=1, scheme="ltc", min_df=1)
class Weighting(TransformerMixin, BaseEstimator):
    """Weights of words in documents, over the words that pass the filters.

    As in scikit-learn, `min_df` and `max_df` may each be a number of documents or a share.

    Parameters
    ----------
    {options}

    Attributes
    ----------
    features_ : columns of the words that are weighted, ascending
    document_frequency_ : of these words, in training
    n_docs_ : number of training documents
    idf_ : of these words; None where the scheme has none
    """

    def fit(self, X: Any, y: ArrayLike | None = None, *, words: ArrayLike | None = None) -> Self:
        """Learn which words to keep, and their document frequency."""
        self._check_parameters()
        documents = self._read(X, reset=True)
        frequency = documents.total(occurrences)
        self.features_ = np.flatnonzero(self._passes(frequency, documents.shape[0], words))
        if self.features_.size == 0:
            raise LaconicError(
                f"no word is left of {documents.shape[1]:,}: min_df={self.min_df}, "
                f"max_df={self.max_df}, min_length={self.min_length} over "
                f"{documents.shape[0]:,} documents. Relax them."
            )
        self.document_frequency_ = frequency[self.features_]
        self.n_docs_ = documents.shape[0]
        self.idf_ = idf(self.scheme, self.n_docs_, self.document_frequency_)
        return self

    def transform(self, X: Any) -> csr_array | Blocks:
        """Weights of shape (n_docs, n_features), CSR; those of blocks are computed when read.

        A word whose idf is 0 keeps its stored entry, so occurrences can still be counted.
        """
        check_is_fitted(self)
        selected = self._read(X, reset=False)[:, self.features_]
        weights = selected.map(Weights(self.scheme, self.idf_, self.norm_used()))
        return weights if isinstance(X, Blocks) else weights.stack(csr_array)

    def norm_used(self) -> Length | None:
        """The norm by which documents are divided."""
        return NORMS.get(self.scheme, "l2") if self.norm == "scheme" else self.norm

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The words that are weighted."""
        check_is_fitted(self)
        return np.asarray(
            _check_feature_names_in(self, input_features)[self.features_], dtype=object
        )

    def _read(self, X: Any, *, reset: bool) -> Blocks:
        if isinstance(X, Blocks):
            documents: Blocks = read_documents(self, X, reset=reset, as_floats=False)
            documents = documents.map(_without_zeros)
        else:
            matrix = validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=reset)
            documents = Blocks.of(_without_zeros(csr_array(matrix)))
        if reset or not isinstance(X, Blocks):
            self._check_values(float(documents.stack(_least).min()), fitting=reset)
        return documents

    def _check_values(self, least: float, *, fitting: bool) -> None:
        if self.scheme != "count" and least < 0:
            raise LaconicError(
                f"Negative values in data passed to Weighting: the least is {least:g}, "
                f"but {self.scheme!r} takes counts of words. Use 'count' for numbers as they come"
            )
        if self.scheme == "ltc" and fitting and 0 < least < 1:
            warnings.warn(
                f"the scheme 'ltc' takes counts, but there are values down to {least:g}. If these "
                "vectors are weighted already, use 'count'.",
                LaconicWarning,
                stacklevel=4,
            )

    def _passes(self, frequency: Integers, n_docs: int, words: ArrayLike | None) -> Bools:
        # a word that occurs in no training document has no weight, even if min_df is 0
        low = max(1, _documents(self.min_df, n_docs))
        passes = (frequency >= low) & (frequency <= _documents(self.max_df, n_docs))
        if self.min_length > 1:
            names = words if words is not None else getattr(self, "feature_names_in_", None)
            if names is None:
                raise LaconicError(
                    f"min_length={self.min_length} needs the words: fit(X, words=...), or X as a "
                    "DataFrame"
                )
            passes &= np.array([len(str(word)) >= self.min_length for word in np.asarray(names)])
        return passes

    def _check_parameters(self) -> None:
        check_choice("scheme", self.scheme, get_args(Scheme))
        from_attributes(NormOptions, self)
        for name in ("min_df", "max_df"):
            bound = getattr(self, name)
            whole = isinstance(bound, int | np.integer)
            if bound < 0 or (not whole and bound > 1):
                raise LaconicError(
                    f"{name}={bound!r}: give a whole number of documents, or a share in [0, 1]"
                )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.scheme != "count"
        tags.transformer_tags.preserves_dtype = []
        return tags


@dataclass(frozen=True, eq=False)
class Weights:
    """counts -> weights of a block, divided by the lengths of its documents."""

    scheme: Scheme
    idf: Floats | None
    norm: Length | None
    keeps_entries: ClassVar[bool] = True

    def __call__(self, counts: csr_array) -> csr_array:
        data, columns, starts = counts.data, counts.indices, counts.indptr
        rule = self.scheme, self.idf, self.norm
        if np.issubdtype(data.dtype, np.integer):
            from laconic.numerics.text.weighted_counts import weighted_counts

            weights = weighted_counts(data, columns, starts, *rule)
        else:
            weights = weighted(data.astype(np.float64, copy=False), columns, starts, *rule)
        return csr_of(weights, columns, starts, counts.shape[1])


def _without_zeros(X: csr_array) -> csr_array:
    """X in canonical form, and without stored zeros; copied if it is in another form."""
    counts = canonical(X)
    if not counts.data.all():
        counts = counts.copy()
        counts.eliminate_zeros()
    return counts


def _least(block: csr_array) -> Floats:
    """The least value, or 1 if there is none."""
    return np.array([block.data.min() if block.nnz else 1.0])


def _documents(bound: int | float, n_docs: int) -> float:
    return bound if isinstance(bound, int | np.integer) else bound * n_docs
