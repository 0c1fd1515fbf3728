from __future__ import annotations

import csv
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import accuracy_score, f1_score, get_scorer

from laconic import (
    LinearModel,
    Problem,
    ReduceThenFit,
    RLSClassifier,
    TopTerms,
    curve,
    make_problems,
)
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.thresholds import TunedThreshold
from laconic.curves import METRICS
from laconic.errors import LaconicError, LaconicWarning
from laconic.row_files import rows_file
from laconic.rows import Row
from tests.known_corpora import known_corpus
from tests.strategies import text_like


@pytest.fixture
def problem():
    X, y = text_like(60, 30, 3)
    words = np.array([f"w{i}" for i in range(30)])
    return Problem("made", X[:40], y[:40], X[40:], y[40:], words, ("a", "b", "c"))


def test_a_curve_is_the_measures_of_separate_fits(problem):
    found = curve(ReduceThenFit(), problem, [20, 3, 9], ["accuracy", "f1_macro"], name="DF")
    assert [(row.size, row.metric) for row in found.rows] == [
        (size, metric) for size in (3, 9, 20) for metric in ("accuracy", "f1_macro")
    ]
    for size in (3, 9, 20):
        alone = ReduceThenFit(size=size).fit(problem.X_train, problem.y_train)
        predicted = alone.predict(problem.X_test)
        assert found.values("accuracy")[size] == accuracy_score(problem.y_test, predicted)
        expected = f1_score(problem.y_test, predicted, average="macro")
        assert found.values("f1_macro")[size] == pytest.approx(expected)
    assert all(
        row.model_size == row.n_features == row.size and row.status == "ok" for row in found.rows
    )


@pytest.mark.parametrize("kind", ["two classes", "labels"])
def test_metrics_are_those_of_the_models_predictions_at_its_thresholds(problem, kind):
    columns = [1] if kind == "two classes" else [0, 1]
    y_train, y_test = (
        np.column_stack([y == at for at in columns]).astype(int).squeeze()
        for y in (problem.y_train, problem.y_test)
    )
    problem = replace(problem, y_train=y_train, y_test=y_test, classes=("a", "b"))
    path = ReduceThenFit(classifier=RLSClassifier(alpha=1.0), normalize="all")
    method = TunedThreshold(path, by="training", size=9)
    found = curve(method, problem, [9], ["accuracy", "f1_macro"])
    model = method.fit(problem.X_train, y_train).model_
    predicted = model.predict(problem.X_test)
    assert (predicted != replace(model, thresholds=None).predict(problem.X_test)).any()
    assert found.values("accuracy")[9] == accuracy_score(y_test, predicted)
    expected = f1_score(y_test, predicted, average="macro")
    assert found.values("f1_macro")[9] == pytest.approx(expected)


def test_a_size_that_cannot_be_had_is_a_row_with_its_reason(problem):
    found = curve(ReduceThenFit(), problem, [5, 31], ["accuracy"])
    skipped = found.rows[1]
    assert (skipped.status, skipped.value, skipped.model_size) == ("skipped", None, None)
    assert "only 30 terms" in skipped.reason
    assert found.values("accuracy")[31] is None


def test_sizes_may_come_from_numpy(problem, tmp_path):
    found = curve(ReduceThenFit(), problem, np.array([3, 9]), "accuracy")
    with rows_file(tmp_path / "rows.jsonl") as write:
        write(found.rows)
    assert [json.loads(line)["size"] for line in (tmp_path / "rows.jsonl").open()] == [3, 9]


def test_shares_are_of_the_candidates(problem):
    found = curve(ReduceThenFit(), problem, [0.1, 1.0], ["accuracy"])
    assert [row.model_size for row in found.rows] == [3, 30]


@pytest.mark.parametrize(
    "name",
    ["accuracy", "balanced_accuracy", "f1_micro", "f1_macro", "precision_macro", "recall_macro"],
)
def test_a_metric_is_scikit_learns_of_its_name(problem, name):
    """Labels are moved, so the metrics differ from each other."""
    rng = np.random.default_rng(0)
    y_test = np.where(rng.random(20) < 0.4, 0, problem.y_test)
    noisy = replace(problem, y_test=y_test)
    classifier = ReduceThenFit(size=9).fit(noisy.X_train, noisy.y_train)
    scores = {
        metric: get_scorer(metric)(classifier, noisy.X_test, y_test)
        for metric in ("f1_macro", "precision_macro", "recall_macro", "accuracy", name)
    }
    assert len(set(np.round(list(scores.values())[:4], 6))) == 4
    assert curve(ReduceThenFit(), noisy, [9], [name]).values(name)[9] == pytest.approx(scores[name])


def test_every_metric_is_a_number_or_has_a_reason(problem):
    found = curve(ReduceThenFit(), problem, [9], METRICS)
    of_two = ("f1", "precision", "recall")
    assert all(0 <= row.value <= 1 for row in found.rows if row.metric not in of_two)
    skipped = {row.metric: row for row in found.rows if row.metric in of_two}
    assert {(row.status, row.value) for row in skipped.values()} == {("skipped", None)}
    reason = "f1 is not defined: it is for two classes. Choose f1_micro or f1_macro"
    assert skipped["f1"].reason == reason
    assert len(found.rows) == len(METRICS) == 13


