from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.feature_selection import RFE
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from laconic import TopTerms
from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.svm.dual import Rows, descend
from laconic.numerics.svm.joint import descend_all
from laconic.scores import svm_elimination, svm_weight
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
    with pytest.raises(LaconicError, match="X has 60 documents, y has labels of 5"):
        svm_weight(csr_array(X), y[:5])


def test_it_says_where_it_did_not_converge(monkeypatch):
    X, y = documents(3)
    monkeypatch.setattr(module, "descend_all", partial(descend_all, epochs=1))
    with pytest.warns(LaconicWarning, match="3 of 3 problems are not solved.*their lengths"):
        svm_weight(X, y)


def eliminated(X, y, step, loss):
    """Which terms are left after each round, by machines that are trained from nothing."""
    left = list(range(X.shape[1]))
    asked = [1] if len(set(y)) == 2 else sorted(set(y))
    rounds = [left]
    while len(left) > 1:
        own = X[:, left].tocsr()
        squares = np.zeros(len(left))
        for label in asked:
            y_signed = np.where(y == label, 1.0, -1.0)
            machine = descend(
                Rows.of(csr_array(own)), y_signed, np.ones(len(y)), loss=loss, tolerance=1e-10
            )
            squares += machine.coef**2
        ordered = sorted(range(len(left)), key=lambda i: (squares[i], -left[i]))
        out = set(ordered[: max(1, int(step * len(left)))])
        left = [term for i, term in enumerate(left) if i not in out]
        rounds.append(left)
    return rounds


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", [0.2, 0.5])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_terms_are_dropped_in_the_order_of_a_retrained_svm(n_classes, step, loss, monkeypatch):
    """With few digits, near equals may change places: so with many."""
    monkeypatch.setattr(module, "OF_ELIMINATION", 1e-10)
    X, y = documents(n_classes, seed=3)
    scores = svm_elimination(X, y, loss=loss, step=step)
    assert sorted(scores) == list(range(1, X.shape[1] + 1))
    best = np.argsort(-scores)
    for left in eliminated(X, y, step, loss):
        assert set(best[: len(left)]) == set(left)


def test_one_at_a_time_it_is_scikit_learns():
    X, y = documents(2, seed=5)
    X = csr_array(X[:, :12])
    machine = SVC(kernel="linear", C=1.0, tol=1e-10)
    ranking = RFE(machine, n_features_to_select=1, step=1).fit(X.toarray(), y).ranking_
    scores = svm_elimination(X, y, loss="hinge", step=0.01)
    assert (13 - scores).tolist() == ranking.tolist()


def test_of_equal_terms_the_first_stays():
    X = csr_array(np.array([[1.0, 1.0, 0.2], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    scores = svm_elimination(X, [1, 1, 0, 0], step=0.01)
    assert scores[0] > scores[1]


def test_labels_of_several_classes_have_one_order():
    X, y = documents(3)
    indicators = np.eye(3, dtype=int)[np.unique(y, return_inverse=True)[1]]
    assert (svm_elimination(X, indicators) == svm_elimination(X, y)).all()


@pytest.mark.parametrize("step", [0.0, 1.0, -0.5, float("nan"), "half", None])
def test_a_step_outside_0_and_1_is_refused(step):
    X, y = documents(2)
    with pytest.raises(LaconicError, match=r"svm_elimination\(step=.*between 0 and 1"):
        svm_elimination(X, y, step=step)
    with pytest.raises(LaconicError, match="svm_elimination is supervised"):
        svm_elimination(X, None)
    with pytest.raises(LaconicError, match=r"svm_elimination\(alpha=0\)"):
        svm_elimination(X, y, alpha=0)


def test_by_default_a_quarter_of_the_terms_go_by_the_squared_hinge():
    X, y = documents(3, seed=4)
    given = {"loss": "squared_hinge", "step": 0.25, "alpha": 0.5}
    default = svm_elimination(X, y)
    assert (default == svm_elimination(X, y, **given)).all()
    for name, value in (("loss", "hinge"), ("step", 0.1), ("alpha", 5.0)):
        assert (default != svm_elimination(X, y, **given | {name: value})).any(), name


@pytest.mark.parametrize(
    ("X", "y", "scores"),
    [
        (np.zeros((4, 0)), [0, 1, 0, 1], []),
        (np.ones((4, 1)), [0, 1, 0, 1], [1]),
        (np.zeros((4, 3)), [0, 1, 0, 1], [3, 2, 1]),
        (np.ones((4, 3), dtype=bool), [0, 0, 0, 1], [3, 2, 1]),
        (np.array([[0, -1], [0, 1], [0, -1], [0, 1]]), [0, 1, 0, 1], [1, 2]),
        (np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [[1, 0, 1], [1, 0, 1], [1, 0, 0]], [2, 1]),
    ],
)
def test_small_and_empty_documents_are_ordered_too(X, y, scores):
    """No words, one, none that tells; a class of one document, of all, of none."""
    assert svm_elimination(X, y).tolist() == scores
    assert svm_elimination(csr_array(X), y).tolist() == scores
