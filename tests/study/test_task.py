"""Draws of one method share their scores: the same numbers, computed once."""

from __future__ import annotations

import gc
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from laconic.curves import measure_path
from laconic.errors import LaconicWarning
from laconic.methods import method_called
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.study import task as task_module
from laconic.study.task import Given, Task, run, shared
from laconic.vectors.problem import Problem
from tests.strategies import text_like

RANDOM = [
    *(f"{name}[draw={draw}]" for name in ("US", "WS", "SS") for draw in ("exact", "iid")),
    *(f"{name}[draw=bernoulli]" for name in ("US", "WS", "SS")),
    *(f"SS[rank=3,draw={draw}]" for draw in ("exact", "bernoulli", "iid")),
    "SS[alpha=0.5]",
    "SS[rank=0.9]",
    "SRLS",
]


@pytest.fixture(autouse=True)
def _nothing_known():
    task_module._newest.clear()


def made(seed: int = 0, labels: bool = False) -> Problem:
    X, y = text_like(80, 40, 3, seed)
    asked = (y[:, None] == np.arange(3)).astype(int) if labels else y
    words = np.array([f"w{i}" for i in range(40)])
    return Problem("made", X[:60], asked[:60], X[60:], asked[60:], words, ("a", "b", "c"))


def task_of(method: str, seed: int = 0, **about) -> Task:
    measures = ("micro-f1", "recall")
    return Task(
        "data", "made", "test", "f", "split", "ltc", method, seed, (5, 20, 99), measures, **about
    )


@pytest.fixture
def fits(monkeypatch):
    """How often leverage is computed."""
    done = []
    honest = SubspaceSampling._score

    def counted(self, X, y):
        done.append(self.rank)
        return honest(self, X, y)

    monkeypatch.setattr(SubspaceSampling, "_score", counted)
    return done


@pytest.mark.parametrize("method", RANDOM)
@pytest.mark.parametrize("norm", ["document", "kept"])
@pytest.mark.parametrize("labels", [False, True])
def test_shared_scores_give_the_numbers_of_scores_of_ones_own(method, norm, labels):
    """To the last bit, at every size, for the draw that computed the scores and for later ones."""
    problem = made(labels=labels)
    for seed in range(3):
        task = task_of(method, seed, norm=norm)
        outcome = run(task, problem)
        alone = list(measure_path(task.build(), problem, list(task.sizes)))
        assert outcome.status == "ok"
        values = [m.model.decision(problem.X_test) for m in alone if m.model is not None]
        path, _ = shared(task, problem)
        together = list(measure_path(path, problem, list(task.sizes)))
        assert [m.reason for m in together] == [m.reason for m in alone]
        again = [m.model.decision(problem.X_test) for m in together if m.model is not None]
        for mine, theirs in zip(again, values, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for cut, measured in zip(
            outcome.cuts, [m for m in alone if m.model is not None], strict=True
        ):
            np.testing.assert_array_equal(cut.terms, measured.model.terms)


def test_scores_are_computed_once_for_all_draws(fits):
    problem = made()
    outcomes = [run(task_of("SS[rank=3]", seed), problem) for seed in range(4)]
    assert fits == [3]
    chosen = {tuple(outcome.cuts[0].terms) for outcome in outcomes}
    assert len(chosen) > 1


def test_another_method_or_problem_has_its_own_scores(fits):
    first, second = made(0), made(1)
    for method, problem in (("SS[rank=3]", first), ("SS[rank=2]", first), ("SS[rank=2]", second)):
        task = task_of(method)
        (alone, *_) = measure_path(task.build(), problem, list(task.sizes))
        np.testing.assert_array_equal(run(task, problem).cuts[0].terms, alone.model.terms)
    # each once here and once alone
    assert fits == [3, 3, 2, 2, 2, 2]


def test_nothing_is_kept_alive():
    problem = made()
    run(task_of("WS"), problem)
    reference = task_module._newest[0].problem
    del problem
    gc.collect()
    assert reference() is None


def test_every_draw_carries_what_the_scores_took(monkeypatch):
    """So that the costs of methods stay comparable, however many draws there are."""
    problem = made()
    honest = task_module._scored

    def slow(*about):
        scored = honest(*about)
        return replace(scored, spent=task_module.Spent(1000.0, 10**15))

    monkeypatch.setattr(task_module, "_scored", slow)
    for seed in range(3):
        outcome = run(task_of("SS", seed), problem)
        by_size = {row.asked: row.seconds for row in outcome.rows}
        assert 1000 <= by_size[5] < 1100
        assert max(by_size[20], by_size[99]) < 100
        assert {row.memory for row in outcome.rows} == {10**15}
    assert all(row.seconds < 100 for row in run(task_of("DF"), problem).rows)


def test_every_draw_tells_the_warnings_of_its_scores(monkeypatch):
    problem = made()
    honest = SubspaceSampling._score

    def warns(self, X, y):
        task_module.warnings.warn("not well defined", LaconicWarning, stacklevel=1)
        return honest(self, X, y)

    monkeypatch.setattr(SubspaceSampling, "_score", warns)
    told = [run(task_of("SS[rank=3]", seed), problem).notes for seed in range(3)]
    assert told == [("not well defined",)] * 3


def test_scores_that_fail_are_a_failed_task_each_time():
    problem = made()
    empty = replace(problem, X_train=problem.X_train * 0)
    for seed in range(2):
        outcome = run(task_of("WS", seed), empty)
        assert outcome.status == "failed"
        assert "every score is 0" in outcome.reason
    assert run(task_of("WS"), problem).status == "ok"


def test_given_scores_are_cloned_and_sent_elsewhere():
    scores = np.arange(1.0, 41.0)
    reducer = SampledTerms(Given(scores), draw="iid", random_state=3)
    X = made().X_train
    expected = reducer.fit(X).at(7).terms
    for other in (clone(reducer), pickle.loads(pickle.dumps(reducer))):
        np.testing.assert_array_equal(other.fit(X).at(7).terms, expected)


def test_methods_without_chance_are_as_they_were():
    path, spent = shared(task_of("IG"), made())
    assert spent.seconds == 0
    assert type(path.reducer) is type(method_called("IG").build().reducer)
    assert not task_module._newest
