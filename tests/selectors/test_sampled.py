from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import ReduceThenFit, RLSClassifier
from laconic.errors import LaconicError, SizeUnavailable
from laconic.scores.spectral import leverage, squared_norm, uniform
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.testing import check_reducer
from tests.oracles import srls
from tests.strategies import text_like

SCORES = [uniform, squared_norm, leverage]
DRAWS = ["exact", "bernoulli", "iid"]


def labelled(X, y):
    """A supervised score: how far the class means of a term lie apart."""
    dense = X.toarray() if not isinstance(X, np.ndarray) else X
    return np.abs(dense[y == 0].mean(axis=0) - dense[y != 0].mean(axis=0))


# the defaults are examined in tests/test_contracts.py
# (a score as a parameter would put its address into the test ids, which xdist must find equal)
@parametrize_with_checks([SampledTerms(draw="iid"), SubspaceSampling(ridge=1.0)])
def test_scikit_learns_contract_beyond_the_defaults(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "reducer",
    [
        *(SampledTerms(by) for by in (*SCORES, labelled)),
        SubspaceSampling(),
        SubspaceSampling(rank=5),
        SubspaceSampling(rank=0.8),
        SubspaceSampling(ridge=2.0),
    ],
)
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_our_contract(reducer, form):
    X, y = text_like(30, 41, 3)
    check_reducer(reducer, form(X), y)


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("by", SCORES)
def test_sparse_and_dense_documents_draw_alike(draw, by):
    X, _ = text_like(30, 41, 3)
    cuts = [SampledTerms(by, draw=draw).fit(form).at(12) for form in (X, csc_array(X), X.toarray())]
    for cut in cuts[1:]:
        assert cut.terms.tolist() == cuts[0].terms.tolist()
        np.testing.assert_allclose(cut.weights, cuts[0].weights, rtol=1e-10)


@given(st.integers(0, 10_000), st.sampled_from(DRAWS), st.sampled_from(SCORES))
def test_samples_of_all_sizes_are_nested(seed, draw, by):
    X, _ = text_like(12, 25, 3)
    fitted = SampledTerms(by, draw=draw, random_state=seed).fit(X)
    before: list[int] = []
    for size in range(1, fitted.available_ + 1):
        try:
            terms = fitted.at(size).terms.tolist()
        except SizeUnavailable:
            terms = []
        assert terms[: len(before)] == before
        before = terms


@pytest.mark.parametrize("by", SCORES)
def test_exact_has_exactly_that_many_terms_and_the_papers_weights(by):
    X, _ = text_like(30, 41, 3)
    fitted = SampledTerms(by).fit(X)
    p, arrival = fitted.probabilities_, fitted.ranking_.arrival
    assert p.sum() == pytest.approx(1)
    np.testing.assert_allclose(p, by(X) / by(X).sum())
    for size in (1, 7, 40):
        cut = fitted.at(size)
        budget = np.sort(arrival)[size]
        assert cut.size == size
        np.testing.assert_allclose(cut.weights**-2, np.minimum(1, budget * p[cut.terms]))


def test_bernoulli_keeps_what_arrives_within_the_budget():
    X, _ = text_like(30, 41, 3)
    fitted = SampledTerms(squared_norm, draw="bernoulli").fit(X)
    cut = fitted.at(9)
    assert set(cut.terms) == set(np.flatnonzero(fitted.ranking_.arrival < 9))
    np.testing.assert_allclose(cut.weights**-2, np.minimum(1, 9 * fitted.probabilities_[cut.terms]))


@pytest.mark.full
def test_the_expected_size_of_bernoulli_is_at_most_the_budget():
    """Σ min(1, r·p) ≤ r; 4,000 draws, 5.2 standard errors: a false alarm below 4e-7."""
    X, _ = text_like(30, 41, 3)
    sizes, budget, p = [], 12, None
    for seed in range(4000):
        fitted = SampledTerms(squared_norm, draw="bernoulli", random_state=seed)
        p = fitted.fit(X).probabilities_
        sizes.append(fitted.at(budget).size)
    share = np.minimum(1, budget * p)
    assert share.sum() < budget - 1, "frequent words are certain, so that the bound is strict"
    error = np.sqrt((share * (1 - share)).sum() / len(sizes))
    assert abs(np.mean(sizes) - share.sum()) < 5.2 * error


