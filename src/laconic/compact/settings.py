"""How a served model reads: `TextSettings` of the vectorizer, `WordWeights` of the weighting."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.weighing import Length, normalize_rows, term_weights
from laconic.reduction import Floats, frozen

if TYPE_CHECKING:
    from laconic.vectors.units import Unit
    from laconic.vectors.vectorizer import Vectorizer
    from laconic.vectors.weighting import Weighting

Scheme: TypeAlias = Literal["ltc", "tfidf", "binary", "histogram", "count"]

WITH_IDF = ("ltc", "tfidf")
# What a stranger's file may ask for. All n-grams of a document are made, so that long ones cost.
LONGEST_GRAM = 16
LONGEST_PATTERN = 1000
LARGEST = 1e30


@dataclass(frozen=True)
class TextSettings:
    """What `Vectorizer` was told, with the stop words themselves in place of a name or file."""

    unit: str = "word"
    token_pattern: str = r"\w+"
    lowercase: bool = True
    min_length: int = 2
    stem: str | None = None
    ngrams: tuple[int, int] = (1, 1)
    stop_words: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        shortest, longest = self.ngrams
        if not 1 <= shortest <= longest <= LONGEST_GRAM:
            raise LaconicError(
                f"ngrams={self.ngrams}: a model that is saved has n-grams of 1 to {LONGEST_GRAM} "
                "units. Vectorize with shorter ones."
            )
        if not 0 <= self.min_length < 1 << 31:
            raise LaconicError(f"min_length={self.min_length}: no length of a word")
        if len(self.token_pattern) > LONGEST_PATTERN:
            raise LaconicError(
                f"token_pattern has {len(self.token_pattern):,} characters; a model that is saved "
                f"has at most {LONGEST_PATTERN:,}"
            )
        assert self.reader is not None  # raises where the pattern or the stemmer is none

    @classmethod
    def of(cls, vectorizer: Vectorizer) -> TextSettings:
        from laconic.vectors.stopwords import stop_words
        from laconic.vectors.vectorizer import span

        return cls(
            unit=str(vectorizer.unit),
            token_pattern=vectorizer.token_pattern,
            lowercase=bool(vectorizer.lowercase),
            min_length=max(0, int(vectorizer.min_length)),
            stem=vectorizer.stem,
            ngrams=span(vectorizer.ngrams),
            stop_words=tuple(sorted(stop_words(vectorizer.stop_words))),
        )

    @cached_property
    def reader(self) -> Unit:
        """The unit that is counted, with its pattern, stop words and stemmer."""
        from laconic.vectors.units import Characters, Words, finder, stemmer

        if self.unit == "char":
            return Characters(self.lowercase)
        if self.unit != "word":
            raise LaconicError(f'unit={self.unit!r}: no such unit. There are "word" and "char".')
        finder(self.token_pattern)
        stops = frozenset(self.stop_words)
        return Words(self.token_pattern, self.lowercase, self.min_length, stops, stemmer(self.stem))

    def __getstate__(self) -> dict[str, Any]:
        """Without the reader, whose stemmer cannot go to other processes."""
        return {name: value for name, value in self.__dict__.items() if name != "reader"}

    @property
    def linear(self) -> bool:
        """Whether reading surely takes time in proportion to the text; any pattern need not."""
        from laconic.vectors.units import WITHIN_CHUNKS

        return self.unit == "char" or self.token_pattern in WITHIN_CHUNKS


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Counts become weights, as `Weighting` makes them; `length` is what a document is divided by.

    `idf` has a number a word, or is None where the scheme has none.
    """

    scheme: Scheme
    length: Length | None
    idf: Floats | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.scheme not in get_args(Scheme) or self.length not in (*get_args(Length), None):
            raise LaconicError(
                f"scheme={self.scheme!r}, length={self.length!r}: the schemes are "
                f"{', '.join(get_args(Scheme))}, the lengths l1, l2 or None"
            )
        if (self.idf is not None) != (self.scheme in WITH_IDF):
            raise LaconicError(f"the scheme {self.scheme!r} and its idf do not belong together")
        if self.idf is not None:
            idf = frozen(self.idf, np.float64)
            if not ((idf >= 0) & (idf <= LARGEST)).all():
                raise LaconicError(f"an idf is no number from 0 to {LARGEST:g}")
            object.__setattr__(self, "idf", idf)

    @classmethod
    def of(cls, weighting: Weighting) -> WordWeights:
        from laconic.vectors.weighting import NORMS

        if not hasattr(weighting, "kept_"):
            raise LaconicError("Weighting is not fitted. Fit it on the training documents first.")
        length = NORMS[weighting.scheme] if weighting.norm == "scheme" else weighting.norm
        return cls(weighting.scheme, length, weighting.idf_)

    def only(self, words: np.ndarray) -> WordWeights:
        """Those of some of the words."""
        return WordWeights(self.scheme, self.length, None if self.idf is None else self.idf[words])

    def of_counts(self, counts: csr_array, *, divide: bool) -> csr_array:
        """The weights of counted words; `divide` by the length, or leave it to others."""
        if self.scheme != "count" and (counts.data < 0).any():
            raise LaconicError("a count is negative. Counts of words are numbers from 0.")
        weights = term_weights(counts.data, self.scheme)
        if self.idf is not None:
            weights = weights * self.idf[counts.indices]
        weighted = csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        return normalize_rows(weighted, self.length) if divide and self.length else weighted
