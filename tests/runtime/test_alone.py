"""The runtime loads and predicts where numpy and PyStemmer are the only packages."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laconic import (
    LSI,
    Corpus,
    GaussianSVM,
    ReduceThenFit,
    RLSClassifier,
    Vectorizer,
    load_corpus,
)
from laconic.compact import CompactModel, train
from tests.compact.models import calibrated

pytestmark = pytest.mark.full

SERVE = """
import pickle, sys

class OtherPackages:
    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package not in {*sys.stdlib_module_names, "numpy", "Stemmer", "laconic"}:
            raise ImportError(f"{package} is not installed")

sys.meta_path.insert(0, OtherPackages())
for package in ("scipy", "sklearn", "numba", "msgspec", "safetensors", "click", "rich"):
    try:
        __import__(package)
    except ImportError:
        continue
    raise AssertionError(f"{package} can be imported")

from laconic.runtime.decisions import LinearDecision
from laconic.runtime.model_file import load

files, texts = pickle.load(sys.stdin.buffer)
answers = {}
for name, file in files.items():
    model = load(file)
    linear = isinstance(model.model, LinearDecision)
    explained = [model.explain(text) for text in texts[:20]] if linear else []
    chances = model.predict_proba(texts) if model.calibration is not None else None
    answers[name] = model.predict(texts), model.decision(texts), explained, chances
    counts = [{"the": 2.0, "module": 1.0}]
    assert (pickle.loads(pickle.dumps(model)).decision(counts) == model.decision(counts)).all()
pickle.dump(answers, sys.stdout.buffer)
"""


def models(corpus: Corpus) -> dict[str, CompactModel]:
    """Models of every kind, trained on real texts."""
    assert corpus.texts is not None
    labels = [
        (*names, "long") if len(text) > 600 else names
        for names, text in zip(corpus.labels, corpus.texts, strict=True)
    ]
    several = Corpus("several", tuple(labels), corpus.ids, texts=corpus.texts)
    some = np.arange(0, len(corpus), 5)
    uncalibrated = ReduceThenFit(classifier=RLSClassifier())
    not_self_contained = ReduceThenFit(normalize="all")
    stems = Vectorizer(stem="porter", stop_words="english", ngrams=(1, 2))
    characters = Vectorizer(unit="char", ngrams=(1, 3))
    machine = ReduceThenFit(None, GaussianSVM())
    projection = ReduceThenFit(LSI(), GaussianSVM(), normalize="all")
    return {
        "multiclass": train(ReduceThenFit(), corpus, 300, vectorizer=stems, documents=some),
        "multilabel": calibrated(train(not_self_contained, several, 100, documents=some)),
        "characters": train(uncalibrated, corpus, 200, vectorizer=characters, documents=some),
        "selection": train(machine, corpus, 60, documents=some),
        "projection": train(projection, corpus, 10, documents=some),
    }


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [*(load_corpus("pydocs").texts or ())[::12], "", "İ ǅ ﬁ ΣΊΣΥΦΟΣ été"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, CompactModel]]:
    folder = tmp_path_factory.mktemp("models")
    made = {name: (folder / name, model) for name, model in models(load_corpus("pydocs")).items()}
    for file, model in made.values():
        model.save(file)
    return made


@pytest.fixture(scope="module")
def answers(saved: dict[str, tuple[Path, CompactModel]], texts: list[str]) -> dict[str, Any]:
    question = pickle.dumps(({name: str(file) for name, (file, _) in saved.items()}, texts))
    done = subprocess.run([sys.executable, "-c", SERVE], input=question, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = pickle.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "name", ["multiclass", "multilabel", "characters", "selection", "projection"]
)
def test_answers_are_those_of_the_whole_library(
    name: str,
    saved: dict[str, tuple[Path, CompactModel]],
    answers: dict[str, Any],
    texts: list[str],
) -> None:
    _, model = saved[name]
    labels, decision, explained, chances = answers[name]
    assert labels == model.predict(texts)
    assert len(set(labels)) > 5, "a constant would be no test"
    np.testing.assert_array_equal(decision, model.decision(texts))
    assert (chances is not None) == (name in ("multiclass", "multilabel"))
    if chances is not None:
        np.testing.assert_array_equal(chances, model.predict_proba(texts))
    if explained:
        assert explained == [model.explain(text) for text in texts[:20]]
        assert any(any(words.values()) for words in explained)
