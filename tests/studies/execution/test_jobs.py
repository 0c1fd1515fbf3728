"""Tasks share scores, fits and cuts: the same numbers, computed once, charged alike."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from laconic import curves
from laconic.curves import evaluate_path
from laconic.errors import LaconicWarning
from laconic.methods import METHODS
from laconic.selectors.rrqr import RRQR
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.selectors.top import TopTerms
from laconic.studies.execution import shared_selection
from laconic.studies.execution.jobs import Job, jobs_of, outcomes_of, run_job, run_task
from laconic.studies.execution.shared_selection import PrecomputedScores, SharedSelection
from laconic.studies.execution.task import Outcome, Task
from laconic.studies.execution.trained_model import TrainedModel
from laconic.text.problem import Problem
from tests.strategies import text_like

RANDOM = [
    *(f"{name}:draw={draw}" for name in ("US", "WS", "SS") for draw in ("exact", "iid")),
    *(f"{name}:draw=bernoulli" for name in ("US", "WS", "SS")),
    *(f"SS:rank=3:draw={draw}" for draw in ("exact", "bernoulli", "iid")),
    "SS:ridge=0.5",
    "SS:rank=0.9",
    "SRLS",
]


def made(seed: int = 0, labels: bool = False) -> Problem:
    X, y = text_like(80, 40, 3, seed)
    asked = (y[:, None] == np.arange(3)).astype(int) if labels else y
    words = np.array([f"w{i}" for i in range(40)])
    return Problem("made", X[:60], asked[:60], X[60:], asked[60:], words, ("a", "b", "c"))


def task_of(method: str, draw: int = 0, **about) -> Task:
    metrics = ("f1_micro", "recall_macro")
    return Task(
        "data", "made", "test", "f", "split", "ltc", method, draw, (5, 20, 99), metrics, **about
    )


def together(problem: Problem, *tasks: Task) -> list[Outcome]:
    """The outcomes of one job."""
    return list(run_job(Job(problem, tasks)))


@pytest.fixture
def fits(monkeypatch):
    """How often leverage is computed."""
    done = []
    nested = SubspaceSampling._score

    def counted(self, X, y):
        done.append(self.rank)
        return nested(self, X, y)

    monkeypatch.setattr(SubspaceSampling, "_score", counted)
    return done


@pytest.mark.parametrize("method", RANDOM)
@pytest.mark.parametrize("norm", ["all", "selected"])
@pytest.mark.parametrize("labels", [False, True])
def test_shared_scores_give_the_numbers_of_scores_of_ones_own(method, norm, labels):
    """To the last bit, at every size, for the draw that computed the scores and for later ones."""
    problem = made(labels=labels)
    selection = SharedSelection(problem)
    for seed in range(3):
        task = task_of(method, seed, normalize=norm)
        outcome = run_task(task, problem, selection)
        alone = list(evaluate_path(task.build(), problem, list(task.sizes)))
        assert outcome.status == "ok"
        values = [m.model.decision(problem.X_test) for m in alone if m.model is not None]
        path, _ = selection.prepare(task.build(), (task.sizes, task.random_state))
        shared = list(evaluate_path(path, problem, list(task.sizes)))
        assert [m.reason for m in shared] == [m.reason for m in alone]
        again = [m.model.decision(problem.X_test) for m in shared if m.model is not None]
        for mine, theirs in zip(again, values, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for cut, measured in zip(
            outcome.cuts, [m for m in alone if m.model is not None], strict=True
        ):
            np.testing.assert_array_equal(cut.terms, measured.model.features)


def test_scores_are_computed_once_for_all_draws(fits):
    problem = made()
    outcomes = together(problem, *(task_of("SS:rank=3", seed) for seed in range(4)))
    assert fits == [3]
    chosen = {tuple(outcome.cuts[0].terms) for outcome in outcomes}
    assert len(chosen) > 1


def test_another_method_or_problem_has_its_own_scores(fits):
    first, second = made(0), made(1)
    for method, problem in (("SS:rank=3", first), ("SS:rank=2", first), ("SS:rank=2", second)):
        task = task_of(method)
        (alone, *_) = evaluate_path(task.build(), problem, list(task.sizes))
        np.testing.assert_array_equal(run_task(task, problem).cuts[0].terms, alone.model.features)
    # each once here and once alone
    assert fits == [3, 3, 2, 2, 2, 2]


@pytest.mark.parametrize("method", ["WS", "IG"])
def test_nothing_is_kept_alive(method):
    problem = made()
    together(problem, task_of(method), task_of(f"{method}+ridge:alpha=2.0"))
    reference = weakref.ref(problem)
    del problem
    gc.collect()
    assert reference() is None


def test_every_draw_carries_what_the_scores_took(monkeypatch):
    """So that the costs of methods stay comparable, however many draws there are."""
    problem = made()
    run_costed = shared_selection.run_costed

    def slow(*about):
        return replace(run_costed(*about), seconds=1000.0, memory=10**15)

    monkeypatch.setattr(shared_selection, "run_costed", slow)
    for outcome in together(problem, *(task_of("SS", seed) for seed in range(3))):
        by_size = {row.size: row.seconds for row in outcome.rows}
        assert 1000 <= by_size[5] < 1100
        assert max(by_size[20], by_size[99]) < 100
        assert {row.memory for row in outcome.rows} == {10**15}
    assert all(row.seconds < 100 for row in run_task(task_of("DF"), problem).rows)


def test_every_draw_tells_the_warnings_of_its_scores(monkeypatch):
    problem = made()
    nested = SubspaceSampling._score

    def warns(self, X, y):
        warnings.warn("not well defined", LaconicWarning, stacklevel=1)
        return nested(self, X, y)

    monkeypatch.setattr(SubspaceSampling, "_score", warns)
    outcomes = together(problem, *(task_of("SS:rank=3", seed) for seed in range(3)))
    assert [outcome.notes for outcome in outcomes] == [("not well defined",)] * 3


def test_scores_that_fail_are_a_failed_task_each_time():
    problem = made()
    empty = replace(problem, X_train=problem.X_train * 0)
    for outcome in together(empty, task_of("WS", 0), task_of("WS", 1)):
        assert outcome.status == "failed"
        assert "every score is 0" in outcome.reason
    assert run_task(task_of("WS"), problem).status == "ok"


def test_given_scores_are_cloned_and_sent_elsewhere():
    scores = np.arange(1.0, 41.0)
    reducer = SampledTerms(PrecomputedScores(scores), draw="iid", random_state=3)
    X = made().X_train
    expected = reducer.fit(X).at(7).terms
    for other in (clone(reducer), pickle.loads(pickle.dumps(reducer))):
        np.testing.assert_array_equal(other.fit(X).at(7).terms, expected)


ALPHAS = ("alpha=0.1", "alpha=3.0", "alpha=loo")


class Announcing:
    """A reducer that says what it does, and whose parts take as long as they are told to."""

    did: ClassVar[list[str]] = []
    takes: ClassVar[dict[str, float]] = {}

    def fit(self, X, y=None):
        self._work("fit")
        return super().fit(X, y)

    def _cut(self, size):
        self._work(f"cut {size}")
        return super()._cut(size)

    def _work(self, what):
        self.did.append(what)
        warnings.warn(what, LaconicWarning, stacklevel=1)
        clock.now += self.takes.get(what, 0.0)


class Slow(Announcing, TopTerms):
    pass


class SlowPivots(Announcing, RRQR):
    """Not a ranking by scores: what it learns may depend on the largest size."""


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


clock = Clock()


@pytest.fixture
def slow(monkeypatch):
    """The method SLOW, and a clock that only its work moves."""
    Slow.did.clear()
    Slow.takes = {"fit": 100.0, "cut 5": 7.0, "cut 20": 9.0}
    monkeypatch.setitem(METHODS, "SLOW", replace(METHODS["DF"], name="SLOW", recipe=Slow))
    for module in (curves, shared_selection):
        monkeypatch.setattr(module, "perf_counter", clock)
    return Slow.did


def plain(outcome):
    about = {"seconds": 0.0, "memory": None, "task": "", "method": ""}
    return [replace(row, **about) for row in outcome.rows]


def for_each_alpha(method: str = "SLOW") -> list[Task]:
    return [task_of(f"{method}+ridge:{after}") for after in ALPHAS]


def test_a_reducer_is_fitted_and_cut_once_for_every_lambda(slow):
    problem = made()
    assert {outcome.reason for outcome in together(problem, *for_each_alpha())} == {""}
    assert slow == ["fit", "cut 5", "cut 20", "cut 99"]


@pytest.mark.parametrize("method", ["SLOW", "IG", "ALL", "SS:rank=3:draw=iid", "US"])
@pytest.mark.parametrize("norm", ["all", "selected"])
def test_tasks_that_share_a_selection_have_the_rows_of_tasks_that_do_not(slow, method, norm):
    problem = made()
    names = [f"{method}+ridge:{after}" for after in ALPHAS]
    tasks = [task_of(name, seed, normalize=norm) for name in names for seed in (0, 1)]
    apart = [run_task(task, problem) for task in tasks]
    shared = together(problem, *tasks)
    assert [plain(outcome) for outcome in shared] == [plain(outcome) for outcome in apart]
    for one, other in zip(shared, apart, strict=True):
        for mine, theirs in zip(one.cuts, other.cuts, strict=True):
            np.testing.assert_array_equal(mine.terms, theirs.terms)
            np.testing.assert_array_equal(mine.chosen, theirs.chosen)


def test_each_task_is_charged_for_the_selection_whoever_made_it(slow):
    problem = made()
    for outcome in together(problem, *for_each_alpha()):
        charged = {row.size: row.seconds for row in outcome.rows}
        assert charged == {5: 107.0, 20: 9.0, 99: 0.0}


def test_a_task_with_other_sizes_is_fitted_for_these(slow, monkeypatch):
    """What a reducer learns may depend on the largest size it is asked for."""
    monkeypatch.setitem(METHODS, "SLOW", replace(METHODS["DF"], name="SLOW", recipe=SlowPivots))
    problem = made()
    selection = SharedSelection(problem)
    run_task(task_of("SLOW"), problem, selection)
    run_task(replace(task_of("SLOW+ridge:alpha=2.0"), sizes=(20, 30)), problem, selection)
    assert selection._reducer[1].reducer.size == 30
    assert slow == ["fit", "cut 5", "cut 20", "cut 99", "fit", "cut 20", "cut 30"]


def test_a_ranking_by_scores_is_fitted_once_for_all_sizes(slow):
    problem = made()
    selection = SharedSelection(problem)
    run_task(task_of("SLOW"), problem, selection)
    other = replace(task_of("SLOW+ridge:alpha=2.0"), sizes=(20, 30))
    outcome = run_task(other, problem, selection)
    assert slow == ["fit", "cut 5", "cut 20", "cut 99", "cut 30"]
    assert plain(outcome) == plain(run_task(other, problem))


def test_memory_is_the_most_that_the_task_or_its_selection_took(slow, monkeypatch):
    problem = made()
    run_costed = shared_selection.run_costed
    monkeypatch.setattr(
        shared_selection, "run_costed", lambda *about: replace(run_costed(*about), memory=10**15)
    )
    first, second = together(problem, *for_each_alpha()[:2])
    assert first.memory < 10**15
    assert second.memory == 10**15


def test_each_task_tells_the_warnings_of_its_selection(slow):
    problem = made()
    outcomes = together(problem, *for_each_alpha())
    assert [outcome.notes for outcome in outcomes] == [("fit", "cut 5", "cut 20", "cut 99")] * 3


def test_a_job_has_the_tasks_of_one_selection():
    names = ["DF", "DF+ridge:alpha=2.0", "IG", "IG+svm", "US", "US+svm", "nonsense"]
    jobs = list(jobs_of(made(), map(task_of, names)))
    methods = [[task.method for task in job.tasks] for job in jobs]
    assert methods == [names[:2], names[2:4], names[4:6], names[6:]]


def test_a_size_that_cannot_be_had_is_asked_for_once_and_skipped_each_time(slow):
    problem = made()
    for outcome in together(problem, *for_each_alpha()):
        rows = outcome.rows
        assert {row.size for row in rows if row.status == "skipped"} == {99}
        assert "only 40 terms" in rows[-1].reason
    assert slow.count("cut 99") == 1


def test_a_fit_that_fails_is_tried_by_each_task(slow, monkeypatch):
    def fails(self, X, y=None):
        Slow.did.append("fit")
        raise MemoryError("too large")

    problem = made()
    monkeypatch.setattr(Slow, "fit", fails)
    for outcome in together(problem, *for_each_alpha()):
        assert outcome.reason == "MemoryError: too large"
    assert slow == ["fit"] * 3
    monkeypatch.undo()


def test_a_problem_of_one_class_is_not_even_fitted(slow):
    problem = replace(made(), y_train=np.zeros(60, dtype=int))
    assert {row.status for row in run_task(task_of("SLOW"), problem).rows} == {"skipped"}
    assert slow == []


@pytest.mark.parametrize(
    ("method", "selection"),
    [
        ("IG", "IG"),
        ("IG+ridge:alpha=0.1", "IG"),
        ("SS:rank=10", "SS:rank=10"),
        ("SS:rank=10:draw=iid+ridge:alpha=loo", "SS:rank=10:draw=iid"),
        ("BSS:rank=5+svm:alpha=0.5", "BSS:rank=5"),
        ("BSS+svm", "BSS"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_selection_is_the_method_without_what_comes_after(method, selection):
    assert task_of(method).selection == selection


def test_every_lambda_has_the_same_draws():
    problem = made()
    tasks = [task_of(f"US+ridge:{after}", draw=1) for after in ALPHAS]
    cuts = [outcome.cuts[0].terms for outcome in together(problem, *tasks)]
    assert all(np.array_equal(terms, cuts[0]) for terms in cuts)
    other = run_task(task_of("US+ridge:alpha=0.1", draw=2), problem).cuts[0].terms
    assert not np.array_equal(other, cuts[0])


def test_a_job_returns_decisions_for_every_classifier_alpha_and_size():
    problem = made()
    tasks = [replace(task_of(f"IG+{c}"), decisions=True) for c in ("svm", "ridge:alpha=3.0")]
    for task, outcome in zip(tasks, together(problem, *tasks), strict=True):
        results = [r for r in evaluate_path(task.build(), problem, list(task.sizes)) if r.model]
        for cut, result in zip(outcome.cuts, results, strict=True):
            assert cut.decision.dtype == np.float32
            np.testing.assert_array_equal(cut.decision, result.decision.astype(np.float32))
    assert run_task(task_of("IG"), problem).cuts[0].decision is None


@pytest.mark.parametrize("method", ["IG+svm", "WS", "LDA", "MASK", "SVM-LARS", "LSI+gaussian"])
def test_a_job_with_models_returns_what_training_alone_gives(method):
    problem = made()
    task = replace(task_of(method), sizes=(2,))
    (outcome,) = run_job(Job(problem, (task,), with_models=True))
    path = task.build().set_params(size=2).fit(problem.X_train, problem.y_train)
    expected = TrainedModel.of(path, path.model_)
    trained = pickle.loads(pickle.dumps(outcome.trained))
    np.testing.assert_array_equal(
        trained.model.decision(problem.X_test), expected.model.decision(problem.X_test)
    )
    np.testing.assert_array_equal(trained.scores, expected.scores)
    assert (trained.reduction is None) == (expected.reduction is None)
    assert trained.classifier == expected.classifier
    assert outcome.rows == tuple(
        replace(row, seconds=other.seconds, memory=other.memory)
        for row, other in zip(run_task(task, problem).rows, outcome.rows, strict=True)
    )


def test_a_job_with_models_fails_where_there_is_no_model():
    (outcome,) = run_job(Job(made(), (replace(task_of("IG"), sizes=(99,)),), with_models=True))
    assert (outcome.status, outcome.trained) == ("failed", None)
    assert "only 40 terms" in outcome.reason


def test_a_task_without_test_documents_only_trains():
    problem = made()
    empty = replace(problem, X_test=problem.X_test[:0], y_test=problem.y_test[:0])
    for method in ("IG+svm", "IG+knn"):
        task = replace(task_of(method), sizes=(5,), metrics=(), detail=False)
        (outcome,) = run_job(Job(empty, (task,), with_models=True))
        assert (outcome.status, outcome.rows, outcome.cuts) == ("ok", (), ())
        assert outcome.trained.model.n_features == 5


def test_where_a_run_raises_one_task_fails_and_the_others_are_run():
    def raises(job):
        for task in job.tasks:
            if task.draw == 1:
                raise RuntimeError("a failure")
            yield run_task(task, job.problem)

    outcomes = list(outcomes_of(Job(made(), tuple(task_of("US", n) for n in range(3))), raises))
    assert [outcome.task.draw for outcome in outcomes] == [0, 1, 2]
    assert [outcome.reason for outcome in outcomes] == ["", "RuntimeError: a failure", ""]


def test_a_run_that_ends_early_fails_what_it_left_out():
    tasks = tuple(task_of("US", n) for n in range(2))
    outcomes = list(outcomes_of(Job(made(), tasks), lambda job: ()))
    assert [outcome.reason for outcome in outcomes] == ["the task was not run"] * 2


def test_a_task_uses_one_thread_wherever_it_runs(monkeypatch):
    threads = []
    nested = SubspaceSampling._score

    def counted(self, X, y):
        threads.extend(library["num_threads"] for library in threadpool_info())
        return nested(self, X, y)

    monkeypatch.setattr(SubspaceSampling, "_score", counted)
    with threadpool_limits(2):
        assert run_task(task_of("SS:rank=3"), made()).status == "ok"
    assert set(threads) == {1}


def test_a_task_without_detail_has_rows_only():
    problem = made()
    task = task_of("IG")
    outcome = run_task(replace(task, detail=False), problem)
    assert (outcome.cuts, outcome.y_signed) == ((), None)
    assert plain(outcome) == plain(run_task(task, problem))


def test_a_class_that_training_lacks_is_a_note_of_the_task_and_not_of_its_model():
    problem = made()
    short = replace(problem, y_train=np.minimum(problem.y_train, 1))
    (outcome,) = run_job(Job(short, (replace(task_of("IG"), sizes=(5,)),), with_models=True))
    (note,) = outcome.notes
    assert "classes without a training document (c)" in note
    assert outcome.trained.notes == ()
    assert set(np.unique(outcome.y_signed)) == {-1, 0, 1}


def test_of_more_outcomes_than_tasks_the_first_count():
    (task,) = tasks = (task_of("US"),)
    twice = [Outcome.failed(task, "first"), Outcome.failed(task, "second")]
    outcomes = outcomes_of(Job(made(), tasks), lambda job: twice)
    assert [outcome.reason for outcome in outcomes] == ["first"]


def test_a_cut_has_the_predictions_at_the_models_thresholds():
    problem = made(labels=True)
    task = replace(task_of("IG+ridge:threshold=training"), decisions=True)
    results = evaluate_path(task.build(), problem, list(task.sizes))
    for cut, result in zip(run_task(task, problem).cuts, results, strict=False):
        predicted = result.model.predict(problem.X_test) > 0
        np.testing.assert_array_equal(cut.chosen, predicted)
        assert (predicted != (cut.decision > 0)).any()
