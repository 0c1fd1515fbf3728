"""Every example runs and prints what it is there to show."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

EXAMPLES = Path(__file__).parents[2] / "examples"
# A line that each must print. The corpus is made from what is installed: no exact figures.
SAYS = {
    "directions_of_a_map": r"direction \d: (\w+, ){5}\w+",
    "every_smaller_svm": r"test AUC, all words \([\d,]+ words\): 0\.9\d+",
    "first_curve": r"1,000 words: accuracy 0\.[89]\d+",
    "serve_raw_text": r"'Parse the header .*' is about email",
    "study_in_python": r"pydocs: use .* On the \d+ held-out test documents: 0\..*",
    "what_is_lost": r"the models differ on \d+ of \d+ documents",
    "words_of_each_class": r"numpy\.ma: mask(ed)?, .*",
}


@pytest.fixture(scope="module")
def outputs():
    """The variables of an example at its end, and what it printed; each runs once."""
    return {}


@pytest.fixture
def run(outputs, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(name):
        if name not in outputs:
            names = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
            outputs[name] = names, capsys.readouterr().out
        assert not [*tmp_path.iterdir()], "an example leaves nothing behind"
        return outputs[name]

    return run


def test_every_example_is_tested_and_listed():
    files = {file.stem for file in EXAMPLES.glob("*.py")}
    assert files == SAYS.keys()
    listed = set(re.findall(r"\((\w+)\.py\)", (EXAMPLES / "README.md").read_text()))
    assert files == listed


@pytest.mark.parametrize("name", SAYS)
def test_it_prints_its_line(run, name):
    _, out = run(name)
    assert any(re.fullmatch(SAYS[name], line.strip()) for line in out.splitlines()), out


def test_more_words_are_better_on_the_first_curve(run):
    names, _ = run("first_curve")
    values = list(names["result"].values("accuracy").values())
    assert values == sorted(values)
    assert values[0] + 0.3 < values[-1]


def test_the_study_tests_once(run):
    names, _ = run("study_in_python")
    (recommended,) = names["findings"].recommendations
    assert recommended.n_test_evaluations == 1
    assert recommended.chosen.mean >= recommended.best.mean - recommended.best.se


def test_words_of_each_class_are_fewer_in_all(run):
    names, _ = run("words_of_each_class")
    asked = names["SIZE"] * len(names["problem"].classes)
    assert names["SIZE"] < names["model"].n_features < asked
    assert all(terms.size == names["SIZE"] for terms in names["classifier"].order_)


def test_the_size_of_the_smaller_svm_is_chosen_without_the_test_documents(run):
    names, _ = run("every_smaller_svm")
    auc, size = names["auc"], names["size"]
    assert auc[size - 1] >= auc.max() - 0.001 > auc[: size - 1].max()
    assert names["chosen"].model_.n_features == size < names["full"].model_.n_features


def test_the_certificate_counts_what_it_says(run):
    names, _ = run("what_is_lost")
    X = names["problem"].X_test
    differ = (names["full"].predict(X) != names["small"].predict(X)).sum()
    assert names["held_out"].flips == differ
    assert differ / X.shape[0] < names["held_out"].flip_limit < 0.2


def test_the_loaded_model_is_self_contained_and_fits_its_documents(run):
    names, _ = run("serve_raw_text")
    corpus, loaded = names["corpus"], names["loaded"]
    assert loaded.self_contained
    right = sum(
        guess in labels
        for guess, labels in zip(loaded.predict(corpus.texts), corpus.labels, strict=True)
    )
    assert right > 0.8 * len(corpus)


def test_directions_separate_the_classes(run):
    names, _ = run("directions_of_a_map")
    assert names["accuracy"] > 0.7
    assert names["directions"].n_documents == names["problem"].X_train.shape[0]
