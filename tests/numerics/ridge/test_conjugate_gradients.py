from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.numerics.ridge import conjugate_gradients as conjugate
from laconic.numerics.ridge.conjugate_gradients import solve


@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 99), st.sampled_from([1.0, 1e4]))
def test_solutions_are_those_of_a_dense_solver(n, n_sides, seed, condition):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A = (basis * np.geomspace(1.0, condition, n)) @ basis.T
    B = rng.normal(size=(n, min(n_sides, n)))
    np.testing.assert_allclose(solve(lambda V: A @ V, B), np.linalg.solve(A, B), atol=1e-7)


def test_sides_that_are_solved_at_once_do_no_harm_to_the_others():
    """An eigenvector is solved in one step; the others of its block take many."""
    rng = np.random.default_rng(0)
    d = np.geomspace(1.0, 1e3, 200)
    B = np.column_stack([np.eye(200)[:, 7], rng.normal(size=(200, 3)), np.eye(200)[:, 90]])
    np.testing.assert_allclose(solve(lambda V: d[:, None] * V, B), B / d[:, None], atol=1e-9)


def test_they_share_their_search(monkeypatch):
    """20 sides with 20 eigenvalues: one side alone needs 20 steps, all of them one."""
    d = np.repeat(np.arange(1.0, 21.0), 5)
    B = np.random.default_rng(0).normal(size=(100, 20))
    monkeypatch.setattr(conjugate, "MAX_STEPS", 6)
    np.testing.assert_allclose(solve(lambda V: d[:, None] * V, B), B / d[:, None], atol=1e-9)
    with pytest.raises(LaconicError, match="larger reg"):
        solve(lambda V: d[:, None] * V, B[:, :1])


def test_what_has_no_inverse_is_refused():
    with pytest.raises(LaconicError, match="larger reg"):
        solve(lambda V: np.diag([1.0, -1.0]) @ V, np.eye(2))


def test_what_is_too_ill_conditioned_says_so(monkeypatch):
    monkeypatch.setattr(conjugate, "MAX_STEPS", 2)
    A = np.diag(np.logspace(0, 8, 40))
    with pytest.raises(LaconicError, match=r"2 steps of conjugate gradients.*larger reg"):
        conjugate.solve(lambda V: A @ V, np.ones((40, 1)))
