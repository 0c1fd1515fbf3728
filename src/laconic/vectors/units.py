"""What is counted: words or characters. Each says how texts are scanned and chunks are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import Stemmer
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.vectors.scanning import Scan, scan_bytes, scan_characters, scan_matches

# Patterns that can neither match nor look across an ASCII character which is not a word character:
# what they find in a text is what they find in its chunks.
WITHIN_CHUNKS = frozenset(
    lead + body
    for lead in ("", "(?u)")
    for body in (
        r"\w+",
        r"\w\w+",
        r"\b\w+\b",
        r"\b\w\w+\b",
        r"[a-z]+",
        r"[a-zA-Z]+",
        r"[A-Za-z]+",
        r"[a-z0-9]+",
        r"[a-zA-Z0-9]+",
        r"[A-Za-z0-9]+",
        r"[^\W\d_]+",
        r"[^\W_]+",
    )
)


class Reading(NamedTuple):
    """What some chunks stand for: the tokens of each, and the units of those that are counted."""

    sizes: NDArray[np.int64]
    counted: NDArray[np.bool_]
    units: list[str]


class Unit(Protocol):
    """Words or characters."""

    joiner: ClassVar[str]
    batch: ClassVar[int]

    def tokens(self, text: str) -> list[str]:
        """The definition: the units of one text, in order."""

    def scan(self, texts: list[str]) -> Scan:
        """The chunks of many texts, numbered."""

    def read(self, chunks: list[str]) -> Reading:
        """The units of distinct chunks."""


@dataclass(frozen=True)
class Characters:
    """Code points, blanks included; as scikit-learn, two and more white spaces are one blank."""

    lowercase: bool
    joiner: ClassVar[str] = ""
    # a character takes a hundred bytes on its way through long n-grams
    batch: ClassVar[int] = 1 << 22

    def tokens(self, text: str) -> list[str]:
        return list(self._clean(text))

    def scan(self, texts: list[str]) -> Scan:
        return scan_characters([self._clean(text) for text in texts])

    def read(self, chunks: list[str]) -> Reading:
        return Reading(np.ones(len(chunks), np.int64), np.ones(len(chunks), np.bool_), chunks)

    def _clean(self, text: str) -> str:
        return re.sub(r"\s\s+", " ", text.lower() if self.lowercase else text)


@dataclass(frozen=True)
class Words:
    """What the pattern finds, if long enough and no stop word, stemmed."""

    pattern: str
    lowercase: bool
    min_length: int
    stop_words: frozenset[str]
    stem: Callable[[list[str]], list[str]]
    joiner: ClassVar[str] = " "
    batch: ClassVar[int] = 1 << 26

    def tokens(self, text: str) -> list[str]:
        found = finder(self.pattern)(self._cased(text))
        return self.stem(list(compress(found, self._counted(found))))

    def scan(self, texts: list[str]) -> Scan:
        if self.pattern in WITHIN_CHUNKS:
            return scan_bytes(texts, self.lowercase)
        return scan_matches(map(self._cased, texts), finder(self.pattern))

    def read(self, chunks: list[str]) -> Reading:
        if self.pattern in WITHIN_CHUNKS:
            # one search for all: a newline, which is in no chunk, ends each
            tokens = finder(self.pattern + r"|\n")(self._cased("\n".join([*chunks, ""])))
            ends = np.flatnonzero([token == "\n" for token in tokens])
            sizes = np.diff(ends, prepend=-1)
        else:
            tokens, sizes = chunks, np.ones(len(chunks), np.int64)
            ends = np.empty(0, np.intp)
        counted = np.array(self._counted(tokens), np.bool_)
        counted[ends] = False
        return Reading(sizes, counted, self.stem(list(compress(tokens, counted))))

    def _cased(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def _counted(self, tokens: list[str]) -> list[bool]:
        least, stops = self.min_length, self.stop_words
        if self.lowercase:
            return [len(token) >= least and token not in stops for token in tokens]
        return [len(token) >= least and token.lower() not in stops for token in tokens]


def finder(pattern: str) -> Callable[[str], list[str]]:
    """`re.findall` of the pattern, of which at most one group may be the token."""
    try:
        compiled = re.compile(pattern)
        compiled.findall("")
    except (re.error, TypeError) as error:
        raise LaconicError(
            f"token_pattern={pattern!r}: not a regular expression ({error}). "
            r"Give one such as r'\w+'."
        ) from error
    if compiled.groups > 1:
        raise LaconicError(
            f"token_pattern={pattern!r}: has {compiled.groups} groups, but only one can be the "
            "token. Write (?:...) for the others."
        )
    return compiled.findall


def stemmer(algorithm: str | None) -> Callable[[list[str]], list[str]]:
    """The stems of a list of words; `list` itself for None."""
    if algorithm is None:
        return list
    if algorithm not in Stemmer.algorithms():
        raise LaconicError(
            f"stem={algorithm!r}: no such stemmer. Give None or one of "
            f"{', '.join(Stemmer.algorithms())}."
        )
    # words come once each, so that PyStemmer's own cache would only cost time
    stem_words: Callable[[list[str]], list[str]] = Stemmer.Stemmer(algorithm, 0).stemWords

    def stems(words: list[str]) -> list[str]:
        try:
            return stem_words(words)
        except UnicodeEncodeError:
            # a lone surrogate, which only a pattern of one's own can let in, has no stem
            return [word if has_surrogate(word) else stem_words([word])[0] for word in words]

    return stems


def has_surrogate(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)
