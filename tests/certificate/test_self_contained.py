"""Suprema of models that divide documents by their length over their own words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LinearModel, ReduceThenFit, RLSClassifier, Selection, TopTerms
from laconic.certificate import NotComputed, as_stored, certify
from laconic.certificate.self_contained import SplitPair
from laconic.errors import LaconicError
from laconic.numerics.bounds import self_contained as kernel
from laconic.numerics.bounds import suprema as of
from tests.certificate.cases import RNG
from tests.certificate.split_search import climb, decisions
from tests.strategies import text_like


def search(seeds, steps):
    """How near the climbs came to what they climbed; nothing may be violated."""
    near = []
    for seed in seeds:
        problem, claim, worst = climb(seed, steps)
        assert max(worst.values()) <= 0, (worst, problem)
        near.append(worst[claim])
    return np.array(near)


@pytest.mark.full
def test_no_supremum_is_violated_in_200_climbs():
    near = search(range(200), steps=20)
    assert np.mean(near > -0.05) > 0.3, "the climbs come near what they climb"


@pytest.mark.slow
def test_no_supremum_is_violated_in_5000_climbs():
    near = search(range(5_000), steps=50)
    assert np.mean(near > -0.02) > 0.3


def test_the_search_finds_a_bound_from_both_ends_alone(monkeypatch):
    """The check can fail: c = 0 and c = 1 do not suffice."""

    def ends(inner, outer, rest):
        r = kernel.unit_reach(-rest) if rest.size else -np.inf
        length = lambda c: np.linalg.norm(np.maximum(inner - c * outer, 0))  # noqa: E731
        return max(length(0.0) + r, length(1.0), 0.0)

    monkeypatch.setattr("laconic.certificate.self_contained.split_reach", ends)
    with pytest.raises(AssertionError, match="Start"):
        search(range(60), steps=20)


def model(coef, intercept=None, normalize="selected", rule="labels", **options):
    coef = coef if isinstance(coef, csr_array) else csr_array(np.atleast_2d(coef))
    n_rows = coef.shape[0]
    classes = np.arange(2 if rule == "sign" else n_rows)
    intercept = np.zeros(n_rows) if intercept is None else np.asarray(intercept, dtype=float)
    return LinearModel(coef, intercept, classes, coef.shape[1], normalize, rule, **options)


def test_the_document_of_a_constructed_case_attains_it():
    """w = (−1, −1), w̃ = 1 on the first word: 1 + √2 at the document (1, 1)/√2."""
    full, small = model([-1.0, -1.0], [0.25], "all"), model([1.0, 0.0], [0.5])
    suprema = certify(full, small, np.ones((1, 2))).suprema
    document = np.array([[1.0, 1.0]]) / np.sqrt(2)
    change = small.decision(document) - full.decision(document)
    assert suprema.up[0] == pytest.approx(change.item(), abs=1e-8)
    assert suprema.up[0] == pytest.approx(1.25 + np.sqrt(2), abs=1e-8)
    assert suprema.down == pytest.approx((-0.25,), abs=1e-8), "the empty document"
    assert suprema.everywhere[0] == pytest.approx(suprema.up[0], abs=1e-8)
    assert suprema.margin == suprema.up[0]
    assert (suprema.n_features, suprema.floor) == ((1,), pytest.approx((1.0,)))


def test_a_document_without_selected_words_is_decided_by_the_intercept():
    full, small = model([-1.0, -2.0], [0.0], "all"), model([-1.0, 0.0])
    suprema = certify(full, small, np.eye(2)).suprema
    assert suprema.up[0] == pytest.approx(2.0, abs=1e-8)
    document = np.array([[0.0, 1.0]])
    assert (small.decision(document) - full.decision(document)).item() == 2.0


@pytest.mark.parametrize("rule", ["sign", "labels", "argmax"])
@pytest.mark.parametrize("normalize", ["all", "selected"])
def test_equal_models_of_all_words_do_not_differ(rule, normalize):
    w = RNG(3).normal(size=(1 if rule == "sign" else 3, 5))
    full, small = model(w, None, normalize, rule), model(w, None, "selected", rule)
    X = np.abs(RNG(4).normal(size=(20, 5)))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    certificate = certify(full, small, X, held_out=X)
    assert max(*certificate.suprema.everywhere, certificate.suprema.margin) < 1e-10
    assert certificate.worst_case.certified == 20


def test_thresholds_are_subtracted():
    full, small = model([1.0, -1.0], [0.1], "all", "sign"), model([1.0, 0.0], [0.2], rule="sign")
    plain = certify(full, small, np.eye(2)).suprema
    moved = certify(replace(full, thresholds=[0.5]), replace(small, thresholds=[-0.1]), np.eye(2))
    assert moved.suprema.up[0] == pytest.approx(plain.up[0] + 0.6)
    assert moved.suprema.down[0] == pytest.approx(plain.down[0] - 0.6)


def test_weights_of_a_selection_follow_the_length():
    """Lengths are taken before weights: the lifted coefficients are those of unit documents."""
    selection = Selection([0, 2], [3.0, 0.5], 3)
    lifted = selection.lift(np.array([[1.0, 4.0]]))
    full, small = model(np.zeros((1, 3)) + 1e-12), model(lifted)
    assert certify(full, small, np.eye(3)).suprema.up[0] == pytest.approx(np.hypot(3, 2), abs=1e-8)


def test_words_with_a_coefficient_of_0_are_part_of_the_length():
    """The second word is selected: the small model sees 1/√2 of the first, not 1."""
    stored = csr_array((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 3))
    full = model([1.0, 0.0, 1e-9], None, "all")
    document = np.array([[1.0, 1.0, 0.0]]) / np.sqrt(2)
    assert model(stored).decision(document).item() == pytest.approx(np.sqrt(0.5))
    assert certify(full, model(stored), np.eye(3)).suprema.n_features == (2,)
    assert SplitPair.read(full, model(stored)).split(0)[2].tolist() == [1e-9]


def test_classes_that_read_other_words_are_compared_by_their_rows():
    w = RNG(5).normal(size=(3, 6))
    selected = np.zeros((3, 6), dtype=bool)
    selected[0, :3] = selected[1, :3] = selected[2, 2:5] = True
    full, small = model(w, rule="argmax"), model(np.where(selected, 1.5 * w, 0.0), rule="argmax")
    text = SplitPair.read(full, small).text
    sums = text.up[:, None] + text.down
    assert text.leads[0, 1] < sums[0, 1] - 1e-3
    assert text.leads[0, 2] == sums[0, 2]
    assert certify(full, small, np.eye(6)).suprema.margin == text.leads.max()


def test_the_lead_of_a_pair_is_attained():
    """The contrast of two classes is itself a row, whose best document is found by its grid."""
    rng = RNG(6)
    w = rng.normal(size=(2, 4))
    full, small = model(w, rule="argmax"), model(np.where([1, 1, 0, 0], 2 * w, 0.0), rule="argmax")
    leads = SplitPair.read(full, small).text.leads
    documents = np.abs(rng.normal(size=(200_000, 4))) ** 3
    change = decisions(small, documents) - decisions(full, documents)
    most = float((change[:, 0] - change[:, 1]).max())
    assert most <= leads[0, 1] <= most + 0.05


def test_many_classes_are_compared_by_their_rows(monkeypatch):
    w = RNG(7).normal(size=(4, 6))
    full, small = model(w, rule="argmax"), model(np.where([1, 1, 1, 0, 0, 0], w, 0), rule="argmax")
    near = SplitPair.read(full, small).text.leads
    monkeypatch.setattr(of, "PAIR_ENTRIES", 0)
    far = SplitPair.read(full, small).text
    assert (far.leads >= near).all()
    np.testing.assert_array_equal(far.leads, of.added_leads(far.up, far.down))
    dense = of.limits(w, np.zeros(4), "argmax")
    np.testing.assert_array_equal(dense.leads, of.added_leads(dense.up, dense.down))


def test_models_that_read_other_words_each_are_not_compared():
    certificate = certify(model([1.0, 0.0, 2.0]), model([0.0, 1.0, 2.0]), np.eye(3))
    for part in (certificate.suprema, certificate.worst_case):
        assert isinstance(part, NotComputed)
        assert "Train the full model on all words" in part.reason


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("normalize", ["all", "selected"])
def test_decisions_that_the_worst_case_certifies_do_not_change(n_classes, normalize):
    X, y = text_like(120, 60, n_classes)
    X = csr_array(X.toarray() / np.linalg.norm(X.toarray(), axis=1, keepdims=True))
    method = ReduceThenFit(TopTerms(), RLSClassifier(alpha=0.1), size=58).fit(X[:80], y[:80])
    whole = ReduceThenFit(TopTerms(), RLSClassifier(alpha=0.1), normalize=normalize)
    full, small = whole.fit(X[:80], y[:80]).model_, method.model_
    near = replace(small, coef=small.coef * 1.001)
    pair = SplitPair.read(full, near)
    certificate = certify(full, near, X[:80], held_out=X[80:])
    values = near.decision(X[80:])
    safe = pair.text.stand(values, full.rule, np.zeros(40))
    assert certificate.worst_case.certified == safe.sum()
    assert not of.changed(full.decision(X[80:]), values, full.rule)[safe].any()
    above = of.margin(values, full.rule) > certificate.suprema.margin
    assert (safe | ~above).all(), "a margin above all limits is above its own"


def test_documents_of_other_lengths_are_allowed_for():
    """Only where a model sees documents as they are; the other one sees their direction."""
    w = np.array([[1.0, -1.0, 0.5]])
    full, small = model(w, None, "all", "sign"), model(w, rule="sign")
    X = 3 * np.eye(3)
    assert certify(full, small, X).worst_case.certified == 0
    assert certify(full, small, X / 3).worst_case.certified == 3
    assert certify(model(w, rule="sign"), small, X).worst_case.certified == 3


def test_rounded_coefficients_are_a_model_like_any_other():
    """int8 per class, over the words that are read; one that is rounded to 0 must stay an entry."""
    w = RNG(8).normal(size=(3, 40))
    step = np.abs(w).max(axis=1, keepdims=True) / 127
    rounded = np.round(w / step) * step
    stored = csr_array((rounded.ravel(), np.tile(np.arange(40), 3), 40 * np.arange(4)), w.shape)
    suprema = certify(model(w), model(stored), np.eye(40)).suprema
    np.testing.assert_allclose(suprema.everywhere, np.linalg.norm(rounded - w, axis=1), atol=1e-8)
    without = certify(model(w), model(rounded), np.eye(40)).suprema
    assert without.n_features[1] == 39
    assert without.everywhere[1] > 1, "a document of that word alone has another length"


def test_the_model_of_a_file_is_lifted_to_the_vocabulary():
    trained = model([[0.0, 2.0, 0.0, -1.0], [0.0, 3.0, 0.0, 0.0]], [0.5, 0.0])
    rounded = csr_array(np.array([[2.1, -0.9], [3.2, 0.0]]))
    stored = replace(model(rounded, [0.4, 0.1]), thresholds=np.array([0.3, 0.0]))
    lifted = as_stored(trained, stored)
    expected = [[0.0, 2.1, 0.0, -0.9], [0.0, 3.2, 0.0, 0.0]]
    np.testing.assert_array_equal(lifted.coef.toarray(), expected)
    assert (lifted.intercept.tolist(), lifted.thresholds.tolist()) == ([0.4, 0.1], [0.3, 0.0])
    np.testing.assert_array_equal(
        lifted.decision(np.eye(4))[[1, 3]], stored.decision(np.eye(2)), "the same decisions"
    )
    whole = as_stored(lifted, lifted)
    np.testing.assert_array_equal(whole.coef.toarray(), expected)
    with pytest.raises(LaconicError, match="give the file of that model"):
        as_stored(trained, model([[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]]))


def test_the_sentence_and_what_does_not_apply():
    X, y = text_like(80, 50, 3)
    full = ReduceThenFit(TopTerms(), RLSClassifier()).fit(X[:60], y[:60]).model_
    small = ReduceThenFit(TopTerms(), RLSClassifier(), size=20).fit(X[:60], y[:60]).model_
    certificate = certify(full, small, X[:60], held_out=X[60:], span_limit=0)
    said = certificate.summary()
    most = max(*certificate.suprema.up, *certificate.suprema.down)
    assert (
        f"Whatever the words of a document, no decision value differs from that of the full "
        f"model by more than {most:.3g}" in said
    )
    assert f"margin above {certificate.suprema.margin:.3g} cannot change" in said
    assert "normalize=" not in said
    assert "'selected'" in certificate.as_dict()["in_span"]
    assert not certificate.in_span.applies
