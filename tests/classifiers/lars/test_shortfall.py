"""What a LARS classifier did not reach is said once, and every row knows how well it is solved."""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LarsClassifier, Weighting
from laconic.classifiers.lars import classifier as module
from laconic.classifiers.lars import walk as lars_walk
from laconic.classifiers.lars.shortfall import Shortfall
from laconic.errors import LaconicWarning
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.path import lars
from laconic.text.problem import make_problems
from tests.classifiers.lars.test_lars import documents
from tests.known_corpora import known_corpus
from tests.numerics.lars.test_path import problem


def uneven(n_docs=90, n_terms=14):
    """Class "a" is one word, class "b" two words; "c" and "d" need them all."""
    rng = np.random.default_rng(0)
    y = np.array(list("abcd"))[np.arange(n_docs) % 4]
    X = np.abs(rng.normal(size=(n_docs, n_terms)))
    X[:, 0] = y == "a"
    X[:, 1] = (y == "b") & (np.arange(n_docs) % 8 == 1)
    X[:, 2] = (y == "b") & (np.arange(n_docs) % 8 == 5)
    return X, y


def warned(act):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LaconicWarning)
        act()
    return [str(one.message) for one in caught if one.category is LaconicWarning]


def test_n1_classes_short_of_the_size_are_named_once_with_their_reasons():
    X, y = uneven()
    classifier = LarsClassifier("squared", alpha=0.0, size=10)
    (message,) = warned(lambda: classifier.fit(X, y))
    assert "2 of 4 classes have fewer words than requested" in message
    assert "a: 1 of 10, saturated at 1 words: they fit every document that counts" in message
    assert "b: 2 of 10" in message
    assert "Ask for a smaller size, or give alpha a number above 0" in message
    assert [order.size for order in classifier.order_] == [1, 2, 10, 10]
    assert len(warned(lambda: list(classifier.path(X, y, [1, 2, 5, 9, 10])))) == 1
    assert warned(lambda: LarsClassifier("squared", alpha=1.0, size=10).fit(X, y)) == []


def test_n1_sizes_that_leave_one_out_does_not_take_are_not_warned_of():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 0.3 * np.abs(rng.normal(size=(60, 14)))
    X[:, 0] = y == 0
    X[:, 1:3] += 3.0 * (y[:, None] == [1, 2])
    fitted = LarsClassifier("squared", alpha=0.0, size="loo")
    assert warned(lambda: fitted.fit(X, y)) == []
    assert [order.size for order in fitted.order_] == [1, 1, 1]
    (message,) = warned(lambda: list(fitted.path(X, y, [1, 10])))
    assert "0: 3 of 10" in message


@pytest.mark.parametrize("loss", ["squared", "squared_hinge", "modified_huber", "logistic"])
@pytest.mark.parametrize("bias", ["always", "selectable", None])
@pytest.mark.parametrize(
    "given", [{}, {"refit": True}, {"normalize": "selected"}, {"mode": "aggressive"}]
)
def test_every_row_is_solved_and_says_its_residual(loss, bias, given):
    X, y = documents(n_classes=3)
    fitted = LarsClassifier(loss, alpha=0.3, size=6, bias=bias, **given).fit(X, y)
    assert fitted.solved_.tolist() == [True, True, True]
    assert fitted.residual_.shape == (3,)
    assert (fitted.residual_ >= 0).all()
    assert (fitted.residual_ < 1e-9).all()


def test_the_residual_is_the_largest_violation_by_the_first_l1(monkeypatch):
    """A path that stands a little beside itself: the last coefficient is off."""
    X, y_signed = problem(80, 20)
    off = 1e-3

    def shifted(*args, **settings):
        for point in fast_lars(*args, **settings):
            point.coef[-1] += off
            yield point

    monkeypatch.setitem(lars_walk.WALKS, "fast", shifted)
    classifier = LarsClassifier("squared", alpha=0.5, size=4)
    (message,) = warned(lambda: classifier.fit(X, y_signed))
    assert "1 of 1 problems did not converge" in message
    assert classifier.solved_.tolist() == [False]
    (point,) = (p for p in lars(X, y_signed, loss="squared", alpha=0.5) if p.size == 4)
    column = X[:, point.columns[-1]]
    g = off * np.append(X.T @ column, column.sum())
    g[point.columns[-1]] += 0.5 * off
    inside = np.append(point.columns, 20)
    assert classifier.residual_[0] >= 0.99 * np.abs(g[inside]).max() / point.entry_l1[0]


