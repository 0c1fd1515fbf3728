"""How a served model reads text: `TextSettings` finds the words, `WordWeights` weights them.

`ClassifierSettings` is the classifier that it was trained with.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from laconic.arrays import frozen
from laconic.errors import LaconicError
from laconic.numerics.text.weights import IDF, idf, weighted
from laconic.runtime.choices import Length, Scheme, UnitName, kind_of_features
from laconic.runtime.counts import Vectors
from laconic.runtime.tokenizers import WITHIN_CHUNKS, Unit, unit_of
from laconic.types import Columns, Floats, Int64s

# Limits for untrusted files. All n-grams of a document are made, so long ones cost time.
LONGEST_GRAM = 16
LONGEST_PATTERN = 1000
LONGEST_WORD = 1 << 31
LONGEST_NAME = 40
MOST_DOCUMENTS = 1 << 32


@dataclass(frozen=True)
class TextSettings:
    """The text options of a model, resolved: a number as `min_length`, the stop words themselves.

    The header of the file has all of them but the stop words, which are beside it.
    """

    unit: UnitName
    token_pattern: str
    lowercase: bool
    ngrams: tuple[int, int]
    stem: str | None
    min_length: int
    stop_words: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        # before the pattern is compiled
        if isinstance(self.token_pattern, str) and len(self.token_pattern) > LONGEST_PATTERN:
            raise LaconicError(
                f"token_pattern has {len(self.token_pattern):,} characters; a saved model has at "
                f"most {LONGEST_PATTERN:,}"
            )
        for name, (valid, remedy) in self._checks().items():
            if not valid:
                raise LaconicError(f"{name}={repr(getattr(self, name))[:100]}: {remedy}")
        if self.ngrams[1] > LONGEST_GRAM:
            raise LaconicError(
                f"ngrams={self.ngrams}: a saved model has n-grams of 1 to {LONGEST_GRAM} units. "
                "Vectorize with shorter ones."
            )
        assert self.reader is not None  # raises if the pattern or the stemmer is invalid

    def _checks(self) -> dict[str, tuple[bool, str]]:
        """Whether each field that a file may have wrong is valid, and what it has to be."""
        n, ngrams = self.min_length, self.ngrams
        whole = isinstance(ngrams, tuple) and [type(size) for size in ngrams] == [int, int]
        return {
            "unit": (
                self.unit in get_args(UnitName),
                f"choose from {', '.join(get_args(UnitName))}",
            ),
            "lowercase": (type(self.lowercase) is bool, "give true or false"),
            "ngrams": (
                whole and 1 <= ngrams[0] <= ngrams[1],
                "give two whole numbers, 1 <= shortest <= longest",
            ),
            "min_length": (
                type(n) is int and 0 <= n < LONGEST_WORD,
                "give a whole number of at least 0",
            ),
        }

    @cached_property
    def reader(self) -> Unit:
        """The unit that is counted."""
        return unit_of(
            self.unit,
            self.token_pattern,
            self.lowercase,
            self.min_length,
            frozenset(self.stop_words),
            self.stem,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Without the reader, whose stemmer cannot be pickled."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def features(self) -> str:
        return kind_of_features(self.unit, self.ngrams)

    @property
    def linear(self) -> bool:
        """Whether the time to read a text is linear in its length; with any pattern it may not."""
        return self.unit == "char" or self.token_pattern in WITHIN_CHUNKS


@dataclass(frozen=True, eq=False)
class WordWeights:
    """Counts become weights, as in `Weighting`; `length` is the norm that divides a document.

    `document_frequency`, for schemes with an idf, has the number of training documents with each
    word, of `n_docs`; None for other schemes.
    """

    scheme: Scheme
    length: Length | None
    document_frequency: Int64s | None = field(default=None, repr=False)
    n_docs: int = 0

    def __post_init__(self) -> None:
        if self.scheme not in get_args(Scheme) or self.length not in (*get_args(Length), None):
            raise LaconicError(
                f"scheme={self.scheme!r}, length={self.length!r}: the schemes are "
                f"{', '.join(get_args(Scheme))}, the lengths l1, l2 or None"
            )
        if (self.document_frequency is not None) != (self.scheme in IDF):
            raise LaconicError(
                f"the scheme {self.scheme!r} and its document frequencies do not belong together"
            )
        if self.document_frequency is not None:
            df = frozen(self.document_frequency, np.int64)
            if not 0 <= self.n_docs < MOST_DOCUMENTS or ((df < 1) | (df > self.n_docs)).any():
                raise LaconicError(
                    f"a document frequency is not from 1 to {self.n_docs:,}, the number of "
                    "training documents"
                )
            object.__setattr__(self, "document_frequency", df)

    @cached_property
    def idf(self) -> Floats | None:
        """One number per word; None where the scheme has none."""
        df = self.document_frequency
        return None if df is None else idf(self.scheme, self.n_docs, df)

    def over(self, columns: Columns) -> WordWeights:
        """The weights of these words only."""
        df = self.document_frequency
        return self if df is None else replace(self, document_frequency=df[columns])

    def of_counts(self, counts: Vectors, *, divide: bool) -> Vectors:
        """The weights of counted words; with `divide`, divided by the length of the document."""
        columns, values, starts = counts
        if self.scheme != "count" and (values < 0).any():
            raise LaconicError("a count is negative. Counts of words are at least 0.")
        length = self.length if divide else None
        return Vectors(
            columns, weighted(values, columns, starts, self.scheme, self.idf, length), starts
        )


@dataclass(frozen=True)
class ClassifierSettings:
    """The classifier of a model; None where it is not known.

    `name` is None too for methods that train their own models. `alpha` is None where it was chosen
    by leave-one-out, or the classifier has none.
    """

    name: str | None = None
    alpha: float | None = None
    class_weight: str | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 <= self.alpha < float("inf"):
            raise LaconicError(f"alpha={self.alpha}: not a number from 0")
        for text in (self.name, self.class_weight):
            if text is not None and not 0 < len(text) <= LONGEST_NAME:
                raise LaconicError(
                    f"classifier {text[:LONGEST_NAME]!r}: a name has 1 to {LONGEST_NAME} characters"
                )
