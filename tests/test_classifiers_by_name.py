"""`then=` in the brackets of a method: which classifier comes after the words, and its settings."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from laconic import LinearModel, Plan, SVMClassifier
from laconic.classifiers.centroid import CentroidClassifier
from laconic.classifiers.kernel import GaussianSVM
from laconic.classifiers.neighbours import NearestNeighbours
from laconic.curves import curve
from laconic.errors import LaconicError
from laconic.methods import METHODS, method_called, methods_called
from laconic.methods.classifiers import AFTERWARDS, CLASSIFIERS, settings_of
from laconic.study.ready import Ready
from laconic.study.settings import Training
from laconic.study.study import Study
from laconic.study.task import Task
from laconic.vectors.problem import Problem
from tests.strategies import text_like
from tests.study.corpora import pets

OWN = {
    "gaussian": (GaussianSVM, {"width": 10.0, "C": 100.0}),
    "centroid": (CentroidClassifier, {}),
    "knn": (NearestNeighbours, {"n_neighbors": 5}),
}


@pytest.mark.parametrize("then", OWN)
def test_then_names_the_classifier(then):
    method = method_called(f"ig[combine=max, then={then.upper()}]")
    assert method.name == f"IG[combine=max,then={then}]"
    assert method_called(method.name) == method
    made = method.build(alpha=7.0, intercept=True).classifier
    kind, settings = OWN[then]
    assert type(made) is kind
    assert {key: getattr(made, key) for key in settings} == settings
    assert type(method.build(alpha="loo").classifier) is kind, "it has no λ, whatever the plan's"


def test_the_brackets_set_what_the_classifier_takes():
    method = method_called("lda[C=3, reg=2, width=1, then=gaussian]")
    assert method.name == "LDA[reg=2,then=gaussian,width=1.0,C=3.0]"
    assert method == method_called("LDA[then=gaussian,width=1.0,C=3.0,reg=2]")
    assert (method.settings, method.after) == ({"reg": 2}, {"width": 1.0, "C": 3.0})
    made = method.build().classifier
    assert (made.width, made.C) == (1.0, 3.0)
    assert method_called("LDA[then=gaussian,width=10,C=100]").name == "LDA[then=gaussian]"
    knn = method_called("DF[then=knn,neighbours=1]")
    assert (knn.name, knn.build().classifier.n_neighbors) == ("DF[then=knn,neighbours=1]", 1)
    assert [m.name for m in methods_called("DF[then=knn,neighbours=1],IG")] == [knn.name, "IG"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IG[then=forest]", "then=forest: choose from rls, svm, gaussian, centroid, knn"),
        ("IG[then=]", "then=: choose from rls, svm, gaussian, centroid, knn"),
        ("IG[width=1]", "no setting 'width=1'; it takes combine, then, lambda, threshold"),
        ("IG[then=svm,C=1]", "no setting 'C=1'; it takes combine, then, lambda, threshold"),
        ("IG[then=gaussian,lambda=1]", "'lambda=1'; it takes combine, then, width, C$"),
        ("IG[then=gaussian,threshold=cv]", "no setting 'threshold=cv'; it takes combine, then"),
        ("IG[then=knn,lambda=loo]", "'lambda=loo'; it takes combine, then, neighbours$"),
        ("IG[then=centroid,lambda=1]", "'lambda=1'; it takes combine, then, threshold$"),
        ("IG[then=knn,neighbours]", "no setting 'neighbours'; .*each with = and a value"),
        ("SVM-LARS[then=knn]", "then=knn: it trains its own models"),
        ("SVM-LARS[width=1]", "no setting 'width=1'; it takes mode"),
    ],
)
def test_what_a_classifier_does_not_take_is_refused(text, says):
    with pytest.raises(LaconicError, match=says):
        method_called(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IG[then=gaussian,width=0]", "width=0.0: a Gaussian SVM needs a number above 0"),
        ("IG[then=gaussian,C=many]", "C='many': a Gaussian SVM needs"),
        (f"IG[then=gaussian,width=1{'0' * 400}]", "0: a Gaussian SVM needs"),
        ("IG[then=knn,neighbours=0]", r"method IG\[then=knn,neighbours=0\]: neighbours=0: give a"),
        ("IG[then=knn,neighbours=2.5]", "neighbours=2.5: give a whole number from 1"),
        ("IG[then=knn,neighbours=True]", "neighbours=True: give a whole number from 1"),
    ],
)
def test_values_that_a_classifier_cannot_have_are_known_before_the_study(text, says):
    with pytest.raises(LaconicError, match=says):
        Plan(pets(), methods=[text])


def test_a_plan_takes_any_lambda_where_the_classifier_has_none():
    plan = Plan(pets(), methods=("IG[then=knn,neighbours=2]",), training=Training(alpha="loo"))
    assert plan.methods == ("IG[then=knn,neighbours=2]",)
    with pytest.raises(LaconicError, match="lambda=loo is for then=rls only"):
        Plan(pets(), methods=("IG[then=svm]",), training=Training(alpha="loo"))


def test_no_setting_of_a_classifier_hides_one_of_a_method():
    """Both stand in the same brackets, and a task must know which of them select words."""
    of_methods = {key for method in METHODS.values() for key in signature(method.recipe).parameters}
    assert not of_methods & AFTERWARDS
    owned = [key for name in CLASSIFIERS for key in settings_of(name)]
    assert {"width", "C", "neighbours"} == set(owned) < AFTERWARDS


def test_tasks_that_differ_in_the_classifier_only_share_the_selection():
    plan = Plan(pets(), methods=("RP",))
    (corpus,) = plan.load()
    task = Ready.of(plan, corpus).tasks[0]
    assert isinstance(task, Task)
    others = [
        replace(task, method=f"RP[{inner}]")
        for inner in ("then=gaussian,width=1.0,C=3.0", "then=knn,neighbours=1", "lambda=0.1")
    ]
    assert {one.selection for one in others} == {"RP"}
    assert {one.random_state for one in others} == {task.random_state}
    sparse = replace(task, method="RP[kind=sparse,then=gaussian,width=1.0]")
    assert sparse.selection == "RP[kind=sparse]"


@pytest.mark.parametrize("then", OWN)
@pytest.mark.parametrize("method", ["IG", "LDA"])
def test_curves_measure_any_classifier(then, method):
    (problem,) = Problem.expand(pets(90, split=True))
    built = method_called(f"{method}[then={then}]").build()
    found = curve(built, problem, [2], ["accuracy"])
    (row,) = found.rows
    assert row.kept == 2
    assert row.terms == (2 if method == "IG" else len(problem.vocabulary)), "all that it reads"
    reduction = built.reduction_
    alone = built.classifier.fit(reduction.apply(problem.X_train), problem.y_train)
    right = alone.predict(reduction.apply(problem.X_test)) == problem.y_test
    assert row.value == pytest.approx(right.mean())
    assert row.value > 0.35


def test_a_study_measures_models_that_are_not_linear(tmp_path):
    methods = ("LDA[then=gaussian,width=3.0]", "IG[then=knn]", "DF[then=centroid]", "IG")
    training = Training(norm="document")
    study = Study(Plan(pets(60), methods=methods, sizes=(2, 5), training=training), tmp_path)
    findings = study.run()
    assert findings.failed == {}
    measured = {(c.method, c.asked) for c in findings.candidates}
    assert measured >= {(method, 2) for method in methods}


def test_centroids_are_linear_and_the_others_are_not():
    X, y = text_like(40, 30, 3)
    kinds = {
        then: isinstance(
            next(method_called(f"IG[then={then}]").build().path(X, y, [7])), LinearModel
        )
        for then in CLASSIFIERS
    }
    assert kinds == {"rls": True, "svm": True, "centroid": True, "gaussian": False, "knn": False}
    assert isinstance(method_called("IG[then=svm]").build().classifier, SVMClassifier)
    assert np.unique(y).size == 3


@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_a_label_that_all_have_is_known_to_neighbours():
    X, y = text_like(30, 20, 3)
    labels = np.column_stack([np.ones(30), np.zeros(30), y == 1]).astype(int)
    path = method_called("DF[then=knn]").build().set_params(size=20)
    predicted = path.fit(X, labels).predict(X)
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()


def test_more_neighbours_than_documents_are_said_to_be_so():
    X, y = text_like(12, 8, 3)
    every = method_called("DF[then=knn,neighbours=12]").build().set_params(size=4).fit(X, y)
    assert np.unique(every.decision_function(X), axis=0).shape == (1, 3), "all are neighbours"
    more = method_called("DF[then=knn,neighbours=13]").build().set_params(size=4).fit(X, y)
    with pytest.raises(LaconicError, match=r"=13: only 12 documents .* on\. Give up to 12"):
        more.predict(X)


def test_a_task_with_too_many_neighbours_fails_with_our_words(tmp_path):
    methods = ("IG[then=knn,neighbours=500]",)
    findings = Study(Plan(pets(60), methods=methods, sizes=(2,)), tmp_path).run()
    assert {why.partition(":")[0] for why in findings.failed.values()} == {"neighbours=500"}
