"""Commands that train models mean the same by the same option, and refuse what has no effect."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from laconic import curves
from laconic.cli import main
from laconic.studies.options import SIZES, TrainingOptions
from laconic.text.options import TextOptions, WeightingOptions
from tests.studies.corpora import write_pets

TRAINING = ("study", "train", "select", "curve")
COLUMNS = ("--text", "body", "--label", "animal")
SHARED = ("method", "sizes", "metrics", "alpha", "intercept", "scheme", "min_df", "max_df")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pets(Path("pets.csv"))
    return lambda *words: CliRunner().invoke(main, [words[0], "pets.csv", *COLUMNS, *words[1:]])


def options_of(command: str) -> dict:
    return {option.name: option for option in main.commands[command].params}


@pytest.mark.parametrize("name", SHARED)
def test_an_option_has_one_default(name):
    several = [options_of(command)[name] for command in TRAINING if name in options_of(command)]
    assert len(several) >= 2
    assert len({option.default for option in several}) == 1


def test_defaults_are_those_of_a_plan():
    for command in TRAINING:
        defaults = {name: option.default for name, option in options_of(command).items()}
        training = TrainingOptions().values()
        only_study = ("classifiers", "class_weight", "blends") if command != "study" else ()
        for name in ("normalize", *only_study):
            del training[name]
        expected = training | WeightingOptions().values() | TextOptions().values()
        assert {name: defaults[name] for name in expected} == expected
    assert options_of("curve")["normalize"].default == TrainingOptions().normalize


@pytest.mark.parametrize("command", ["study", "curve"])
def test_help_lists_the_default_sizes_and_every_metric(command):
    help_of = {name: options_of(command)[name].help for name in ("sizes", "metrics")}
    first = ",".join(map(str, SIZES[:6]))
    assert f"[default: {first},…,{SIZES[-1]}]" in help_of["sizes"]
    assert all(re.search(rf"\b{metric}\b", help_of["metrics"]) for metric in curves.METRICS)


def values_in(file: Path) -> dict[tuple[str, str], str]:
    rows = csv.DictReader(file.read_text().splitlines())
    return {(row["size"], row["metric"]): row["value"] for row in rows}


@pytest.mark.parametrize(
    "more", [("--alpha", "1"), ("--no-intercept", "--min-df", "1", "--alpha", "0.3")]
)
@pytest.mark.parametrize("method", ["IG+ridge", "IG+logistic"])
def test_a_curve_has_the_values_of_a_study_on_the_same_documents(run, method, more):
    more = (*more, "--metric", "accuracy", "--metric", "f1_macro")
    assert (
        run("curve", "--method", method, "--test-size", "0.2", "-o", "curve.csv", *more).exit_code
        == 0
    )
    once = ("--cv", "0", "--test-size", "0.2", "--jobs", "1", "--no-report", "--methods", method)
    assert run("study", *once, "-o", "out", *more).exit_code == 0
    curve, study = (values_in(Path(file)) for file in ("curve.csv", "out/rows.csv"))
    assert curve == study
    assert len(curve) == len(SIZES) * 2
    assert len(set(curve.values())) > 3


OWN = {
    "MASK": "it trains its own models, which have a bias. Leave it out",
    "SVM-LARS": "it trains its own models, which have a bias. Leave it out, or set bias=none",
    "IG+gaussian": "+gaussian has no such setting. Leave it out",
}


@pytest.mark.parametrize("command", TRAINING)
@pytest.mark.parametrize("method", OWN)
def test_no_intercept_is_refused_where_it_would_have_no_effect(run, command, method):
    named = "--methods" if command == "study" else "--method"
    done = run(command, named, method, "--no-intercept")
    assert done.exit_code == 2
    requested = f"method {method}: --no-intercept is for +logistic, +svm and +ridge only"
    assert done.stderr == f"laconic: {requested}; {OWN[method]}\n"


@pytest.mark.parametrize("method", ["IG", "IG+svm"])
def test_no_intercept_has_its_effect(run, method):
    for file, more in (("with.csv", ()), ("without.csv", ("--no-intercept",))):
        assert run("select", "--method", method, "--size", "5", "-o", file, *more).exit_code == 0
    assert Path("with.csv").read_text() != Path("without.csv").read_text()


@pytest.mark.parametrize(
    ("methods", "counted"),
    [
        ("ALL,IG,DF", "accuracy by number of words, mean of"),
        ("ALL,LDA", "accuracy by number of components, mean of"),
        ("ALL,IG,LDA", "accuracy by number of words or components, mean of"),
    ],
)
def test_a_table_says_what_its_sizes_count(run, methods, counted):
    small = ("--sizes", "2", "--cv", "2", "--jobs", "1", "--no-report", "--alpha", "1")
    done = run("study", "--methods", methods, *small, "--classifiers", "ridge")
    assert done.exit_code == 0, done.output
    assert counted in done.output


@pytest.mark.parametrize(
    ("target", "metrics"),
    [("auto", {"accuracy"}), ("multilabel", {"f1_micro"}), ("one-vs-rest", {"f1"})],
)
def test_a_curve_has_the_metric_that_a_study_would_decide_by(run, target, metrics):
    done = run("curve", "--sizes", "5", "--target", target, "-o", "curve.csv")
    assert done.exit_code == 0, done.output
    assert {metric for _, metric in values_in(Path("curve.csv"))} == metrics
