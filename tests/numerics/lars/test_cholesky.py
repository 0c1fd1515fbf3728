from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from laconic.numerics.lars.cholesky import Factor

ELEMENTS = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 3.0])


def grown(H, capacity=2):
    """A factor that has met the columns of H one after the other."""
    factor = Factor(capacity)
    for size in range(H.shape[0]):
        assert factor.append(H[:size, size].copy(), H[size, size])
    return factor


def assert_factor_of(factor, H):
    np.testing.assert_allclose(np.triu(factor.U), linalg.cholesky(H), atol=1e-9)


@given(st.data())
def test_after_any_sequence_of_events_it_is_the_factor_of_the_matrix(data):
    """The matrix is kept by its definition, alpha·I + Σ xx' over the rows that are in."""
    alpha = data.draw(st.sampled_from([0.1, 1.0]))
    rows = [np.zeros(0)] * 4
    inside = [True] * 4
    factor, size = Factor(1), 0
    for event in data.draw(st.lists(st.sampled_from(["append", "flip", "flip"]), max_size=25)):
        if event == "append":
            rows = [np.append(row, data.draw(ELEMENTS)) for row in rows]
            size += 1
            H = expected(rows, inside, alpha, size)
            assert factor.append(H[:-1, -1].copy(), H[-1, -1])
        else:
            which = data.draw(st.integers(0, 3))
            if inside[which]:
                assert factor.downdate(rows[which])
            else:
                factor.update(rows[which])
            inside[which] = not inside[which]
        assert factor.size == size
        assert_factor_of(factor, expected(rows, inside, alpha, size))


def expected(rows, inside, alpha, size):
    H = alpha * np.eye(size)
    for row, is_in in zip(rows, inside, strict=True):
        H += is_in * np.outer(row, row)
    return H


def test_a_solution_solves():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(30, 9))
    H, b = B.T @ B, rng.normal(size=9)
    factor = grown(H)
    np.testing.assert_allclose(factor.solve(b), np.linalg.solve(H, b), rtol=1e-10)
    assert factor.leverage(b) == pytest.approx(b @ np.linalg.solve(H, b), rel=1e-10)


def test_a_dependent_column_is_refused_and_nothing_changes():
    B = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 2.0], [1.0, 1.0, 2.0]])
    H = B.T @ B
    factor = grown(H[:2, :2])
    before = factor.U.copy()
    assert not factor.append(H[:2, 2].copy(), H[2, 2])
    assert factor.size == 2
    np.testing.assert_array_equal(factor.U, before)


@pytest.mark.parametrize(("share", "accepted"), [(1e-10, False), (1e-7, True)])
def test_a_pivot_is_judged_against_its_diagonal_entry(share, accepted):
    for scale in (1e-6, 1.0, 1e6):
        factor = grown(np.array([[scale]]))
        assert factor.append(np.array([scale * np.sqrt(1 - share)]), scale) is accepted


def test_a_row_of_leverage_1_is_refused_and_nothing_changes():
    rows = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    factor = grown(rows.T @ rows)
    assert factor.leverage(rows[1]) == pytest.approx(1.0)
    before = np.triu(factor.U)
    assert not factor.downdate(rows[1])
    np.testing.assert_array_equal(np.triu(factor.U), before)
    assert factor.downdate(rows[0])
    assert_factor_of(factor, rows[1:].T @ rows[1:])


def test_vectors_are_not_changed():
    factor = grown(3.0 * np.eye(4))
    x = np.array([0.0, 1.0, 0.5, -0.5])
    kept = x.copy()
    factor.update(x)
    factor.solve(x)
    factor.leverage(x)
    assert factor.downdate(x)
    np.testing.assert_array_equal(x, kept)


def test_replacing_refuses_what_is_not_positive_definite():
    factor = grown(3.0 * np.eye(2))
    assert factor.replace(np.array([[4.0, 1.0], [1.0, 2.0]]))
    assert_factor_of(factor, np.array([[4.0, 1.0], [1.0, 2.0]]))
    assert not factor.replace(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert_factor_of(factor, np.array([[4.0, 1.0], [1.0, 2.0]]))


def test_a_thousand_events_leave_ten_digits():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 20)) * (rng.random((60, 20)) < 0.3)
    factor = grown(0.5 * np.eye(20) + rows.T @ rows)
    inside = np.ones(60, dtype=bool)
    for which in rng.integers(0, 60, 1000):
        if inside[which]:
            assert factor.downdate(rows[which])
        else:
            factor.update(rows[which])
        inside[which] = ~inside[which]
    H = 0.5 * np.eye(20) + rows[inside].T @ rows[inside]
    np.testing.assert_allclose(np.triu(factor.U), linalg.cholesky(H), atol=1e-10)
