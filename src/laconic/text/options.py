"""How documents become vectors: `TextOptions` and `WeightingOptions`.

Imports nothing heavy: the command line is made from these declarations.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.options import Options, option, options_of, parse_bytes
from laconic.resources import free_memory
from laconic.runtime.choices import VECTORS, Length, Scheme, UnitName, kind_of_features

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.runtime.tokenizers import Unit
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting

TargetKind: TypeAlias = Literal["auto", "multiclass", "multilabel", "one-vs-rest"]
# Strength of regularization; "auto" is tuned by studies, "loo" chosen by leave-one-out.
Alpha: TypeAlias = float | Literal["auto", "loo"]
# The norm by which a scheme divides a document, where it is not l2.
NORMS: dict[str, Length | None] = {"histogram": "l1", "count": None}
StopWords: TypeAlias = str | PathLike[str] | Collection[str] | None
# The default schemes of corpora of vectors, which take a pass over all values to find.
_SCHEMES: WeakKeyDictionary[Corpus, Scheme] = WeakKeyDictionary()
# The share of the free memory that a matrix may take by default is 1 of so many parts.
MEMORY_SHARE = 5
# The default of `min_length`.
SHORTEST_WORD = 2
SHORTEST_WORD_OF_VECTORS = 1


def parse_range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low), int(high or low)


@dataclass(frozen=True)
class TextOptions(Options):
    """How the terms of a text are found and counted."""

    unit: UnitName = option(
        "word",
        "Count words, or characters (for languages without blanks; only `lowercase` and `ngrams` "
        "apply to them).",
    )
    token_pattern: str = option(r"\w+", "Regular expression that finds the words.")
    lowercase: bool = option(True, "Convert the text to lower case.")
    ngrams: tuple[int, int] = option(
        (1, 1),
        "Shortest and longest sequence of units that is a term; on the command line 1, 2 or 1-2.",
        parse=parse_range,
        default_text="1",
        expected="two whole numbers, 1 <= shortest <= longest: (1, 1) for single units, (1, 2), on "
        "the command line 1-2, for these and pairs",
    )
    stem: str | None = option(
        None, "Stemmer: porter, or another algorithm of PyStemmer.", default_text="none"
    )
    stop_words: str | tuple[str, ...] | None = option(
        None,
        "Words to leave out, compared in lower case, before stemming: english (scikit-learn's "
        "list), smart (SMART's list, pip install laconic[smart]), or a file with one word per "
        "line.",
        default_text="none",
    )
    min_length: int | None = option(
        None,
        "Shortest word to count, in characters, before stemming.",
        minimum=0,
        default_text=f"{SHORTEST_WORD}; {SHORTEST_WORD_OF_VECTORS} for vectors",
    )

    def __post_init__(self) -> None:
        from laconic.text.stop_words import stop_words

        if not isinstance(self.stop_words, None | str | PathLike | tuple):
            words = tuple(sorted(stop_words(self.stop_words)))
            object.__setattr__(self, "stop_words", words)
        super().__post_init__()
        if not 1 <= self.ngrams[0] <= self.ngrams[1]:
            raise self.refuse("ngrams")
        assert self.reader is not None  # raises if the pattern, stop words or stemmer are invalid

    @cached_property
    def reader(self) -> Unit:
        """The unit that is counted."""
        from laconic.runtime.tokenizers import unit_of

        return unit_of(
            self.unit,
            self.token_pattern,
            self.lowercase,
            self.shortest(),
            self.left_out(),
            self.stem,
        )

    def left_out(self) -> frozenset[str]:
        """The stop words themselves."""
        from laconic.text.stop_words import stop_words

        return stop_words(self.stop_words)

    def shortest(self, *, vectors: bool = False) -> int:
        """`min_length`, with its default for texts or for vectors."""
        if self.min_length is not None:
            return self.min_length
        return SHORTEST_WORD_OF_VECTORS if vectors else SHORTEST_WORD

    def __getstate__(self) -> dict[str, Any]:
        """Without the reader, whose stemmer cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name != "reader"}

    def vectorizer(self) -> Vectorizer:
        from laconic.text.vectorizer import Vectorizer

        return Vectorizer(**self.values(), n_jobs=-1)

    def check_for(self, corpus: Corpus) -> None:
        """Vectors have their words counted already: refuse options that would have no effect."""
        if corpus.vectors is None:
            return
        idle = [
            option.name
            for option in options_of(TextOptions)
            if option.name != "min_length" and getattr(self, option.name) != option.default
        ]
        if idle:
            raise LaconicError(
                f"{', '.join(idle)}: {corpus.name} comes as vectors, whose words are counted "
                "already. Leave it out"
            )

    @property
    def features(self) -> str:
        """The kind of features: "word", or "char:ngrams=1-3"."""
        return kind_of_features(self.unit, self.ngrams)

    def features_of(self, corpus: Corpus) -> str:
        """The kind of features of a corpus."""
        return self.features if corpus.vectors is None else VECTORS

    def canonical(self, corpus: Corpus) -> dict[str, Any]:
        """What the counts depend on: defaults resolved, stop words by a hash of the words."""
        if self.unit == "char":
            return {"unit": self.unit, "lowercase": self.lowercase, "ngrams": list(self.ngrams)}
        words = "\n".join(sorted(self.left_out())).encode("utf-8", "surrogatepass")
        return self.values() | {
            "ngrams": list(self.ngrams),
            "min_length": self.shortest(vectors=corpus.vectors is not None),
            "stop_words": sha256(words).hexdigest() if words else None,
        }


