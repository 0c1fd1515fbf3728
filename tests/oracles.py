"""Slow, obvious twins of the kernels, written from the definitions."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist

import numpy as np


def ridge_by_stacking(X, y, alpha):
    """min ‖Xw − y‖² + alpha‖w‖² as one least-squares problem with √alpha·I below X."""
    stacked = np.vstack([X, np.sqrt(alpha) * np.eye(X.shape[1])])
    return np.linalg.lstsq(stacked, np.concatenate([y, np.zeros(X.shape[1])]), rcond=None)[0]


def ltc(counts):
    """SMART ltc, a word and a document at a time."""
    n_docs, n_terms = counts.shape
    weights = np.zeros((n_docs, n_terms))
    for d in range(n_docs):
        for t in range(n_terms):
            if counts[d, t] > 0:
                df = sum(counts[e, t] > 0 for e in range(n_docs))
                weights[d, t] = (1 + np.log(counts[d, t])) * np.log(n_docs / df)
        length = np.sqrt((weights[d] ** 2).sum())
        if length > 0:
            weights[d] /= length
    return weights


def auc_by_pairs(values, truth):
    """Share of (true, false) pairs in the right order; a tie counts half."""
    won = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, is_true in zip(values, truth, strict=True)
        if is_true
        for b, is_other in zip(values, truth, strict=True)
        if not is_other
    ]
    return np.mean(won)


def best_f1_by_thresholds(values, truth):
    """The best F1 over all thresholds "at least v"."""
    best = 0.0
    for threshold in np.unique(values):
        yes = values >= threshold
        hits = (yes & truth).sum()
        best = max(best, 2 * hits / (yes.sum() + truth.sum()))
    return best


def decision_by_words(model_coef, kept, intercept, x, norm):
    """One decision value, word by word; `kept` are the columns of the class."""
    total, square = 0.0, 0.0
    for column in kept:
        total += x[column] * model_coef[column]
        square += x[column] ** 2
    if norm == "kept":
        total = total / np.sqrt(square) if square > 0 else 0.0
    return total + intercept


def cells_by_documents(has_term, in_class):
    """Documents in each cell (has the term, is of the class), one document at a time."""
    cells = Counter()
    for has, belongs in zip(has_term, in_class, strict=True):
        cells[bool(has), bool(belongs)] += 1
    return cells


def expected_by_margins(cells, has, belongs):
    """How many documents independence would put in the cell."""
    row = cells[has, True] + cells[has, False]
    column = cells[True, belongs] + cells[False, belongs]
    return Fraction(row * column, sum(cells.values()))


def information_gain_of_cells(cells):
    """Eq. 24 of Dasgupta et al. with 60 digits."""
    with localcontext(prec=60):
        gain, n_docs = Decimal(0), Decimal(sum(cells.values()))
        for (has, belongs), count in cells.items():
            if count > 0:
                expected = expected_by_margins(cells, has, belongs)
                ratio = Decimal(count * expected.denominator) / Decimal(expected.numerator)
                gain += Decimal(count) / n_docs * ratio.ln()
        return float(gain)


def chi_squared_of_cells(cells):
    """Sum of (observed − expected)² / expected in fractions; 0 where a cell cannot be filled."""
    total = Fraction(0)
    for has in (True, False):
        for belongs in (True, False):
            expected = expected_by_margins(cells, has, belongs)
            if expected == 0:
                return 0.0
            total += (cells[has, belongs] - expected) ** 2 / expected
    return float(total)


def bi_normal_separation_of_cells(cells):
    """Forman 2003, with rates within [0.0005, 0.9995]; 0 where a rate has no documents."""
    quantiles = []
    for belongs in (True, False):
        size = cells[True, belongs] + cells[False, belongs]
        if size == 0:
            return 0.0
        rate = min(max(cells[True, belongs] / size, 0.0005), 0.9995)
        quantiles.append(NormalDist().inv_cdf(rate))
    return abs(quantiles[0] - quantiles[1])
