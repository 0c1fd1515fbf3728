"""The counted units, words or characters: how texts are scanned and chunks tokenized."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import Stemmer

from laconic.errors import LaconicError
from laconic.runtime.choices import UnitName
from laconic.runtime.scanner import Scan, scan_bytes, scan_characters, scan_matches
from laconic.types import Bools, Indices, Int32s

# Patterns that neither match nor look across ASCII characters that are not word characters: their
# matches in a text are their matches in its chunks.
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
# Patterns whose only match in an ASCII chunk is the chunk.
WHOLE_CHUNKS = frozenset((r"\w+", r"(?u)\w+", r"\b\w+\b", r"(?u)\b\w+\b"))


class Tokens(NamedTuple):
    """The tokens of chunks: chunk c has `sizes[c]` tokens, from `firsts[c]` on.

    `counted` marks the tokens that are counted; `units` has one unit for each of them.
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

    def scan(self, texts: list[str]) -> Scan:
        """The chunks of the texts, numbered."""

    def read(self, chunks: list[str]) -> Tokens:
        """The units of distinct chunks."""


@dataclass(frozen=True)
class Characters:
    """Code points, including blanks; as in scikit-learn, a run of white space is one blank."""

    lowercase: bool
    joiner: ClassVar[str] = ""
    # a character takes about 100 bytes in the computation of long n-grams
    batch: ClassVar[int] = 1 << 22

    def tokens(self, text: str) -> list[str]:
        return list(self._clean(text))

    def scan(self, texts: list[str]) -> Scan:
        return scan_characters([self._clean(text) for text in texts])

    def read(self, chunks: list[str]) -> Tokens:
        n = len(chunks)
        return Tokens(np.arange(n, dtype=np.int32), np.ones(n, np.int32), np.ones(n, bool), chunks)

    def _clean(self, text: str) -> str:
        return re.sub(r"\s\s+", " ", text.lower() if self.lowercase else text)


@dataclass(frozen=True)
class Words:
    """Stems of the matches of the pattern that are long enough and not stop words."""

    pattern: str
    lowercase: bool
    min_length: int
    stop_words: frozenset[str]
    stem: Callable[[list[str]], list[str]]
    joiner: ClassVar[str] = " "
    batch: ClassVar[int] = 1 << 26

    def tokens(self, text: str) -> list[str]:
        tokens = finder(self.pattern)(self._cased(text))
        return self.stem(list(compress(tokens, self._counted(tokens).tolist())))

    def scan(self, texts: list[str]) -> Scan:
        if self.pattern in WITHIN_CHUNKS:
            return scan_bytes(texts, self.lowercase)
        return scan_matches(map(self._cased, texts), finder(self.pattern))

    def read(self, chunks: list[str]) -> Tokens:
        plain = self._plain(chunks)
        matches, ends = self._matches(list(compress(chunks, (~plain).tolist())))
        tokens = chunks + matches
        firsts, sizes = np.arange(plain.size, dtype=np.int32), np.ones(plain.size, np.int32)
        firsts[~plain] = plain.size + np.append(0, ends + 1)[:-1]
        sizes[~plain] = np.diff(ends, prepend=-1) - 1
        counted = self._counted(tokens)
        counted[: plain.size] &= plain
        counted[plain.size + ends] = False
        return Tokens(firsts, sizes, counted, self.stem(list(compress(tokens, counted.tolist()))))

    def _plain(self, chunks: list[str]) -> Bools:
        """Which chunks are tokens without a search."""
        if self.pattern in WHOLE_CHUNKS:
            return np.fromiter(map(str.isascii, chunks), bool, len(chunks))
        return np.full(len(chunks), self.pattern not in WITHIN_CHUNKS)

    def _matches(self, chunks: list[str]) -> tuple[list[str], Indices]:
        """The tokens of all chunks in one search; a newline, which no chunk has, ends each one."""
        if not chunks:
            return [], np.empty(0, np.intp)
        matches = finder(self.pattern + r"|\n")(self._cased("\n".join([*chunks, ""])))
        return matches, np.flatnonzero([token == "\n" for token in matches])

    def _cased(self, text: str) -> str:
        return text.lower() if self.lowercase else text

    def _counted(self, tokens: list[str]) -> Bools:
        counted = np.fromiter(map(len, tokens), np.int64, len(tokens)) >= self.min_length
        if self.stop_words:
            lower = tokens if self.lowercase else map(str.lower, tokens)
            stops = map(self.stop_words.__contains__, lower)
            counted &= ~np.fromiter(stops, bool, len(tokens))
        return counted


def unit_of(
    name: UnitName,
    token_pattern: str,
    lowercase: bool,
    min_length: int,
    stop_words: frozenset[str],
    stem: str | None,
) -> Unit:
    """The unit that the options describe."""
    if name == "char":
        return Characters(lowercase)
    finder(token_pattern)
    return Words(token_pattern, lowercase, min_length, stop_words, stemmer(stem))


def finder(pattern: str) -> Callable[[str], list[str]]:
    """`re.findall` of the pattern, which may have at most one group."""
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
            "token. Write (?:...) for other groups."
        )
    return compiled.findall


def stemmer(algorithm: str | None) -> Callable[[list[str]], list[str]]:
    """A function from words to their stems; `list` for None."""
    if algorithm is None:
        return list
    if algorithm not in Stemmer.algorithms():
        raise LaconicError(
            f"stem={algorithm!r}: no such stemmer. Give None or one of "
            f"{', '.join(Stemmer.algorithms())}."
        )
    # each word comes once, so PyStemmer's cache would only cost time
    stem_words: Callable[[list[str]], list[str]] = Stemmer.Stemmer(algorithm, 0).stemWords

    def stems(words: list[str]) -> list[str]:
        try:
            return stem_words(words)
        except UnicodeEncodeError:
            # a lone surrogate, which only a custom pattern can match, has no stem
            return [word if has_surrogate(word) else stem_words([word])[0] for word in words]

    return stems


def has_surrogate(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)