@dataclass(frozen=True)
class WeightingOptions(Options):
    """How counts become weights, and which words are left out."""

    scheme: Scheme | None = option(
        None,
        "Weights of words. ltc: (1 + log tf)·log(N/df), SMART's; tfidf: "
        "tf·(1 + log((1+N)/(1+df))), scikit-learn's; saturated: tf / (tf + 1.2)·log(N/df), as "
        "in BM25; binary: 1 for a word that occurs; histogram: tf / number of words in the "
        "document; count: the numbers as they come. ltc, tfidf, saturated and binary give "
        "documents unit length.",
        flag="--weighting",
        default_text="ltc; count for vectors that are weighted already",
    )
    min_df: int = option(2, "Words must occur in at least this many training documents.", minimum=1)
    max_df: float = option(
        1.0,
        "Words may occur in at most this share of the training documents.",
        minimum=0,
        maximum=1,
    )

    def weighting_for(self, corpus: Corpus, text: TextOptions) -> Weighting:
        """The estimator for a corpus; `text` has the length of words for vectors."""
        from laconic.text.weighting import Weighting

        text.check_for(corpus)
        vectors = corpus.vectors is not None
        # texts are filtered by length when they are counted
        least = text.shortest(vectors=True) if vectors else SHORTEST_WORD_OF_VECTORS
        return Weighting(**self.values() | {"scheme": self.scheme_for(corpus)}, min_length=least)

    def scheme_for(self, corpus: Corpus) -> Scheme:
        from laconic.numerics.blocks import Blocks
        from laconic.text.problem import default_weighting

        if self.scheme is not None or corpus.vectors is None:
            return self.scheme or "ltc"
        if corpus not in _SCHEMES:
            _SCHEMES[corpus] = default_weighting(Blocks.of(corpus.vectors)).scheme
        return _SCHEMES[corpus]

    def canonical(self, corpus: Corpus) -> dict[str, Any]:
        """What the weights depend on, with the scheme resolved."""
        return self.values() | {"scheme": self.scheme_for(corpus)}


@dataclass(frozen=True)
class StorageOptions(Options):
    """Where the counts of a corpus are that is too large for memory, and who makes them.

    `n_jobs` processes count the words; as many threads read the blocks later. With an `engine`, a
    cluster does both.
    """

    blocks: str | None = option(
        None,
        "Folder for the word counts of a large corpus, in blocks. Studies of the same corpus with "
        "the same text options share them.",
        default_text="blocks, in the folder of the study",
    )
    in_memory: int | None = option(
        None,
        "A matrix of documents and words that takes more stays on disk, and is read block by "
        "block, which is slower; such as 500MB.",
        minimum=1,
        parse=parse_bytes,
        default_text="a fifth of the free memory, divided by --jobs",
    )
    n_jobs: int = field(default=1, compare=False, repr=False)
    engine: Engine | None = field(default=None, compare=False, repr=False)

    @property
    def limit(self) -> int:
        """Bytes of a matrix in memory. To train on one takes about three times as many."""
        if self.in_memory is not None:
            return self.in_memory
        free = free_memory() // self.n_jobs
        if self.engine is not None:
            free = min(free, self.engine.memory or free)
        return max(1, free // MEMORY_SHARE)
