"""svmlight and LIBSVM: `label index:value …  # comment`, with one label or several to a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.columns import (
    MOST_COLUMNS,
    beside,
    clipped,
    column_of,
    distinct,
    indexed_names,
    plain_name,
    stem,
)
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.opening import lines
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

# The indices that get a column, ascending, and the names of these columns.
Columns: TypeAlias = tuple[NDArray[np.int64], Sequence[str]]
WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")


class Example(NamedTuple):
    """A line that is a document: `label` is None where the line begins with `index:value`."""

    line: int
    label: str | None
    indices: list[int]
    values: list[float]


def read_svmlight(where: Where, reading: ReadOptions) -> Corpus:
    """One label a line: single-label. A comma or an empty label in any line: multi-label."""

    gathering = CorpusBuilder(where, reading, multilabel=False)

    def columns(first: int, last: int) -> Columns:
        return _columns_beside(gathering, first, last)

    numbered = lines(where, reading, notes=gathering.notes)
    return svmlight_corpus(gathering, numbered, stem(where), columns)


def svmlight_corpus(
    gathering: CorpusBuilder,
    numbered: Iterable[tuple[int, str]],
    name: str,
    columns: Callable[[int, int], Columns],
) -> Corpus:
    """`columns(first, last)` gives those from index `first` (0 or 1) to `last` or beyond."""
    first, last, bare = 1, 0, 0
    for line, label, indices, values in examples(numbered, gathering.where):
        if label is None or "," in label:
            gathering.multilabel = True
            bare += label is None
        gathering.add_vector(indices, values, _labels(label, gathering.where, line), line=line)
        if indices:
            first, last = min(first, min(indices)), max(last, max(indices))
    if bare:
        gathering.notes.append(
            f"{amount(bare, 'line has', 'lines have')} no label: read as of no class"
        )
    if first == 0:
        gathering.notes.append("index 0 occurs: indices are counted from 0, not from 1")
    with_column, names = columns(first, last)
    return gathering.corpus(name, vocabulary=names, columns=with_column)


def examples(numbered: Iterable[tuple[int, str]], where: Where) -> Iterator[Example]:
    """The documents of the lines, with indices as they stand; `qid:` and comments are left out."""
    for line, text in numbered:
        tokens = text.partition("#")[0].split()
        if not tokens:
            continue
        label = None if ":" in tokens[0] else tokens.pop(0)
        if tokens and tokens[0].startswith("qid:"):
            del tokens[0]
        suspicious = not text.isascii() or "_" in text
        yield Example(line, label, *_pairs(tokens, suspicious, where, line))


def _pairs(
    tokens: list[str], suspicious: bool, where: Where, line: int
) -> tuple[list[int], list[float]]:
    indices: list[int] = []
    values: list[float] = []
    try:
        for token in tokens:
            index, _, value = token.partition(":")
            indices.append(int(index))
            values.append(float(value))
    except ValueError:
        suspicious = True
    if indices and (min(indices) < 0 or max(indices) > MOST_COLUMNS):
        suspicious = True
    if suspicious or not all(map(isfinite, values)):
        _refuse_first_bad(tokens, where, line)
    return indices, values


def _refuse_first_bad(tokens: list[str], where: Where, line: int) -> None:
    for token in tokens:
        index, colon, value = token.partition(":")
        if not colon:
            problem = "index:value was expected after the label"
        elif column_of(index) is None:
            problem = f"an index is a whole number from 0 to {MOST_COLUMNS:,}"
        elif finite(value) is None:
            problem = "a value is a finite number"
        else:
            continue
        raise CorpusError(
            f"{problem}, but found {clipped(token)}. Write pairs such as `12:0.5`.",
            where=where,
            line=line,
        )


def finite(token: str) -> float | None:
    """The number that the token spells, or None: not `nan`, `inf`, `1_000` or other scripts."""
    try:
        value = float(token)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in token and token.isascii() else None


def _labels(label: str | None, where: Where, line: int) -> list[str]:
    if label is None:
        return []
    names = [canonical(part) for part in label.split(",")]
    if "" in names:
        raise CorpusError(
            f"labels separated by single commas were expected, but found {clipped(label)}. "
            "Remove the comma that has no label beside it.",
            where=where,
            line=line,
        )
    return names


def canonical(label: str) -> str:
    """`+1`, `1` and `1.0` are one class, "1"; what is not a whole number stays as it is."""
    return str(int(label.partition(".")[0])) if WHOLE.fullmatch(label) else label


def _columns_beside(gathering: CorpusBuilder, first: int, last: int) -> Columns:
    where, reading = gathering.where, gathering.reading
    listed = beside(where, plain_name(where) + ".vocab")
    if listed is not None:
        names = distinct(text.strip() for _, text in lines(listed, reading))
        if len(names) > last - first:
            return np.arange(first, first + len(names)), names
        raise CorpusError(
            f"{last - first + 1:,} names were expected, because {plain_name(where)} has indices "
            f"from {first} to {last}, but found {len(names):,}. Write one name a line.",
            where=listed,
        )
    indexed = beside(where, "features.idx") if plain_name(where) == "vectors.dat" else None
    known = indexed_names(lines(indexed, reading), indexed) if indexed is not None else {}
    columns = gathering.columns(first, max(last, *known, 0), known)
    named = (known.get(index, f"f{index}") for index in columns.tolist())
    return columns, distinct(named, (columns - first + 1).tolist())
