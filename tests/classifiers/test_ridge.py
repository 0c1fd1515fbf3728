from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifierCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic import ReduceThenFit, RLSClassifier, TopTerms
from laconic.classifiers import ridge as module
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.metrics import accuracy, apply_rule, f1_micro
from laconic.numerics.ridge import solve as numerics
from laconic.text.labels import LabelEncoding
from tests.oracles import leave_one_out
from tests.strategies import text_like

ALPHAS = 10.0 ** np.arange(-3, 4)
SHAPES = [(40, 21), (24, 60)]
KINDS = ["two", "several", "labels"]


def problem(shape, kind):
    """Noisy enough that the best alpha is inside the grid."""
    X, y = text_like(*shape, 3)
    rng = np.random.default_rng(1)
    y = np.where(rng.random(y.size) < 0.2, rng.permutation(y), y)
    lengths = np.sqrt(X.multiply(X).sum(axis=1))
    X = csr_array(X / lengths[:, None])
    if kind == "two":
        return X, np.array(["no", "yes"])[(y > 0).astype(int)]
    return X, y if kind == "several" else np.column_stack([y == 0, y > 0]).astype(int)


def by_refitting(X, y, criterion, intercept):
    """What each alpha is worth, larger being better, from models trained without each document."""
    encoding = LabelEncoding.of(y)
    worth = []
    for alpha in ALPHAS:
        residuals = leave_one_out(X.toarray(), encoding.y_signed, alpha, intercept)
        chosen = apply_rule(encoding.y_signed - residuals, encoding.rule)
        worth.append(
            -np.mean(residuals**2)
            if criterion == "squared"
            else accuracy(chosen, encoding.y_signed)
            if criterion == "accuracy"
            else f1_micro(chosen, encoding.y_signed, encoding.rule)
        )
    return np.array(worth)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("criterion", ["squared", "accuracy", "f1_micro"])
def test_loo_takes_the_alpha_that_refitting_finds_best(shape, kind, intercept, criterion):
    X, y = problem(shape, kind)
    worth = by_refitting(X, y, criterion, intercept)
    found = RLSClassifier(
        alpha="loo", alphas=ALPHAS, criterion=criterion, fit_intercept=intercept
    ).fit(X, y)
    sign = -1.0 if criterion == "squared" else 1.0
    np.testing.assert_allclose(found.loo_.values, sign * worth, rtol=1e-8)
    assert found.alpha_ == ALPHAS[worth == worth.max()].max()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", [csr_array, csc_array, csr_array.toarray])
