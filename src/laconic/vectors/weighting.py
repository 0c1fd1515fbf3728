"""`Weighting`: counts become weights, and words that cannot help are left out.

It is apart from `Vectorizer` because corpora that come as vectors need it too, and because it is
fitted on each training fold, while counting is done once.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.weighing import Length, normalize_rows, term_weights

Scheme = Literal["ltc", "tfidf", "binary", "histogram", "count"]

# What a scheme divides by where `norm="scheme"` leaves it to it.
NORMS: dict[str, Length | None] = {
    "ltc": "l2",
    "tfidf": "l2",
    "binary": "l2",
    "histogram": "l1",
    "count": None,
}


class Weighting(TransformerMixin, BaseEstimator):
    """Weights of words in documents, over the words that pass the filters.

    Parameters
    ----------
    scheme : str, default="ltc"
        - "ltc": SMART's (1 + log tf)·log(N/df), unit length. tf are counts.
        - "tfidf": tf·(1 + log((1+N)/(1+df))), unit length: scikit-learn's.
        - "binary": 1 for a word that occurs, unit length.
        - "histogram": tf / number of kept words in the document (Torkkola).
        - "count": the numbers as they come, of either sign; for vectors that are weighted already.
    norm : "scheme", "l1", "l2" or None, default="scheme"
        What a document is divided by; a document without words stays zero.
    min_df, max_df : int or float, default=1 and 1.0
        Words must occur in so many training documents: a number, or a share in [0, 1].
    min_length : int, default=1
        Words must have so many characters. Needs to know the words: fit with a DataFrame, or with
        `fit(X, words=...)`.

    Attributes
    ----------
    kept_ : columns of the words that passed, ascending
    document_frequency_ : of the kept words, in training
    idf_ : of the kept words; None where the scheme has none
    """

    def __init__(
        self,
        scheme: Scheme = "ltc",
        *,
        norm: Literal["scheme", "l1", "l2"] | None = "scheme",
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        min_length: int = 1,
    ) -> None:
        self.scheme = scheme
        self.norm = norm
        self.min_df = min_df
        self.max_df = max_df
        self.min_length = min_length

    def fit(self, X: Any, y: ArrayLike | None = None, *, words: ArrayLike | None = None) -> Self:
        """Learn from training documents which words stay and how rare each is."""
        self._check_parameters()
        documents = self._read(X, reset=True)
        frequency = np.bincount(documents.indices, minlength=documents.shape[1])
        self.kept_ = np.flatnonzero(self._passes(frequency, documents.shape[0], words))
        if self.kept_.size == 0:
            raise LaconicError(
                f"no word is left of {documents.shape[1]:,}: min_df={self.min_df}, "
                f"max_df={self.max_df}, min_length={self.min_length} over "
                f"{documents.shape[0]:,} documents. Loosen them."
            )
        self.document_frequency_ = frequency[self.kept_]
        self.idf_ = self._idf(documents.shape[0])
        return self

    def transform(self, X: Any) -> csr_array:
        """Weights of shape (n_docs, n_kept), CSR.

        A word whose idf is 0 keeps its stored entry, so that presence can still be counted.
        """
        check_is_fitted(self)
        counts = csr_array(self._read(X, reset=False)[:, self.kept_])
        weights = term_weights(counts.data, self.scheme)
        if self.idf_ is not None:
            weights = weights * self.idf_[counts.indices]
        weighted = csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        norm = NORMS[self.scheme] if self.norm == "scheme" else self.norm
        return weighted if norm is None else normalize_rows(weighted, norm)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """The words kept."""
        check_is_fitted(self)
        return np.asarray(_check_feature_names_in(self, input_features)[self.kept_], dtype=object)

    def _read(self, X: Any, *, reset: bool) -> csr_array:
        documents = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=reset)
        counts = csr_array(documents)
        if not (counts.has_canonical_format and counts.data.all()):
            counts = counts.copy()
            counts.sum_duplicates()
            counts.eliminate_zeros()
        if self.scheme != "count" and counts.nnz and counts.data.min() < 0:
            raise LaconicError(
                f"Negative values in data passed to Weighting: the least is {counts.data.min():g}, "
                f"but {self.scheme!r} takes counts of words. Use 'count' for numbers as they come"
            )
        if self.scheme == "ltc" and reset and counts.nnz and 0 < counts.data.min() < 1:
            warnings.warn(
                f"the scheme 'ltc' takes counts, but there are values down to "
                f"{counts.data.min():g}. If these vectors are weighted already, use 'count'.",
                LaconicWarning,
                stacklevel=3,
            )
        return counts

    def _passes(
        self, frequency: NDArray[np.intp], n_docs: int, words: ArrayLike | None
    ) -> NDArray[np.bool_]:
        # a word that no training document has can carry no weight, whatever min_df says
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

    def _idf(self, n_docs: int) -> NDArray[np.float64] | None:
        if self.scheme == "ltc":
            return np.log(n_docs / self.document_frequency_)
        if self.scheme == "tfidf":
            return 1.0 + np.log((1 + n_docs) / (1 + self.document_frequency_))
        return None

    def _check_parameters(self) -> None:
        if self.scheme not in get_args(Scheme):
            raise LaconicError(f"scheme={self.scheme!r}: choose from {', '.join(NORMS)}")
        if self.norm not in ("scheme", "l1", "l2", None):
            raise LaconicError(f"norm={self.norm!r}: choose 'scheme', 'l1', 'l2' or None")
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


def _documents(bound: int | float, n_docs: int) -> float:
    return bound if isinstance(bound, int | np.integer) else bound * n_docs