def test_n8_without_a_size_paths_are_cut_and_it_is_said(monkeypatch):
    X, y = documents()
    monkeypatch.setattr(module, "WITHOUT_SIZE", 5)
    classifier = LarsClassifier()
    (message,) = warned(lambda: classifier.fit(X, y))
    assert "the paths of 3 of 3 classes were cut at 5 words" in message
    assert "Give size=…, or raise longest" in message
    assert [order.size for order in classifier.order_] == [5, 5, 5]
    assert LarsClassifier(size=7).fit(X, y).model_.size == 7
    assert LarsClassifier(longest=None).fit(X, y).model_.size > 7


def test_n8_the_default_ends_at_200_words():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(260, 240))
    y = (X[:, :40].sum(axis=1) + 5 * rng.normal(size=260) > 0).astype(int)
    (message,) = warned(lambda: LarsClassifier("squared").fit(X, y))
    assert "cut at 200 words" in message


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_selectable_bias_that_alone_enters_is_kept(loss):
    """14 of 15 documents are positive and no word says more: the mean of y_signed is 13/15."""
    X = np.zeros((15, 1))
    y = np.arange(15) > 0
    fitted, always = (
        LarsClassifier(loss, alpha=0.0, bias=bias).fit(X, y) for bias in ("selectable", "always")
    )
    assert fitted.intercept_ == pytest.approx(always.intercept_)
    assert fitted.intercept_[0] == pytest.approx(13 / 15 if loss == "squared" else np.log(14))


@pytest.mark.parametrize("walk", [lars, fast_lars])
def test_n7_rounding_does_not_count_as_words(walk):
    """N7: one rare document against many; after saturation nothing enters at 1e-12 λmax."""
    rng = np.random.default_rng(0)
    X = csr_array((rng.random((300, 400)) < 0.03) * rng.random((300, 400)))
    y_signed = np.where(np.arange(300) == 7, 1.0, -1.0)
    for loss in ("squared_hinge", "modified_huber"):
        *_, last = walk(X, y_signed, loss=loss, alpha=0.0)
        assert last.ending == "saturated"
        assert last.entry_l1[-1] > 1e-6 * last.entry_l1[0]


@pytest.mark.corpus
@pytest.mark.usefixtures("corpora")
def test_n1_n7_reuters_without_l2():
    """N7: "peseta" has nine words. N1: logistic paths ended at one word; "cotton" has 30."""
    found = next(make_problems(known_corpus("reuters-21578"), weighting=Weighting("ltc")))
    answers = dict(zip(found.classes, np.where(found.y_train.toarray().T, 1.0, -1.0), strict=True))
    for walk in (lars, fast_lars):
        *_, last = walk(found.X_train, answers["peseta"], alpha=0.0)
        assert (last.size, last.ending) == (9, "saturated")
    fitted = LarsClassifier("logistic", alpha=0.0, size=30).fit(found.X_train, answers["cotton"])
    assert fitted.model_.size == 30
    assert fitted.solved_.all()


def news(weighting="ltc"):
    return next(make_problems(known_corpus("20news-bydate"), weighting=Weighting(weighting)))


@pytest.mark.corpus
@pytest.mark.usefixtures("corpora")
def test_n1_one_newsgroup_reaches_its_size():
    """N1: it had one word. By damped Newton steps and bisection the second enters at 0.1997."""
    found = news()
    mine = found.y_train == found.classes.index("comp.os.ms-windows.misc")
    fitted = LarsClassifier("logistic", alpha=0.0, size=30).fit(found.X_train, mine)
    assert fitted.model_.size == 30
    assert fitted.residual_[0] < 1e-8
    assert found.vocabulary[fitted.order_[0][:2]].tolist() == ["windows", "file"]
    entries = fitted.entry_l1_[0]
    assert entries[1] / entries[0] == pytest.approx(0.19970178, abs=1e-7)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.usefixtures("corpora")
@pytest.mark.parametrize(("alpha", "least"), [(0.1, 0.68), (0.0, 0.70)])
def test_n1_all_newsgroups_reach_their_size(alpha, least):
    found = news()
    fitted = LarsClassifier("logistic", alpha=alpha, size=30).fit(found.X_train, found.y_train)
    assert [order.size for order in fitted.order_] == [30] * 20
    assert (fitted.residual_ < 1e-8).all()
    assert np.mean(fitted.predict(found.X_test) == found.y_test) >= least


def test_a_path_without_a_size_that_ends_singular_is_short_too():
    point = SimpleNamespace(size=3, ending="singular")
    stuck = SimpleNamespace(
        point=point,
        reason=lambda: "the path ends",
        settings=SimpleNamespace(alpha=1.0),
        row=lambda: SimpleNamespace(solved=True),
    )
    short = Shortfall.of(["yes"], 1, 200, choose_size=False)
    short.note(math.inf, [stuck])
    with pytest.warns(LaconicWarning, match=r"\(yes: 3 of all, the path ends\)"):
        short.warn()
