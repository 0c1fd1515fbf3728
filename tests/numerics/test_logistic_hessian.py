"""Loops of 8 numbers at a time, and products with the Hessian in single precision."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from laconic import LogisticClassifier
from laconic.numerics.logistic import hessian as module
from laconic.numerics.logistic.hessian import CurvatureDocuments, Hessian
from laconic.numerics.logistic.lanes import padded
from laconic.numerics.logistic.losses import Sigmoids, Softmax
from laconic.numerics.logistic.products import DocumentArrays
from laconic.numerics.svm.input import Rows

N_DOCS, N_COLUMNS = 60, 23


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def matrix(rng):
    """Documents of 0 to 23 entries."""
    dense = random_array((N_DOCS, N_COLUMNS), density=0.5, rng=rng).toarray()
    for doc in range(N_DOCS):
        dense[doc, doc % (N_COLUMNS + 1) :] = 0.0
    return csr_array(dense)


def loss_of(kind, n_docs, n_rows, rng):
    if kind == "softmax":
        return Softmax(rng.integers(0, n_rows, n_docs), rng.random(n_docs), n_rows)
    y_signed = np.where(rng.random((n_docs, n_rows)) < 0.4, 1.0, -1.0)
    return Sigmoids(y_signed, rng.random((n_docs, n_rows)))


@pytest.mark.parametrize("n_rows", [1, 8, 9, 17, 24, 25, 40, 50])
def test_passes_are_products_for_any_number_of_rows(n_rows, matrix, rng):
    documents = DocumentArrays.of(Rows.of(matrix))
    ones = np.column_stack([matrix.toarray(), np.ones(N_DOCS)])
    coef, weights = rng.normal(size=(N_COLUMNS + 1, n_rows)), rng.normal(size=(N_DOCS, n_rows))
    values, totals = documents.scores(coef), np.empty_like(coef)
    np.testing.assert_allclose(values, ones @ coef, atol=1e-12)
    documents.sums(weights, totals)
    np.testing.assert_allclose(totals, ones.T @ weights, atol=1e-12)
    documents.rounded().sums(weights, totals)
    np.testing.assert_allclose(totals, ones.T @ weights, atol=1e-5)


def test_padding_is_zeros_up_to_a_multiple_of_8():
    wide = padded(np.ones((2, 9)), np.float32)
    assert wide.dtype == np.float32
    np.testing.assert_array_equal(wide, np.repeat([[1, 0]], [9, 7], axis=1).repeat(2, axis=0))


@pytest.mark.parametrize("kind", ["sigmoids", "softmax"])
@pytest.mark.parametrize("n_rows", [3, 20, 24, 30])
@pytest.mark.parametrize("intercept", [False, True])
def test_single_precision_is_the_rounded_product_and_diagonal(kind, n_rows, intercept, matrix, rng):
    loss = loss_of(kind, N_DOCS, n_rows, rng)
    curvature = loss.slopes(rng.normal(size=(N_DOCS, n_rows))).curvature
    double = DocumentArrays.of(Rows.of(matrix)).copied()
    vector = rng.normal(size=(N_COLUMNS + 1, n_rows))
    penalty = np.append(np.full(N_COLUMNS, 0.2), 0.0)
    results = []
    for copies in (double, double.rounded()):
        both = CurvatureDocuments(copies, copies.squared())
        hessian = Hessian.at(both, loss, curvature, penalty, intercept)
        out = np.empty_like(vector)
        total = hessian.product(vector, out)
        np.testing.assert_allclose(total, (vector * out).sum(axis=0), rtol=1e-12)
        results.append((out, hessian.diagonal()))
    (exact, diagonal), (single, rounded) = results
    assert 0 < np.abs(single - exact).max() < 1e-5
    np.testing.assert_allclose(rounded, diagonal, rtol=1e-5)
    assert intercept or not exact[-1].any()


@pytest.mark.parametrize("kind", ["sigmoids", "softmax"])
def test_the_diagonal_is_that_of_the_products(kind, matrix, rng):
    loss = loss_of(kind, N_DOCS, 3, rng)
    curvature = loss.slopes(rng.normal(size=(N_DOCS, 3))).curvature
    copies = CurvatureDocuments.of(DocumentArrays.of(Rows.of(matrix)), loss, 0.1)
    penalty = np.append(np.full(N_COLUMNS, 0.2), 0.0)
    hessian = Hessian.at(copies, loss, curvature, penalty, True)
    diagonal, out = hessian.diagonal(), np.empty((N_COLUMNS + 1, 3))
    for line in (0, 7, N_COLUMNS):
        for row in range(3):
            unit = np.zeros_like(out)
            unit[line, row] = 1.0
            hessian.product(unit, out)
            assert diagonal[line, row] == pytest.approx(out[line, row], rel=1e-12)


@pytest.mark.parametrize(
    ("alpha", "scale", "weight", "dtype"),
    [
        (0.01, 1.0, 1.0, np.float32),
        (1e-7, 1.0, 1.0, np.float64),
        (1e12, 1e7, 1.0, np.float64),
        (1e-12, 1e-7, 1.0, np.float64),
        (1e6, 1.0, 1e8, np.float64),
        (0.01, 1.0, 0.0, np.float64),
    ],
)
def test_single_precision_is_for_ordinary_numbers_only(alpha, scale, weight, dtype, matrix, rng):
    n_docs = 200 * N_DOCS
    many = csr_array(np.tile(scale * matrix.toarray(), (200, 1)))
    loss = Softmax(rng.integers(0, 3, n_docs), np.full(n_docs, weight), 3)
    copies = CurvatureDocuments.of(DocumentArrays.of(Rows.of(many)), loss, alpha)
    assert copies.documents.values.dtype == copies.squares.values.dtype == dtype


@pytest.mark.parametrize("kind", ["two", "several", "labels"])
@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_the_optimum_does_not_depend_on_the_precision(kind, alpha, monkeypatch, rng):
    X = random_array((3000, 40), density=0.2, format="csr", rng=rng)
    classes = (X @ rng.normal(size=(40, 5)) + rng.gumbel(size=(3000, 5))).argmax(axis=1)
    y = {"two": classes > 1, "several": classes, "labels": classes[:, None] == np.arange(4)}[kind]
    y = y.astype(int)
    monkeypatch.setattr(module, "SMALL", 0)
    model = LogisticClassifier(alpha, tol=1e-13)
    single = model.fit(X, y).coef_.copy()
    assert model.solved_.all()
    assert np.array_equal(model.fit(X, y).coef_, single)
    monkeypatch.setattr(module, "SMALL", np.inf)
    assert not np.array_equal(model.fit(X, y).coef_, single)
    np.testing.assert_allclose(model.coef_, single, atol=1e-5)
