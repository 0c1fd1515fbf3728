from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from laconic import TopTerms
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.dual import descend
from laconic.scores import svm_weight
from laconic.scores import weights as module
from tests.strategies import text_like


def documents(n_classes, seed=0):
    X, y = text_like(60, 30, n_classes, seed)
    return normalize(X), y


def weights(X, y, alpha=0.5):
    """|w| of another solver, one row a class."""
    asked = [1] if len(set(y)) == 2 else sorted(set(y))
    machines = [
        SVC(kernel="linear", C=1 / (2 * alpha), tol=1e-8).fit(X.toarray(), y == c) for c in asked
    ]
    return np.abs([machine.coef_[0] for machine in machines])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("combine", ["max", "mean", "sum"])
@pytest.mark.parametrize("alpha", [0.5, 3.0])
def test_scores_are_the_weights_of_a_linear_svm(n_classes, combine, alpha):
    X, y = documents(n_classes)
    expected = getattr(weights(X, y, alpha), combine)(axis=0)
    assert_allclose(svm_weight(X, y, combine, alpha), expected, atol=5e-3)
    assert_allclose(svm_weight(X.toarray(), y, combine, alpha), expected, atol=5e-3)


def test_the_squared_hinge_gives_other_weights():
    X, y = documents(2)
    hinge, squared = (svm_weight(X, y, loss=loss) for loss in ("hinge", "squared_hinge"))
    assert np.abs(hinge - squared).max() > 0.01


def test_words_by_weight():
    X, y = documents(3, seed=1)
    chosen = TopTerms(svm_weight, size=8).fit(X, y).at(8).terms
    assert set(chosen) == set(np.argsort(-weights(X, y).max(axis=0))[:8])


def test_what_it_refuses():
    X, y = documents(2)
    with pytest.raises(LaconicError, match="svm_weight is supervised"):
        svm_weight(X, None)
    with pytest.raises(LaconicError, match=r"alpha=0\): an SVM needs a number above 0"):
        svm_weight(X, y, alpha=0)
    with pytest.raises(LaconicError, match="alpha='loo'"):
        svm_weight(X, y, alpha="loo")
    with pytest.raises(LaconicError, match="combine='median'"):
        svm_weight(X, y, "median")
    with pytest.raises(LaconicError, match="X has 60 documents, y labels of 5"):
        svm_weight(csr_array(X), y[:5])


def test_it_says_where_it_did_not_converge(monkeypatch):
    X, y = documents(3)
    monkeypatch.setattr(module, "descend", partial(descend, epochs=1))
    with pytest.warns(LaconicWarning, match="3 of 3 problems did not converge.*unit length"):
        svm_weight(X, y)
