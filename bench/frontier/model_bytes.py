"""`PeerModel`: a peer's linear model, and the bytes of its file in two forms.

"float64" is `joblib.dump(compress=3)` of the words with their idf and of the classifier. "int8" has
coefficients as integers with one scale per class, float32 for other numbers, and compressed words.
Where documents are divided by their length over all words, both need the idf of all words.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import BytesIO
from typing import Any, Literal, TypeAlias

import joblib
import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfVectorizer

from bench.frontier.classifiers import coefficients, cut
from bench.frontier.corpora import Fold
from laconic.model import Normalize
from laconic.types import Columns, Floats

Form: TypeAlias = Literal["float64", "int8"]
FORMS: tuple[Form, ...] = ("float64", "int8")
TOKEN = r"(?u)\w\w+"


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a fold with their idf, and the bytes of some of them."""

    fold: Fold
    _bytes_of_all: dict[Form, int] = field(default_factory=dict, repr=False)

    def n_bytes(self, columns: Columns, norm: Normalize, form: Form) -> int:
        if norm == "selected" or self.fold.idf is None:
            return self._n_bytes(columns, form)
        if form not in self._bytes_of_all:
            self._bytes_of_all[form] = self._n_bytes(slice(None), form)
        return self._bytes_of_all[form]

    def _n_bytes(self, columns: Columns | slice, form: Form) -> int:
        words, idf = self.fold.problem.vocabulary[columns].tolist(), self.fold.idf
        numbers = None if idf is None else np.asarray(idf)[columns]
        if form == "int8":
            floats = b"" if numbers is None else numbers.astype(np.float32).tobytes()
            return len(zlib.compress("\n".join(words).encode(), 9)) + len(zlib.compress(floats, 9))
        return _joblib_bytes(words if numbers is None else _vectorizer(words, numbers))


def _vectorizer(words: list[str], idf: Floats) -> TfidfVectorizer:
    """From texts to the vectors of a corpus."""
    vectorizer = TfidfVectorizer(token_pattern=TOKEN, vocabulary=words, sublinear_tf=True)
    vectorizer.idf_ = idf
    return vectorizer


def _joblib_bytes(value: Any) -> int:
    stream = BytesIO()
    joblib.dump(value, stream, compress=3)
    return len(stream.getvalue())


@dataclass(frozen=True, eq=False)
class PeerModel:
    """A fitted classifier over some columns."""

    columns: Columns
    norm: Normalize
    fitted: BaseEstimator
    coef: Floats
    intercept: Floats

    @classmethod
    def of(
        cls, columns: Columns, norm: Normalize, fitted: BaseEstimator, n_classes: int
    ) -> PeerModel:
        return cls(columns, norm, fitted, *coefficients(fitted, n_classes))

    def decision(self, X: csr_array) -> Floats:
        return self.decision_of_cut(cut(X, self.columns, self.norm))

    def decision_of_cut(self, Z: csr_array) -> Floats:
        return np.asarray(Z @ self.coef.T + self.intercept)

    @cached_property
    def _scales(self) -> Floats:
        largest = np.abs(self.coef).max(axis=1, keepdims=True)
        return np.where(largest > 0, largest, 1.0) / 127

    @cached_property
    def _integers(self) -> np.ndarray[Any, np.dtype[np.int8]]:
        return np.rint(self.coef / self._scales).astype(np.int8)

    def in_form(self, form: Form) -> PeerModel:
        """The model as it is read from its file."""
        return self if form == "float64" else replace(self, coef=self._integers * self._scales)

    def n_bytes(self, words: Words, form: Form) -> int:
        of_words = words.n_bytes(self.columns, self.norm, form)
        if form == "float64":
            return of_words + _joblib_bytes((self.columns, self.fitted))
        numbers = np.append(self._scales, self.intercept).astype(np.float32).tobytes()
        return of_words + len(zlib.compress(self._integers.tobytes(), 9)) + len(numbers)
