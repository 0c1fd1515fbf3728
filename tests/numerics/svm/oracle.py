"""A support vector machine by an interior point method, dense and in extended precision.

Mehrotra's predictor and corrector for

    min ½ ‖w‖² + Σ C_i loss(ξ_i),      y_i (x_i'w + b) + ξ_i ≥ 1,      ξ ≥ 0 for the hinge.

It has nothing in common with descent over the duals: no coordinates, no active set, no centring.
"""

from __future__ import annotations

import numpy as np

LONG = np.longdouble


def solve(M, right):
    """M⁻¹ right by elimination with pivots, in extended precision."""
    M, right = M.copy(), right.copy()
    size = len(right)
    for at in range(size):
        pivot = at + int(np.argmax(np.abs(M[at:, at])))
        if pivot != at:
            M[[at, pivot]], right[[at, pivot]] = M[[pivot, at]], right[[pivot, at]]
        share = M[at + 1 :, at] / M[at, at]
        M[at + 1 :, at:] -= share[:, None] * M[at, at:]
        right[at + 1 :] -= share * right[at]
    found = np.zeros(size, LONG)
    for at in range(size - 1, -1, -1):
        found[at] = (right[at] - M[at, at + 1 :] @ found[at + 1 :]) / M[at, at]
    return found


class InteriorPoint:
    """One problem. `pairs` are the products that must become 0: α s, and (C − α) ξ."""

    def __init__(self, X, y_signed, costs, loss, intercept):
        longest = np.sqrt((X**2).sum(axis=1)).max()
        self.unit = 2.0 ** np.round(np.log2(longest)) if longest > 0 else 1.0
        columns = [X / self.unit, np.ones((len(X), 1))] if intercept else [X / self.unit]
        self.A = np.hstack(columns).astype(LONG) * y_signed[:, None]
        self.C = costs.astype(LONG) * self.unit**2
        self.hinge, self.intercept = loss == "hinge", intercept
        self.ridge = np.ones(self.A.shape[1], LONG)
        if intercept:
            self.ridge[-1] = 0

    def solution(self):
        """w and b."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._solution()

    def _solution(self):
        n_docs, n = self.A.shape
        v, s = np.zeros(n, LONG), np.ones(n_docs, LONG)
        alphas, xi = np.minimum(self.C / 2, 0.5), np.ones(n_docs, LONG)
        for _ in range(200):
            pairs = self.pairs(alphas, s, xi)
            mu = np.mean(pairs)
            total = 0.5 * (self.ridge * v) @ v + self.lost(v)
            if mu * pairs.size <= 1e-19 * total:
                break
            state = v, alphas, s, xi
            ahead = self.step(state, -alphas * s, -(self.C - alphas) * xi)
            t = self.longest(state, ahead)
            _, *moved = (z + t * dz for z, dz in zip(state, ahead, strict=True))
            predicted = np.mean(self.pairs(*moved))
            target = mu * (predicted / mu) ** 3
            _, da, ds, dx = ahead
            step = self.step(
                state, target - alphas * s - da * ds, target - (self.C - alphas) * xi + da * dx
            )
            t = min(LONG(1), LONG(0.995) * self.longest(state, step))
            if not all(np.isfinite(dz).all() for dz in step):
                break
            v, alphas, s, xi = (z + t * dz for z, dz in zip(state, step, strict=True))
        coef = v[:-1] if self.intercept else v
        return (coef / self.unit).astype(float), float(v[-1]) if self.intercept else 0.0

    def lost(self, v):
        short = np.maximum(0, 1 - self.A @ v)
        return self.C @ (short if self.hinge else short**2)

    def pairs(self, alphas, s, xi):
        return np.concatenate([alphas * s, (self.C - alphas) * xi] if self.hinge else [alphas * s])

    def step(self, state, first, second):
        """Newton's step towards the requested changes of the products."""
        v, alphas, s, xi = state
        beta = self.C - alphas
        soft = xi / beta if self.hinge else 0.5 / self.C
        short = 1 - self.A @ v + s - (xi if self.hinge else alphas * soft)
        right = short + first / alphas - (second / beta if self.hinge else 0)
        n_docs, n = self.A.shape
        M = np.zeros((n_docs + n, n_docs + n), LONG)
        M[:n_docs, :n_docs] = np.diag(s / alphas + soft)
        M[:n_docs, n_docs:], M[n_docs:, :n_docs] = self.A, -self.A.T
        M[n_docs:, n_docs:] = np.diag(self.ridge)
        both = np.concatenate([right, self.A.T @ alphas - self.ridge * v])
        scale = 1 / np.sqrt(np.maximum(np.abs(M).max(axis=1), LONG(1e-300)))
        found = scale * solve(scale[:, None] * M * scale, scale * both)
        da, dv = found[:n_docs], found[n_docs:]
        return (
            dv,
            da,
            (first - s * da) / alphas,
            (second + xi * da) / beta if self.hinge else 0 * xi,
        )

    def longest(self, state, step):
        """How many steps until a product would be below 0."""
        _, alphas, s, xi = state
        _, da, ds, dx = step
        moves = [(alphas, da), (s, ds)]
        if self.hinge:
            moves += [(self.C - alphas, -da), (xi, dx)]
        limits = [np.min(-z[dz < 0] / dz[dz < 0], initial=1.0) for z, dz in moves]
        return min(LONG(1), *limits)
