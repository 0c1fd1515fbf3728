"""CLUTO: a header `n m nnz`, then one line of `index value` pairs per document, indices from 1.

Labels are in `.rclass` next to the matrix, one per line; names of columns in `.clabel`.
"""

from __future__ import annotations

import re
from os import fspath
from pathlib import Path

import numpy as np

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import (
    COMPRESSED,
    MAX_COLUMN,
    parse_column,
    shortened,
    sibling_file,
    stem,
    uncompressed_name,
    unique_names,
)
from laconic.corpus.readers.svmlight import NamedColumns, parse_finite
from laconic.errors import CorpusError

WHOLE = re.compile(r"[0-9]{1,18}")


def read_cluto(where: Where, options: ReadOptions) -> Corpus:
    """The matrix `where` with its labels and, if present, the names of its columns."""
    builder = CorpusBuilder(where, options, multilabel=False)
    numbered = read_lines(where, options, notes=builder.notes)
    n_docs, n_terms, n_values = _header(next(numbered)[1], where)
    labels = _labels(where, options, n_docs)
    documents = n_read = 0
    for line, text in numbered:
        if documents == n_docs and not text.strip():
            continue
        if documents == n_docs:
            raise _miscounted(f"{n_docs:,} documents", "more", where, line)
        indices, values = _pairs(text, n_terms, where, line)
        n_read += len(indices)
        builder.add_vector(indices, values, labels[documents], id=str(documents), line=line)
        documents += 1
    if documents < n_docs:
        raise _miscounted(f"{n_docs:,} documents", f"{documents:,}", where, 1)
    if n_read != n_values:
        raise _miscounted(f"{n_values:,} values", f"{n_read:,}", where, 1)
    columns, names = _columns(where, options, n_terms, builder)
    return builder.corpus(stem(where), vocabulary=names, columns=columns)


def _header(text: str, where: Where) -> tuple[int, int, int]:
    tokens = text.split()
    if len(tokens) == 3 and all(WHOLE.fullmatch(token) for token in tokens):
        n_docs, n_terms, n_values = map(int, tokens)
        if 0 < n_terms <= MAX_COLUMN:
            return n_docs, n_terms, n_values
    raise CorpusError(
        f"expected the numbers of documents, terms (1 to {MAX_COLUMN:,}) and values, but found "
        f"{shortened(text)}. Only CLUTO's sparse matrices, which begin with three numbers, are "
        "supported; its graphs and dense matrices are not.",
        where=where,
        line=1,
    )


def _miscounted(declared: str, actual: str, where: Where, line: int) -> CorpusError:
    return CorpusError(
        f"the header declares {declared}, but found {actual}. Fix the header, or get the complete "
        "file.",
        where=where,
        line=line,
    )


def _pairs(text: str, n_terms: int, where: Where, line: int) -> tuple[list[int], list[float]]:
    tokens = text.split()
    indices, values = [], []
    for token, number in zip(tokens[::2], [*tokens[1::2], ""], strict=False):
        index, value = parse_column(token), parse_finite(number)
        if index is None or not 1 <= index <= n_terms or value is None:
            raise CorpusError(
                f"expected an index from 1 to {n_terms:,} and a finite number, but found "
                f"{shortened(f'{token} {number}')}. Write pairs such as `12 1`.",
                where=where,
                line=line,
            )
        indices.append(index)
        values.append(value)
    return indices, values


def _labels(where: Where, options: ReadOptions, n_docs: int) -> list[tuple[str, ...]]:
    name = uncompressed_name(where) + ".rclass"
    file = sibling_file(where, name)
    if file is None:
        raise CorpusError(
            f"the labels file {name}, plain or compressed, was not found. "
            "Put it next to the matrix, with one label per line.",
            where=where,
        )
    labels = _stripped_lines(file, options)
    while len(labels) > n_docs and not labels[-1]:
        labels.pop()
    if len(labels) != n_docs:
        raise CorpusError(
            f"expected {n_docs:,} labels, one per document of the matrix, but found "
            f"{len(labels):,}. Write one label per line.",
            where=file,
        )
    return [(label,) if label else () for label in labels]


def _columns(
    where: Where, options: ReadOptions, n_terms: int, builder: CorpusBuilder
) -> NamedColumns:
    names_file = sibling_file(where, uncompressed_name(where) + ".clabel")
    if names_file is not None:
        names = _stripped_lines(names_file, options)
        if len(names) == n_terms:
            return np.arange(1, n_terms + 1), unique_names(names)
        raise CorpusError(
            f"expected {n_terms:,} names, one per column of the matrix, but found "
            f"{len(names):,}. Write one name per line.",
            where=names_file,
        )
    matches = [
        (file.name, names)
        for file in _shared_name_files(where)
        if len(names := _stripped_lines(file, options)) == n_terms
    ]
    if len(matches) != 1:
        columns = builder.columns(1, n_terms)
        return columns, [str(index) for index in columns.tolist()]
    name, names = matches[0]
    builder.notes.append(
        f"column names are taken from {name}, which has as many lines as the matrix has columns"
    )
    return np.arange(1, n_terms + 1), unique_names(names)


def _shared_name_files(where: Where) -> list[Path]:
    """Files of column names that several matrices share, such as la1 and la2."""
    suffixes = tuple(f"clabel{suffix}" for suffix in ("", *COMPRESSED))
    folder = Path(fspath(where)).parent
    return sorted(
        file
        for file in folder.iterdir()
        if file.name.endswith(suffixes) and ".mat.clabel" not in file.name
    )


def _stripped_lines(file: Path, options: ReadOptions) -> list[str]:
    return [text.strip() for _, text in read_lines(file, options)]
