"""Decision values of weighted documents, word by word, for serving a model.

Coefficients are stored by word: those of word w are `coef[firsts[w]:firsts[w + 1]]`, and entry i
belongs to class `rows[i]`, ascending within a word.
"""

from __future__ import annotations

import numpy as np

from laconic.numerics.text import numpy_kernels
from laconic.numerics.text.compiled import compiled
from laconic.types import Floats, Int32s, Int64s


@compiled(numpy_kernels.linear_decisions)
def linear_decisions(
    columns: Int32s,
    weights: Floats,
    starts: Int64s,
    firsts: Int64s,
    rows: Int32s,
    coef: Floats,
    n_rows: int,
    normalize_selected: bool,
) -> Floats:
    """Sums of weight times coefficient for each document and class, without intercepts.

    With `normalize_selected` values are divided by the length over the class's selected words; 0
    for a document without any.
    """
    n_docs = starts.size - 1
    values = np.zeros((n_docs, n_rows))
    squares = np.zeros(n_rows)
    for doc in range(n_docs):
        line, common = values[doc], 0.0
        squares[:] = 0.0
        for at in range(starts[doc], starts[doc + 1]):
            weight, first, end = weights[at], firsts[columns[at]], firsts[columns[at] + 1]
            if end - first == n_rows:
                # all classes have the word: no rows to look up, so the loop is vectorised
                word_coef = coef[first:end]
                common += weight * weight
                for row in range(word_coef.size):
                    line[row] += weight * word_coef[row]
                continue
            for entry in range(first, end):
                line[rows[entry]] += weight * coef[entry]
                squares[rows[entry]] += weight * weight
        if normalize_selected:
            for row in range(n_rows):
                square = squares[row] + common
                line[row] = line[row] / np.sqrt(square) if square > 0.0 else 0.0
    return values
