"""The protocol of the figures, on a small problem; the figures themselves on the real corpora."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import Problem, ReduceThenFit, RLSClassifier, SampledTerms, curve
from laconic.errors import LaconicError
from laconic.papers import dasgupta2007 as paper
from laconic.rows import Row
from laconic.scores import leverage
from tests.strategies import text_like

SCALE = paper.Scale(sets=2, splits=1, draws=3)


@pytest.fixture(scope="module")
def problem():
    X, y = text_like(80, 40, 3)
    indicator = (y[:, None] == np.arange(3)).astype(int)
    words = np.array([f"w{i}" for i in range(40)])
    return Problem("made", X[:60], indicator[:60], X[60:], indicator[60:], words, ("a", "b", "c"))


def test_all_words_take_the_best_lambda_of_the_test_documents(problem):
    alpha, rows = paper.all_words(problem, paper.ALPHAS)
    by_alpha = {
        a: curve(ReduceThenFit(None, RLSClassifier(alpha=a)), problem, [1.0], ["micro-f1"]).rows[0]
        for a in paper.ALPHAS
    }
    assert by_alpha[alpha].value == max(row.value for row in by_alpha.values())
    assert {row.measure: row.value for row in rows}["micro-f1"] == by_alpha[alpha].value


def test_draws_share_their_scores_and_differ_in_their_seed(problem):
    rows = list(paper.compare(problem, "DF,SS[rank=2]", [5, 10, 999], paper.ALPHAS, SCALE))
    drawn = [row for row in rows if row.method == "SS[rank=2]" and row.measure == "recall"]
    assert [(row.seed, row.asked) for row in drawn] == [(s, n) for s in range(3) for n in (5, 10)]
    assert {row.seed for row in rows if row.method == "DF"} == {0}
    alpha, _ = paper.all_words(problem, paper.ALPHAS)
    chance = leverage(problem.X_train, rank=2)
    by_hand = ReduceThenFit(
        SampledTerms(lambda X, y: chance, random_state=2), RLSClassifier(alpha=alpha)
    )
    expected = curve(by_hand, problem, [10], ["recall"]).rows[0].value
    assert drawn[-1].value == expected


def test_draws_keep_the_settings_of_the_method(problem):
    (method,) = paper.methods_called("SS[rank=2,draw=iid]")
    for path in paper.draws_of(method, problem, 1.0, 2):
        assert path.reducer.draw == "iid"


def test_the_header_of_a_message_is_not_read():
    assert paper.without_header("Newsgroups: sci.space\nFrom: x\n\nbody\n\nmore") == "body\n\nmore"


def test_relative_values_are_shares_of_all_words_averaged_over_draws_then_problems():
    def row(problem, method, value, seed=0):
        return Row(problem, method, 10, "micro-f1", value, 10, 10, seed=seed)

    rows = [
        row("p", paper.ALL_WORDS, 0.8),
        row("p", "US", 0.4, 0),
        row("p", "US", 0.8, 1),
        row("q", paper.ALL_WORDS, 0.5),
        row("q", "US", 0.5),
    ]
    (point,) = paper.points(rows)
    assert (point.method, point.asked, point.problems) == ("US", 10, 2)
    assert point.measure == "relative micro-f1"
    (absolute,) = paper.points([row("r", "US", 0.25)])
    assert (absolute.measure, absolute.mean) == ("micro-f1", 0.25)
    assert point.mean == pytest.approx((0.75 + 1.0) / 2)
    assert point.sd == pytest.approx(np.std([0.75, 1.0], ddof=1))


def test_an_unknown_figure_is_refused():
    with pytest.raises(LaconicError, match="choose from 2, 3"):
        paper.figure_called("17")


def test_findings_on_two_techtc_sets(corpora):
    """Direction only, on a small part: the whole is in docs/papers/dasgupta2007.md."""
    points = {(p.method, p.asked, p.measure): p.mean for p in paper.points(paper.figure3(SCALE))}
    at_500 = {name: points[name, 500, "relative micro-f1"] for name in ("SS", "IG", "WS", "US")}
    assert min(at_500["SS"], at_500["IG"], at_500["WS"]) > at_500["US"]


def test_weighted_sampling_nears_subspace_sampling_as_the_rank_grows(corpora):
    rows = list(paper.figure4c(SCALE))
    for name in {row.problem for row in rows}:
        distance = [row.value for row in rows if row.problem == name]
        assert distance[-1] < distance[0] / 2
