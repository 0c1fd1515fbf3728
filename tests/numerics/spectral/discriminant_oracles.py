"""Discriminant analysis from its definitions, dense and a document at a time."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def scatter_by_documents(X, H):
    """S_w and S_b: covariances of classes, divided by N_c, and of class means, by shares N_c/N."""
    n_terms = X.shape[1]
    counts = H.sum(axis=0)
    total = counts.sum()
    means = [sum(h * x for h, x in zip(H[:, c], X, strict=True)) / n for c, n in enumerate(counts)]
    middle = sum(n * mean for n, mean in zip(counts, means, strict=True)) / total
    S_w, S_b = np.zeros((n_terms, n_terms)), np.zeros((n_terms, n_terms))
    for c, (n, mean) in enumerate(zip(counts, means, strict=True)):
        covariance = np.zeros((n_terms, n_terms))
        for h, x in zip(H[:, c], X, strict=True):
            covariance += h * np.outer(x - mean, x - mean) / n
        S_w += n / total * covariance
        S_b += n / total * np.outer(mean - middle, mean - middle)
    return S_w, S_b


def directions_by_eigh(X, H, reg, size):
    """S_b w = θ(S_w + λI)w with w'(S_w + λI)w = 1, block after block in the complement."""
    S_w, S_b = scatter_by_documents(X, H)
    S = S_w + reg * np.trace(S_w) / X.shape[1] * np.eye(X.shape[1])
    found, ratios = np.empty((X.shape[1], 0)), np.empty(0)
    while found.shape[1] < size:
        free = linalg.null_space(found.T) if found.shape[1] else np.eye(X.shape[1])
        values, vectors = linalg.eigh(free.T @ S_b @ free, free.T @ S @ free)
        above = np.flatnonzero(values > 1e-9 * values.max())[::-1]
        found = np.hstack([found, free @ vectors[:, above]])
        ratios = np.concatenate([ratios, values[above]])
    return found, ratios
