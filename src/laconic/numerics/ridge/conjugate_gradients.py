"""Conjugate gradients for many right-hand sides, which share their search directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import linalg

from laconic.errors import LaconicError
from laconic.types import Floats

Operator: TypeAlias = Callable[[Floats], Floats]

# Residual norm, relative to that of the right-hand side.
TOLERANCE = 1e-10
# Regularized problems of text take about 20 to 100 steps.
MAX_STEPS = 500


def solve(apply: Operator, B: Floats) -> Floats:
    """A⁻¹B, where `apply` is V -> A V, symmetric positive definite on a subspace that holds B.

    Block conjugate gradients; residuals are stored as Q·F with orthonormal Q, so right-hand sides
    that converge before the others do no harm (Dubrulle 2001, algorithm BCGrQ).
    """
    Z = np.zeros_like(B)
    Q, F = _orthonormal(B)
    P = Q
    target = TOLERANCE * linalg.norm(F, axis=0)
    for _ in range(MAX_STEPS):
        AP = apply(P)
        factor = _factor(P.T @ AP)
        Z += P @ linalg.cho_solve(factor, F)
        Q, R = _orthonormal(Q - AP @ linalg.cho_solve(factor, np.eye(P.shape[1])))
        F = R @ F
        if (linalg.norm(F, axis=0) <= target).all():
            return Z
        P = Q + P @ R.T
    raise LaconicError(
        f"S_w + λI is so ill-conditioned that {MAX_STEPS} steps of conjugate gradients do not "
        "converge. Give a larger reg"
    )


def _orthonormal(V: Floats) -> tuple[Floats, Floats]:
    Q, R = linalg.qr(V, mode="economic", check_finite=False)
    return np.ascontiguousarray(Q), R


def _factor(S: Floats) -> tuple[Floats, bool]:
    try:
        factor: tuple[Floats, bool] = linalg.cho_factor((S + S.T) / 2)
    except linalg.LinAlgError:
        raise _singular() from None
    return factor


def _singular() -> LaconicError:
    return LaconicError(
        "documents vary too little within their classes: S_w + λI has no usable inverse. Give "
        "a larger reg, or more documents."
    )
