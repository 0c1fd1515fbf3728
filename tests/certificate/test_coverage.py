"""The promised share of documents to come is kept on real ones."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import ReduceThenFit, RLSClassifier, TopTerms, load_corpus, make_problem
from laconic.certificate import certify
from laconic.numerics.bounds import suprema as of
from tests.certificate.cases import RNG


@pytest.fixture(scope="module")
def newsgroups(corpora):
    return make_problem(load_corpus("20news-bydate"))


def coverage(problem, n_train, n_held_out, n_next, splits, size=2_000, confidence=0.9):
    """Shares of next documents within the bounds, certified, certified but flipped."""
    X, y = problem.X_train, problem.y_train
    chosen = RNG(0).permutation(X.shape[0])
    train, pool = chosen[:n_train], chosen[n_train:]
    full = RLSClassifier().fit(X[train], y[train]).model_
    small = ReduceThenFit(TopTerms(), RLSClassifier(), size=size).fit(X[train], y[train]).model_
    f, g = full.decision(X[pool]), small.decision(X[pool])
    flips, margin = of.changed(f, g, "argmax"), of.margin(g, "argmax")
    largest, loss = np.abs(f - g).max(axis=1), of.margin_loss(f, g, "argmax")
    rows = []
    for seed in range(splits):
        order = RNG(seed + 1).permutation(pool.size)
        seen, fresh = order[:n_held_out], order[n_held_out : n_held_out + n_next]
        part = certify(
            full, small, X[train], held_out=X[pool[seen]], confidence=confidence, span_limit=0
        ).held_out
        certified = margin[fresh] > part.margin_bound
        rows.append(
            (
                (largest[fresh] <= part.decision_bound).mean(),
                (loss[fresh] <= part.margin_bound).mean(),
                certified.mean(),
                (flips[fresh] & certified).mean(),
                flips.mean() <= part.flip_limit,
            )
        )
    return np.array(rows)


def check_coverage(rows, n_held_out, n_next, confidence=0.9):
    """Coverage of a split has variance about c(1−c)(1/(n+2) + 1/n'), of their mean no more.

    Splits share a pool, so the standard error of the mean is taken as that of one split: three of
    them below nominal is a false alarm of at most 0.1 %. A bound at rank (n+1)(c − 0.05) goes red.
    The flip limit fails in more than 5 of 12 splits with a probability of P(Bin(12, 0.1) > 5) <
    0.1 %; what is certified and flips is at most 1 − c, and on text far less.
    """
    error = np.sqrt(confidence * (1 - confidence) * (1 / (n_held_out + 2) + 1 / n_next))
    for mean in rows[:, :2].mean(axis=0):
        assert confidence - 3 * error <= mean <= confidence + 3 * error + 1 / n_held_out
    assert rows[:, 4].mean() >= 7 / 12
    assert rows[:, 3].mean() <= (1 - confidence) / 2


@pytest.mark.slow
@pytest.mark.corpus
def test_conformal_coverage_on_newsgroups(newsgroups):
    rows = coverage(newsgroups, n_train=1_200, n_held_out=1_000, n_next=4_000, splits=12)
    check_coverage(rows, 1_000, 4_000)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("size", [500, 2_000, 5_000])
def test_conformal_coverage_on_more_newsgroups(newsgroups, size):
    rows = coverage(newsgroups, 4_000, 3_000, 4_000, splits=30, size=size)
    check_coverage(rows, 3_000, 4_000)
