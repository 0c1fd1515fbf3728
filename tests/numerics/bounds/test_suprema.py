from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import binomtest

from laconic.numerics.bounds import suprema as of
from tests.oracles import (
    cannot_change_by_pairs,
    conformal_by_counting,
    floor_by_subsets,
)

RULES = ("sign", "argmax", "labels")
values = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])


def matrices(max_rows=4, max_columns=6, min_rows=1):
    shape = st.tuples(st.integers(min_rows, max_rows), st.integers(1, max_columns))
    return shape.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=values))


@given(matrices(), st.integers(0, 10**6))
def test_the_reach_over_text_is_attained_and_never_exceeded(D, seed):
    reach = of.reach(D)
    for row, most in zip(D, reach, strict=True):
        best = np.maximum(row, 0)
        length = np.linalg.norm(best)
        assert row @ (best / length if length else best) == pytest.approx(most)
    Q = np.abs(np.random.default_rng(seed).normal(size=(50, D.shape[1])))
    Q /= np.linalg.norm(Q, axis=1, keepdims=True)
    assert (reach + 1e-12 >= Q @ D.T).all()


@given(matrices(), st.data())
def test_no_selection_of_as_many_words_is_nearer_than_the_floor(w, data):
    size = data.draw(st.integers(0, w.shape[1]))
    kept = np.zeros(w.shape, dtype=bool)
    kept[:, data.draw(st.permutations(range(w.shape[1])))[:size]] = True
    floor_any = of.tail(w, kept.sum(axis=1))
    np.testing.assert_allclose(floor_any, [floor_by_subsets(row, size) for row in w])
    floor = of.off_selection(w, kept)
    np.testing.assert_allclose(floor, [np.linalg.norm(r[~k]) for r, k in zip(w, kept, strict=True)])
    assert (floor >= floor_any - 1e-12).all()


@given(matrices(), st.floats(0, 1), st.floats(0, 2))
def test_the_range_of_unseen_words_is_attained(w_off, chosen, more):
    whole = np.hypot(chosen, more)
    ((ends,),) = [of.serving_range(w_off, np.array([chosen]), np.array([whole]))]
    for row, (low, high) in zip(w_off, ends, strict=True):
        for sign, end in ((1, high), (-1, low)):
            part = np.maximum(sign * row, 0)
            rest = np.sqrt(whole**2 - chosen**2)
            q = part / (np.linalg.norm(part) or 1) * rest
            assert row @ q == pytest.approx(end, abs=1e-9)


def margin_by_loops(v, rule):
    if rule == "argmax":
        a = int(np.argmax(v))
        return min(v[a] - v[b] for b in range(len(v)) if b != a)
    return min(abs(each) for each in v)


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_a_changed_decision_has_lost_at_least_its_margin(rule, data):
    rows = 1 if rule == "sign" else data.draw(st.integers(2, 4))
    shape = (data.draw(st.integers(1, 8)), rows)
    full, small = (data.draw(hnp.arrays(np.float64, shape, elements=values)) for _ in range(2))
    margin, loss = of.margin(small, rule), of.margin_loss(full, small, rule)
    assert margin.tolist() == [margin_by_loops(v, rule) for v in small]
    flips = of.changed(full, small, rule)
    if rule == "argmax":
        assert flips.tolist() == [
            f.argmax() != s.argmax() for f, s in zip(full, small, strict=True)
        ]
    else:
        assert flips.tolist() == [
            (f > 0).tolist() != (s > 0).tolist() for f, s in zip(full, small, strict=True)
        ]
    assert (loss[flips] >= margin[flips]).all()
    assert (loss <= 2 * np.abs(full - small).max(axis=1)).all()


@pytest.mark.parametrize("rule", RULES)
@given(data=st.data())
def test_the_worst_case_is_that_of_every_pair(rule, data):
    rows = 1 if rule == "sign" else data.draw(st.integers(2, 4))
    n_terms = data.draw(st.integers(1, 4))
    draw = lambda *shape: data.draw(hnp.arrays(np.float64, shape, elements=values))  # noqa: E731
    w, D, b, d = draw(rows, n_terms), 0.3 * draw(rows, n_terms), draw(rows), 0.3 * draw(rows)
    Q = np.abs(draw(5, n_terms))
    small = Q @ (w + D).T + b + d
    safe = of.cannot_change(small, D, d, of.lengths(Q), rule, nonnegative=True)
    # equality of margin and bound is decided by rounding: only clear cases are compared
    for slack, wrong in ((1e-9, ~safe), (-1e-9, safe)):
        expected = [
            cannot_change_by_pairs(v, w, b, w + D, b + d, np.linalg.norm(q), rule, slack)
            for v, q in zip(small, Q, strict=True)
        ]
        assert not (wrong & (np.array(expected) == (slack > 0))).any()
    assert not of.changed(Q @ w.T + b, small, rule)[safe].any()
    both = of.cannot_change(small, D, d, of.lengths(Q), rule, nonnegative=False)
    assert (safe | ~both).all(), "documents with negative entries can do more harm"


@given(st.lists(st.sampled_from([0.0, 0.1, 0.1, 0.7, 2.0]), min_size=1, max_size=30), st.data())
def test_the_conformal_bound_counts(scores, data):
    confidence = data.draw(st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.97]))
    bound = of.conformal_bound(np.array(scores), confidence)
    assert bound == conformal_by_counting(scores, confidence)
    assert np.isfinite(bound) == (len(scores) >= of.documents_needed(confidence))


@pytest.mark.parametrize(
    ("confidence", "needed"), [(0.5, 1), (0.9, 9), (0.95, 19), (0.99, 99), (0.8, 4), (0.85, 6)]
)
def test_documents_needed(confidence, needed):
    assert of.documents_needed(confidence) == needed
    assert np.isfinite(of.conformal_bound(np.zeros(needed), confidence))
    assert np.isinf(of.conformal_bound(np.zeros(needed - 1), confidence))


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
@pytest.mark.parametrize(
    ("hits", "trials"), [(0, 1), (0, 50), (1, 50), (17, 50), (49, 50), (50, 50)]
)
def test_the_rate_limit_is_clopper_and_pearsons(hits, trials, confidence):
    test = binomtest(hits, trials, alternative="less")
    peer = test.proportion_ci(confidence, method="exact").high
    assert of.rate_limit(hits, trials, confidence) == pytest.approx(peer, rel=1e-9)
