from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.sparse import csc_array, csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import (
    check_class_weight_classifiers,
    parametrize_with_checks,
)

from laconic import ReduceThenFit, SVMClassifier, TopTerms
from laconic.classifiers import svm as module
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.svm import joint
from laconic.text.labels import LabelEncoding
from tests.strategies import text_like

SHAPES = [(40, 21), (24, 60)]
KINDS = ["two", "several", "labels"]
ALPHAS = [0.03, 1.0, 20.0]


def problem(shape, kind):
    """Noisy, so that no class can be divided from the others."""
    X, y = text_like(*shape, 3)
    rng = np.random.default_rng(1)
    y = np.where(rng.random(y.size) < 0.2, rng.permutation(y), y)
    X = normalized(X)
    if kind == "two":
        return X, np.array(["no", "yes"])[(y > 0).astype(int)]
    return X, y if kind == "several" else np.column_stack([y == 0, y > 0]).astype(int)


def normalized(X):
    return csr_array(X / np.sqrt(X.multiply(X).sum(axis=1))[:, None])


def rows(fitted, X, y):
    """(y_signed, f, w, b) of every problem, from the attributes alone."""
    y_signed = LabelEncoding.of(y).y_signed
    F = X @ fitted.coef_.T + fitted.intercept_
    return zip(y_signed.T, F.T, fitted.coef_, fitted.intercept_, strict=True)


def objective(X, y_signed, alpha, loss, w, b):
    """Σ loss + alpha ‖w‖², a document at a time."""
    total = alpha * sum(weight**2 for weight in w)
    for x, sign in zip(X.toarray(), y_signed, strict=True):
        short = max(0.0, 1.0 - sign * (x @ w + b))
        total += short**2 if loss == "squared_hinge" else short
    return total


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_gradient_of_the_squared_hinge_vanishes(shape, kind, alpha, intercept):
    """−2 Σ y max(0, 1 − y f) x + 2 alpha w = 0, which no other constant before alpha gives."""
    X, y = problem(shape, kind)
    fitted = SVMClassifier(alpha, fit_intercept=intercept, tol=1e-8).fit(X, y)
    for y_signed, f, w, b in rows(fitted, X, y):
        pull = y_signed * np.maximum(0, 1 - y_signed * f)
        assert np.abs(w).max() > 1e-3
        np.testing.assert_allclose(X.T @ pull, alpha * w, atol=1e-6)
        if intercept:
            assert pull.sum() == pytest.approx(0.0, abs=1e-6), "the intercept has no penalty"
        else:
            assert b == 0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("intercept", [False, True])
def test_a_multiplier_shows_that_the_hinge_is_least(shape, kind, alpha, intercept):
    """2 alpha w = Σ a y x for some a that is 1 inside the margin, 0 beyond it, between on it."""
    X, y = problem(shape, kind)
    fitted = SVMClassifier(alpha, fit_intercept=intercept, loss="hinge", tol=1e-8).fit(X, y)
    for y_signed, f, w, b in rows(fitted, X, y):
        margin = y_signed * f
        low, high = (margin < 1 - 1e-5).astype(float), (margin < 1 + 1e-5).astype(float)
        sides, sums = (X.toarray() * y_signed[:, None]).T, 2 * alpha * w
        if intercept:
            sides, sums = np.vstack([sides, y_signed]), np.append(sums, 0.0)
        assert off_by(sides, sums, low, high) < 1e-5
        assert intercept or b == 0


