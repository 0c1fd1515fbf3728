"""Rules 3 to 7: which documents are kept, and which parts of their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.pydocs.prose import paragraphs, without, words_of
from laconic.corpus.pydocs.sources import Docstring

COMMON = 4
MIN_WORDS = 15
SIMILAR = 0.5
MIN_DOCS = 60
MAX_DOCS = 300


def select(documents: Iterable[Docstring]) -> list[Docstring]:
    """Rules 2 to 7."""
    long = [d for d in without_boilerplate(documents) if len(words_of(d.text)) >= MIN_WORDS]
    selected = largest(distinct(long))
    names = tuple(sorted({document.label.rpartition(".")[2] for document in selected}))
    return sorted(d._replace(text=without(d.text, names)) for d in selected)


def without_boilerplate(documents: Iterable[Docstring]) -> list[Docstring]:
    """Rules 2 and 3."""
    prose = [(document, paragraphs(document)) for document in documents]
    frequency = Counter(key for _, parts in prose for key in parts)
    return [
        document._replace(
            text="\n\n".join(p for key, p in parts.items() if frequency[key] < COMMON)
        )
        for document, parts in prose
    ]


def distinct(documents: Sequence[Docstring]) -> list[Docstring]:
    """The documents without near duplicates of earlier kept documents."""
    X = _trigrams(documents)
    common = (X @ X.T).tocsr()
    length = X.sum(axis=1)
    selected = np.zeros(len(documents), dtype=bool)
    for i in range(len(documents)):
        neighbors = common.indices[common.indptr[i] : common.indptr[i + 1]]
        overlap = common.data[common.indptr[i] : common.indptr[i + 1]]
        similar = overlap >= SIMILAR * (length[i] + length[neighbors] - overlap)
        selected[i] = not selected[neighbors[similar]].any()
    return [document for document, keep in zip(documents, selected, strict=True) if keep]


def _trigrams(documents: Sequence[Docstring]) -> csr_array:
    """The occurrence (0 or 1) of three-word sequences in each document."""
    columns: dict[tuple[str, ...], int] = {}
    indices: list[int] = []
    indptr = [0]
    for document in documents:
        words = words_of(document.text)
        triples = dict.fromkeys(zip(words, words[1:], words[2:], strict=False))
        indices.extend(columns.setdefault(triple, len(columns)) for triple in triples)
        indptr.append(len(indices))
    data = np.ones(len(indices), dtype=np.int32)
    return csr_array((data, indices, indptr), shape=(len(documents), len(columns)))


def largest(documents: Sequence[Docstring]) -> list[Docstring]:
    """Rule 6: the classes, and at most `MAX_DOCS` documents of each."""
    counts = Counter(document.label for document in documents)
    selected: Counter[str] = Counter()
    chosen = []
    for document in sorted(documents, key=lambda d: hash_of(d.name)):
        selected[document.label] += 1
        if counts[document.label] >= MIN_DOCS and selected[document.label] <= MAX_DOCS:
            chosen.append(document)
    return chosen


def hash_of(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")
