"""Rotations against the criteria from their definitions, and against every turn of two columns."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.numerics.spectral.rotation import flip_to_positive_tails, maximize_skewness, varimax

ANGLES = np.linspace(0, np.pi, 181)
ROTATIONS = [varimax, maximize_skewness]


def varimax_criterion(B):
    """Kaiser's raw criterion, entry by entry: the variance of the squares in each column."""
    n_terms, rank = B.shape
    total = 0.0
    for j in range(rank):
        fourth = sum(B[i, j] ** 4 for i in range(n_terms)) / n_terms
        second = sum(B[i, j] ** 2 for i in range(n_terms)) / n_terms
        total += fourth - second**2
    return total


def skewness_criterion(Z):
    """The squared third central moments, document by document."""
    total = 0.0
    for column in Z.T:
        mean = sum(column) / len(column)
        total += (sum((value - mean) ** 3 for value in column) / len(column)) ** 2
    return total


CRITERION = {varimax: varimax_criterion, maximize_skewness: skewness_criterion}


def plane(rank, i, j, angle):
    """The rotation of columns i and j."""
    R = np.eye(rank)
    R[[i, j], [i, j]] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def orthogonal(rank, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(rank, rank)))[0]


def matrices(max_rows=9, max_columns=4):
    shape = st.tuples(st.integers(1, max_rows), st.integers(1, max_columns))
    numbers = st.sampled_from([0.0, 0.0, 1.0, -1.0, 2.0, 0.3, -5.0])
    return shape.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=numbers))


def same_columns(found, expected, atol):
    """Up to the order of columns and their signs."""
    turn = found.T @ expected
    order = np.abs(turn).argmax(axis=0)
    assert sorted(order) == list(range(expected.shape[1]))
    signs = np.sign(turn[order, np.arange(order.size)])
    np.testing.assert_allclose(found[:, order] * signs, expected, atol=atol)


@pytest.mark.parametrize("rotation", ROTATIONS)
@given(A=matrices())
def test_no_turn_of_two_columns_is_better(rotation, A):
    criterion, rank = CRITERION[rotation], A.shape[1]
    R = rotation(A)
    np.testing.assert_allclose(R.T @ R, np.eye(rank), atol=1e-13)
    reached = criterion(A @ R)
    scale = max(1.0, np.abs(A).max()) ** (4 if rotation is varimax else 6)
    assert reached >= criterion(A) - 1e-10 * scale
    for i, j in combinations(range(rank), 2):
        for angle in ANGLES[::4]:
            turned = A @ R @ plane(rank, i, j, angle)
            assert criterion(turned) <= reached + 1e-10 * scale


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("seed", range(5))
def test_two_columns_reach_the_best_of_all_angles(rotation, seed):
    A = np.random.default_rng(seed).exponential(size=(30, 2))
    criterion = CRITERION[rotation]
    best = max(criterion(A @ plane(2, 0, 1, angle)) for angle in ANGLES)
    reached = criterion(A @ rotation(A))
    assert best <= reached
    # half a degree from the top, a wave of four periods a turn has lost less than 0.1 %
    assert reached - best < 1e-3 * reached


@pytest.mark.parametrize("rotation", ROTATIONS)
@given(Z=matrices())
def test_distances_stay(rotation, Z):
    R = flip_to_positive_tails(Z, rotation(Z))
    turned = Z @ R
    for a, b in combinations(range(len(Z)), 2):
        before = np.linalg.norm(Z[a] - Z[b])
        assert np.linalg.norm(turned[a] - turned[b]) == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_varimax_finds_words_that_belong_to_one_direction_each(seed):
    """A perfectly simple structure, turned away, with one direction stronger than another."""
    rng = np.random.default_rng(seed)
    simple = np.zeros((40, 5))
    simple[np.arange(40), np.arange(40) % 5] = rng.choice([-1, 1], 40) * rng.uniform(0.5, 1, 40)
    simple *= [3.0, 1.0, 1.0, 0.5, 2.0]
    A = simple @ orthogonal(5, seed)
    same_columns(A @ varimax(A), simple, atol=1e-6)


def test_varimax_agrees_with_the_iteration_by_singular_vectors():
    """The other algorithm of the literature: R ← polar factor of A'(B³ − B·mean b²)."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.4) @ orthogonal(4, 1)
    R = np.eye(4)
    for _ in range(3000):
        B = A @ R
        U, _, Vt = np.linalg.svd(A.T @ (B**3 - B * np.mean(B**2, axis=0)))
        R = U @ Vt
    assert varimax_criterion(A @ R) > 1.05 * varimax_criterion(A)
    same_columns(A @ varimax(A), A @ R, atol=1e-5)


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_skewness_finds_independent_lopsided_sources(rank):
    """Every combination of values once is exactly independent; each source has a tail of its own.

    Variances are 1, so that the coordinates are white.
    """
    S = np.array(list(product([-1.0, -1.0, 2.0], repeat=rank))) / np.sqrt(2)
    S[:, 0] *= -1
    Z = S @ orthogonal(rank, rank) + 7.0
    R = flip_to_positive_tails(Z, maximize_skewness(Z))
    found = (Z - Z.mean(axis=0)) @ R
    S[:, 0] *= -1
    same_columns(found, S, atol=1e-6)
    np.testing.assert_allclose(np.mean(found**3, axis=0), 1 / np.sqrt(2), atol=1e-6)


@given(Z=matrices())
def test_the_long_tail_is_at_the_positive_end(Z):
    R = orthogonal(Z.shape[1], 2)
    flipped = flip_to_positive_tails(Z, R)
    moments = np.mean(((Z - Z.mean(axis=0)) @ flipped) ** 3, axis=0)
    assert (moments >= -1e-12 * max(1.0, np.abs(Z).max()) ** 3).all()
    np.testing.assert_array_equal(np.abs(flipped), np.abs(R))


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_the_scale_does_not_matter(rotation, scale):
    A = np.random.default_rng(1).exponential(size=(25, 4))
    np.testing.assert_allclose(rotation(A * scale), rotation(A), atol=1e-5)


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize(
    "A",
    [
        np.zeros((5, 3)),
        np.ones((1, 3)),
        np.ones((4, 1)),
        np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]),
        np.column_stack([np.cos(np.arange(24) * np.pi / 12), np.sin(np.arange(24) * np.pi / 12)]),
    ],
    ids=["zeros", "one document", "one column", "square", "circle"],
)
def test_what_has_no_best_rotation_still_has_one(rotation, A):
    with np.errstate(all="raise"):
        R = rotation(A)
    np.testing.assert_allclose(R.T @ R, np.eye(A.shape[1]), atol=1e-13)
