"""`LogisticClassifier` against scikit-learn's, and what it promises beyond it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_class_weight_classifiers, parametrize_with_checks

from laconic import LogisticClassifier, ReduceThenFit, TopTerms
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.logistic import solve as module
from laconic.numerics.svm.input import Rows
from laconic.text.labels import LabelEncoding
from tests.classifiers.test_svm import normalized, problem
from tests.strategies import text_like

KINDS = ["two", "several", "labels"]
ALPHAS = [0.01, 0.3, 10.0]


def peer(X, y, alpha, weights=None, **parameters):
    """Coefficients and intercepts of scikit-learn at a tight tolerance, one row per problem."""
    parameters = {"C": 0.5 / alpha, "tol": 1e-12, "max_iter": 10_000, **parameters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machines = [
            LogisticRegression(**parameters).fit(X, column, sample_weight=weights)
            for column in (np.transpose(y) if np.ndim(y) == 2 else [y])
        ]
    coef = np.vstack([machine.coef_ for machine in machines])
    return coef, np.concatenate([machine.intercept_ for machine in machines])


def objectives(X, y, alpha, coef, intercept):
    """Σ loss + alpha ‖w‖² of each problem, from the definition."""
    encoding, F = LabelEncoding.of(y), X @ coef.T + intercept
    if encoding.rule == "argmax":
        codes = encoding.y_signed.argmax(axis=1)
        losses = -log_softmax(F, axis=1)[np.arange(codes.size), codes]
        return np.array([losses.sum() + alpha * (coef**2).sum()])
    return np.logaddexp(0, -encoding.y_signed * F).sum(axis=0) + alpha * (coef**2).sum(axis=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("intercept", [False, True])
def test_coefficients_are_scikit_learns(kind, alpha, intercept):
    X, y = problem((40, 21), kind)
    fitted = LogisticClassifier(alpha, fit_intercept=intercept, tol=1e-13).fit(X, y)
    coef, b = peer(X, y, alpha, fit_intercept=intercept)
    assert fitted.solved_.all()
    np.testing.assert_allclose(fitted.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-5)


@pytest.mark.parametrize("kind", ["two", "several"])
@pytest.mark.parametrize("class_weight", ["balanced", "dict"])
@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_scikit_learns(kind, class_weight, weighted):
    X, y = problem((40, 21), kind)
    weights = np.random.default_rng(0).integers(0, 4, 40) + 0.5 if weighted else None
    if class_weight == "dict":
        class_weight = {name: 2.0 + place for place, name in enumerate(np.unique(y))}
    parameters = {"class_weight": class_weight}
    fitted = LogisticClassifier(0.2, tol=1e-13, **parameters).fit(X, y, sample_weight=weights)
    coef, b = peer(X, y, 0.2, weights, **parameters)
    np.testing.assert_allclose(fitted.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-5)


def test_labels_are_balanced_each_between_its_sides():
    X, y = problem((40, 21), "labels")
    fitted = LogisticClassifier(0.2, class_weight="balanced", tol=1e-13).fit(X, y)
    coef, b = peer(X, y, 0.2, class_weight="balanced")
    np.testing.assert_allclose(fitted.coef_, coef, atol=1e-5)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
def test_the_gap_bounds_the_distance_to_the_optimum(kind, tol):
    X, y = problem((40, 21), kind)
    for alpha in (1e-3, 0.1, 10.0):
        loose, exact = (LogisticClassifier(alpha, tol=t).fit(X, y) for t in (tol, 1e-14))
        here = objectives(X, y, alpha, loose.coef_, loose.intercept_)
        best = objectives(X, y, alpha, exact.coef_, exact.intercept_)
        assert (loose.gap_ <= tol).all()
        assert (here - best <= (loose.gap_ + 1e-13) * here).all()


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_are_scikit_learns(kind):
    X, y = problem((40, 21), kind)
    chances = LogisticClassifier(0.2, tol=1e-12).fit(X, y).predict_proba(X)
    machine = LogisticRegression(C=2.5, tol=1e-10, max_iter=1000)
    if kind == "labels":
        expected = np.column_stack([machine.fit(X, label).predict_proba(X)[:, 1] for label in y.T])
    else:
        expected = machine.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(chances, expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_warm_start_changes_nothing_but_the_steps(kind):
    X, y = problem((40, 21), kind)
    warm = LogisticClassifier(0.1, warm_start=True, tol=1e-12).fit(X, y)
    again = warm.n_iter_
    warm.fit(X, y)
    assert warm.n_iter_.max() == 0 < again.min()
    warm.set_params(alpha=0.03).fit(X, y)
    cold = LogisticClassifier(0.03, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_order_and_form_of_documents_change_nothing(kind):
    X, y = problem((40, 21), kind)
    order = np.random.default_rng(0).permutation(40)
    fitted = LogisticClassifier(tol=1e-13).fit(X, y)
    for form, labels in ((csc_array(X), y), (X.toarray(), y), (X[order], y[order])):
        other = LogisticClassifier(tol=1e-13).fit(form, labels)
        np.testing.assert_allclose(other.coef_, fitted.coef_, atol=1e-6)
        np.testing.assert_allclose(other.intercept_, fitted.intercept_, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_weight_is_a_number_of_documents(kind, class_weight):
    X, y = problem((40, 21), kind)
    weights = np.random.default_rng(2).integers(0, 3, 40)
    repeats = np.repeat(np.arange(40), weights)
    model = LogisticClassifier(tol=1e-13, class_weight=class_weight)
    weighted = model.fit(X, y, sample_weight=weights).coef_.copy()
    repeated = model.fit(X[repeats], y[repeats]).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prefix_of_ranked_columns_is_those_columns(kind):
    """Also from the start of more or fewer columns, and of another alpha."""
    X, y = problem((40, 21), kind)
    whole, encoding = Rows.of(X), LabelEncoding.of(y)
    start = LogisticClassifier(1.0).fit_rows(whole, encoding).start
    for size in (7, 15, 0, 21):
        ends = np.array([a + (X.indices[a:b] < size).sum() for a, b in pairwise(X.indptr)])
        scales = np.linspace(0.5, 2.0, 40)
        rows = replace(whole, ends=ends, scales=scales, n_columns=size)
        solution = LogisticClassifier(0.1, tol=1e-13).fit_rows(rows, encoding, start)
        start = solution.start
        columns = csr_array(X.toarray()[:, :size] * scales[:, None])
        if size:
            alone = LogisticClassifier(0.1, tol=1e-13).fit(columns, y)
            np.testing.assert_allclose(solution.coef, alone.coef_, atol=1e-6)
            np.testing.assert_allclose(solution.intercept, alone.intercept_, atol=1e-6)


def test_without_columns_the_intercepts_are_the_shares_of_the_classes():
    y = np.repeat([0, 1, 2], [5, 3, 2])
    rows = Rows.of(csr_array((10, 0)))
    solution = LogisticClassifier().fit_rows(rows, LabelEncoding.of(y))
    chances = np.exp(solution.intercept) / np.exp(solution.intercept).sum()
    np.testing.assert_allclose(chances, [0.5, 0.3, 0.2], atol=1e-12)
    assert solution.coef.shape == (3, 0)


@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_labels_of_none_or_all_have_half_a_document_on_the_other_side():
    X, y = problem((40, 21), "several")
    labels = np.column_stack([y == 0, np.zeros(40), np.ones(40)]).astype(int)
    fitted = LogisticClassifier().fit(X, labels)
    assert np.array_equal(fitted.coef_[1:], np.zeros((2, 21)))
    np.testing.assert_allclose(fitted.intercept_[1:], [-np.log(81), np.log(81)])
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], 0.5 / 41)
    assert fitted.solved_.all()


def test_a_class_without_weight_is_never_predicted_and_changes_no_other():
    X, y = problem((40, 21), "several")
    weights = (y != 1).astype(float)
    fitted = LogisticClassifier(tol=1e-12).fit(X, y, sample_weight=weights)
    two = LogisticClassifier(0.05, tol=1e-12).fit(X[y != 1], y[y != 1])
    # two rows w, −w of a multinomial have twice the penalty of one row 2w
    np.testing.assert_allclose(fitted.coef_[2] - fitted.coef_[0], two.coef_[0], atol=1e-5)
    assert not fitted.coef_[1].any()
    assert 1 not in fitted.predict(X)
    assert np.isfinite(fitted.intercept_).all()


def test_weights_of_zero_alone_give_equal_probabilities():
    X, y = problem((40, 21), "several")
    fitted = LogisticClassifier(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(X, y)
    np.testing.assert_array_equal(fitted.predict_proba(X), 1 / 3)


@pytest.mark.parametrize("scale", [1e-60, 1e-3, 1e3, 1e60])
@pytest.mark.parametrize("kind", KINDS)
def test_long_and_short_documents_are_the_same_problem_in_another_unit(scale, kind):
    X, y = problem((40, 21), kind)
    fitted = LogisticClassifier(0.1, tol=1e-12).fit(X, y)
    other = LogisticClassifier(0.1 * scale**2, tol=1e-12).fit(scale * X, y)
    assert other.solved_.all()
    np.testing.assert_allclose(scale * other.coef_, fitted.coef_, atol=1e-5)


def test_documents_that_overflow_are_refused():
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match="Divide documents by their lengths"):
        LogisticClassifier().fit(1e250 * X, y)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("kind", KINDS)
def test_separable_documents_and_empty_ones_are_solved_with_a_small_alpha(kind):
    X, y = text_like(60, 400, 40)
    X = normalized(X).toarray()
    X[::10] = 0.0
    if kind != "several":
        y = (y == 0).astype(int) if kind == "two" else np.column_stack([y == 0, y == 1]).astype(int)
    fitted = LogisticClassifier(1e-6).fit(X, y)
    assert fitted.solved_.all()
    assert np.isfinite(fitted.coef_).all()


def test_what_is_not_solved_is_reported(monkeypatch):
    X, y = problem((40, 21), "labels")
    monkeypatch.setattr(module, "STEPS", 1)
    with pytest.warns(LaconicWarning) as record:
        fitted = LogisticClassifier(1e-3).fit(X, y)
    assert len(record) == 1
    assert str(record[0].message) == (
        "LogisticClassifier: 2 of 2 problems are not solved to a tolerance of 1e-05: the worst "
        f"duality gap is {fitted.gap_.max():.2g} of the objective. Divide documents by their "
        "lengths, raise alpha=0.001, or raise tol"
    )
    assert record[0].filename == __file__
    assert not fitted.solved_.any()
    monkeypatch.undo()
    best = LogisticClassifier(1e-3, tol=1e-13).fit(X, y)
    here = objectives(X, y, 1e-3, fitted.coef_, fitted.intercept_)
    least = objectives(X, y, 1e-3, best.coef_, best.intercept_)
    assert (here - least <= fitted.gap_ * here).all()


def test_behind_a_selection_it_is_linear_over_the_vocabulary():
    X, y = problem((40, 21), "several")
    (model,) = ReduceThenFit(TopTerms(), LogisticClassifier(0.3), normalize="all").path(X, y, [7])
    alone = LogisticClassifier(0.3).fit(X[:, model.features], y)
    np.testing.assert_allclose(model.coef.toarray()[:, model.features], alone.coef_, atol=1e-4)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0: logistic regression needs a number above 0"),
        ({"alpha": np.inf}, "alpha=inf"),
        ({"alpha": "loo"}, "alpha='loo': logistic regression needs a number"),
        ({"tol": 0.0}, "tol=0.0: give a number above 0"),
        ({"class_weight": "even"}, "class_weight='even': give 'balanced', a dict"),
        ({"class_weight": {"maybe": 2.0}}, r"class_weight names \['maybe'\], but the classes are"),
    ],
)
def test_invalid_parameters(parameters, message):
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match=message):
        LogisticClassifier(**parameters).fit(X, y)


# the default is examined in tests/test_contracts.py
@parametrize_with_checks(
    [LogisticClassifier(fit_intercept=False), LogisticClassifier(class_weight="balanced")]
)
def test_scikit_learns_contract_beyond_the_defaults(estimator, check):
    if check.func is check_class_weight_classifiers and not estimator.fit_intercept:
        pytest.skip("its classes need an intercept")
    check(estimator)
