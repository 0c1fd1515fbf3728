"""Models that are not linear have no coefficients: what a study does with them, and without."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from laconic import CompactModel, Plan, Study
from laconic.cli import main
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.studies.analysis import final_model, final_tasks
from laconic.studies.execution.jobs import run_task
from laconic.studies.execution.local import InProcess
from laconic.studies.options import SplitOptions
from laconic.studies.words import read_words, selected_words
from laconic.text.options import TextOptions, WeightingOptions
from tests.studies.corpora import RIDGE, TOPICS, pets
from tests.studies.execution.test_jobs import made, task_of
from tests.studies.runs import per_task

PLAN = Plan(
    pets(240),
    methods=("ALL+gaussian:width=1.0", "IG"),
    sizes=(6, 18),
    split=SplitOptions(cv=3),
    weighting=WeightingOptions(min_df=1),
    training=RIDGE,
    features="words",
)


def concluded(where, *methods, **about):
    findings = Study(replace(PLAN, methods=methods, **about), where).run(executor=InProcess())
    (found,) = findings.recommendations
    return found, findings


def test_all_words_that_are_not_linear_cost_the_recommendation_nothing(tmp_path):
    found, findings = concluded(tmp_path, "ALL+gaussian:width=1.0", "IG")
    assert found.chosen.method == "IG"
    assert found.failure == ""
    assert not findings.failures
    assert None not in (found.test_score, found.baseline_test)
    assert CompactModel.load(tmp_path / "model.laconic").n_words == found.n_features == 18
    assert not (tmp_path / "certificate.json").exists(), "there is nothing linear to compare with"


def test_linear_models_are_compared_if_there_are_some(tmp_path):
    concluded(tmp_path, "ALL+gaussian:width=1.0", "ALL", "IG")
    told = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    expected = tmp_path / "expected"
    concluded(expected, "ALL", "IG")
    assert told == json.loads((expected / "certificate.json").read_text(encoding="utf-8"))


def test_what_stands_in_on_the_page_is_linear(tmp_path, monkeypatch):
    monkeypatch.setattr(final_tasks, "MAX_PAGE_FEATURES", 10)
    found, _ = concluded(tmp_path, "IG", "IG+knn", "IG+gaussian")
    assert found.chosen.n_features == 18
    model = CompactModel.load(tmp_path / "stand-in.laconic")
    assert model.n_words == 6
    assert model.explain("cat purr")


def test_methods_that_train_their_own_models_may_stand_in(tmp_path, monkeypatch):
    monkeypatch.setattr(final_tasks, "MAX_PAGE_FEATURES", 10)
    found, _ = concluded(tmp_path, "SVM-LARS", "IG+knn", sizes=(2, 18))
    assert found.chosen.n_features > 10
    assert CompactModel.load(tmp_path / "stand-in.laconic").explain("cat purr")


def test_a_comparison_that_fails_loses_neither_model_nor_figure(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise MemoryError("no room")

    monkeypatch.setattr(final_model, "certify", refuse)
    found, findings = concluded(tmp_path, "ALL", "IG")
    assert found.failure == findings.failures["the model of pets"] == "MemoryError: no room"
    assert found.test_score is not None
    assert (tmp_path / "model.laconic").exists()
    monkeypatch.undo()
    again, _ = concluded(tmp_path, "ALL", "IG")
    assert again.failure == "", "what failed is tried again"
    assert (tmp_path / "certificate.json").exists()


@pytest.mark.parametrize("method", ["IG+knn", "LDA+knn"])
def test_a_model_without_a_file_has_its_figure_and_its_reason(tmp_path, method):
    found, findings = concluded(tmp_path, method, "DF", sizes=(2,))
    only, alone = concluded(tmp_path / "alone", method, sizes=(2,))
    assert found.chosen.method == only.chosen.method == method
    assert found.test_score == only.test_score is not None
    assert found.n_features == only.n_features > 0
    assert found.failure == ""
    assert f": {found.test_score:.3f}" in found.sentence
    (reason,) = (note for note in alone.warnings if "NearestNeighbors cannot be saved" in note)
    linear = next(one for one in findings.candidates if one.method == "DF")
    best = f"The best linear model is DF with 2 words ({linear.mean:.3f})"
    assert f"{reason} {best}" in findings.warnings
    _, again = concluded(tmp_path, method, "DF", sizes=(2,))
    assert again.warnings == findings.warnings, "a study that was finished says it too"
    assert not (tmp_path / "model.laconic").exists()
    words, classes = read_words(tmp_path / "words.csv")
    assert len(words) == found.n_features
    assert classes == ()
    assert all(one.coefficients == () and one.documents for one in words)


def test_a_model_without_a_file_is_not_trained_again(tmp_path, monkeypatch):
    methods = ("IG+knn", "DF")
    found, findings = concluded(tmp_path, *methods, sizes=(2,))
    assert found.model_file_error.startswith("NearestNeighbors cannot be saved")

    @per_task
    def refuse(task, problem):
        raise ZeroDivisionError("trained again")

    monkeypatch.setattr(InProcess, "__init__", lambda self: vars(self).update(_run=refuse))
    again, told = concluded(tmp_path, *methods, sizes=(2,))
    assert again == found
    assert told.warnings == findings.warnings
    (tmp_path / "words.csv").unlink()
    lost, _ = concluded(tmp_path, *methods, sizes=(2,))
    assert "trained again" in lost.failure, "its words are written again"


def test_the_best_of_the_linear_is_named(tmp_path):
    found, findings = concluded(tmp_path, "DF", "WS", "IG+knn", sizes=(2, 18))
    assert found.chosen.method == "IG+knn"
    means = [one.mean for one in findings.candidates if one.method != found.chosen.method]
    assert max(means) > means[0]
    assert f"The best linear model is WS with 18 words ({max(means):.3f})" in str(findings.warnings)


def test_a_model_that_is_not_linear_is_not_compared_with_all_words(tmp_path):
    found, _ = concluded(tmp_path, "ALL", "IG+gaussian:width=1.0", sizes=(18,))
    assert found.chosen.n_features == 18
    assert found.failure == ""
    assert None not in (found.test_score, found.baseline_test)
    assert not (tmp_path / "certificate.json").exists()


def test_a_machine_with_gaussian_kernel_has_its_file(tmp_path):
    found, _ = concluded(tmp_path, "LDA+gaussian:width=1.0", "DF", sizes=(2,))
    assert found.chosen.method.startswith("LDA")
    assert found.failure == ""
    model = CompactModel.load(tmp_path / "model.laconic")
    assert model.predict(["cat purr", "dog bark", "fish fin"]) == list(TOPICS)


@pytest.mark.parametrize("then", ["gaussian", "knn"])
def test_the_words_chosen_do_not_depend_on_what_follows(then):
    problem = replace(made(), columns=np.arange(40) * 3)
    linear, other = (run_task(task_of(m), problem).cuts for m in ("IG", f"IG+{then}"))
    assert [cut.terms.size for cut in linear] == [5, 20]
    for one, same in zip(linear, other, strict=True):
        np.testing.assert_array_equal(one.terms, same.terms)


def test_a_projection_reads_what_it_reads_whatever_follows():
    linear, other = (run_task(task_of(m), made()).cuts for m in ("LSI", "LSI+knn"))
    assert linear[0].terms.size > 30
    np.testing.assert_array_equal(linear[0].terms, other[0].terms)


def test_stability_is_of_words_that_are_chosen(tmp_path):
    methods = ("ALL", "IG", "IG+knn", "LDA", "LDA+knn")
    _, findings = concluded(tmp_path, *methods, sizes=(2,))
    stability = {one.method: replace(one, method="") for one in findings.stability}
    assert stability.keys() == {"IG", "IG+knn"}
    assert stability["IG"] == stability["IG+knn"]
    assert stability["IG"].n_features == 2


@pytest.mark.parametrize("then", ["gaussian", "knn"])
def test_selected_words_are_listed_without_coefficients(then):
    def listed(method):
        path = parse_method(method).build(normalize="selected")
        (told,) = selected_words(
            path, 7, pets(120), TextOptions(), WeightingOptions(min_df=1), "auto"
        )
        return told

    _, classes, words = listed(f"IG+{then}")
    assert classes == ()
    assert words == [replace(one, coefficients=()) for one in listed("IG")[2]]


def test_a_projection_chooses_no_words():
    path = parse_method("LDA+gaussian").build(normalize="selected")
    with pytest.raises(LaconicError, match=r"combines 58 of them, .* \+ridge"):
        selected_words(path, 2, pets(120), TextOptions(), WeightingOptions(min_df=1), "auto")


def test_the_commands_select_and_train(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{text},{label}\n" for text, (label,) in zip(pets().texts, pets().labels, strict=True)
    ]
    (tmp_path / "pets.csv").write_text("text,label\n" + "".join(lines))
    command = CliRunner()
    shown = command.invoke(main, ["select", "pets.csv", "--method", "IG+knn", "--size", "9"])
    assert shown.exit_code == 0, shown.output
    assert "speaks for" not in shown.output
    assert "gill" in shown.output
    refused = command.invoke(main, ["select", "pets.csv", "--method", "LDA+knn", "--size", "2"])
    assert refused.exit_code == 2
    assert "selects no words" in refused.stderr
    method = "LDA+gaussian:width=1.0"
    made = command.invoke(main, ["train", "pets.csv", "--method", method, "--size", "2"])
    assert made.exit_code == 0, made.output
    assert CompactModel.load("model.laconic").predict(["cat purr meow"]) == ["cats"]
