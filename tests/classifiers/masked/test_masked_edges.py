"""What else may be asked of a masked SVM: other uses of it, few words, no convergence, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from laconic import MaskedSVM, SVMClassifier
from laconic.classifiers.masked import classifier as masked_module
from laconic.classifiers.masked import machine as machine_module
from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.numerics.svm.dual import descend
from tests.classifiers.masked.test_masked import VARIANTS, documents, masked, of_the_machine, unit


def test_decisions_stay_those_of_their_path_when_the_estimator_is_used_again():
    X, y = documents(n_classes=3)
    other, its = documents(50, 40, 2, seed=8)
    path = MaskedSVM()
    found = list(path.along(X, y, [3, 5], X))
    path.set_params(normalize="selected").fit(other, its)
    for model, decided in found:
        assert_allclose(decided(), model.decision(X), atol=1e-12)


def test_shares_and_numbers_may_be_mixed():
    """Each row has its own words, so that their order by size may differ from row to row."""
    X = np.zeros((12, 12))
    X[np.arange(12), np.arange(12)] = 1.0
    y = (np.arange(12) < 3).astype(int) + 2 * (np.arange(12) == 11)
    path = MaskedSVM()
    for model, decided in path.along(X, y, [0.5, 2, 4, 1.0], X):
        assert_allclose(decided(), model.decision(X), atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_machine_without_an_intercept_has_none(variant):
    X, y = documents(seed=3)
    path = MaskedSVM(variant, fit_intercept=False, size=10, epochs=500, tol=1e-9).fit(X, y)
    assert_array_equal(path.intercept_, [0.0])
    machine = path.machines_[0]
    cold = SVMClassifier(0.5, loss="hinge", fit_intercept=False, tol=1e-9)
    assert_allclose(of_the_machine(machine, X), cold.fit(X, y).coef_[0], atol=1e-6)
    if variant in ("repaired", "exact"):
        Z = unit(masked(X, machine.order[:10]))
        assert_allclose(path.decision_function(X), cold.fit(Z, y).decision_function(Z), atol=1e-5)


@pytest.mark.parametrize(
    ("where", "variant", "some"),
    [(masked_module, "mask", "3 of 3"), (machine_module, "exact", "of 3")],
)
def test_it_says_where_it_did_not_converge(monkeypatch, where, variant, some):
    X, y = documents(n_classes=3)
    monkeypatch.setattr(where, "descend", lambda *a, **k: descend(*a, **{**k, "epochs": 1}))
    with pytest.warns(
        LaconicWarning, match=f"MaskedSVM: .*{some} problems are not solved"
    ) as record:
        MaskedSVM(variant, size=5).fit(X, y)
    assert record[0].filename == __file__


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_it_says_how_well_its_machines_are_solved(variant, loss):
    """N6: one number per row; those of a few passes only are not solved, as was asked."""
    X, y = documents(n_classes=3)
    path = MaskedSVM(variant, size=10, loss=loss).fit(X, y)
    assert path.solved_.shape == path.gap_.shape == (3,)
    assert all(machine.solved and machine.gap <= path.tol for machine in path.machines_)
    if variant == "repaired":
        assert not path.solved_.any()
        assert (path.gap_ > path.tol).all()
    else:
        assert path.solved_.all()
        assert (path.gap_ <= path.tol).all()
    if variant in ("mask", "sv_set"):
        assert_array_equal(path.gap_, [machine.gap for machine in path.machines_])


@pytest.mark.parametrize("variant", ["mask", "exact"])
def test_a_loose_tolerance_saves_work(monkeypatch, variant):
    X, y = documents(200, 80, 2, seed=2)
    passes = []

    def counting(*args, **how):
        found = descend(*args, **how)
        passes.append(found.epochs)
        return found

    monkeypatch.setattr(masked_module if variant == "mask" else machine_module, "descend", counting)
    for tol in (1e-9, 0.3):
        MaskedSVM(variant, size=40, tol=tol).fit(X, y)
    assert passes[0] > passes[1]


def test_a_stored_zero_is_no_word():
    X, y = documents(seed=2)
    X[:, 5] = 0.0
    stored = csr_array(np.where(X == 0.0, 7.0, X))
    stored.data[stored.data == 7.0] = 0.0
    dense, sparse = (MaskedSVM().fit(one, y).machines_[0] for one in (X, stored))
    assert_array_equal(sparse.order, dense.order)
    assert 5 not in dense.order


def test_documents_without_words_have_no_sizes():
    empty = csr_array((6, 4))
    (absent,) = MaskedSVM().path(empty, [0, 1, 0, 1, 0, 1], [2])
    assert isinstance(absent, SizeUnavailable)
    assert "no support vector has a word" in absent.reason


@pytest.mark.parametrize(
    "wrong",
    [
        {"variant": "masked"},
        {"normalize": "l2"},
        {"epochs": 0},
        {"epochs": 1.5},
        {"alpha": 0.0},
        {"alpha": "loo"},
        {"loss": "log"},
        {"tol": 0.0},
    ],
)
def test_what_it_refuses(wrong):
    X, y = documents()
    with pytest.raises(LaconicError, match=next(iter(wrong))):
        MaskedSVM(**wrong).fit(X, y)


@pytest.mark.parametrize("length", [1e-3, 1e3, 1e6])
def test_support_vectors_do_not_depend_on_the_unit_of_length(length):
    """α goes like 1/‖x‖²; with λ in proportion the machine is the same, and so are its words."""
    X, y = documents(seed=6)
    plain = MaskedSVM(tol=1e-9).fit(X, y).machines_[0]
    other = MaskedSVM(alpha=0.5 * length**2, tol=1e-9).fit(length * X, y).machines_[0]
    assert set(other.order) == set(plain.order)


def test_a_hard_margin_has_support_vectors():
    X = 1e3 * np.eye(6)
    machine = MaskedSVM(alpha=1e-9).fit(X, [0, 0, 0, 1, 1, 1]).machines_[0]
    assert machine.alphas.max() < 1e-5
    assert_array_equal(np.sort(machine.order), np.arange(6))