def test_a_mean_over_classes_counts_each_unseen_class(problem):
    """As scikit-learn does with the true labels."""
    y_test = problem.y_test.copy()
    y_test[[2, 5, 7]] = [3, 4, 3]
    strange = replace(problem, y_test=y_test, classes=(*problem.classes, "d", "e"))
    classifier = ReduceThenFit(size=9).fit(problem.X_train, problem.y_train)
    predicted = classifier.predict(problem.X_test)
    for name in ("f1_macro", "precision_macro", "recall_macro", "balanced_accuracy", "f1_micro"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = curve(ReduceThenFit(), strange, [9], [name]).values(name)[9]
            scorer = get_scorer(name)
            expected = scorer._score_func(y_test, predicted, **scorer._kwargs)
        assert value == pytest.approx(expected)


def test_a_problem_of_one_class_is_skipped_not_fatal(problem):
    one = replace(problem, y_train=np.zeros(40, dtype=int))
    (row,) = curve(ReduceThenFit(), one, [5], ["accuracy"]).rows
    assert (row.status, row.value) == ("skipped", None)
    assert "one class" in row.reason


def test_a_metric_that_is_not_defined_is_skipped(problem):
    two = replace(problem, y_train=problem.y_train % 2, y_test=np.zeros(20, dtype=int))
    row, accuracy = curve(ReduceThenFit(), two, [5], ["roc_auc", "accuracy"]).rows
    assert (row.status, row.value, row.model_size) == ("skipped", None, 5)
    assert accuracy.status == "ok"


def test_a_class_unseen_in_training_is_never_right(problem):
    stranger = problem.y_test.copy()
    stranger[:] = 7
    for y_train in (problem.y_train, problem.y_train % 2):
        classes = (*problem.classes, "", "", "", "", "unseen")
        strange = replace(problem, y_train=y_train, y_test=stranger, classes=classes)
        with pytest.warns(LaconicWarning, match=r"20 of 20 .*documents .* \(unseen\)"):
            result = curve(ReduceThenFit(), strange, [5], ["accuracy"])
        assert result.rows[0].value == 0.0


def test_rows_have_features_size_and_draw(problem):
    class OwnWords(PathClassifier):
        """Each class selects its own words, as LARS does."""

        size = None

        def path(self, X, y, sizes):
            for size in sizes:
                coef = np.zeros((3, 30))
                for row in range(3):
                    coef[row, row * size : (row + 1) * size] = 1.0
                yield LinearModel(csr_array(coef), np.zeros(3), np.arange(3), size)

    (row,) = curve(OwnWords(), problem, [4], ["accuracy"], draw=9).rows
    assert (row.model_size, row.n_features, row.draw) == (4, 12, 9)


def test_progress_is_called_with_each_size(problem):
    sizes = []
    curve(ReduceThenFit(), problem, [3, 9], ["accuracy"], progress=sizes.append)
    assert sizes == [3, 9]


@pytest.mark.parametrize(
    ("sizes", "metrics", "says"),
    [
        ([], ["accuracy"], "no sizes"),
        ([5, 0.5], ["accuracy"], "not both"),
        ([1, 1.0], ["accuracy"], "not both"),
        ([0], ["accuracy"], "size 0"),
        ([1.5], ["accuracy"], "size 1.5"),
        ([5], ["brier"], "choose from accuracy"),
        ([5], [], "choose from accuracy"),
    ],
)
def test_refusals(problem, sizes, metrics, says):
    with pytest.raises(LaconicError, match=says):
        curve(ReduceThenFit(), problem, sizes, metrics)


def test_values_of_a_metric_that_was_not_measured(problem):
    with pytest.raises(KeyError, match="available: accuracy"):
        curve(ReduceThenFit(), problem, [5], ["accuracy"]).values("roc_auc")


ROW = Row("=cmd(), given", "DF", 10, "roc_auc", 0.5, 10, 10, seconds=0.1)


def test_rows_are_written_whole_and_no_cell_is_a_formula(tmp_path):
    table, lines = tmp_path / "rows.csv", tmp_path / "rows.jsonl"
    for where in (table, lines):
        with rows_file(where) as write:
            write([ROW])
            assert not where.exists(), "nothing half-written under the final name"
    (read,) = csv.DictReader(table.open())
    assert read["problem"] == "'=cmd(), given"
    assert float(read["value"]) == 0.5
    assert json.loads(lines.read_text())["problem"] == "=cmd(), given"


def test_a_failure_keeps_the_earlier_rows(tmp_path):
    where = tmp_path / "rows.csv"
    with rows_file(where) as write:
        write([ROW])
    before = where.read_bytes()

    def fail():
        with rows_file(where):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert where.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["rows.csv"]


def test_rows_replace_rows_only(tmp_path):
    where = tmp_path / "rows.csv"
    where.write_text("my thesis")
    with pytest.raises(LaconicError, match="not a file of rows"), rows_file(where):
        pass
    assert where.read_text() == "my thesis"
    for name, says in (("rows.txt", "as .csv"), ("absent/rows.csv", "cannot be written")):
        with pytest.raises(LaconicError, match=says), rows_file(tmp_path / name):
            pass


RIDGE = ReduceThenFit(TopTerms("df"), RLSClassifier(), normalize="all")


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "golden"),
    [
        (RIDGE, {10: 447, 100: 1833, 1000: 4896}),
        (ReduceThenFit(TopTerms("ig")), {10: 1950, 100: 4167}),
    ],
    ids=["df+ridge", "ig+logistic"],
)
def test_golden_curve_of_20_newsgroups(corpora, method, golden):
    """Counts of correct test documents; one document of tolerance (the habit of golden curves)."""
    corpus = known_corpus("20news-bydate")
    (problem,) = make_problems(corpus)
    found = curve(method, problem, list(golden), ["accuracy"])
    correct = [round(value * 7532) for value in found.values("accuracy").values()]
    assert all(abs(c - g) <= 1 for c, g in zip(correct, golden.values(), strict=True)), correct
