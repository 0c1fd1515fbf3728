from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from laconic import Problem, ReduceThenFit, curve, load_corpus
from laconic.curves import MEASURES, Row, rows_file
from laconic.errors import LaconicError
from tests.strategies import text_like


@pytest.fixture
def problem():
    X, y = text_like(60, 30, 3)
    words = np.array([f"w{i}" for i in range(30)])
    return Problem("made", X[:40], y[:40], X[40:], y[40:], words, ("a", "b", "c"))


def test_a_curve_is_the_measures_of_separate_fits(problem):
    found = curve(ReduceThenFit(), problem, [20, 3, 9], ["accuracy", "macro-f1"], name="DF")
    assert [(row.asked, row.measure) for row in found.rows] == [
        (size, measure) for size in (3, 9, 20) for measure in ("accuracy", "macro-f1")
    ]
    for size in (3, 9, 20):
        alone = ReduceThenFit(size=size).fit(problem.X_train, problem.y_train)
        predicted = alone.predict(problem.X_test)
        assert found.values("accuracy")[size] == accuracy_score(problem.y_test, predicted)
        expected = f1_score(problem.y_test, predicted, average="macro")
        assert found.values("macro-f1")[size] == pytest.approx(expected)
    assert all(row.kept == row.terms == row.asked and row.status == "ok" for row in found.rows)


def test_a_size_that_cannot_be_had_is_a_row_with_its_reason(problem):
    found = curve(ReduceThenFit(), problem, [5, 31], ["accuracy"])
    skipped = found.rows[1]
    assert (skipped.status, skipped.value, skipped.kept) == ("skipped", None, None)
    assert "only 30 terms" in skipped.reason
    assert found.values("accuracy")[31] is None


def test_shares_are_of_the_candidates(problem):
    found = curve(ReduceThenFit(), problem, [0.1, 1.0], ["accuracy"])
    assert [row.kept for row in found.rows] == [3, 30]


def test_every_measure_is_a_number(problem):
    found = curve(ReduceThenFit(), problem, [9], MEASURES)
    assert all(0 <= row.value <= 1 for row in found.rows)
    assert len(found.rows) == 7


def test_progress_is_told_of_each_size(problem):
    told = []
    curve(ReduceThenFit(), problem, [3, 9], ["accuracy"], progress=told.append)
    assert told == [3, 9]


@pytest.mark.parametrize(
    ("sizes", "measures", "says"),
    [
        ([], ["accuracy"], "no sizes"),
        ([5, 0.5], ["accuracy"], "not both"),
        ([0], ["accuracy"], "size 0"),
        ([1.5], ["accuracy"], "size 1.5"),
        ([5], ["brier"], "choose from accuracy"),
        ([5], [], "choose from accuracy"),
    ],
)
def test_refusals(problem, sizes, measures, says):
    with pytest.raises(LaconicError, match=says):
        curve(ReduceThenFit(), problem, sizes, measures)


def test_values_of_an_unmeasured_measure(problem):
    with pytest.raises(KeyError, match="there are accuracy"):
        curve(ReduceThenFit(), problem, [5], ["accuracy"]).values("auc")


ROW = Row("=cmd(), given", "DF", 10, 10, 10, "auc", 0.5, 0.1)


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
    with pytest.raises(LaconicError, match="no file of rows"), rows_file(where):
        pass
    assert where.read_text() == "my thesis"
    for name, says in (("rows.txt", "as .csv"), ("absent/rows.csv", "cannot be written")):
        with pytest.raises(LaconicError, match=says), rows_file(tmp_path / name):
            pass


def test_golden_curve_of_20_newsgroups(corpora):
    """Counts of correct test documents; one document of tolerance (the habit of golden curves)."""
    corpus = load_corpus("20news-bydate")
    (problem,) = Problem.expand(corpus)
    found = curve(ReduceThenFit(), problem, [10, 100, 1000], ["accuracy"])
    correct = [round(value * 7532) for value in found.values("accuracy").values()]
    golden = {10: 447, 100: 1833, 1000: 4896}
    assert all(abs(c - g) <= 1 for c, g in zip(correct, golden.values(), strict=True)), correct
