"""Commands that train models mean the same by the same option, and refuse what has no effect."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from laconic.cli import main
from laconic.study import plan
from laconic.study.settings import TextOptions, TrainingOptions
from tests.study.corpora import write_pets

TRAINING = ("study", "train", "select", "curve")
COLUMNS = ("--text", "body", "--label", "animal")
SHARED = ("method", "sizes", "measures", "alpha", "intercept", "weighting", "min_df", "max_df")


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
        told = {name: option.default for name, option in options_of(command).items()}
        assert (float(told["alpha"]), told["intercept"]) == (
            TrainingOptions().alpha,
            TrainingOptions().intercept,
        )
        assert (told["min_df"], told["max_df"]) == (TextOptions().min_df, TextOptions().max_df)
    assert options_of("curve")["norm"].default == TrainingOptions().normalize


@pytest.mark.parametrize("command", ["study", "curve"])
def test_what_help_says_of_sizes_and_measures_is_what_a_plan_has(command):
    help_of = {name: option.help for name, option in options_of(command).items()}
    first = ",".join(map(str, plan.SIZES[:6]))
    assert f"[default: {first},…,{plan.SIZES[-1]}]" in help_of["sizes"]
    assert f"[default: {','.join(plan.METRICS)}]" in help_of["measures"]


def values_in(file: Path) -> dict[tuple[str, str], str]:
    rows = csv.DictReader(file.read_text().splitlines())
    return {(row["size"], row["measure"]): row["value"] for row in rows}


@pytest.mark.parametrize("more", [(), ("--no-intercept", "--min-df", "1", "--alpha", "0.3")])
def test_a_curve_has_the_values_of_a_study_on_the_same_documents(run, more):
    assert run("curve", "--test-size", "0.2", "-o", "curve.csv", *more).exit_code == 0
    once = ("--cv", "0", "--test-size", "0.2", "--jobs", "1", "--no-report", "--methods", "IG")
    assert run("study", *once, "-o", "out", *more).exit_code == 0
    curve, study = (values_in(Path(file)) for file in ("curve.csv", "out/rows.csv"))
    assert curve == study
    assert len(curve) == len(plan.SIZES) * len(plan.METRICS)
    assert len(set(curve.values())) > 3


OWN = {
    "MASK": "it trains its own models, which have a bias. Leave that out",
    "SVM-LARS": "it trains its own models, which have a bias. Leave that out, or set bias=None",
    "IG+gaussian": "then=gaussian has no such choice. Leave that out",
}


@pytest.mark.parametrize("command", TRAINING)
@pytest.mark.parametrize("method", OWN)
def test_no_intercept_is_refused_where_it_would_have_no_effect(run, command, method):
    named = "--methods" if command == "study" else "--method"
    done = run(command, named, method, "--no-intercept")
    assert done.exit_code == 2
    asked = f"method {method}: no intercept was asked for, which is for then=rls and then=svm only"
    assert done.stderr == f"laconic: {asked}; {OWN[method]}\n"


@pytest.mark.parametrize("method", ["IG", "IG+svm"])
def test_no_intercept_has_its_effect(run, method):
    for file, more in (("with.csv", ()), ("without.csv", ("--no-intercept",))):
        assert run("select", "--method", method, "--size", "5", "-o", file, *more).exit_code == 0
    assert Path("with.csv").read_text() != Path("without.csv").read_text()


@pytest.mark.parametrize(
    ("methods", "counted"),
    [
        ("ALL,IG,DF", "f1_micro by number of words, mean of"),
        ("ALL,LDA", "f1_micro by number of components, mean of"),
        ("ALL,IG,LDA", "f1_micro by number of words or components, mean of"),
    ],
)
def test_a_table_says_what_its_sizes_count(run, methods, counted):
    small = ("--sizes", "2", "--cv", "2", "--jobs", "1", "--no-report")
    done = run("study", "--methods", methods, *small)
    assert done.exit_code == 0, done.output
    assert counted in done.output
