"""The words in the header of a model file.

Imports nothing heavy: the command line is made from these choices too.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

# The features over which the length of a document is taken.
Normalize: TypeAlias = Literal["selected", "all"]
Scheme: TypeAlias = Literal["ltc", "tfidf", "saturated", "binary", "histogram", "count"]
# The norm by which a document is divided.
Length: TypeAlias = Literal["l1", "l2"]
UnitName: TypeAlias = Literal["word", "char"]
# The type of the numbers in a file, the smallest first.
Storage: TypeAlias = Literal["int8", "int16", "float32", "float64"]
# The kind of features of documents that come as vectors.
VECTORS = "vectors"


def kind_of_features(unit: UnitName, ngrams: tuple[int, int]) -> str:
    """Such as "word", or "char:ngrams=1-3"."""
    shortest, longest = ngrams
    return unit if ngrams == (1, 1) else f"{unit}:ngrams={shortest}-{longest}"