@pytest.mark.full
@pytest.mark.parametrize("draw", DRAWS)
def test_every_draw_by_leverage_estimates_the_gram_matrix_without_bias(draw):
    """E[X S S X'] = X X'.

    z-test on the 6 distinct entries with 4,000 draws, each at 5.5 standard errors: a false alarm
    below 6 · 4e-8 < 1e-6, were the means normal. An empty Bernoulli sample counts as 0.
    """
    X = np.random.default_rng(3).random((3, 8))
    score = leverage(X, rank=2)
    samples = np.zeros((4000, 3, 3))
    for seed in range(4000):
        fitted = SampledTerms(lambda X, y: score, draw=draw, random_state=seed).fit(X)
        with suppress(SizeUnavailable):
            Z = fitted.at(3).apply(X)
            samples[seed] = Z @ Z.T
    error = samples.std(axis=0, ddof=1) / np.sqrt(4000)
    assert (np.abs(samples.mean(axis=0) - X @ X.T) < 5.5 * error).all()


def test_iid_counts_repeats():
    """Weights are √(c/(n·p)) for whole counts c that sum to the number of draws."""
    X, _ = text_like(30, 41, 3)
    fitted = SampledTerms(squared_norm, draw="iid").fit(X)
    for n_draws in (1, 10, 41):
        cut = fitted.at(n_draws)
        count = cut.weights**2 * n_draws * fitted.probabilities_[cut.terms]
        np.testing.assert_allclose(count, count.round(), atol=1e-9)
        assert count.round().min() >= 1
        assert count.sum() == pytest.approx(n_draws)
    assert cut.size < 41, "some term was drawn twice"


def test_iid_draws_each_term_with_its_probability():
    """20,000 draws; 5.2 standard errors for each of 8 terms: a false alarm below 8 · 2e-7."""
    score = np.array([0.0, 1, 2, 3, 0, 10, 20, 64])
    fitted = SampledTerms(lambda X, y: score, draw="iid").fit(np.eye(8))
    drawn = np.bincount(fitted._with_replacement(20_000), minlength=8) / 20_000
    p = score / 100
    assert (np.abs(drawn - p) <= 5.2 * np.sqrt(p * (1 - p) / 20_000)).all()


@pytest.mark.parametrize("draw", DRAWS)
def test_no_size_keeps_every_term_as_it_is(draw):
    X, _ = text_like(30, 41, 3)
    with_gaps = csr_array(np.insert(X.toarray(), [0, 7, 41], 0.0, axis=1))
    fitted = SubspaceSampling(draw=draw).fit(with_gaps)
    assert fitted.available_ == 41
    cut = fitted.at(None)
    assert sorted(cut.terms) == np.flatnonzero(with_gaps.toarray().any(axis=0)).tolist()
    assert cut.plain
    assert fitted.transform(with_gaps).shape == (30, 41)
    with pytest.raises(SizeUnavailable, match=r"size 42: only 41 terms.*3 more have probability 0"):
        fitted.at(42)


@pytest.mark.parametrize("draw", DRAWS)
def test_a_number_repeats_its_draw_and_another_does_not(draw):
    X, y = text_like(30, 41, 3)

    def terms(random_state):
        return (
            SubspaceSampling(draw=draw, random_state=random_state).fit(X, y).at(20).terms.tolist()
        )

    assert terms(1) == terms(1) == terms(np.int64(1))
    assert terms(1) != terms(2)
    assert terms(np.random.RandomState(1)) == terms(np.random.RandomState(1))
    assert terms(np.random.default_rng(1)) == terms(np.random.default_rng(1))
    rng = np.random.default_rng(1)
    assert terms(rng) != terms(rng), "a generator moves on"
    assert terms(None) != terms(None)
    with pytest.raises(ValueError, match="random_state"):
        terms("one")


