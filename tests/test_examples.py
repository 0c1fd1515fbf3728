"""Every example runs as it stands, and says what it is there to show."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
# A line that each must print. The corpus is made from what is installed: no exact figures.
SAYS = {
    "directions_of_a_map": r"direction \d: (\w+, ){5}\w+",
    "every_smaller_svm": r"test AUC, all words \([\d,]+ words\): 0\.9\d+",
    "first_curve": r"1,000 words: accuracy 0\.[89]\d+",
    "serve_raw_text": r"'Parse the header .*' is about email",
    "study_in_python": r"pydocs: use .* On the \d+ held-out test documents: 0\..*",
    "what_is_lost": r"of \d+ documents the two models differ about \d+",
    "words_of_each_class": r"numpy\.ma: mask(ed)?, .*",
}


@pytest.fixture(scope="module")
def told():
    """What an example printed, and its names at the end; each runs once."""
    return {}


@pytest.fixture
def run(told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(name):
        if name not in told:
            names = runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
            told[name] = names, capsys.readouterr().out
        assert not [*tmp_path.iterdir()], "an example leaves nothing behind"
        return told[name]

    return run


def test_no_example_is_forgotten():
    files = {file.stem for file in EXAMPLES.glob("*.py")}
    assert files == SAYS.keys()
    listed = set(re.findall(r"\((\w+)\.py\)", (EXAMPLES / "README.md").read_text()))
    assert files == listed


@pytest.mark.parametrize("name", SAYS)
def test_it_says_so(run, name):
    _, out = run(name)
    assert any(re.fullmatch(SAYS[name], line.strip()) for line in out.splitlines()), out


def test_more_words_are_better_on_the_first_curve(run):
    names, _ = run("first_curve")
    values = list(names["measured"].values("accuracy").values())
    assert values == sorted(values)
    assert values[0] + 0.3 < values[-1]


def test_the_study_is_honest(run):
    names, _ = run("study_in_python")
    (found,) = names["findings"].recommendations
    assert found.looks == 1
    assert found.chosen.mean >= found.best.mean - found.best.se


def test_words_of_each_class_are_fewer_in_all(run):
    names, _ = run("words_of_each_class")
    asked = names["SIZE"] * len(names["problem"].classes)
    assert names["SIZE"] < names["model"].n_features < asked
    assert all(terms.size == names["SIZE"] for terms in names["classifier"].order_)


def test_the_size_of_the_smaller_svm_is_chosen_without_the_test_documents(run):
    names, _ = run("every_smaller_svm")
    auc, size = names["auc"], names["size"]
    assert auc[size - 1] >= auc.max() - 0.001 > auc[: size - 1].max()
    assert names["chosen"].model_.n_features == size < names["whole"].model_.n_features


def test_the_certificate_counts_what_it_says(run):
    names, _ = run("what_is_lost")
    X = names["problem"].X_test
    differ = (names["full"].predict(X) != names["small"].predict(X)).sum()
    assert names["held_out"].flips == differ
    assert differ / X.shape[0] < names["held_out"].flip_limit < 0.2


def test_the_served_model_is_closed_and_knows_its_documents(run):
    names, _ = run("serve_raw_text")
    corpus, served = names["corpus"], names["served"]
    assert served.self_contained
    right = sum(
        guess in labels
        for guess, labels in zip(served.predict(corpus.texts), corpus.labels, strict=True)
    )
    assert right > 0.8 * len(corpus)


def test_directions_keep_classes_apart(run):
    names, _ = run("directions_of_a_map")
    assert names["accuracy"] > 0.7
    assert names["found"].n_documents == names["problem"].X_train.shape[0]
