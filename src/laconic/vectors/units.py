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
from laconic.vectors.options import TextOptions
from laconic.vectors.scanning import Each, Scans, scan_bytes, scan_characters, scan_matches

Int32s = NDArray[np.int32]
Bools = NDArray[np.bool_]

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
# An ASCII chunk is itself all that they find in it.
WHOLE_CHUNKS = frozenset((r"\w+", r"(?u)\w+", r"\b\w+\b", r"(?u)\b\w+\b"))


class Spelling(NamedTuple):
    """What some chunks spell: `sizes[c]` tokens from `firsts[c]` on, and which are counted.

    `units` has a unit for each token that is counted.
    """

    firsts: Int32s
    sizes: Int32s
    counted: Bools
    units: list[str]


class Unit(Protocol):
    """Words or characters."""

    joiner: ClassVar[str]
    batch: ClassVar[int]

    def tokens(self, text: str) -> list[str]:
        """The definition: the units of one text, in order."""

    def scan(self, parts: list[list[str]], each: Each) -> Scans:
        """The chunks of the texts, numbered."""

    def read(self, chunks: list[str]) -> Spelling:
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

    def scan(self, parts: list[list[str]], each: Each) -> Scans:
        return scan_characters([[self._clean(text) for text in texts] for texts in parts])

    def read(self, chunks: list[str]) -> Spelling:
        n = len(chunks)
        return Spelling(
            np.arange(n, dtype=np.int32), np.ones(n, np.int32), np.ones(n, bool), chunks
        )

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
        return self.stem(list(compress(found, self._counted(found).tolist())))

    def scan(self, parts: list[list[str]], each: Each) -> Scans:
        if self.pattern in WITHIN_CHUNKS:
            return scan_bytes(parts, self.lowercase, each)
        return scan_matches([map(self._cased, texts) for texts in parts], finder(self.pattern))

    def read(self, chunks: list[str]) -> Spelling:
        plain = self._plain(chunks)
        found, ends = self._found(list(compress(chunks, (~plain).tolist())))
        tokens = chunks + found
        firsts, sizes = np.arange(plain.size, dtype=np.int32), np.ones(plain.size, np.int32)
        firsts[~plain] = plain.size + np.append(0, ends + 1)[:-1]
        sizes[~plain] = np.diff(ends, prepend=-1) - 1
        counted = self._counted(tokens)
        counted[: plain.size] &= plain
        counted[plain.size + ends] = False
        return Spelling(firsts, sizes, counted, self.stem(list(compress(tokens, counted.tolist()))))

    def _plain(self, chunks: list[str]) -> Bools:
        """Which chunks are tokens as they are."""
        if self.pattern in WHOLE_CHUNKS:
            return np.fromiter(map(str.isascii, chunks), bool, len(chunks))
        return np.full(len(chunks), self.pattern not in WITHIN_CHUNKS)

    def _found(self, chunks: list[str]) -> tuple[list[str], NDArray[np.intp]]:
        """The tokens of all chunks in one search: a newline, which is in no chunk, ends each."""
        if not chunks:
            return [], np.empty(0, np.intp)
        found = finder(self.pattern + r"|\n")(self._cased("\n".join([*chunks, ""])))
        return found, np.flatnonzero([token == "\n" for token in found])

    def _cased(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def _counted(self, tokens: list[str]) -> Bools:
        counted = np.fromiter(map(len, tokens), np.int64, len(tokens)) >= self.min_length
        if self.stop_words:
            lower = tokens if self.lowercase else map(str.lower, tokens)
            stops = map(self.stop_words.__contains__, lower)
            counted &= ~np.fromiter(stops, bool, len(tokens))
        return counted


def unit_of(text: TextOptions, stop_words: frozenset[str], min_length: int) -> Unit:
    """The unit that the options describe."""
    if text.unit == "char":
        return Characters(text.lowercase)
    finder(text.token_pattern)
    stem = stemmer(text.stem)
    return Words(text.token_pattern, text.lowercase, min_length, stop_words, stem)


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
