"""The tables under a recommendation, against recommendations that are written out."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from laconic.report.answer_tables import (
    budget_lines,
    calibration_sentence,
    score_lines,
    tuning_lines,
)
from laconic.report.build import view_of
from laconic.report.view import View
from laconic.studies.analysis.budget import BudgetRow
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.recommendation import HeldOutResult as Scores
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.layout import StudyFolder
from tests.report.studies import tuned_study


def candidate(
    method: str = "IG", n_features: float = 100.0, mean: float = 0.9, **more
) -> Candidate:
    return Candidate("p", method, 100, "f1", mean, 0.01, n_features, (mean,) * 5, **more)


SMALL = candidate(mean=0.9, mistakes=23.8)
LARGE = candidate(n_features=1234.4, mean=0.95, mistakes=1400.2)
MIDDLE = candidate(n_features=300, mean=0.9434, mistakes=4.04)
ROWS = (
    BudgetRow(0.0, LARGE, 1300, 45_678, 123_456.0, 0.94, "problems/p/budget-0.laconic"),
    BudgetRow(0.05, SMALL, 100, 1234, None, None, ""),
)


def recommendation(chosen: Candidate, budget: tuple[BudgetRow, ...], **more) -> Recommendation:
    return Recommendation("p", "f1", chosen, LARGE, budget=budget, **more)


def test_numbers_are_rounded_for_readers():
    first, second = budget_lines(recommendation(LARGE, (replace(ROWS[0], chosen=True), ROWS[1])))
    assert (first.give_up, first.n_features, first.kilobytes) == ("0", "1,300", "46")
    assert (first.mistakes, first.documents_per_second) == ("1,400", "120,000")
    assert (first.validation, first.test, first.chosen) == ("0.950", "0.940", True)
    assert (second.give_up, second.kilobytes, second.mistakes) == ("5", "1.2", "24")
    assert (second.documents_per_second, second.test, second.chosen) == ("–", "–", False)


def test_a_recommended_model_between_the_rows_has_its_own():
    """One standard error may give up more than 0 points and less than 0.5."""
    about = {"n_features": 301, "n_bytes": 9_940, "folder": "problems/p", "test": Scores(0.93)}
    lines = budget_lines(recommendation(MIDDLE, ROWS, **about))
    assert [line.give_up for line in lines] == ["0", "0.66", "5"]
    assert [line.chosen for line in lines] == [False, True, False]
    line = lines[1]
    assert (line.n_features, line.kilobytes, line.mistakes) == ("301", "9.9", "4.0")
    assert (line.validation, line.test) == ("0.943", "0.930")
    assert line.model_file == "problems/p/model.laconic"


def test_without_a_budget_there_are_no_lines():
    assert budget_lines(recommendation(MIDDLE, ())) == ()


def test_scores_stand_beside_those_of_all_words():
    test = Scores(0.93, (0.91, 0.951), 16.14, 0.0123)
    told = recommendation(SMALL, ROWS, n_features=100, test=test, baseline_test=Scores(0.95))
    ours, theirs = score_lines(told)
    assert (ours.model, ours.score) == ("recommended: IG, 100 words", "0.930")
    assert (ours.interval, ours.mistakes) == ("0.910 to 0.951", "16")
    assert ours.calibration_error == "0.012"
    assert (theirs.model, theirs.score, theirs.interval) == ("all words", "0.950", "–")
    assert (theirs.mistakes, theirs.calibration_error) == ("–", "–")
    assert score_lines(replace(told, test=None, baseline_test=None)) == ()
    assert "off by 1.2 percentage points" in calibration_sentence(test)
    assert calibration_sentence(Scores(0.9)) == calibration_sentence(None) == ""


def test_all_words_are_not_compared_with_themselves():
    every = candidate("ALL", variant="ALL+svm")
    told = recommendation(every, ROWS, test=Scores(0.95), baseline_test=Scores(0.95))
    assert len(score_lines(told)) == 1


@pytest.mark.parametrize(
    ("more", "classifier", "alpha", "weights", "thresholds"),
    [
        ({"variant": "IG+svm", "alpha": 0.3}, "SVM", "0.3", "none", "none"),
        (
            {
                "variant": "IG+logistic:weights=balanced",
                "alpha": 10.0,
                "class_weight": "balanced",
                "thresholding": "common",
            },
            "logistic regression",
            "10",
            "balanced",
            "one",
        ),
        ({"method": "SVM-LARS", "thresholding": "zero"}, "part of the method", "–", "none", "none"),
    ],
)
def test_what_a_method_was_trained_with(more, classifier, alpha, weights, thresholds):
    (line,) = tuning_lines([candidate(**more)])
    assert (line.classifier, line.alpha) == (classifier, alpha)
    assert (line.class_weights, line.thresholds) == (weights, thresholds)


def test_thresholds_of_labels():
    of_labels = replace(candidate(variant="IG+svm"), metric="f1_micro", thresholding="common")
    separate = replace(of_labels, metric="f1_macro", thresholding="separate")
    lines = tuning_lines([of_labels, separate])
    assert [line.thresholds for line in lines] == ["one for all labels", "one per label"]


@pytest.mark.full
def test_the_view_has_the_lines_of_the_findings(tuned_view: View):
    findings = Findings.read(tuned_study())
    assert findings is not None
    assert len(tuned_view.details) == 2
    for detail, found in zip(tuned_view.details, findings.recommendations, strict=True):
        assert detail.budget == budget_lines(found)
        assert detail.scores == score_lines(found)
        assert detail.n_test_documents == found.n_test_documents > 0
        assert detail.calibration == calibration_sentence(found.test) != ""
        assert [line.give_up for line in detail.budget] == ["0", "0.5", "1", "2", "5"]
        assert all((tuned_study() / line.model_file).is_file() for line in detail.budget)
        chosen = [r.chosen for r in findings.per_method if r.problem == detail.problem]
        assert detail.tuning == tuple(tuning_lines(chosen))
        assert [line.method for line in detail.tuning] == ["ALL", "IG"]
    assert tuned_view.deciding_metrics == {"three pets": "accuracy", "two pets": "f1"}
    positive = findings.recommendations[1].positive_class
    assert (
        tuned_view.quality == f"Quality is accuracy (three pets) and f1 of {positive} (two pets)."
    )


@pytest.mark.full
def test_a_test_score_far_below_validation_is_a_warning_of_its_own(tmp_path: Path):
    shutil.copytree(tuned_study(), tmp_path / "copy")
    findings = Findings.read(tmp_path / "copy")
    assert findings is not None
    first, *others = findings.recommendations
    low = replace(first, test=Scores(0.5, (0.4, 0.6)))
    changed = replace(findings, recommendations=(low, *others))
    changed.write(StudyFolder(tmp_path / "copy"))
    answer, other = view_of(tmp_path / "copy").answers
    assert answer.warning.startswith("The test score is far below validation")
    assert f"{answer.sentence} {answer.warning}" == low.sentence
    assert other.warning == ""
    assert other.sentence == others[0].sentence
