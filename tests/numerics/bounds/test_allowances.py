"""Proposition 12: models that miss their equations are as near to the exact ones as it says."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.numerics.bounds.allowances import Allowance, EquationResiduals


@pytest.mark.parametrize("seed", range(20))
def test_n3_residuals_bound_the_distance_to_exact_models(seed):
    rng = np.random.default_rng(seed)
    X, T, y = rng.normal(size=(5, 7)), rng.normal(size=(7, 3)), rng.normal(size=5)
    alpha = 10.0 ** rng.uniform(-4, 2)
    Z = X @ T
    exact = T @ np.linalg.solve(Z.T @ Z + alpha * np.eye(3), Z.T @ y)
    small = exact + rng.normal(size=7) * 10.0 ** rng.uniform(-6, 1)
    omega = np.linalg.lstsq(T, small, rcond=None)[0]
    rho = Z.T @ (y - X @ small) - alpha * omega
    missed = EquationResiduals(
        0.0, float(np.linalg.norm(rho)), float(np.linalg.norm(T @ omega - small))
    )
    allowed = Allowance(alpha, float(np.linalg.norm(X, 2)), float(np.linalg.norm(T, 2)), 0.0)
    assert np.linalg.norm(X @ (small - exact)) <= allowed.of_mixture(missed) * (1 + 1e-9)
    assert np.linalg.norm(small - exact) <= allowed.of_rest(missed) * (1 + 1e-9)


def test_n3_what_a_model_has_outside_its_reduction_counts_in_full():
    """X = I, the first word kept, and a weight v on the other: ρ = 0, and v is attained."""
    allowed, v = Allowance(alpha=1.0, sigma=1.0, stretch=1.0, cut=0.0), 1e-3
    assert v <= allowed.of_mixture(EquationResiduals(0.0, 0.0, v)) <= 2 * v
    assert v <= allowed.of_rest(EquationResiduals(0.0, 0.0, v)) <= 2 * v