def test_labels_are_not_used_unless_the_score_uses_them():
    X, y = text_like(30, 41, 3)
    plain = SubspaceSampling().fit(X).at(9).terms.tolist()
    assert SubspaceSampling().fit(X, y).at(9).terms.tolist() == plain
    by_labels = SampledTerms(labelled).fit(X, y)
    np.testing.assert_allclose(by_labels.scores_, labelled(X, y))


def test_subspace_sampling_tells_its_rank():
    X, _ = text_like(30, 41, 3)
    full = SubspaceSampling().fit(X)
    assert full.rank_ == 30
    assert full.error_ == 0
    np.testing.assert_allclose(full.scores_, leverage(X))
    np.testing.assert_allclose(full.probabilities_, full.scores_ / 30)
    top = SubspaceSampling(rank=4).fit(X)
    assert top.rank_ == 4
    assert 0 < top.error_ < 1e-6
    np.testing.assert_allclose(top.probabilities_, leverage(X, rank=4) / 4)
    assert SubspaceSampling(rank=400).fit(X).rank_ == 30
    squares = np.linalg.svd(X.toarray(), compute_uv=False) ** 2
    ridge = SubspaceSampling(ridge=3.0).fit(X)
    assert ridge.rank_ == pytest.approx((squares / (squares + 3)).sum())


@pytest.mark.parametrize("draw", ["exact", "bernoulli"])
@pytest.mark.parametrize("size", [5, 20, 41])
def test_with_least_squares_it_is_the_papers_algorithm(draw, size):
    """Fig. 1, with the training documents and the query rescaled by hand."""
    X, y = text_like(30, 41, 2)
    queries = text_like(10, 41, 2, seed=5)[0]
    reducer = SubspaceSampling(rank=6, draw=draw, random_state=3)
    ridge = RLSClassifier(alpha=0.7)
    whole = ReduceThenFit(reducer, ridge, size=size, normalize="all").fit(X, y)
    drawn = clone(reducer).fit(X)
    arrival, p = drawn.ranking_.arrival, drawn.probabilities_
    budget = size if draw == "bernoulli" else np.append(np.sort(arrival), np.inf)[size]
    terms = [i for i in range(41) if arrival[i] < budget]
    kept_with = [min(1.0, budget * p[i]) for i in terms]
    expected = [
        srls(X.toarray(), np.where(y == 1, 1.0, -1.0), q, 0.7, terms, kept_with)
        for q in queries.toarray()
    ]
    np.testing.assert_allclose(whole.decision_function(queries), expected, atol=1e-8)


def test_an_empty_draw_says_so():
    """Of 40 equal terms with budget 1 none is drawn with probability 0.975⁴⁰ = 0.36."""
    draws = [
        SampledTerms(draw="bernoulli", random_state=seed).fit(np.eye(40)) for seed in range(60)
    ]
    empty = [fitted for fitted in draws if fitted.ranking_.arrival.min() >= 1]
    assert 5 < len(empty) < 45
    for fitted in empty:
        says = r'size 1: .* empty, as one in 3 is.*larger size.*draw="exact"'
        with pytest.raises(SizeUnavailable, match=says):
            fitted.at(1)


@pytest.mark.parametrize(
    ("score", "says"),
    [
        ([1.0, -1.0, 2.0], "1 scores are negative"),
        ([0.0, 0.0, 0.0], "every score is 0"),
        ([1.0, np.nan, 2.0], "1 scores are not finite"),
        ([1.0, np.inf, 2.0], "1 scores are not finite"),
        ([1.0, 2.0], "for 3 terms"),
    ],
)
def test_scores_that_are_not_probabilities_are_refused(score, says):
    with pytest.raises(LaconicError, match=says):
        SampledTerms(lambda X, y: np.array(score)).fit(np.eye(3))


def test_an_unknown_draw_is_refused():
    with pytest.raises(LaconicError, match="draw='poisson': choose from exact, bernoulli, iid"):
        SubspaceSampling(draw="poisson").fit(np.eye(3))
