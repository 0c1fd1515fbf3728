"""Slow, obvious twins of the kernels, written from the definitions."""

from __future__ import annotations

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
