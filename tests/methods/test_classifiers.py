"""The classifier after the plus sign of a method's name, and its settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laconic import LinearModel, Plan, SVMClassifier
from laconic.classifiers.centroid import CentroidClassifier
from laconic.classifiers.kernel import GaussianSVM
from laconic.classifiers.neighbours import NearestNeighbors
from laconic.curves import curve
from laconic.errors import LaconicError
from laconic.methods import parse_method, parse_methods
from laconic.methods.classifiers import CLASSIFIERS
from laconic.studies.execution.task import Task
from laconic.studies.options import TrainingOptions
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.problem import make_problems
from tests.strategies import text_like
from tests.studies.corpora import pets

SETTINGS = {
    "gaussian": (GaussianSVM, {"width": 10.0, "C": 100.0}),
    "centroid": (CentroidClassifier, {}),
    "knn": (NearestNeighbors, {"n_neighbors": 5}),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_name_after_the_plus_sign_is_the_classifier(name):
    method = parse_method(f"ig:combine=max+{name.upper()}")
    assert method.name == f"IG:combine=max+{name}"
    assert parse_method(method.name) == method
    classifier = method.build(alpha=7.0, intercept=True).classifier
    kind, settings = SETTINGS[name]
    assert type(classifier) is kind
    assert {key: getattr(classifier, key) for key in settings} == settings
    assert type(method.build(alpha="loo").classifier) is kind, "it has no alpha"


def test_the_name_sets_what_the_classifier_takes():
    method = parse_method("lda:reg=2+gaussian:width=1:C=3")
    assert method.name == "LDA:reg=2.0+gaussian:width=1.0:C=3.0"
    assert method == parse_method("LDA:reg=2+gaussian:width=1.0:C=3.0")
    assert (method.settings, method.classifier_settings) == ({"reg": 2}, {"width": 1.0, "C": 3.0})
    classifier = method.build().classifier
    assert (classifier.width, classifier.C) == (1.0, 3.0)
    assert parse_method("LDA+gaussian:width=10:C=100").name == "LDA+gaussian"
    knn = parse_method("DF+knn:n_neighbors=1")
    assert (knn.name, knn.build().classifier.n_neighbors) == ("DF+knn:n_neighbors=1", 1)
    assert [m.name for m in parse_methods("DF+knn:n_neighbors=1,IG")] == [knn.name, "IG"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "IG+forest",
            r"\+forest: choose from \+logistic, \+svm, \+ridge, \+blend, \+gauss",
        ),
        ("IG+ridge:width=1", r"no setting 'width=1'; \+ridge takes alpha, threshold"),
        ("IG+svm:C=1", r"no setting 'C=1'; \+svm takes weights, alpha, threshold"),
        ("IG+gaussian:alpha=1", r"'alpha=1'; \+gaussian takes width, C$"),
        ("IG+gaussian:threshold=cv", r"no setting 'threshold=cv'; \+gaussian takes width"),
        ("IG+knn:alpha=loo", r"'alpha=loo'; \+knn takes n_neighbors$"),
        ("IG+centroid:alpha=1", r"'alpha=1'; \+centroid takes threshold$"),
        ("IG+knn:n_neighbors", "'n_neighbors' is not a setting. Write key=value"),
        ("SVM-LARS+knn", r"\+knn: it trains its own models"),
        ("SVM-LARS:width=1", "no setting 'width=1'; it takes mode"),
    ],
)
def test_what_a_classifier_does_not_take_is_refused(text, says):
    with pytest.raises(LaconicError, match=says):
        parse_method(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("IG+gaussian:width=0", "width=0.0: a Gaussian SVM needs a number above 0"),
        ("IG+gaussian:C=many", "C='many': a Gaussian SVM needs"),
        (f"IG+gaussian:width=1{'0' * 400}", "0: a Gaussian SVM needs"),
        ("IG+knn:n_neighbors=0", r"method IG\+knn:n_neighbors=0: n_neighbors=0: give a"),
        ("IG+knn:n_neighbors=2.5", "n_neighbors=2.5: give a whole number from 1"),
        ("IG+knn:n_neighbors=True", "n_neighbors=True: give a whole number from 1"),
    ],
)
def test_values_that_a_classifier_cannot_have_are_known_before_the_study(text, says):
    with pytest.raises(LaconicError, match=says):
        Plan(pets(), methods=[text], features="words")


def test_a_plan_takes_any_lambda_where_the_classifier_has_none():
    plan = Plan(
        pets(),
        methods=("IG+knn:n_neighbors=2",),
        training=TrainingOptions(alpha="loo"),
        features="words",
    )
    assert plan.methods == ("IG+knn:n_neighbors=2",)
    with pytest.raises(LaconicError, match=r"alpha=loo is for \+ridge only"):
        Plan(pets(), methods=("IG+svm",), training=TrainingOptions(alpha="loo"), features="words")


def test_tasks_that_differ_in_the_classifier_only_share_the_selection():
    plan = Plan(pets(), methods=("RP",), features="words")
    (corpus,) = plan.load()
    task = PreparedCorpus.of(plan, corpus).tasks[0]
    assert isinstance(task, Task)
    others = [
        replace(task, method=f"RP+{classifier}")
        for classifier in ("gaussian:width=1.0:C=3.0", "knn:n_neighbors=1", "ridge:alpha=0.1")
    ]
    assert {one.selection for one in others} == {"RP"}
    assert {one.random_state for one in others} == {task.random_state}
    sparse = replace(task, method="RP:kind=sparse+gaussian:width=1.0")
    assert sparse.selection == "RP:kind=sparse"


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("method", ["IG", "LDA"])
def test_curves_measure_any_classifier(name, method):
    (problem,) = make_problems(pets(90, split=True))
    built = parse_method(f"{method}+{name}").build(normalize="all")
    found = curve(built, problem, [2], ["accuracy"])
    (row,) = found.rows
    assert row.model_size == 2
    assert row.n_features == (2 if method == "IG" else len(problem.vocabulary)), "all that it reads"
    reduction = built.reduction_
    alone = built.classifier.fit(reduction.apply(problem.X_train), problem.y_train)
    right = alone.predict(reduction.apply(problem.X_test)) == problem.y_test
    assert row.value == pytest.approx(right.mean())
    assert row.value > 0.35


def test_a_study_measures_models_that_are_not_linear(tmp_path):
    methods = ("LDA+gaussian:width=3.0", "IG+knn", "DF+centroid", "IG")
    training = TrainingOptions(normalize="all")
    study = Study(
        Plan(pets(60), methods=methods, sizes=(2, 5), training=training, features="words"), tmp_path
    )
    findings = study.run()
    assert findings.failures == {}
    measured = {(c.method, c.size) for c in findings.candidates}
    assert measured >= {(method, 2) for method in methods}


def test_centroids_are_linear_and_the_others_are_not():
    X, y = text_like(40, 30, 3)
    kinds = {
        name: isinstance(next(parse_method(f"IG+{name}").build().path(X, y, [7])), LinearModel)
        for name in CLASSIFIERS
    }
    linear = dict.fromkeys(("logistic", "svm", "ridge", "blend", "centroid"), True)
    assert kinds == linear | {"gaussian": False, "knn": False}
    assert isinstance(parse_method("IG+svm").build().classifier, SVMClassifier)
    assert np.unique(y).size == 3


@pytest.mark.filterwarnings("ignore:. of .* labels occur in")
def test_a_label_that_all_have_is_known_to_neighbours():
    X, y = text_like(30, 20, 3)
    labels = np.column_stack([np.ones(30), np.zeros(30), y == 1]).astype(int)
    path = parse_method("DF+knn").build().set_params(size=20)
    predicted = path.fit(X, labels).predict(X)
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()


def test_more_neighbors_than_documents_are_refused():
    X, y = text_like(12, 8, 3)
    every = parse_method("DF+knn:n_neighbors=12").build().set_params(size=4).fit(X, y)
    assert np.unique(every.decision_function(X), axis=0).shape == (1, 3), "all are neighbours"
    more = parse_method("DF+knn:n_neighbors=13").build().set_params(size=4).fit(X, y)
    with pytest.raises(
        LaconicError, match=r"=13: .* only 12 training documents\. Set .* 12 or less"
    ):
        more.predict(X)


def test_a_task_with_too_many_neighbours_fails_with_our_words(tmp_path):
    methods = ("IG+knn:n_neighbors=500",)
    findings = Study(Plan(pets(60), methods=methods, sizes=(2,), features="words"), tmp_path).run()
    assert {why.partition(":")[0] for why in findings.failures.values()} == {"n_neighbors=500"}