def test_loo_is_scikit_learns(shape, kind, intercept, form):
    X, y = problem(shape, kind)
    ours = RLSClassifier(alpha="loo", alphas=ALPHAS, fit_intercept=intercept).fit(form(X), y)
    peer = RidgeClassifierCV(ALPHAS, fit_intercept=intercept).fit(form(X), y)
    assert ours.alpha_ == peer.alpha_
    np.testing.assert_allclose(ours.coef_, np.atleast_2d(peer.coef_), atol=1e-9)
    expected = np.broadcast_to(peer.intercept_, ours.intercept_.shape)  # theirs is 0.0 for none
    np.testing.assert_allclose(ours.intercept_, expected, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_chosen_alpha_gives_the_model_of_that_alpha(shape, kind, intercept):
    X, y = problem(shape, kind)
    chosen = RLSClassifier(alpha="loo", fit_intercept=intercept).fit(X, y)
    fixed = RLSClassifier(alpha=chosen.alpha_, fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(chosen.coef_, fixed.coef_, atol=1e-9)
    np.testing.assert_allclose(chosen.intercept_, fixed.intercept_, atol=1e-9)
    assert fixed.alpha_ == chosen.alpha_
    assert not hasattr(fixed, "loo_")


def test_the_candidates_follow_the_scale_of_the_documents():
    X, y = problem((40, 21), "several")
    one = RLSClassifier(alpha="loo").fit(X, y)
    np.testing.assert_allclose(one.loo_.alphas, np.logspace(-3, 3, 13))
    seven = RLSClassifier(alpha="loo").fit(7 * X, y)
    assert seven.alpha_ == pytest.approx(49 * one.alpha_)
    np.testing.assert_allclose(7 * seven.coef_, one.coef_, atol=1e-9)


def test_of_equally_good_values_the_largest_is_taken():
    y = np.arange(30) % 3
    X = np.eye(3)[y]
    found = RLSClassifier(alpha="loo", alphas=[1.0, 1e-2, 0.5], criterion="accuracy").fit(X, y)
    assert found.loo_.values.tolist() == [1.0] * 3
    assert found.alpha_ == 1.0


def test_refitting_with_a_number_forgets_leave_one_out():
    X, y = problem((40, 21), "two")
    estimator = RLSClassifier(alpha="loo").fit(X, y)
    assert not hasattr(estimator.set_params(alpha=2.0).fit(X, y), "loo_")


def test_every_size_of_a_path_chooses_its_own_alpha():
    X, y = problem((40, 21), "several")
    path = ReduceThenFit(TopTerms(), RLSClassifier(alpha="loo"), normalize="all")
    for size, model in zip((5, 21), path.path(X, y, [5, 21]), strict=True):
        alone = RLSClassifier(alpha="loo").fit(X[:, model.features], y)
        assert alone.coef_.shape[1] == size
        np.testing.assert_allclose(model.coef.toarray()[:, model.features], alone.coef_, atol=1e-9)


@pytest.mark.parametrize("alpha", [3e-12, "loo"])
def test_an_ill_conditioned_system_is_reported(alpha):
    X, y = problem((24, 60), "two")
    twice = csr_array(np.vstack([X.toarray(), X.toarray()]))
    labels = np.concatenate([y, y])
    with pytest.warns(LaconicWarning, match=r"condition number \de\+1\d with alpha=.*Raise alpha"):
        found = RLSClassifier(alpha=alpha, alphas=[3e-12]).fit(twice, labels)
    assert found.condition_ > 1e12


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0, "loo"])
@pytest.mark.parametrize("shape", SHAPES)
def test_ordinary_problems_are_not_reported(alpha, shape):
    X, y = problem(shape, "several")
    assert 1 <= RLSClassifier(alpha=alpha).fit(X, y).condition_ < 1e6


def test_iterations_that_do_not_converge_are_reported(monkeypatch):
    X, y = problem((40, 21), "two")
    monkeypatch.setattr(numerics, "FACTORISE_UP_TO", 5)
    assert np.isnan(RLSClassifier().fit(X, y).condition_)
    monkeypatch.setattr(numerics, "_steps", lambda *_: None)
    with pytest.warns(
        LaconicWarning, match=r"1 of 1 rows have relative residuals of up to \de-0\d"
    ):
        RLSClassifier().fit(X, y)


def test_loo_on_what_cannot_be_factorized_says_what_to_do(monkeypatch):
    X, y = problem((40, 21), "two")
    monkeypatch.setattr(module, "FACTORISE_UP_TO", 20)
    with pytest.raises(LaconicError, match=r"40 documents and 21 terms.*20.*Select fewer words"):
        RLSClassifier(alpha="loo").fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1}, "alpha=-1"),
        ({"alpha": np.inf}, "alpha=inf"),
        ({"alpha": None}, "alpha=None"),
        ({"alpha": [1.0, 2.0]}, "alpha=.*one number"),
        ({"alpha": "cv"}, "alpha='cv'.*'loo'"),
        ({"alpha": "loo", "criterion": "auc"}, "criterion='auc'.*'accuracy'"),
        ({"alpha": "loo", "alphas": []}, r"alphas=\[\]"),
        ({"alpha": "loo", "alphas": [1.0, -1.0]}, r"alphas=.*at least 0"),
        ({"alpha": "loo", "alphas": "many"}, r"alphas='many'"),
    ],
)
def test_parameters_that_mean_nothing(parameters, message):
    X, y = problem((40, 21), "two")
    with pytest.raises(LaconicError, match=message):
        RLSClassifier(**parameters).fit(X, y)


