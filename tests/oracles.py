"""Slow, obvious twins of the kernels, written from the definitions."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
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
    if norm == "selected":
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


def span_by_svd(X):
    """U, Σ, V of X' with the directions that numpy calls rank."""
    U, sigma, Vt = np.linalg.svd(X.T, full_matrices=False)
    rank = np.linalg.matrix_rank(X)
    return U[:, :rank], sigma[:rank], Vt[:rank].T


def rls_in_dual(X, T, y, alpha):
    """w̃ = S X'(X S X' + λI)⁻¹ y, the lifted RLS behind the map T (eq. 5 and 8)."""
    S = T @ T.T
    return S @ X.T @ np.linalg.solve(X @ S @ X.T + alpha * np.eye(len(X)), y)


def conformal_by_counting(scores, confidence):
    """The smallest score that at least (n + 1)·confidence of all scores do not exceed."""
    for score in sorted(scores):
        if sum(other <= score for other in scores) >= (len(scores) + 1) * confidence - 1e-9:
            return score
    return np.inf


def floor_by_subsets(w, size):
    """The least ‖w − w̃‖ over every model of `size` words: what it leaves out."""
    return min(
        np.linalg.norm(np.delete(w, list(kept))) for kept in combinations(range(len(w)), size)
    )


def cannot_change_by_pairs(
    values, coef, intercept, small_coef, small_intercept, length, rule, slack=0.0
):
    """Whether no non-negative document of that length and these values of the small model flips."""

    def lost(w, w_small):  # the most that w_small − w can be over such documents
        return length * np.linalg.norm(np.clip(w_small - w, 0, None)) + slack

    if rule == "argmax":
        a = int(np.argmax(values))
        return all(
            values[a] - values[b]
            > lost(coef[a] - coef[b], small_coef[a] - small_coef[b])
            + (small_intercept[a] - small_intercept[b])
            - (intercept[a] - intercept[b])
            for b in range(len(values))
            if b != a
        )
    y_signed = [1 if value > 0 else -1 for value in values]
    return all(
        sign * value > lost(sign * w, sign * w_small) + sign * (b_small - b)
        for sign, value, w, w_small, b, b_small in zip(
            y_signed, values, coef, small_coef, intercept, small_intercept, strict=True
        )
    )


def leverage_by_projector(X):
    """Diagonal of the projector onto the row space; singular values up to 1e-10 count as 0."""
    return np.diag(np.linalg.pinv(X, rcond=1e-10) @ X)


def leverage_by_svd(X, rank):
    """Squared row lengths of the top right singular vectors (Dasgupta et al. 2007, eq. 22)."""
    V = np.linalg.svd(X, full_matrices=False)[2][:rank].T
    return (V**2).sum(axis=1)


def ridge_leverage_by_inverse(X, alpha):
    return np.diag(X.T @ np.linalg.inv(X @ X.T + alpha * np.eye(len(X))) @ X)


def srls(X, y, q, alpha, terms, kept_with):
    """Fig. 1 of Dasgupta et al. 2007, in its letters: rows of A and of q divided by √p̃."""
    A = X.T
    A_tilde = np.array([A[i] / np.sqrt(p) for i, p in zip(terms, kept_with, strict=True)])
    q_tilde = np.array([q[i] / np.sqrt(p) for i, p in zip(terms, kept_with, strict=True)])
    K = A_tilde.T @ A_tilde
    x_opt = np.linalg.solve(K + alpha * np.eye(len(y)), y)
    return q_tilde @ A_tilde @ x_opt


def ridge_without(X, Y, alpha, intercept, left_out):
    """Decision values of document `left_out` after training on the others, from the definition.

    The intercept, if any, is a column of ones without penalty; alpha = 0 is the pseudo-inverse.
    """
    others = np.arange(X.shape[0]) != left_out
    x_mean = X[others].mean(axis=0) if intercept else np.zeros(X.shape[1])
    y_mean = Y[others].mean(axis=0) if intercept else np.zeros(Y.shape[1])
    centred = X[others] - x_mean
    if alpha == 0:
        coef = np.linalg.pinv(centred, rcond=1e-10) @ (Y[others] - y_mean)
    else:
        columns = (Y[others] - y_mean).T
        coef = np.column_stack([ridge_by_stacking(centred, y, alpha) for y in columns])
    return (X[left_out] - x_mean) @ coef + y_mean


def leave_one_out(X, Y, alpha, intercept):
    """y_i minus what the model says of document i that was not trained on it, by refitting."""
    return np.array(
        [Y[i] - ridge_without(X, Y, alpha, intercept, i) for i in range(X.shape[0])]
    ).reshape(Y.shape)


def bss_by_algorithm_1(U, size, repeat=0.0):
    """Algorithm 1 of Paul & Drineas 2014 in its letters: every row asked, four quadratic forms.

    Returns the index and t of every step. Readings: A += t·uu'; of the candidates the longest not
    yet selected, of equals the first; a selected one where there is no other, or where the other
    has less than `repeat` times its length.
    """
    d, ell = U.shape
    delta_L, delta_U = 1.0, (1 + np.sqrt(ell / size)) / (1 - np.sqrt(ell / size))
    A, eye = np.zeros((ell, ell)), np.eye(ell)
    length = np.sqrt((U**2).sum(axis=1))
    steps = []
    for tau in range(size):
        L, B = tau - np.sqrt(size * ell), delta_U * (tau + np.sqrt(size * ell))
        values = np.linalg.eigvalsh(A)
        phi = [(1 / (values - at)).sum() for at in (L, L + delta_L)]
        phi_hat = [(1 / (at - values)).sum() for at in (B, B + delta_U)]
        low = np.linalg.inv(A - (L + delta_L) * eye)
        high = np.linalg.inv((B + delta_U) * eye - A)
        lower, upper = np.empty(d), np.empty(d)
        for i, u in enumerate(U):
            lower[i] = u @ low @ low @ u / (phi[1] - phi[0]) - u @ low @ u
            upper[i] = u @ high @ high @ u / (phi_hat[0] - phi_hat[1]) + u @ high @ u
        candidates = [i for i in range(d) if length[i] > 0 and upper[i] <= lower[i]]
        taken = {i for i, _ in steps}
        fresh = [i for i in candidates if i not in taken]
        old = [i for i in candidates if i in taken]
        pool = fresh
        if not fresh or (old and length[fresh].max() < repeat * length[old].max()):
            pool = old
        longest = max(length[i] for i in pool)
        chosen = min(i for i in pool if length[i] >= longest * (1 - 1e-9))
        t = 2 / (upper[chosen] + lower[chosen])
        A = A + t * np.outer(U[chosen], U[chosen])
        steps.append((chosen, t))
    return steps