def off_by(A, c, low, high):
    """The least max |A a − c| over low ≤ a ≤ high."""
    n_rows, n = A.shape
    slack = -np.ones((n_rows, 1))
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.block([[A, slack], [-A, slack]]),
        b_ub=np.concatenate([c, -c]),
        bounds=[*zip(low, high, strict=True), (0, None)],
    )
    return found.fun


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_a_general_minimiser_finds_nothing_better(loss):
    X, y = problem((24, 5), "two")
    fitted = SVMClassifier(0.5, loss=loss, tol=1e-8).fit(X, y)
    y_signed = LabelEncoding.of(y).y_signed[:, 0]
    ours = np.append(fitted.coef_[0], fitted.intercept_[0])

    def value(v):
        return objective(X, y_signed, 0.5, loss, v[:-1], v[-1])

    options = {"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-9, "fatol": 1e-12}
    start = ours + np.random.default_rng(0).normal(size=ours.size) / 10
    best = minimize(value, start, method="Nelder-Mead", options=options)
    assert value(ours) <= best.fun + 1e-7
    assert value(ours) == pytest.approx(best.fun, rel=1e-3), "the start was near enough to tell"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("intercept", [False, True])
def test_sparse_and_dense_documents_give_one_model_always(kind, loss, intercept):
    X, y = problem((40, 21), kind)
    machine = SVMClassifier(0.5, fit_intercept=intercept, loss=loss)
    first = machine.fit(X, y)
    coef, bias = first.coef_.copy(), first.intercept_.copy()
    again = machine.fit(X, y)
    assert np.array_equal(again.coef_, coef)
    assert np.array_equal(again.intercept_, bias)
    for form in (csc_array(X), X.toarray()):
        other = SVMClassifier(0.5, fit_intercept=intercept, loss=loss).fit(form, y)
        np.testing.assert_allclose(other.coef_, coef, atol=1e-5)
        np.testing.assert_allclose(other.intercept_, bias, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_have_the_form_of_the_labels(kind):
    X, y = problem((40, 21), kind)
    fitted = SVMClassifier(0.01).fit(X, y)
    assert fitted.model_.rule == {"two": "sign", "several": "argmax", "labels": "labels"}[kind]
    assert fitted.predict(X).shape == np.shape(y)
    assert (fitted.predict(X) == y).mean() > 0.7


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("form", [csr_array, csr_array.toarray])
@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_a_label_that_training_never_saw_is_never_given(loss, form):
    X, y = problem((40, 21), "several")
    labels = np.column_stack([y == 0, np.zeros(40), np.ones(40)]).astype(int)
    fitted = SVMClassifier(loss=loss).fit(form(X), labels)
    assert np.array_equal(fitted.coef_[1:], np.zeros((2, 21)))
    assert fitted.intercept_[1:].tolist() == [-1.0, 1.0]
    assert (fitted.predict(form(X))[:, 1:] == [0, 1]).all()


@pytest.mark.parametrize("form", [csr_array, csr_array.toarray])
@pytest.mark.filterwarnings("ignore:1 of .* labels occur in")
def test_without_an_intercept_a_label_of_all_is_learnt_from_the_words(form):
    X, y = problem((40, 21), "several")
    labels = np.column_stack([y == 0, np.zeros(40), np.ones(40)]).astype(int)
    fitted = SVMClassifier(0.5, fit_intercept=False, tol=1e-8).fit(form(X), labels)
    for y_signed, f, w, _ in rows(fitted, X, labels):
        np.testing.assert_allclose(
            X.T @ (y_signed * np.maximum(0, 1 - y_signed * f)), 0.5 * w, atol=1e-6
        )
    np.testing.assert_allclose(fitted.coef_[1], -fitted.coef_[2], atol=1e-6)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("intercept", [False, True])
def test_what_is_not_solved_is_said_once_and_by_us(loss, intercept, monkeypatch):
    """N2: how many rows, the worst gap, what to do; and the attributes say the same."""
    X, y = problem((40, 21), "several")
    monkeypatch.setattr(module, "EPOCHS", 1)
    monkeypatch.setattr(joint, "MAX_PASSES", 1)
    monkeypatch.setattr(joint, "MAX_STEPS", 0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fitted = SVMClassifier(1e-3, fit_intercept=intercept, loss=loss).fit(X, y)
    assert [one.category for one in said] == [LaconicWarning]
    assert not fitted.solved_.any()
    assert (fitted.gap_ > 1e-4).all()
    assert str(said[0].message) == (
        "SVMClassifier: 3 of 3 problems are not solved to a tolerance of 0.0001: the worst duality "
        f"gap is {fitted.gap_.max():.2g} of the objective. Divide documents by their lengths, "
        "raise alpha=0.001, or raise tol"
    )
    assert said[0].filename == __file__
    assert not issubclass(LaconicWarning, ConvergenceWarning)


def test_behind_a_selection_it_is_linear_over_the_vocabulary():
    X, y = problem((40, 21), "several")
    path = ReduceThenFit(TopTerms(), SVMClassifier(0.3), normalize="all")
    (model,) = path.path(X, y, [7])
    alone = SVMClassifier(0.3).fit(X[:, model.features], y)
    np.testing.assert_allclose(model.coef.toarray()[:, model.features], alone.coef_, atol=1e-7)
    np.testing.assert_allclose(model.intercept, alone.intercept_, atol=1e-7)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": 0}, "alpha=0: an SVM needs a number above 0"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"alpha": np.inf}, "alpha=inf"),
        ({"alpha": True}, "alpha=True"),
        ({"alpha": "loo"}, "alpha='loo': an SVM needs a number"),
        ({"loss": "log"}, "loss='log': choose from squared_hinge, hinge"),
        ({"tol": 0.0}, "tol=0.0: give a number above 0"),
        ({"tol": None}, "tol=None: give a number above 0"),
        ({"class_weight": "even"}, "class_weight='even': give 'balanced', a dict"),
        ({"class_weight": {"maybe": 2.0}}, r"class_weight names \['maybe'\], but the classes are"),
        ({"class_weight": {"yes": -1.0}}, "weights must be finite and at least 0"),
        ({"class_weight": {"yes": "heavy"}}, "weights must be finite and at least 0"),
        ({"class_weight": [0, 1]}, "give 'balanced', a dict by class, or None"),
    ],
)
def test_parameters_that_mean_nothing(parameters, message):
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match=message):
        SVMClassifier(**parameters).fit(X, y)


