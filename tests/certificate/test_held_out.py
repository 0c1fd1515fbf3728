"""What a certificate says of documents held out, each and together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LinearModel
from laconic.certificate import certify
from laconic.numerics.bounds import span as spans
from laconic.numerics.bounds import suprema as of
from tests.certificate.cases import RNG, case
from tests.oracles import span_by_svd


def test_queries_come_in_blocks(monkeypatch):
    X, y, reduction, alpha, full, small, H = case(5)
    whole = certify(full, small, X, y, reduction, alpha, H).query_bounds
    monkeypatch.setattr("laconic.certificate.spectral.BLOCK", 5)
    blocks = certify(full, small, X, y, reduction, alpha, H).query_bounds
    for name, values in vars(whole).items():
        np.testing.assert_allclose(getattr(blocks, name), values, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4)])
def test_what_is_the_same_for_all_blocks_is_computed_once(monkeypatch, shape):
    """Each further block costs one projection and one reduction, of its own queries."""
    X, y, reduction, alpha, full, small, H = case(5, X=RNG(5).random(shape))
    calls = []

    def counted(owner, name):
        method = getattr(owner, name)

        def counting(self, given, *rest):
            calls.append((name, given.shape[0]))
            return method(self, given, *rest)

        monkeypatch.setattr(owner, name, counting)

    for owner, name in (
        (spans.Span, "coordinates"),
        (spans.Span, "on_documents"),
        (type(reduction), "apply"),
    ):
        counted(owner, name)
    eigenvalues = spans.linalg.eigvalsh

    def counting_eigenvalues(M, **options):
        calls.append(("eigvalsh", len(M)))
        return eigenvalues(M, **options)

    monkeypatch.setattr(spans.linalg, "eigvalsh", counting_eigenvalues)
    certify(full, small, X, y, reduction, alpha, H)
    once = calls.copy()
    assert [name for name, _ in once].count("eigvalsh") == 2, "of M̂, and of U'S²U − M̂²"
    calls.clear()
    monkeypatch.setattr("laconic.certificate.spectral.BLOCK", 6)
    certify(full, small, X, y, reduction, alpha, H)
    of_queries = [("coordinates", 6), ("apply", 6)]
    others = [each for each in once if each[1] != 12]
    assert sorted(calls) == sorted(others + 2 * of_queries)


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_change_of_each_held_out_document_needs_no_training_facts(n_classes, intercept):
    X, _, _, _, full, small, H = case(4, n_classes, intercept=intercept)
    certificate = certify(full, small, X, held_out=H, span_limit=0)
    part, (D, b) = certificate.changes, (small.coef - full.coef, small.intercept - full.intercept)
    exact = np.abs(H.toarray() @ of.dense(D).T + b)
    np.testing.assert_allclose(part.per_document, exact, atol=1e-12)
    worst = part.per_document.max(axis=1)
    assert (part.n_documents, part.median, part.largest) == (12, np.median(worst), worst.max())
    assert part.median < part.largest
    assert certify(full, small, X, held_out=H[:1]).changes.n_documents == 1, "no least number"
    assert certify(full, small, X).changes.reason == "needs held_out documents"
    said = f"by {part.median:.3g} in the median and by {part.largest:.3g} at most (exact)"
    assert said in certificate.summary()
    assert "per_document" not in repr(certificate)
    assert {k for k in certificate.as_dict() if k.startswith("changes")} == {
        "changes.n_documents",
        "changes.median",
        "changes.largest",
    }


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
@pytest.mark.parametrize("seed", range(8))
def test_the_worst_case_share_counts_documents_that_cannot_flip(n_classes, seed):
    X, _, _, _, full, _, H = case(seed, n_classes)
    near = LinearModel(
        of.dense(full.coef) + 0.02 * RNG(seed).normal(size=full.coef.shape),
        full.intercept + 0.01,
        full.classes,
        full.size,
        rule=full.rule,
    )
    part = certify(full, near, X, held_out=H).worst_case
    D, b = near.coef - full.coef, near.intercept - full.intercept
    safe = of.cannot_change(near.decision(H), D, b, of.lengths(H), full.rule, True)
    assert (part.documents, part.n_documents) == ("held-out", H.shape[0])
    assert (part.certified, part.nonnegative) == (safe.sum(), True)
    assert not of.changed(full.decision(H), near.decision(H), full.rule)[safe].any()
    assert certify(full, near, X).worst_case.documents == "training"
    both = certify(full, near, X, held_out=csr_array(np.vstack([H.toarray(), -H.toarray()])))
    assert both.worst_case.nonnegative is False


def test_the_worst_case_of_equal_models_is_every_clear_decision():
    X, _, _, _, full, _, H = case(1)
    part = certify(full, full, X, held_out=H).worst_case
    assert part.certified == (of.margin(full.decision(H), "argmax") > 1e-9).sum() > 0


def held_out_numbers(rule_classes):
    X, _, _, _, full, small, _ = case(4, rule_classes)
    H = csr_array(RNG(0).poisson(0.8, size=(40, X.shape[1])).astype(float))
    return full, small, H, certify(full, small, X, held_out=H, confidence=0.8).held_out


@pytest.mark.parametrize("n_classes", [2, 3, "labels"])
def test_the_held_out_part_is_what_it_says(n_classes):
    full, small, H, part = held_out_numbers(n_classes)
    f, g = full.decision(H), small.decision(H)
    differ = np.asarray(full.predict(H) != small.predict(H)).reshape(40, -1).any(axis=1)
    assert (part.n_documents, part.flips) == (40, differ.sum())
    assert part.decision_bound == np.sort(np.abs(f - g).max(axis=1))[33 - 1], "⌈41·0.8⌉ = 33"
    loss = of.margin_loss(f, g, full.rule)
    assert part.margin_bound == np.sort(loss)[33 - 1]
    certified = of.margin(g, full.rule) > part.margin_bound
    assert (part.certified, part.certified_flips) == (certified.sum(), (certified & differ).sum())
    assert part.flip_limit == of.rate_limit(part.flips, 40, 0.8)
    outlasts = part.decision_bound * (2 if n_classes == 3 else 1)
    clear = of.margin(g, full.rule) > outlasts
    assert (part.clear, part.clear_flips) == (clear.sum(), (clear & differ).sum())


def test_the_medians_are_those_of_the_queries():
    X, y, reduction, alpha, full, small, H = case(5)
    certificate = certify(full, small, X, y, reduction, alpha, H)
    bounds, medians = certificate.query_bounds, certificate.queries
    assert medians.median_bound == np.median(bounds.in_span + bounds.off_span)
    assert medians.median_change == np.median(bounds.change.max(axis=1))
    assert medians.premise_share == np.mean(bounds.epsilon <= 0.5)
    f = np.abs(full.decision(H))
    known = f > 1e-9
    relative = 2 * certificate.in_span.epsilon * certificate.in_span.condition * bounds.gamma * f
    np.testing.assert_allclose(bounds.theorem_2[known], relative[known])
    _, sigma, V = span_by_svd(X.toarray())
    a = np.linalg.lstsq(X.T.toarray(), H.T.toarray(), rcond=None)[0]
    y_signed = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    shrunk = np.linalg.norm((V.T @ a) / (1 + alpha / sigma[:, None] ** 2), axis=0)
    aligned = np.outer(shrunk, np.linalg.norm(V.T @ y_signed, axis=0))
    np.testing.assert_allclose(bounds.gamma[known], (aligned / np.maximum(f, 1e-300))[known])


@pytest.mark.parametrize(
    ("rule", "full", "small", "flips"),
    [
        ("sign", [[1e-17], [0.5], [1e-17]], [[-1e-17], [-0.4], [-0.3]], [False, True, True]),
        ("sign", [[1e-10], [1e3]], [[-1e-10], [-1e3]], [False, True]),
        ("sign", [[1e-20], [2e-20]], [[-1e-20], [2e-20]], [True, False]),
        ("labels", [[1e-17, -1], [1, 1]], [[-1e-17, -1], [1, -1]], [False, True]),
        ("argmax", [[0.5, 0.5 + 1e-16, 0], [1, 2, 0]], [[0.5, 0.5, 0], [2, 1, 0]], [False, True]),
        ("argmax", [[0.5, 0.5 + 1e-16, 0]], [[0.6, 0.5, 0]], [True]),
    ],
)
def test_a_sign_that_rounding_changed_is_no_flip(rule, full, small, flips):
    """Low: two models that are the same but for the last digit decided differently."""
    full, small = np.array(full, dtype=float), np.array(small, dtype=float)
    assert of.changed(full, small, rule).tolist() == flips
    assert of.changed(small, full, rule).tolist() == flips


def test_decisions_of_a_certificate_are_comparisons_with_the_thresholds():
    """It is that of the models with the thresholds in the intercepts, and counts their flips."""
    X, _, _, _, full, small, H = case(8, n_classes="labels")
    rng = RNG(8)
    full, small = (replace(model, thresholds=rng.normal(size=3) / 4) for model in (full, small))
    certificate = certify(full, small, X, held_out=H)
    moved = [
        replace(m, intercept=m.intercept - m.thresholds, thresholds=None) for m in (full, small)
    ]
    assert certificate.as_dict() == certify(*moved, X, held_out=H).as_dict()
    flips = (full.predict(H) != small.predict(H)).any(axis=1).sum()
    assert certificate.held_out.flips == flips > 0
    plain = [replace(m, thresholds=None) for m in (full, small)]
    assert certify(*plain, X, held_out=H).held_out.flips != flips
