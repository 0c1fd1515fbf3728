"""Hill climbing towards documents, weights, λ, badly solved models and queries that break a bound.

What is attained is computed in extended precision from the numbers of the models. A start is a
small problem; a step changes some of its parts and stays where attained / bound has grown.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from laconic import LinearModel, Projection, Selection
from laconic.certificate import NotComputed, certify
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.ridge.solve import ridge
from tests.certificate.cases import RNG

# What `certify` accepts of a model (`spectral.TRAINED`), with a little room.
ACCEPTED = 0.9e-7
# What a start climbs; that the supremum over all documents is attained is no discovery.
CLAIMS = ("mixtures", "queries", "theorem 1", "as printed")


@dataclass(frozen=True)
class Problem:
    """X is `shape` with columns scaled by 10^`scales`, λ = 10^`log_alpha`.

    `full` and `small` are directions that the models are off by, as far as `shares` of what is
    accepted.
    """

    shape: np.ndarray
    scales: np.ndarray
    log_size: float
    log_alpha: float
    terms: np.ndarray
    weights: np.ndarray
    mixing: np.ndarray | None
    full: np.ndarray
    small: np.ndarray
    shares: np.ndarray
    queries: np.ndarray
    y: np.ndarray

    @property
    def X(self):  # noqa: N802 - a matrix
        return self.shape * 10.0 ** (self.scales + self.log_size)

    @property
    def alpha(self):
        return float(10.0 ** (self.log_alpha + 2 * self.log_size))

    @property
    def reduction(self):
        if self.mixing is not None:
            return Projection(self.mixing)
        return Selection(self.terms, self.weights, self.shape.shape[1])


def start(seed):
    """Of three kinds: anything; nearly all words as they are; small words left out, small λ."""
    problem, rng = anything(seed), RNG((seed, 2))
    n_terms = problem.shape.shape[1]
    if seed % 3 == 1:
        weights = rng.uniform(0.85, 1.2, n_terms)
        return replace(problem, terms=np.arange(n_terms), weights=weights, mixing=None)
    if seed % 3 == 2:
        scale = rng.uniform(-8.5, -7)
        scales = np.where(np.arange(n_terms) == 0, scale, 0.0)
        rest = np.arange(1, n_terms)
        small = {"terms": rest, "weights": np.ones(rest.size), "mixing": None, "log_size": 0.0}
        return replace(problem, scales=scales, log_alpha=2 * scale, **small)
    return problem


def anything(seed):
    rng = RNG(seed)
    n_docs, n_terms = rng.integers(2, 6), rng.integers(2, 7)
    size = rng.integers(1, n_terms + 1)
    shape = rng.choice([rng.normal(size=(n_docs, n_terms)), rng.integers(0, 3, (n_docs, n_terms))])
    if rng.random() < 0.3:
        shape = np.eye(n_docs, n_terms)
    n_rows = rng.choice([1, 3]) if n_docs > 2 else 1
    return Problem(
        shape=shape.astype(float),
        scales=rng.choice([0.0, -8.0, -7.5, -3.0], size=n_terms, p=[0.7, 0.1, 0.1, 0.1]),
        log_size=float(rng.choice([0, 0, 0, -6, 6, 60])),
        log_alpha=float(rng.uniform(-17, 2)),
        terms=rng.permutation(n_terms)[:size],
        weights=rng.choice([np.ones(size), rng.uniform(0.2, 2.5, size)]),
        mixing=rng.normal(size=(n_terms, size)) if rng.random() < 0.2 else None,
        full=rng.normal(size=(n_rows, n_terms)),
        small=rng.normal(size=(n_rows, n_terms)),
        shares=rng.choice([0.0, 1.0], size=2),
        queries=rng.normal(size=(3, n_terms)),
        y=np.arange(n_docs) % (2 if n_rows == 1 else 3),
    )


def changed(problem, rng):
    """One to three parts, a little or much."""
    step = 10.0 ** rng.uniform(-3, 0.3)
    names = ("shape", "scales", "log_alpha", "weights", "full", "small", "shares", "queries")
    parts = {}
    for name in rng.choice(names, size=rng.integers(1, 4), replace=False):
        value = getattr(problem, name)
        some = rng.random(np.shape(value)) < 0.5
        moved = value + step * some * rng.normal(size=np.shape(value))
        parts[name] = np.clip(moved, 0, 1) if name == "shares" else moved
    return replace(problem, **parts)


def off(w, direction, equations, share, right):
    """Coefficients moved so far that they miss their equations by a share of what is accepted."""
    missed = np.linalg.norm(direction @ equations.T, axis=1).max()
    room = share * ACCEPTED * np.linalg.norm(right, axis=0).max()
    return w + direction * (room / missed if missed > 0 else 0.0)


def models(problem):
    X, alpha = problem.X, problem.alpha
    T = np.asarray(problem.reduction.apply(np.eye(X.shape[1])))
    classes = np.unique(problem.y)
    y_signed = np.where(problem.y[:, None] == classes[-1 if classes.size == 2 else 0 :], 1.0, -1.0)
    right, diagonal = X.T @ y_signed, alpha * np.eye(X.shape[1])
    exact = ridge(X, y_signed, alpha, intercept=False).coef
    behind = ridge(X @ T, y_signed, alpha, intercept=False).coef @ T.T
    full = off(exact, problem.full, X.T @ X + diagonal, problem.shares[0], right)
    lifted, equations = T @ (T.T @ right), T @ T.T @ X.T @ X + diagonal
    small = off(behind, problem.small, equations, problem.shares[1], lifted)
    return modelled(full, classes), modelled(small, classes)


def modelled(w, classes):
    rule = "sign" if classes.size == 2 else "argmax"
    return LinearModel(w, np.zeros(len(w)), classes, w.shape[1], rule=rule)


def documents(problem, D):
    """Queries of length 1: at random, without negative entries, and along what changes most."""
    X = problem.X
    inside = D @ X.T @ X
    rest = D - D @ np.linalg.pinv(X, rcond=1e-7) @ X
    rows = np.vstack([problem.queries, np.abs(problem.queries), D, np.abs(D), inside, rest])
    lengths = np.linalg.norm(rows, axis=1)
    return rows[lengths > 0] / lengths[lengths > 0, None]


def ratio(attained, bound):
    """The largest attained / bound; 0 where nothing is attained, infinite above a bound of 0."""
    attained, bound = np.broadcast_arrays(attained, bound)
    quotients = np.where(attained > 0, np.inf, 0.0).astype(attained.dtype)
    np.divide(attained, bound, out=quotients, where=bound > 0)
    return float(np.max(quotients, initial=0.0))


def ratios(problem):
    """For each claim of the certificate the largest attained / bound; none where not computed."""
    full, small = models(problem)
    X, reduction = csr_array(problem.X), problem.reduction
    D = np.asarray(small.coef, dtype=np.longdouble) - np.asarray(full.coef, dtype=np.longdouble)
    H = documents(problem, D.astype(float))
    part = certify(full, small, X, problem.y, reduction, problem.alpha, csr_array(H))
    exact, lengths = H.astype(np.longdouble), np.linalg.norm(H, axis=1)[:, None]
    change = np.abs(exact @ D.T)
    suprema = part.suprema
    found = {"everywhere": ratio(change, lengths * np.array(suprema.everywhere) * (1 + 1e-15))}
    if isinstance(part.in_span, NotComputed):
        return found
    at_documents = np.sqrt(np.square(problem.X.astype(np.longdouble) @ D.T).sum(axis=0)).max()
    found["mixtures"] = ratio(at_documents, part.in_span.bound)
    found["attained"] = ratio(part.in_span.attained, part.in_span.bound)
    bounds = part.query_bounds
    found["queries"] = ratio(change, (bounds.in_span + bounds.off_span)[:, None])
    found["theorem 1"] = ratio(change, bounds.theorem_1)
    premise = bounds.epsilon <= 0.5
    found["as printed"] = ratio(change[premise], bounds.theorem_1_printed[premise, None])
    return found


def climb(seed, steps):
    """The largest ratio of every claim on the way from a start up one of them, and the top."""
    rng, claim = RNG((seed, 1)), CLAIMS[seed % len(CLAIMS)]
    best = start(seed)
    worst = dict(found := measured(best))
    for _ in range(steps):
        problem = changed(best, rng)
        tried = measured(problem)
        worst |= {name: max(tried[name], worst.get(name, 0.0)) for name in tried}
        if tried.get(claim, 0.0) >= found.get(claim, 0.0):
            best, found = problem, tried
    return best, worst


def measured(problem):
    """The ratios; nothing is claimed where a model cannot be trained or compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LaconicWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return ratios(problem)
        except (LaconicError, np.linalg.LinAlgError):
            return {"everywhere": 0.0}