# the default is examined in tests/test_contracts.py
@parametrize_with_checks(
    [
        SVMClassifier(fit_intercept=False),
        SVMClassifier(loss="hinge"),
        SVMClassifier(loss="hinge", fit_intercept=False),
        SVMClassifier(loss="hinge", class_weight="balanced"),
    ]
)
def test_scikit_learns_contract_beyond_the_defaults(estimator, check):
    if check.func is check_class_weight_classifiers and not estimator.fit_intercept:
        pytest.skip("its classes need an intercept: scikit-learn's LinearSVC without one fails too")
    check(estimator)


@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_long_indices_are_taken_as_others(form):
    X, y = text_like(30, 21, 3)
    long = form(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    short, other = SVMClassifier().fit(form(X), y), SVMClassifier().fit(long, y)
    np.testing.assert_array_equal(short.coef_, other.coef_)
    assert long.indices.dtype == np.int64, "X stays as it was"


def test_a_loose_tolerance_does_not_lose_a_rare_class():
    """N2: with tol=1e-2 liblinear gave w of 5e-5 where it is 2.2, without a warning."""
    X, y = text_like(600, 400, 40)
    X, y = normalized(X), (y == 0).astype(int)
    loose, strict = (SVMClassifier(0.5, tol=tol).fit(X, y) for tol in (1e-4, 1e-8))
    assert loose.solved_.all()
    assert strict.gap_[0] <= 1e-8
    assert loose.gap_[0] <= 1e-2
    np.testing.assert_allclose(loose.decision_function(X), strict.decision_function(X), atol=1e-2)


def test_a_small_alpha_is_solved_at_a_tight_tolerance():
    """N2: liblinear's coefficients were off by 0.33 from the sums of documents, in silence."""
    X, y = text_like(600, 400, 3, 1)
    rng = np.random.default_rng(0)
    X, y = normalized(X), np.where(rng.random(600) < 0.2, rng.permutation(y), y)
    fitted = SVMClassifier(1e-4, tol=1e-8).fit(X, y)
    assert fitted.solved_.all()
    np.testing.assert_allclose((fitted.dual_coef_ @ X).toarray(), fitted.coef_, atol=1e-8)
    for y_signed, f, w, _ in rows(fitted, X, y):
        pull = y_signed * np.maximum(0, 1 - y_signed * f)
        np.testing.assert_allclose(X.T @ pull, 1e-4 * w, atol=1e-6)
        assert pull.sum() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_quality_has_one_number_per_row(loss):
    """N2: `solved_` and `gap_`, also where a row needs no training."""
    X, y = problem((40, 21), "several")
    labels = np.column_stack([y == 0, np.zeros(40), y == 1]).astype(int)
    fitted = SVMClassifier(0.5, loss=loss, tol=1e-8).fit(X, labels)
    assert fitted.solved_.dtype == bool
    assert fitted.solved_.tolist() == [True, True, True]
    assert fitted.gap_.shape == (3,)
    assert fitted.gap_[1] == 0.0
    assert (fitted.gap_ <= 1e-8).all()
    for row, (y_signed, f, w, b) in enumerate(rows(fitted, X, labels)):
        short = np.maximum(0, 1 - y_signed * f)
        primal = 0.5 * w @ w + (short if loss == "hinge" else short**2).sum()
        alphas = np.abs(fitted.dual_coef_.toarray()[row])
        dual = alphas.sum() - 0.5 * w @ w - (0 if loss == "hinge" else alphas @ alphas / 4)
        assert primal - dual <= (fitted.gap_[row] + 1e-12) * max(primal, 1e-3)
        assert np.isfinite(b)
