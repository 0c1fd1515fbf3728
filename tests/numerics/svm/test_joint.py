"""All classes together against one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.numerics.svm import joint as module
from laconic.numerics.svm.all_classes import ClassArrays, improve_intercepts, products_of_all
from laconic.numerics.svm.class_problems import ClassProblems
from laconic.numerics.svm.dual import Rows, descend
from laconic.numerics.svm.gap import violation_limit
from laconic.numerics.svm.intercept import best_intercept

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class GivenColumns(ClassProblems):
    """Any labels and costs."""

    y_signed: Any = None
    costs: Any = None

    def columns(self, classes):
        return self.y_signed[:, classes], self.costs[:, classes]


def descend_all(rows, y_signed, costs, *, starts=(), **settings):
    ones = np.ones(y_signed.shape[1])
    problems = GivenColumns(csr_array(y_signed > 0), ones, ones, y_signed=y_signed, costs=costs)
    start = starts.__getitem__ if starts else None
    return list(module.descend_all(rows, problems, start=start, **settings))


def documents(seed, n_docs=120, n_terms=40, density=0.2):
    """Unit documents, with an empty one and duplicates."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_docs, n_terms)) * (rng.random((n_docs, n_terms)) < density)
    X[3] = 0.0
    X[10:15] = X[5:10]
    lengths = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return np.divide(X, lengths, out=X, where=lengths > 0)


def labels(seed, X, n_classes, noise=0.1):
    """One class per document by a linear rule, some at random; as ±1 against the rest."""
    rng = np.random.default_rng(seed)
    y = np.argmax(X @ rng.normal(size=(X.shape[1], n_classes)), axis=1)
    y = np.where(rng.random(len(y)) < noise, rng.integers(n_classes, size=len(y)), y)
    return np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0)


def objective(X, y_signed, costs, coef, intercept):
    slack = np.maximum(1.0 - y_signed * (X @ coef + intercept), 0.0)
    return 0.5 * coef @ coef + costs @ slack**2


def assert_same(X, y_signed, costs, results, intercept=True, tolerance=TOLERANCE):
    """Solved; the objective and the decisions of `descend`, class by class."""
    assert len(results) == y_signed.shape[1]
    for y, cost, result in zip(y_signed.T, costs.T, results, strict=True):
        exact = descend(
            Rows.of(csr_array(X)),
            y,
            cost,
            loss="squared_hinge",
            intercept=intercept,
            tolerance=1e-10,
        )
        best = objective(X, y, cost, exact.coef, exact.intercept)
        value = objective(X, y, cost, result.coef, result.intercept)
        assert result.solved
        assert result.gap <= tolerance
        assert result.violation <= violation_limit(tolerance)
        assert value - best <= result.gap * value + 1e-12
        np.testing.assert_allclose(
            X @ result.coef + result.intercept,
            X @ exact.coef + exact.intercept,
            atol=1e3 * tolerance,
        )
        np.testing.assert_allclose((result.alphas * y) @ X, result.coef, atol=1e-9)
        assert (result.alphas >= 0).all()
        assert (result.alphas[cost == 0] == 0).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [3.0, 0.3, 0.01])
def test_all_classes_have_the_optimum_of_each(seed, alpha):
    X = documents(seed)
    y_signed = labels(seed, X, 5)
    costs = np.full(y_signed.shape, 1 / (2 * alpha))
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert_same(X, y_signed, costs, results)


@pytest.mark.parametrize("n_terms", [1, 3, 400])
@pytest.mark.parametrize("intercept", [True, False])
def test_few_and_many_columns_with_and_without_an_intercept(n_terms, intercept):
    X = documents(1, n_terms=n_terms, density=0.5 if n_terms < 5 else 0.05)
    y_signed = labels(2, X, 4, noise=0.3)
    costs = np.full(y_signed.shape, 5.0)
    results = descend_all(
        Rows.of(csr_array(X)), y_signed, costs, intercept=intercept, tolerance=TOLERANCE
    )
    assert_same(X, y_signed, costs, results, intercept)
    assert intercept or all(result.intercept == 0.0 for result in results)


