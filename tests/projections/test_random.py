from __future__ import annotations

import numpy as np
import pytest

from laconic import RandomProjection
from laconic.errors import LaconicError, SizeUnavailable
from tests.strategies import text_like

KINDS = ["gaussian", "sparse"]


@pytest.mark.parametrize("kind", KINDS)
def test_squared_lengths_are_kept_on_average_at_every_size(kind):
    """300 seeds: the mean is 1 within 5 standard errors √(2/(300·n)), of either kind at most."""
    x = np.zeros((1, 50))
    x[0, ::7] = np.sqrt(1 / 8)
    for size in (2, 20):
        squares = [
            (RandomProjection(20, kind=kind, random_state=seed).fit(x).at(size).apply(x) ** 2).sum()
            for seed in range(300)
        ]
        assert abs(np.mean(squares) - 1) < 5 * np.sqrt(2 / (300 * size))


@pytest.mark.parametrize("kind", KINDS)
def test_a_smaller_size_has_the_first_columns_rescaled(kind):
    X, _ = text_like(30, 40, 3)
    large = RandomProjection(30, kind=kind, random_state=5).fit(X)
    small = RandomProjection(4, kind=kind, random_state=5).fit(X)
    np.testing.assert_array_equal(large.at(4).components, small.at(4).components)
    first = large.at(30).components[:, :4] * np.sqrt(30 / 4)
    np.testing.assert_allclose(small.at(4).components, first)
    other = RandomProjection(4, kind=kind, random_state=6).fit(X)
    assert not np.allclose(other.at(4).components, small.at(4).components)


def test_entries_are_normal_or_of_three_values():
    """4,000 entries: shares and moments within 5 standard errors."""
    x = np.ones((1, 200))
    normal = RandomProjection(20).fit(x).at(20).components * np.sqrt(20)
    assert abs(normal.mean()) < 5 / np.sqrt(4000)
    assert abs((normal**4).mean() - 3) < 5 * np.sqrt(96 / 4000)
    sparse = RandomProjection(20, kind="sparse").fit(x).at(20).components * np.sqrt(20 / 3)
    values, times = np.unique(sparse.round(12), return_counts=True)
    assert values.tolist() == [-1.0, 0.0, 1.0]
    np.testing.assert_allclose(times / 4000, [1 / 6, 2 / 3, 1 / 6], atol=5 * 0.5 / np.sqrt(4000))


def test_what_was_not_drawn_is_refused_and_said_why():
    X, _ = text_like(30, 40, 3)
    assert RandomProjection().fit(X).available_ == 30
    assert RandomProjection(35).fit(X).available_ == 35
    with pytest.raises(SizeUnavailable, match=r"Fit RandomProjection\(size=7\)"):
        RandomProjection(6).fit(X).at(7)
    with pytest.raises(SizeUnavailable, match="40 components were drawn for 40 terms"):
        RandomProjection(41).fit(X).at(41)
    with pytest.raises(SizeUnavailable, match="longest=4"):
        RandomProjection(6, longest=4).fit(X).at(5)
    with pytest.raises(LaconicError, match="kind='dense': choose from gaussian, sparse"):
        RandomProjection(kind="dense").fit(X)
