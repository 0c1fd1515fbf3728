"""Training along sizes and alphas: on prefixes with warm starts, or on copies of columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from laconic import (
    LSI,
    LogisticClassifier,
    ReduceThenFit,
    RLSClassifier,
    SampledTerms,
    SVMClassifier,
    TopTerms,
)
from laconic.classifiers.rows_solution import RowsSolution
from laconic.errors import SizeUnavailable
from tests.strategies import text_like

SIZES, ALPHAS = (3, 8, 21), (2.0, 0.3, 0.05)
CLASSIFIERS = {
    "svm": SVMClassifier(tol=1e-12),
    "hinge": SVMClassifier(loss="hinge", tol=1e-10),
    "balanced": SVMClassifier(class_weight="balanced", tol=1e-12),
    "logistic": LogisticClassifier(tol=1e-12),
}
KINDS = ("two", "several", "labels")


class Unranked(TopTerms):
    """The same selections, of which no other code knows that they are prefixes."""

    order = None


def problem(kind):
    """Training documents of many lengths, labels, and other documents."""
    X, y = text_like(40, 21, 2 if kind == "two" else 3)
    labels = np.column_stack([y == 0, y > 0, y == 2]).astype(int) if kind == "labels" else y
    return X, labels, text_like(15, 21, 3, seed=7)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("normalized", ["all", "selected"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_prefixes_give_the_models_of_copied_columns(name, normalized, kind):
    """These are trained from nothing, at every size and alpha; the optimum is the same."""
    X, y, queries = problem(kind)
    ranked, copied = (
        list(
            ReduceThenFit(reducer, CLASSIFIERS[name], normalize=normalized).along(
                X, y, SIZES, queries, ALPHAS
            )
        )
        for reducer in (TopTerms(), Unranked())
    )
    assert len(ranked) == len(copied) == len(SIZES) * len(ALPHAS)
    for (model, decisions), (expected, _) in zip(ranked, copied, strict=True):
        assert (model.size, model.rule, model.normalize) == (
            expected.size,
            expected.rule,
            normalized,
        )
        assert model.features.tolist() == expected.features.tolist()
        atol = 1e-5 * max(1.0, np.abs(expected.coef.toarray()).max())
        np.testing.assert_allclose(model.coef.toarray(), expected.coef.toarray(), atol=atol)
        np.testing.assert_allclose(model.intercept, expected.intercept, atol=atol)
        np.testing.assert_allclose(decisions(), model.decision(queries), atol=1e-12)


@pytest.mark.parametrize("reducer", [TopTerms(), Unranked(), SampledTerms(), LSI()])
@pytest.mark.parametrize("normalized", ["all", "selected"])
def test_every_alpha_is_that_of_a_separate_fit(reducer, normalized):
    X, y, queries = problem("several")
    path = ReduceThenFit(reducer, LogisticClassifier(tol=1e-12), normalize=normalized)
    grid = [(size, alpha) for size in (3, 8) for alpha in ALPHAS]
    for (size, alpha), (model, decisions) in zip(
        grid, path.along(X, y, [8, 3], queries, ALPHAS), strict=True
    ):
        assert path.classifier_.alpha == alpha
        fixed = path.reducer_.at(size)
        Z, Q = fixed.apply(X), fixed.apply(queries)
        if normalized == "selected":
            # before the weights of a sample; a projection reads all words
            terms = fixed.terms
            lengths = (np.linalg.norm(D.toarray()[:, terms], axis=1) for D in (X, queries))
            Z, Q = (
                (D.toarray() if hasattr(D, "toarray") else D) / np.where(n > 0, n, 1.0)[:, None]
                for D, n in zip((Z, Q), lengths, strict=True)
            )
        alone = LogisticClassifier(alpha, tol=1e-12).fit(Z, y)
        np.testing.assert_allclose(decisions(), alone.decision_function(Q), atol=1e-4)
        np.testing.assert_allclose(decisions(), model.decision(queries), atol=1e-10)
        probabilities = model.predict_proba(queries)
        np.testing.assert_allclose(probabilities, alone.predict_proba(Q), atol=1e-5)


def test_without_alphas_the_classifier_has_its_own():
    X, y, queries = problem("several")
    path = ReduceThenFit(TopTerms(), LogisticClassifier(0.7, tol=1e-12))
    ((model, _),) = path.along(X, y, [8], queries)
    assert path.classifier_.alpha == 0.7
    ((same, _),) = path.along(X, y, [8], queries, [0.7])
    np.testing.assert_allclose(model.coef.toarray(), same.coef.toarray(), atol=1e-12)


@pytest.mark.parametrize("reducer", [TopTerms(), Unranked()])
def test_without_queries_decisions_are_those_of_the_training_documents(reducer):
    X, y, _ = problem("several")
    ((model, decisions),) = ReduceThenFit(reducer).along(X, y, [8], None)
    np.testing.assert_allclose(decisions(), model.decision(X), atol=1e-12)


@pytest.mark.parametrize("reducer", [TopTerms(), Unranked()])
def test_a_size_that_is_not_available_is_refused_once_per_alpha(reducer):
    X, y, queries = problem("several")
    outcomes = list(ReduceThenFit(reducer).along(X, y, [99, 3], queries, ALPHAS))
    assert [isinstance(outcome, SizeUnavailable) for outcome in outcomes] == [False] * 3 + [
        True
    ] * 3
    assert {outcome.reason for outcome in outcomes[3:]} == {outcomes[3].reason}
    assert "only 21 terms" in outcomes[3].reason


class Recorded(RLSClassifier):
    """Has `fit_rows`, and names its solutions by size and alpha."""

    started: list[tuple[tuple[int, float], tuple[int, float] | None]]

    def fit_rows(self, rows, encoding, start=None, sample_weight=None):
        name = rows.n_columns, self.alpha
        Recorded.started.append((name, start))
        n_rows = encoding.y_signed.shape[1]
        coef, intercept = np.zeros((n_rows, rows.n_columns)), np.zeros(n_rows)
        return RowsSolution(coef, intercept, np.ones(n_rows, bool), np.zeros(n_rows), name)


def test_every_model_starts_from_its_nearest_earlier_one():
    """The first alpha from the first of the size before, the others from the alpha before."""
    X, y, queries = problem("several")
    Recorded.started = []
    list(ReduceThenFit(TopTerms(), Recorded()).along(X, y, [8, 3], queries, (2.0, 0.3)))
    assert Recorded.started == [
        ((3, 2.0), None),
        ((3, 0.3), (3, 2.0)),
        ((8, 2.0), (3, 2.0)),
        ((8, 0.3), (8, 2.0)),
    ]


def test_the_default_is_logistic_regression_on_the_words_of_recursive_elimination():
    X, y, queries = problem("several")
    fitted = ReduceThenFit(size=6).fit(X, y)
    terms = TopTerms("rfe").fit(X, y).at(6).terms
    assert sorted(terms) != sorted(TopTerms("ig").fit(X, y).at(6).terms)
    Z, Q = (normalize(D.toarray()[:, terms]) for D in (X, queries))
    alone = LogisticClassifier().fit(Z, y)
    assert fitted.model_.features.tolist() == sorted(terms)
    np.testing.assert_allclose(
        fitted.decision_function(queries), alone.decision_function(Q), atol=1e-4
    )
    np.testing.assert_allclose(fitted.predict_proba(queries), alone.predict_proba(Q), atol=1e-5)
