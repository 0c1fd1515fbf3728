"""svmlight and LIBSVM: `label index:value …  # comment`, with one or more labels per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import (
    MAX_COLUMN,
    parse_column,
    read_indexed_names,
    shortened,
    sibling_file,
    stem,
    uncompressed_name,
    unique_names,
)
from laconic.errors import CorpusError
from laconic.types import Int64s

# The indices that have a column, ascending, and the names of these columns.
NamedColumns: TypeAlias = tuple[Int64s, Sequence[str]]
WHOLE = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")


class Example(NamedTuple):
    """A document: `label` is None if the line begins with `index:value`."""

    line: int
    label: str | None
    indices: list[int]
    values: list[float]


def read_svmlight(where: Where, options: ReadOptions) -> Corpus:
    """Single-label, unless any line has a comma in its label or has no label: then multi-label."""

    builder = CorpusBuilder(where, options, multilabel=False)

    def columns(first: int, last: int) -> NamedColumns:
        return _named_columns(builder, first, last)

    numbered = read_lines(where, options, notes=builder.notes)
    return svmlight_corpus(builder, numbered, stem(where), columns)


def svmlight_corpus(
    builder: CorpusBuilder,
    numbered: Iterable[tuple[int, str]],
    name: str,
    columns: Callable[[int, int], NamedColumns],
) -> Corpus:
    """`columns(first, last)` returns the columns from index `first` (0 or 1) to at least `last`."""
    first, last, n_unlabelled = 1, 0, 0
    for line, label, indices, values in read_examples(numbered, builder.where):
        if label is None or "," in label:
            builder.multilabel = True
            n_unlabelled += label is None
        builder.add_vector(indices, values, _labels(label, builder.where, line), line=line)
        if indices:
            first, last = min(first, min(indices)), max(last, max(indices))
    if n_unlabelled:
        builder.notes.append(
            f"{amount(n_unlabelled, 'line has', 'lines have')} no label: read as of no class"
        )
    if first == 0:
        builder.notes.append("index 0 occurs: indices start at 0, not at 1")
    indices_kept, names = columns(first, last)
    return builder.corpus(name, vocabulary=names, columns=indices_kept)


def read_examples(numbered: Iterable[tuple[int, str]], where: Where) -> Iterator[Example]:
    """The documents, with indices as in the file; `qid:` and comments are ignored."""
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
    if indices and (min(indices) < 0 or max(indices) > MAX_COLUMN):
        suspicious = True
    if suspicious or not all(map(isfinite, values)):
        _raise_first_error(tokens, where, line)
    return indices, values


def _raise_first_error(tokens: list[str], where: Where, line: int) -> None:
    for token in tokens:
        index, colon, value = token.partition(":")
        if not colon:
            expected = "index:value after the label"
        elif parse_column(index) is None:
            expected = f"an integer from 0 to {MAX_COLUMN:,} as index"
        elif parse_finite(value) is None:
            expected = "a finite number as value"
        else:
            continue
        raise CorpusError(
            f"expected {expected}, but found {shortened(token)}. Write pairs such as `12:0.5`.",
            where=where,
            line=line,
        )


def parse_finite(token: str) -> float | None:
    """The finite number that the token spells, else None; `1_000` and other scripts are not."""
    try:
        value = float(token)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in token and token.isascii() else None


def _labels(label: str | None, where: Where, line: int) -> list[str]:
    if label is None:
        return []
    names = [canonical_label(part) for part in label.split(",")]
    if "" in names:
        raise CorpusError(
            f"expected labels separated by single commas, but found {shortened(label)}. "
            "Remove the extra comma.",
            where=where,
            line=line,
        )
    return names


def canonical_label(label: str) -> str:
    """`+1`, `1` and `1.0` are the same class, "1"; a label that is not an integer is unchanged."""
    return str(int(label.partition(".")[0])) if WHOLE.fullmatch(label) else label


def _named_columns(builder: CorpusBuilder, first: int, last: int) -> NamedColumns:
    where, options = builder.where, builder.options
    names_file = sibling_file(where, uncompressed_name(where) + ".vocab")
    if names_file is not None:
        names = unique_names(text.strip() for _, text in read_lines(names_file, options))
        if len(names) > last - first:
            return np.arange(first, first + len(names)), names
        raise CorpusError(
            f"expected {last - first + 1:,} names, because {uncompressed_name(where)} has indices "
            f"from {first} to {last}, but found {len(names):,}. Write one name per line.",
            where=names_file,
        )
    index_file = (
        sibling_file(where, "features.idx") if uncompressed_name(where) == "vectors.dat" else None
    )
    names_by_index = (
        read_indexed_names(read_lines(index_file, options), index_file)
        if index_file is not None
        else {}
    )
    columns = builder.columns(first, max(last, *names_by_index, 0), names_by_index)
    column_names = (names_by_index.get(index, f"f{index}") for index in columns.tolist())
    return columns, unique_names(column_names, (columns - first + 1).tolist())