def test_alpha_0_among_the_candidates_is_the_least_norm_solution():
    X, y = problem((24, 60), "several")
    found = RLSClassifier(alpha="loo", alphas=[0.0]).fit(X, y)
    y_signed = LabelEncoding.of(y).y_signed
    np.testing.assert_allclose(found.coef_.T, np.linalg.pinv(X.toarray()) @ y_signed, atol=1e-9)
    expected = np.mean(leave_one_out(X.toarray(), y_signed, 0.0, False) ** 2)
    np.testing.assert_allclose(found.loo_.values, expected, rtol=1e-7)


def test_the_constructor_only_assigns():
    alphas = (3, 1)
    estimator = RLSClassifier(alpha="loo", alphas=alphas)
    assert estimator.alphas is alphas
    assert clone(estimator).get_params() == estimator.get_params()


@parametrize_with_checks(
    [
        RLSClassifier(),
        RLSClassifier(fit_intercept=True),
        RLSClassifier(alpha="loo"),
        RLSClassifier(alpha="loo", criterion="accuracy", fit_intercept=True),
    ]
)
def test_scikit_learns_contract_without_a_warning_of_ours(estimator, check):
    check(estimator)


@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0, "loo"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_residual_of_each_row_is_that_of_its_normal_equations(alpha, shape, intercept):
    X, y = problem(shape, "several")
    found = RLSClassifier(alpha=alpha, fit_intercept=intercept).fit(X, y)
    assert found.residual_.shape == found.solved_.shape == (3,)
    assert found.solved_.all()
    assert (found.residual_ <= 1e-10).all()


def test_a_row_that_misses_its_equations_is_not_solved(monkeypatch):
    """The first row is off by a direction of length 0.1; its residual is computed here densely."""
    X, y = problem((40, 21), "several")
    exact = numerics.ridge

    def off(X, Y, alpha, intercept):
        solution = exact(X, Y, alpha, intercept)
        solution.coef[0] += 0.1 * np.eye(21)[3]
        return solution

    monkeypatch.setattr(module, "ridge", off)
    with pytest.warns(LaconicWarning, match=r"1 of 3 rows have .* with alpha=1"):
        found = RLSClassifier().fit(X, y)
    D, y_signed = X.toarray(), np.where(y == 0, 1.0, -1.0)
    missed = D.T @ (y_signed - D @ found.coef_[0]) - found.coef_[0]
    expected = np.linalg.norm(missed) / np.linalg.norm(D) / np.sqrt(40)
    assert found.residual_[0] == pytest.approx(expected, rel=1e-9)
    assert found.solved_.tolist() == [False, True, True]


def test_labels_that_contradict_each_other_are_solved():
    """X'y = 0: there is nothing to divide by, and nothing is missed."""
    found = RLSClassifier(fit_intercept=True).fit(np.ones((4, 3)) / 7, [0, 1, 0, 1])
    assert found.residual_[0] < 1e-15
    assert RLSClassifier(alpha=1e-3).fit(np.ones((2, 5)), [0, 1]).solved_.all()
    assert RLSClassifier().fit(np.zeros((4, 3)), [0, 1, 0, 1]).solved_.all()


@pytest.mark.parametrize("alpha", [1.0, 0.0, "loo"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("shape", [(3, 2), (2, 3)])
def test_entries_whose_squares_overflow_are_refused(alpha, intercept, form, shape):
    """Low, at 1e155: a bare ValueError of LAPACK before."""
    X = form(1e155 * np.arange(1.0, 7.0).reshape(shape))
    with pytest.raises(LaconicError, match=r"products of them overflow.*Divide the documents by"):
        RLSClassifier(alpha=alpha, fit_intercept=intercept).fit(X, [0, 1, 0][: shape[0]])


def test_iterations_on_entries_whose_squares_overflow_are_refused(monkeypatch):
    monkeypatch.setattr(numerics, "FACTORISE_UP_TO", 1)
    with pytest.raises(LaconicError, match="overflow"):
        RLSClassifier().fit(1e155 * np.ones((3, 2)), [0, 1, 0])