@pytest.mark.parametrize("seed", range(3))
def test_costs_differ_by_document_and_class_and_may_be_zero(seed):
    rng = np.random.default_rng(seed)
    X = documents(seed)
    y_signed = labels(seed, X, 4)
    costs = rng.exponential(size=y_signed.shape) * (rng.random(y_signed.shape) < 0.7)
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert_same(X, y_signed, costs, results)


def test_separable_classes_with_large_costs():
    X = documents(4, density=0.5)
    X[3] = X[4]
    y_signed = labels(4, X, 3, noise=0.0)
    y_signed[10:15], y_signed[3] = y_signed[5:10], y_signed[4]
    costs = np.full(y_signed.shape, 1e3)
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert_same(X, y_signed, costs, results)


def test_constant_labels_give_the_intercept_alone():
    X = documents(5)
    y_signed = labels(5, X, 4)
    y_signed[:, 1], y_signed[:, 2] = 1.0, -1.0
    costs = np.ones(y_signed.shape)
    costs[y_signed[:, 3] > 0, 3] = 0.0
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert [result.intercept for result in results[1:]] == [1.0, -1.0, -1.0]
    assert not any(result.coef.any() for result in results[1:])
    assert results[0].coef.any()


@pytest.mark.parametrize("length", [1e-40, 1e-3, 1e3, 1e40])
def test_documents_of_any_length(length):
    X = documents(6)
    y_signed = labels(6, X, 3)
    costs = np.ones(y_signed.shape)
    results = descend_all(
        Rows.of(csr_array(X * length)), y_signed, costs / length**2, tolerance=TOLERANCE
    )
    units = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    for result, unit in zip(results, units, strict=True):
        assert result.solved
        np.testing.assert_allclose(result.coef * length, unit.coef, atol=1e-4)


def test_rows_are_prefixes_with_scales():
    X = documents(7)
    whole = Rows.of(csr_array(X))
    ends = whole.starts + (whole.ends - whole.starts) // 2
    scales = np.linspace(0.5, 2.0, ends.size)
    rows = Rows(whole.starts, ends, whole.columns, whole.values, scales, 40)
    part = np.zeros(X.shape)
    for doc in range(len(X)):
        places = slice(rows.starts[doc], ends[doc])
        part[doc, rows.columns[places]] = scales[doc] * rows.values[places]
    y_signed = labels(7, X, 3)
    costs = np.ones(y_signed.shape)
    assert_same(part, y_signed, costs, descend_all(rows, y_signed, costs, tolerance=TOLERANCE))
    coefs = np.random.default_rng(0).normal(size=(40, 7))
    np.testing.assert_allclose(products_of_all(rows, coefs), part @ coefs, atol=1e-12)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
def test_the_gap_bounds_the_distance_to_the_optimum_at_any_tolerance(tolerance):
    """From far starts; from 1e-5 on the gap alone decides."""
    rng = np.random.default_rng(0)
    X = documents(14) * rng.uniform(0.2, 3.0, size=(120, 1))
    y_signed = labels(14, X, 6)
    costs = rng.exponential(size=y_signed.shape)
    starts = [(rng.exponential(size=len(X)), rng.normal()) for _ in range(6)]
    results = descend_all(
        Rows.of(csr_array(X)), y_signed, costs, starts=starts, tolerance=tolerance
    )
    assert max(result.violation for result in results) <= violation_limit(tolerance)
    for y, cost, result in zip(y_signed.T, costs.T, results, strict=True):
        exact = descend(Rows.of(csr_array(X)), y, cost, loss="squared_hinge", tolerance=1e-10)
        best = objective(X, y, cost, exact.coef, exact.intercept)
        value = objective(X, y, cost, result.coef, result.intercept)
        assert result.solved
        assert value - best <= result.gap * value + 1e-12
        assert result.gap <= tolerance


@pytest.mark.parametrize("start", [0.0, -30.0, 1e6])
def test_the_best_intercepts_from_any_start(start):
    rng = np.random.default_rng(1)
    values, costs = rng.normal(size=(60, 9)) * 10.0 ** rng.integers(-3, 4, 9), rng.random((60, 9))
    y_signed = np.where(rng.random((60, 9)) < 0.3, 1.0, -1.0)
    intercepts = np.full(9, start)
    classes = ClassArrays(y_signed, costs, costs, costs, intercepts)
    improve_intercepts(classes, values, intercepts)
    columns = zip(values.T, y_signed.T, costs.T, strict=True)
    best = [best_intercept(*column, "squared_hinge") for column in columns]
    np.testing.assert_allclose(intercepts, best, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [1, 2, 33, 200])
