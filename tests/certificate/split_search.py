"""Hill climbing towards documents and models that break the suprema of self-contained models.

What is attained is computed in extended precision, from the definition of a decision value: each
row divides the document by its length over the words that the row reads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from laconic import LinearModel
from laconic.certificate.self_contained import SplitPair
from tests.certificate.cases import RNG

RULES = ("sign", "argmax", "labels")
CLAIMS = ("up", "down", "everywhere", "leads")


@dataclass(frozen=True)
class Start:
    """Coefficients of both models over all words, the words that each row selects, documents."""

    rule: str
    full: np.ndarray
    small: np.ndarray
    intercepts: np.ndarray
    selected: np.ndarray
    documents: np.ndarray
    full_is_scaled: bool
    swapped: bool

    @property
    def models(self):
        """The full and the small model; the one with fewer words is the full one if `swapped`."""
        n_rows, n_terms = self.full.shape
        classes = np.arange(2 if self.rule == "sign" else n_rows)
        rows, columns = np.nonzero(self.selected)
        fewer = csr_array((self.small[rows, columns], (rows, columns)), self.full.shape)
        rows, columns = np.nonzero(np.ones(self.full.shape))
        stored = csr_array((self.full[rows, columns], (rows, columns)), self.full.shape)
        lengths = "all" if self.full_is_scaled else "selected"
        outer = LinearModel(stored, self.intercepts[0], classes, n_terms, lengths, self.rule)
        inner = LinearModel(fewer, self.intercepts[1], classes, n_terms, "selected", self.rule)
        return (inner, outer) if self.swapped else (outer, inner)


def start(seed):
    rng = RNG(seed)
    rule = RULES[seed % 3]
    n_rows, n_terms = 1 if rule == "sign" else rng.integers(2, 4), rng.integers(1, 8)
    full = rng.normal(size=(n_rows, n_terms))
    if rng.random() < 0.3:
        full = np.abs(full) * rng.choice([-1, 1])
    weights = rng.choice([np.ones(n_terms), rng.uniform(0.2, 2.5, n_terms)])
    near = rng.choice([0.0, 0.1, 1.0])
    common = rng.random(n_terms) < rng.uniform(0.1, 1.0)
    apart = rng.random((n_rows, n_terms)) < 0.5
    return Start(
        rule=rule,
        full=full,
        small=weights * (full + near * rng.normal(size=full.shape)),
        intercepts=rng.choice([0.0, 1.0]) * rng.normal(size=(2, n_rows)),
        selected=apart if rng.random() < 0.4 else np.tile(common, (n_rows, 1)),
        documents=np.abs(rng.normal(size=(6, n_terms))) * (rng.random((6, n_terms)) < 0.7),
        full_is_scaled=bool(rng.random() < 0.5),
        swapped=bool(rng.random() < 0.2),
    )


def changed(problem, rng):
    """A little or much of the documents, and sometimes of the models."""
    step = 10.0 ** rng.uniform(-4, 0.5)
    shape = problem.documents.shape
    factors = np.exp(step * rng.normal(size=shape) * (rng.random(shape) < 0.5))
    documents = problem.documents * factors + 1e-3 * step * (rng.random(shape) < 0.1)
    parts = {"documents": np.where(rng.random(shape) < 0.03, 0.0, documents)}
    if rng.random() < 0.2:
        name = rng.choice(["full", "small", "intercepts"])
        value = getattr(problem, name)
        parts[name] = value + 0.1 * step * rng.normal(size=value.shape)
    return replace(problem, **parts)


def decisions(model, documents):
    """Decision values in extended precision, for documents of length 1 over all words."""
    coef = csr_array(model.coef)
    whole = np.sqrt(np.square(documents).sum(axis=1, keepdims=True))
    X = np.divide(documents, whole, out=np.zeros_like(documents), where=whole > 0)
    values = np.zeros((len(X), coef.shape[0]), dtype=np.longdouble)
    for row in range(coef.shape[0]):
        entries = slice(coef.indptr[row], coef.indptr[row + 1])
        part = X[:, coef.indices[entries]]
        lengths = np.sqrt(np.square(part).sum(axis=1)) if model.normalize == "selected" else 1.0
        products = part @ coef.data[entries].astype(np.longdouble)
        values[:, row] = np.where(lengths > 0, products / np.where(lengths > 0, lengths, 1), 0)
    return values + model.intercept


def excess(problem):
    """For each claim the largest attained value minus its bound; positive where it is violated."""
    full, small = problem.models
    pair = SplitPair.read(full, small)
    documents = np.vstack([problem.documents, 0 * problem.documents[:1]]).astype(np.longdouble)
    before, after = decisions(full, documents), decisions(small, documents)
    change = after - before
    mixed = documents * np.where(np.arange(documents.size).reshape(documents.shape) % 3, 1, -1)
    of_mixed = np.abs(decisions(small, mixed) - decisions(full, mixed))
    found = {
        "up": float((change - pair.text.up).max()),
        "down": float((-change - pair.text.down).max()),
        "everywhere": float((of_mixed - pair.everywhere()).max()),
    }
    if problem.rule == "argmax":
        lost = change[:, :, None] - change[:, None, :]
        found["leads"] = float(
            (lost - pair.text.leads)[:, ~np.eye(len(full.coef.indptr) - 1, dtype=bool)].max()
        )
    margin = _margins(after, problem.rule)
    flipped = _decided(before, problem.rule) != _decided(after, problem.rule)
    sure = margin > pair.text.margin(problem.rule)
    assert not (flipped.any(axis=1) & sure).any(), problem
    return found


def _margins(values, rule):
    if rule != "argmax":
        return np.abs(values).min(axis=1)
    ordered = np.sort(values, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def _decided(values, rule):
    return values.argmax(axis=1)[:, None] if rule == "argmax" else values > 0


def climb(seed, steps):
    """The largest excess of every claim on the way from a start up one of them, and the top."""
    rng, best = RNG((seed, 1)), start(seed)
    claim = CLAIMS[seed // 3 % 3] if best.rule != "argmax" else CLAIMS[seed // 3 % 4]
    worst = dict(found := excess(best))
    for _ in range(steps):
        problem = changed(best, rng)
        tried = excess(problem)
        worst = {name: max(tried[name], worst[name]) for name in tried}
        if tried[claim] >= found[claim]:
            best, found = problem, tried
    return best, claim, worst
