"""CLUTO: a header `n m nnz`, then a line of `index value` pairs for each document, from 1.

Labels lie beside the matrix in `.rclass`, a line a document; names of columns in `.clabel`.
"""

from __future__ import annotations

import re
from os import fspath
from pathlib import Path

import numpy as np

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.columns import (
    COMPRESSED,
    MOST_COLUMNS,
    beside,
    clipped,
    column_of,
    distinct,
    plain_name,
    stem,
)
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.opening import lines
from laconic.corpus.formats.svmlight import Columns, finite
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

WHOLE = re.compile(r"[0-9]{1,18}")


def read_cluto(where: Where, reading: ReadOptions) -> Corpus:
    """The matrix `where` with its labels and, if they are there, the names of its columns."""
    gathering = CorpusBuilder(where, reading, multilabel=False)
    numbered = lines(where, reading, notes=gathering.notes)
    n_docs, n_terms, n_values = _header(next(numbered)[1], where)
    labels = _labels(where, reading, n_docs)
    documents = n_found = 0
    for line, text in numbered:
        if documents == n_docs and not text.strip():
            continue
        if documents == n_docs:
            raise _miscounted(f"{n_docs:,} documents", "more", where, line)
        indices, values = _pairs(text, n_terms, where, line)
        n_found += len(indices)
        gathering.add_vector(indices, values, labels[documents], id=str(documents), line=line)
        documents += 1
    if documents < n_docs:
        raise _miscounted(f"{n_docs:,} documents", f"{documents:,}", where, 1)
    if n_found != n_values:
        raise _miscounted(f"{n_values:,} values", f"{n_found:,}", where, 1)
    columns, names = _columns(where, reading, n_terms, gathering)
    return gathering.corpus(stem(where), vocabulary=names, columns=columns)


def _header(text: str, where: Where) -> tuple[int, int, int]:
    tokens = text.split()
    if len(tokens) == 3 and all(WHOLE.fullmatch(token) for token in tokens):
        n_docs, n_terms, n_values = map(int, tokens)
        if 0 < n_terms <= MOST_COLUMNS:
            return n_docs, n_terms, n_values
    raise CorpusError(
        f"the numbers of documents, of terms (1 to {MOST_COLUMNS:,}) and of values were expected, "
        f"but found {clipped(text)}. Only CLUTO's sparse matrices are read, which begin with three "
        "numbers; its graphs and dense matrices are not.",
        where=where,
        line=1,
    )


def _miscounted(promised: str, found: str, where: Where, line: int) -> CorpusError:
    return CorpusError(
        f"the header promises {promised}, but found {found}. Mend the header, or get the whole "
        "file.",
        where=where,
        line=line,
    )


def _pairs(text: str, n_terms: int, where: Where, line: int) -> tuple[list[int], list[float]]:
    tokens = text.split()
    indices, values = [], []
    for token, number in zip(tokens[::2], [*tokens[1::2], ""], strict=False):
        index, value = column_of(token), finite(number)
        if index is None or not 1 <= index <= n_terms or value is None:
            raise CorpusError(
                f"an index from 1 to {n_terms:,} and a finite number were expected, but found "
                f"{clipped(f'{token} {number}')}. Write pairs such as `12 1`.",
                where=where,
                line=line,
            )
        indices.append(index)
        values.append(value)
    return indices, values


def _labels(where: Where, reading: ReadOptions, n_docs: int) -> list[tuple[str, ...]]:
    name = plain_name(where) + ".rclass"
    file = beside(where, name)
    if file is None:
        raise CorpusError(
            f"labels were looked for in {name}, plain or compressed, but it is not there. "
            "Put it beside the matrix, with one label a line.",
            where=where,
        )
    labels = [text.strip() for _, text in lines(file, reading)]
    while len(labels) > n_docs and not labels[-1]:
        labels.pop()
    if len(labels) != n_docs:
        raise CorpusError(
            f"{n_docs:,} labels were expected, as the matrix has documents, but found "
            f"{len(labels):,}. Write one label a line.",
            where=file,
        )
    return [(label,) if label else () for label in labels]


def _columns(where: Where, reading: ReadOptions, n_terms: int, gathering: CorpusBuilder) -> Columns:
    own = beside(where, plain_name(where) + ".clabel")
    if own is not None:
        names = _lines_of(own, reading)
        if len(names) == n_terms:
            return np.arange(1, n_terms + 1), distinct(names)
        raise CorpusError(
            f"{n_terms:,} names were expected, as the matrix has columns, but found "
            f"{len(names):,}. Write one name a line.",
            where=own,
        )
    fitting = [
        (file.name, names)
        for file in _shared(where)
        if len(names := _lines_of(file, reading)) == n_terms
    ]
    if len(fitting) != 1:
        columns = gathering.columns(1, n_terms)
        return columns, [str(index) for index in columns.tolist()]
    name, names = fitting[0]
    gathering.notes.append(f"names of columns are from {name}, which has as many lines")
    return np.arange(1, n_terms + 1), distinct(names)


def _shared(where: Where) -> list[Path]:
    """Names that belong to no matrix of their own: those of several matrices, such as la1, la2."""
    endings = tuple(f"clabel{ending}" for ending in ("", *COMPRESSED))
    folder = Path(fspath(where)).parent
    return sorted(
        file
        for file in folder.iterdir()
        if file.name.endswith(endings) and ".mat.clabel" not in file.name
    )


def _lines_of(file: Path, reading: ReadOptions) -> list[str]:
    return [text.strip() for _, text in lines(file, reading)]
