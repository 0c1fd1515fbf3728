"""`Vectorizer`: raw texts become counts of words, stems, characters or n-grams of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from laconic.errors import LaconicError
from laconic.numerics.blocks import in_threads
from laconic.options import Options, from_attributes, init_from, option
from laconic.resources import usable_cpus
from laconic.runtime.counts import Terms
from laconic.runtime.scanner import batches
from laconic.text.counting import (
    BLOCK_CHARACTERS,
    count_block,
    count_known,
    joined,
    merged_counts,
)
from laconic.text.options import TextOptions

# Characters of a block that a thread counts: few, so that all threads have work.
THREAD_CHARACTERS = 1 << 22


@dataclass(frozen=True)
class ThreadOptions(Options):
    n_jobs: int = option(1, "Threads; -1 for all cores. The result is the same.")


@init_from(TextOptions, ThreadOptions)
class Vectorizer(TransformerMixin, BaseEstimator):
    """Counts the terms of raw texts, as scikit-learn's CountVectorizer does, several times faster.

    Parameters
    ----------
    {options}

    Attributes
    ----------
    vocabulary_ : array of str
        The terms, sorted: the names of the columns.
    """

    def fit(self, texts: Iterable[str], y: Any = None) -> Self:
        """Learn the vocabulary of the texts."""
        self._fit(texts)
        return self

    def fit_transform(self, texts: Iterable[str], y: Any = None) -> csr_array:
        """Learn the vocabulary and count, in one pass: texts may be an iterator."""
        return self._fit(texts)

    def transform(self, texts: Iterable[str]) -> csr_array:
        """Count the terms of the vocabulary; others are dropped."""
        check_is_fitted(self)
        options, terms = from_attributes(TextOptions, self), Terms(self.vocabulary_.tolist())
        blocks = self._map(partial(count_known, options=options, terms=terms), texts)
        return joined(list(blocks), len(terms.column))

    def tokens(self, text: str) -> list[str]:
        """The units of one text in order, before they are joined to n-grams."""
        return from_attributes(TextOptions, self).reader.tokens(text)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The vocabulary."""
        check_is_fitted(self)
        return self.vocabulary_.copy()

    def _fit(self, texts: Iterable[str]) -> csr_array:
        options = from_attributes(TextOptions, self)
        words, counts = merged_counts(list(self._map(partial(count_block, options=options), texts)))
        if not words.size:
            n_docs = sum(block.shape[0] for block in counts)
            raise LaconicError(
                f"Vectorizer.fit: no term is left in {n_docs} documents. Give documents "
                "with words, or relax token_pattern, min_length, stop_words or ngrams."
            )
        self.vocabulary_: NDArray[np.object_] = words
        return joined(counts, words.size)

    def _map(self, f: Callable[[list[str]], Any], texts: Iterable[str]) -> Iterator[Any]:
        """f of each block of texts, in order; in threads, no more blocks than threads are read."""
        n_jobs = threads(self.n_jobs)
        characters = BLOCK_CHARACTERS if n_jobs == 1 else THREAD_CHARACTERS
        return in_threads((partial(f, block) for block in batches(texts, characters)), n_jobs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def threads(n_jobs: int) -> int:
    """The number of threads; negative numbers count from the number of cores, as in joblib."""
    if isinstance(n_jobs, Integral) and n_jobs != 0:
        return int(n_jobs) if n_jobs > 0 else max(1, usable_cpus() + 1 + int(n_jobs))
    raise LaconicError(f"n_jobs={n_jobs!r}: expected a number of threads, or -1 for all cores.")