def test_any_number_of_classes(n_classes):
    X = documents(8, n_docs=250)
    y_signed = labels(8, X, max(n_classes, 2))[:, :n_classes]
    costs = np.ones(y_signed.shape)
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert_same(X, y_signed, costs, results)


def test_no_class():
    X = documents(8)
    nothing = np.zeros((len(X), 0))
    assert descend_all(Rows.of(csr_array(X)), nothing, nothing) == []


def test_starts_save_the_work_and_change_no_optimum(monkeypatch):
    X = documents(9)
    y_signed = labels(9, X, 4)
    costs = np.ones(y_signed.shape)
    rows = Rows.of(csr_array(X))
    exact = descend_all(rows, y_signed, costs, tolerance=1e-10)
    starts = [(dual.alphas, dual.intercept) for dual in exact]
    again = descend_all(rows, y_signed, costs, starts=starts, tolerance=TOLERANCE)
    assert all(dual.epochs == 1 for dual in again)
    starts = [(None, 0.0), (5 * exact[1].alphas, 3.0), (-exact[2].alphas, -1.0), starts[3]]
    assert_same(X, y_signed, costs, descend_all(rows, y_signed, costs, starts=starts))


@pytest.mark.parametrize(("passes", "steps"), [(0, 30), (40, 0), (0, 0), (1, 1)])
def test_each_part_alone_ends_at_the_optimum(monkeypatch, passes, steps):
    """Passes, Newton steps, or `descend` for what both leave."""
    monkeypatch.setattr(module, "FIRST", passes)
    monkeypatch.setattr(module, "MAX_PASSES", passes)
    monkeypatch.setattr(module, "MAX_STEPS", steps)
    X = documents(10)
    y_signed = labels(10, X, 4)
    costs = np.full(y_signed.shape, 3.0)
    results = descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=TOLERANCE)
    assert_same(X, y_signed, costs, results)


def test_joint_results_need_no_descent_by_class(monkeypatch):
    """On ordinary problems every class is solved jointly."""
    monkeypatch.setattr(module, "descend", lambda *_, **__: pytest.fail("a class was left"))
    X = documents(11)
    y_signed = labels(11, X, 6)
    for alpha in (3.0, 0.1):
        costs = np.full(y_signed.shape, 1 / (2 * alpha))
        assert len(descend_all(Rows.of(csr_array(X)), y_signed, costs, tolerance=1e-8)) == 6


def test_the_hinge_is_solved_class_by_class():
    X = documents(12)
    y_signed = labels(12, X, 3)
    costs = np.ones(y_signed.shape)
    rows = Rows.of(csr_array(X))
    results = descend_all(rows, y_signed, costs, loss="hinge")
    for y, cost, result in zip(y_signed.T, costs.T, results, strict=True):
        np.testing.assert_array_equal(result.coef, descend(rows, y, cost, loss="hinge").coef)


def test_shapes_and_numbers_are_refused():
    X = documents(13)
    rows, y_signed = Rows.of(csr_array(X)), labels(13, X, 3)
    with pytest.raises(LaconicError, match="start of shape"):
        descend_all(rows, y_signed, np.ones(y_signed.shape), starts=[(np.ones(5), 0.0)] * 3)
    starts = [(np.full(len(X), np.nan), 0.0)] * 3
    with pytest.raises(LaconicError, match="start of nan: give numbers"):
        descend_all(rows, y_signed, np.ones(y_signed.shape), starts=starts)
    with pytest.raises(LaconicError, match="give one number per document"):
        descend_all(rows, y_signed[1:], np.ones(y_signed.shape)[1:])
    with pytest.raises(LaconicError, match="y_signed of 2: give 1 or -1"):
        descend_all(rows, 2 * np.abs(y_signed), np.ones(y_signed.shape))
