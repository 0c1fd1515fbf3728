"""The logistic solver's passes, derivatives and bound against slow definitions."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.sparse import random_array
from scipy.special import log_softmax

from laconic.numerics.logistic.losses import Sigmoids, Softmax
from laconic.numerics.logistic.newton import Newton
from laconic.numerics.logistic.products import DocumentArrays
from laconic.numerics.logistic.solve import PrimalStart, solve_sigmoids
from laconic.numerics.svm.input import Rows

N_DOCS, N_COLUMNS, N_ROWS, ALPHA = 30, 11, 5, 0.3


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def rows(rng):
    X = random_array((N_DOCS, N_COLUMNS), density=0.5, format="csr", rng=rng)
    return replace(Rows.of(X), scales=rng.random(N_DOCS) + 0.5)


def dense(rows):
    """The documents with a column of ones for the intercept."""
    X = np.zeros((rows.starts.size, rows.n_columns + 1))
    for doc, (start, end) in enumerate(zip(rows.starts, rows.ends, strict=True)):
        X[doc, rows.columns[start:end]] = rows.values[start:end] * rows.scales[doc]
    X[:, -1] = 1.0
    return X


def loss_of(kind, rng):
    if kind == "softmax":
        return Softmax(rng.integers(0, N_ROWS, N_DOCS), rng.random(N_DOCS), N_ROWS)
    y_signed = np.where(rng.random((N_DOCS, N_ROWS)) < 0.4, 1.0, -1.0)
    return Sigmoids(y_signed, rng.random((N_DOCS, N_ROWS)))


def objective(loss, X, coef):
    """The sum over all problems."""
    F, penalty = X @ coef, ALPHA * (coef[:-1] ** 2).sum()
    if isinstance(loss, Softmax):
        return penalty - loss.costs @ log_softmax(F, axis=1)[np.arange(N_DOCS), loss.codes]
    return penalty + (loss.costs * np.logaddexp(0.0, -loss.y_signed * F)).sum()


def test_passes_are_products_with_the_documents(rows, rng):
    X, documents = dense(rows), DocumentArrays.of(rows)
    coef, weights = rng.normal(size=(N_COLUMNS + 1, N_ROWS)), rng.normal(size=(N_DOCS, N_ROWS))
    values, totals = documents.scores(coef), np.empty_like(coef)
    np.testing.assert_allclose(values, X @ coef, atol=1e-12)
    documents.sums(weights, totals)
    np.testing.assert_allclose(totals, X.T @ weights, atol=1e-12)
    documents.squared().sums(weights, totals)
    np.testing.assert_allclose(totals, (X**2).T @ weights, atol=1e-12)


@pytest.mark.parametrize("kind", ["sigmoids", "softmax"])
def test_value_gradient_and_hessian_are_those_of_the_objective(kind, rows, rng):
    X, loss = dense(rows), loss_of(kind, rng)
    coef, along = rng.normal(size=(2, N_COLUMNS + 1, N_ROWS))
    newton = Newton.start(DocumentArrays.of(rows), loss, ALPHA, True, coef.copy())
    total = newton.objective[0] if kind == "softmax" else newton.objective.sum()
    assert total == pytest.approx(objective(loss, X, coef), rel=1e-12)
    h = 1e-5
    ahead, behind = (objective(loss, X, coef + step * along) for step in (h, -h))
    assert (newton.gradient * along).sum() == pytest.approx((ahead - behind) / (2 * h), rel=1e-7)
    product = np.empty_like(coef)
    curvature = newton.hessian().product(along, product)
    np.testing.assert_allclose(curvature, (along * product).sum(axis=0), rtol=1e-12)
    after, before = (
        Newton.start(DocumentArrays.of(rows), loss, ALPHA, True, coef + step * along).gradient
        for step in (h, -h)
    )
    np.testing.assert_allclose(product, (after - before) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("kind", ["sigmoids", "softmax"])
def test_the_bound_is_the_duality_gap_and_no_less_than_the_distance(kind, rows, rng):
    loss = loss_of(kind, rng)
    coef = rng.normal(size=(N_COLUMNS + 1, N_ROWS))
    newton = Newton.start(DocumentArrays.of(rows), loss, ALPHA, True, coef)
    newton.balance()
    assert np.abs(newton.slopes.residuals.sum(axis=0)).max() < 1e-11
    here, bound = newton.objective, newton.gaps * newton.objective
    for _ in range(30):
        newton.step(1e-15)
    assert (newton.gaps < 1e-12).all()
    assert (here - newton.objective <= bound).all()
    assert (bound < 1e3 * (here - newton.objective)).all()


def test_independent_problems_do_not_depend_on_each_other(rows, rng):
    """Neither on those of their block nor on those of other blocks."""
    y_signed = np.where(rng.random((N_DOCS, 40)) < 0.3, 1.0, -1.0)
    costs = rng.random((N_DOCS, 40))
    together = solve_sigmoids(rows, y_signed, costs, ALPHA, tolerance=1e-12)
    for row in (0, 17, 39):
        column = np.s_[:, row : row + 1]
        alone = solve_sigmoids(rows, y_signed[column], costs[column], ALPHA, tolerance=1e-12)
        np.testing.assert_allclose(together.coef[row], alone.coef[0], atol=1e-6)
        np.testing.assert_allclose(together.intercept[row], alone.intercept[0], atol=1e-6)


def test_a_moved_start_is_moved_in_the_columns_that_it_has(rng):
    """Here is of 4 columns, before and this start of 2 or 5."""
    small, wide = (PrimalStart(rng.normal(size=(3, n)), rng.normal(size=3)) for n in (2, 5))
    here = PrimalStart(rng.normal(size=(3, 4)), rng.normal(size=3))
    moved = wide.moved(here, small)
    expected = here.coef + wide.coef[:, :4] - np.pad(small.coef, ((0, 0), (0, 2)))
    np.testing.assert_allclose(moved.coef, expected, atol=1e-15)
    np.testing.assert_allclose(moved.intercept, wide.intercept + here.intercept - small.intercept)


def test_the_optimum_of_one_word_in_50_digits(rng):
    """Newton's method on (w, b) in decimal arithmetic."""
    x, y = rng.normal(size=12), np.where(rng.random(12) < 0.5, 1.0, -1.0)
    rows = Rows(
        np.arange(12), np.arange(12) + 1, np.zeros(12, np.int32), x, np.ones(12), n_columns=1
    )
    solution = solve_sigmoids(rows, y[:, None], np.ones((12, 1)), 0.3, tolerance=1e-15)
    with localcontext() as context:
        context.prec = 50
        w, b = _decimal_optimum([Decimal(v) for v in x], [Decimal(v) for v in y], Decimal("0.3"))
    assert solution.coef[0, 0] == pytest.approx(float(w), abs=1e-9)
    assert solution.intercept[0] == pytest.approx(float(b), abs=1e-9)


def _decimal_optimum(x, y, alpha):
    w = b = Decimal(0)
    for _ in range(30):
        chances = [1 / (1 + (label * (w * v + b)).exp()) for v, label in zip(x, y, strict=True)]
        pulls = [p * label for p, label in zip(chances, y, strict=True)]
        g_w = 2 * alpha * w - sum(p * v for p, v in zip(pulls, x, strict=True))
        g_b = -sum(pulls)
        curves = [p * (1 - p) for p in chances]
        h_bb = sum(curves)
        h_wb = sum(c * v for c, v in zip(curves, x, strict=True))
        h_ww = 2 * alpha + sum(c * v * v for c, v in zip(curves, x, strict=True))
        determinant = h_ww * h_bb - h_wb**2
        w -= (h_bb * g_w - h_wb * g_b) / determinant
        b -= (h_ww * g_b - h_wb * g_w) / determinant
    return w, b
