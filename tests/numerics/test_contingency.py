from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csc_array, csr_array
from scipy.stats import chi2_contingency

from laconic.numerics import contingency as ct
from laconic.numerics.blocks import Blocks
from tests import oracles
from tests.strategies import counts

SCORES = [
    (ct.information_gain, oracles.information_gain_of_cells),
    (ct.chi_squared, oracles.chi_squared_of_cells),
    (ct.bi_normal_separation, oracles.bi_normal_separation_of_cells),
]
FORMS = [np.asarray, csr_array, csc_array]
MOST_DOCS = 3_000_000_000


def contingency(X, indicator) -> ct.ContingencyTable:
    """All slices of the table as one."""
    slices = list(ct.contingency_tables(X, indicator))
    present = np.concatenate([part.present for part in slices])
    df = np.concatenate([part.df for part in slices])
    return ct.ContingencyTable(present, df, slices[0].class_sizes, slices[0].n_docs)


@st.composite
def labelled(draw, max_columns=4):
    """Counts with labels: documents of no class and of several, empty and full classes."""
    X = draw(counts())
    shape = (len(X), draw(st.integers(1, max_columns)))
    return X, draw(hnp.arrays(bool, shape))


@st.composite
def cells(draw):
    """Four cells of any size, often as near to independence as whole numbers allow."""
    n_docs = draw(st.integers(1, MOST_DOCS))
    df, size = draw(st.integers(0, n_docs)), draw(st.integers(0, n_docs))
    nearest = df * size // n_docs + draw(st.integers(-1, 2))
    both = draw(st.one_of(st.just(nearest), st.integers(0, n_docs)))
    both = min(max(both, 0, df + size - n_docs), df, size)
    return both, df, size, n_docs


def table(both, df, size, n_docs):
    whole = (np.array(it, dtype=np.int64) for it in ([[both]], [df], [size]))
    return ct.ContingencyTable(*whole, n_docs)


def by_cell(both, df, size, n_docs):
    return Counter(
        {
            (True, True): both,
            (True, False): df - both,
            (False, True): size - both,
            (False, False): n_docs - df - size + both,
        }
    )


@pytest.mark.parametrize("form", FORMS)
@given(labelled())
def test_the_table_counts_documents(form, problem):
    X, belongs = problem
    found = contingency(form(X), belongs)
    for term in range(X.shape[1]):
        for column in range(belongs.shape[1]):
            cells = oracles.cells_by_documents(X[:, term] > 0, belongs[:, column])
            assert found.present[term, column] == cells[True, True]
            assert found.df[term] == cells[True, True] + cells[True, False]
            assert found.class_sizes[column] == cells[True, True] + cells[False, True]
    assert found.n_docs == len(X)


@pytest.mark.parametrize(("score", "oracle"), SCORES)
@given(labelled())
def test_scores_are_their_definitions(score, oracle, problem):
    X, belongs = problem
    found = score(contingency(csr_array(X), belongs))
    expected = [
        [oracle(oracles.cells_by_documents(has > 0, column)) for column in belongs.T] for has in X.T
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("score", "oracle"), SCORES[:2])
@given(cells())
def test_no_digit_is_lost_with_many_documents_or_near_independence(score, oracle, four):
    found = score(table(*four))[0, 0]
    assert found == pytest.approx(oracle(by_cell(*four)), rel=1e-12, abs=0)
    assert found >= 0
    assert not np.signbit(found)


@given(cells())
def test_separation_is_right_to_a_billionth_of_a_percent_of_its_range(four):
    found = ct.bi_normal_separation(table(*four))[0, 0]
    expected = oracles.bi_normal_separation_of_cells(by_cell(*four))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("share", [0.099999, 0.1, 0.100001, -0.099999, -0.1, -0.100001])
def test_gain_is_smooth_where_the_series_takes_over(share):
    n_docs, df, size = 4_000_000, 2_000_000, 2_000_000
    four = round(1_000_000 * (1 + share)), df, size, n_docs
    expected = oracles.information_gain_of_cells(by_cell(*four))
    assert ct.information_gain(table(*four))[0, 0] == pytest.approx(expected, rel=1e-14, abs=0)


