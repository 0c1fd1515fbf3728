from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.numerics.thresholds import best_threshold

VALUES = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0, np.inf, -np.inf])


@st.composite
def decisions(draw):
    n_docs = draw(st.integers(1, 12))
    values = draw(hnp.arrays(np.float64, n_docs, elements=VALUES))
    return values, draw(hnp.arrays(np.float64, n_docs, elements=st.sampled_from([-1.0, 1.0])))


def f1(chosen, truth):
    return 2 * (chosen & truth).sum() / (chosen.sum() + truth.sum())


@given(decisions())
def test_no_threshold_is_better(drawn):
    values, y_signed = drawn
    found = best_threshold(values, y_signed)
    assert np.isfinite(found)
    if not (y_signed > 0).any():
        assert found == 0.0
        return
    best = f1(values > found, y_signed > 0)
    assert (
        best >= max(f1(values > other, y_signed > 0) for other in np.arange(-5.1, 5.1, 0.2)) - 1e-12
    )


def test_it_lies_between_the_values_and_near_0():
    y_signed = np.array([1.0, 1.0, -1.0, -1.0])
    assert best_threshold(np.array([3.0, 2.0, 1.0, 0.0]), y_signed) == 1.5
    assert best_threshold(np.array([-1.0, -2.0, -5.0, -6.0]), y_signed) == -3.5
    assert best_threshold(np.array([1.0, 0.5, 0.0, 0.0]), np.ones(4)) == -0.5
    assert best_threshold(np.array([2.0, 1.0]), np.array([-1.0, -1.0])) == 0.0
    assert best_threshold(np.array([9.0, 1.0, 0.0]), np.array([1.0, -1.0, 1.0])) == -1.0
    assert best_threshold(np.array([np.inf, 1.0, 0.0]), np.array([1.0, -1.0, -1.0])) == 2.0


def test_equally_good_thresholds_prefer_0():
    values, y_signed = np.array([8.0, 4.0, 2.0, 1.0]), np.array([1.0, -1.0, -1.0, 1.0])
    # F1 of one yes: 2/3; of four: 2/3
    assert best_threshold(values, y_signed) == 0.0
    # above -1.5 and above -12
    assert best_threshold(-values[::-1], y_signed) == -1.5


def test_no_threshold_is_between_values_that_differ_by_rounding():
    values = np.array([0.1, 0.3, 0.3 + 1e-14, 0.3 - 1e-14, 0.5])
    y_signed = np.array([-1.0, 1.0, -1.0, 1.0, 1.0])
    assert best_threshold(values, y_signed) == pytest.approx(0.2)
