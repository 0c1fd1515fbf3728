from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.numerics.svm.agreement import containment, cosine, overlap, pearson, recall

WEIGHTS = st.sampled_from([-2.0, -0.1, 0.0, 0.1, 0.3, 5.0])


def pairs(element, dtype):
    return st.integers(0, 8).flatmap(
        lambda size: st.tuples(*[hnp.arrays(dtype, size, elements=element)] * 2)
    )


def cosine_by_definition(w, v):
    lengths = sum(a * a for a in w) ** 0.5 * sum(b * b for b in v) ** 0.5
    return sum(a * b for a, b in zip(w, v, strict=True)) / lengths if lengths else float("nan")


@given(pairs(WEIGHTS, np.float64))
def test_cosine_is_the_product_by_the_lengths(pair):
    expected = cosine_by_definition(*pair)
    assert cosine(*pair) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(pairs(WEIGHTS, np.float64))
def test_pearson_is_the_covariance_by_the_deviations(pair):
    w, v = pair
    if len(set(w.tolist())) < 2 or len(set(v.tolist())) < 2:
        assert isnan(pearson(w, v))
    else:
        assert pearson(w, v) == pytest.approx(np.corrcoef(w, v)[0, 1], abs=1e-12)


def test_constant_weights_have_no_correlation_whatever_their_mean_rounds_to():
    assert isnan(pearson(np.full(3, 0.1), np.array([1.0, 2.0, 4.0])))
    assert isnan(pearson(np.array([1.0, 2.0, 4.0]), np.full(3, 0.1)))


@np.errstate(all="raise")
def test_weights_without_a_direction_have_no_cosine_and_no_warning():
    assert isnan(cosine(np.zeros(2), np.ones(2)))
    assert isnan(cosine(np.ones(2), np.zeros(2)))
    assert isnan(cosine(np.zeros(0), np.zeros(0)))
    assert isnan(pearson(np.zeros(0), np.zeros(0)))


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_weights_of_any_magnitude_are_compared(scale):
    w, v = np.array([1.0, 2.0, 4.0]), np.array([1.0, -1.0, 3.0])
    assert cosine(scale * w, v) == pytest.approx(cosine(w, v))
    assert pearson(w, scale * v) == pytest.approx(pearson(w, v))


@given(hnp.arrays(np.float64, 7, elements=st.floats(0.1, 10.0)))
def test_a_vector_agrees_with_itself_and_no_more(w):
    assert 1.0 - 1e-12 < cosine(w, 3.0 * w) <= 1.0
    assert -1.0 <= cosine(w, -w) < -1.0 + 1e-12


@given(pairs(st.booleans(), np.bool_))
def test_shares_of_support_vectors_count_sets(pair):
    full, small = (set(np.flatnonzero(flags).tolist()) for flags in pair)
    shared = len(full & small)
    for function, whole in ((overlap, full | small), (containment, small), (recall, full)):
        expected = shared / len(whole) if whole else float("nan")
        assert function(*pair) == pytest.approx(expected, nan_ok=True)
