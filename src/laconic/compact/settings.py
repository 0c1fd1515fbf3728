"""How a served model reads text: `TextSettings` finds the words, `WordWeights` weights them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

import numpy as np
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.text.weights import IDF, Length, normalize_rows, term_weights
from laconic.options import from_attributes, option
from laconic.reduction import frozen
from laconic.text.options import SHORTEST_WORD, Scheme, TextOptions
from laconic.types import Floats

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting

# Limits for untrusted files. All n-grams of a document are made, so long ones cost time.
LONGEST_GRAM = 16
LONGEST_PATTERN = 1000
LARGEST = 1e30


@dataclass(frozen=True)
class TextSettings(TextOptions):
    """The `TextOptions` of a model, resolved: a number as `min_length`, the stop words themselves.

    The options are written to the header of the file, the stop words beside it.
    """

    min_length: int = option(SHORTEST_WORD, "Shortest word that is counted.", minimum=0)
    stop_words: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        # before the pattern is compiled
        if isinstance(self.token_pattern, str) and len(self.token_pattern) > LONGEST_PATTERN:
            raise LaconicError(
                f"token_pattern has {len(self.token_pattern):,} characters; a saved model has at "
                f"most {LONGEST_PATTERN:,}"
            )
        super().__post_init__()
        if self.ngrams[1] > LONGEST_GRAM:
            raise LaconicError(
                f"ngrams={self.ngrams}: a saved model has n-grams of 1 to {LONGEST_GRAM} units. "
                "Vectorize with shorter ones."
            )
        if self.min_length >= 1 << 31:
            raise self.refuse("min_length")

    @classmethod
    def of(cls, vectorizer: Vectorizer) -> TextSettings:
        text = from_attributes(TextOptions, vectorizer)
        resolved = {"min_length": text.shortest(), "stop_words": tuple(sorted(text.left_out()))}
        return cls(**text.values() | resolved)

    def left_out(self) -> frozenset[str]:
        return frozenset(self.stop_words)

    @property
    def linear(self) -> bool:
        """Whether the time to read a text is linear in its length; with any pattern it may not."""
        from laconic.text.tokenizers import WITHIN_CHUNKS

        return self.unit == "char" or self.token_pattern in WITHIN_CHUNKS


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Counts become weights, as in `Weighting`; `length` is the norm that divides a document.

    `idf` has one number per word, or is None where the scheme has none.
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
        if (self.idf is not None) != (self.scheme in IDF):
            raise LaconicError(f"the scheme {self.scheme!r} and its idf do not belong together")
        if self.idf is not None:
            idf = frozen(self.idf, np.float64)
            if not ((idf >= 0) & (idf <= LARGEST)).all():
                raise LaconicError(f"an idf is not a number from 0 to {LARGEST:g}")
            object.__setattr__(self, "idf", idf)

    @classmethod
    def of(cls, weighting: Weighting) -> WordWeights:
        if not hasattr(weighting, "features_"):
            raise LaconicError("Weighting is not fitted. Fit it on the training documents first.")
        return cls(weighting.scheme, weighting.norm_used(), weighting.idf_)

    def only(self, words: np.ndarray) -> WordWeights:
        """The weights of some of the words."""
        return WordWeights(self.scheme, self.length, None if self.idf is None else self.idf[words])

    def of_counts(self, counts: csr_array, *, divide: bool) -> csr_array:
        """The weights of counted words; with `divide`, divided by the length of the document."""
        if self.scheme != "count" and (counts.data < 0).any():
            raise LaconicError("a count is negative. Counts of words are at least 0.")
        weights = term_weights(counts.data, self.scheme)
        if self.idf is not None:
            weights = weights * self.idf[counts.indices]
        weighted = csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        return normalize_rows(weighted, self.length) if divide and self.length else weighted