@given(cells())
def test_chi_squared_is_scipys(four):
    both, df, size, n_docs = four
    assume(0 < df < n_docs)
    assume(0 < size < n_docs)
    # scipy's sum of differences cancels; ours does not
    observed = [[both, df - both], [size - both, n_docs - df - size + both]]
    expected = chi2_contingency(observed, correction=False).statistic
    assert ct.chi_squared(table(*four))[0, 0] == pytest.approx(expected, rel=1e-9, abs=1e-5)


@pytest.mark.parametrize("score", [score for score, _ in SCORES])
@given(cells())
def test_a_class_and_its_complement_are_one_question(score, four):
    both, df, size, n_docs = four
    other = table(df - both, df, n_docs - size, n_docs)
    assert score(table(*four)) == score(other)


@pytest.mark.parametrize("score", [score for score, _ in SCORES])
def test_independence_is_exactly_zero(score):
    assert score(table(21, 63, 700, 2100))[0, 0] == 0.0


def test_extremes_by_hand():
    sure = table(50, 50, 50, 100)
    assert ct.information_gain(sure)[0, 0] == pytest.approx(np.log(2), rel=1e-15)
    assert ct.chi_squared(sure)[0, 0] == 100.0
    # F⁻¹(0.9995) = 3.290526731491926
    assert ct.bi_normal_separation(sure)[0, 0] == pytest.approx(2 * 3.290526731491926, rel=1e-14)


@given(labelled(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(problem, random):
    X, belongs = problem
    order = random.sample(range(len(X)), len(X))
    one = contingency(csr_array(X), belongs)
    other = contingency(csr_array(X[order]), belongs[order])
    for score, _ in SCORES:
        assert np.array_equal(score(one), score(other))


@given(labelled())
def test_labels_may_be_signs_or_an_indicator_dense_or_sparse(problem):
    X, belongs = problem
    expected = contingency(X, belongs).present
    for labels in (
        np.where(belongs, 1.0, -1.0),
        csr_array(belongs.astype(int)),
        csc_array(belongs),
    ):
        assert np.array_equal(contingency(X, labels).present, expected)


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_a_stored_zero_is_an_occurrence_and_a_repeated_entry_is_one(form):
    docs, terms, values = [0, 1, 1, 2], [0, 0, 1, 1], [3.0, 0.0, 0.0, 1.0]
    X = form(csr_array((values, (docs, terms)), shape=(3, 3)))
    found = contingency(X, np.array([[True], [True], [False]]))
    assert found.df.tolist() == [2, 2, 0]
    assert found.present.tolist() == [[2], [1], [0]]

    major = form is csr_array
    twice = form(([1.0, 2.0, 4.0], [1, 1, 0] if major else [0, 0, 1], [0, 3, 3]), shape=(2, 2))
    found = contingency(twice, np.array([[True], [False]]))
    assert found.df.tolist() == ([1, 1] if major else [2, 0])
    assert twice.nnz == 3, "X is the caller's"


def test_dense_documents_are_read_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X, belongs = rng.integers(0, 2, (23, 5)), rng.integers(0, 2, (23, 3)) > 0
    whole = contingency(csr_array(X), belongs)
    monkeypatch.setattr(ct, "DENSE_ENTRIES", 20)
    found = contingency(X, belongs)
    assert len(ct.as_blocks(X).parts) == 6
    assert np.array_equal(found.present, whole.present)
    assert np.array_equal(found.df, whole.df)


def test_wide_indices_are_read():
    X = csr_array(np.array([[1.0, 0.0], [1.0, 1.0]]))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert contingency(X, np.array([[True], [False]])).present.tolist() == [[1], [0]]


@pytest.mark.parametrize("n_blocks", [1, 7, 64])
@pytest.mark.parametrize("cells", [1, 10, 1000])
def test_slices_of_terms_and_blocks_of_documents_change_nothing(monkeypatch, n_blocks, cells):
    rng = np.random.default_rng(0)
    X, belongs = csr_array(rng.integers(0, 2, (70, 23))), rng.integers(0, 2, (70, 5)) > 0
    whole = contingency(X, belongs)
    monkeypatch.setattr(ct, "COUNTED_CELLS", cells)
    monkeypatch.setattr(ct, "SCORED_CELLS", cells // 2)
    found = contingency(Blocks.of(X, n_blocks), belongs)
    assert np.array_equal(found.present, whole.present)
    assert np.array_equal(found.df, whole.df)
    for score, _ in SCORES:
        assert np.array_equal(score(found), score(whole))
