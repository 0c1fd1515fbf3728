"""The words that a model keeps, with what is known of each, as a table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.corpus.corpus import TRAIN, Corpus
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from laconic.files import KEY, Kind, check_output, draft, finite, headed, keyed
from laconic.model import LinearModel, Model
from laconic.reduction import Projection, Reduction, Selection
from laconic.rows import Size, cell, uncell
from laconic.vectors.options import TargetKind, TextOptions, WeightingOptions
from laconic.vectors.problem import CountedCorpus, Problem, targets_of

NAME = "table of words"
COLUMNS = ("rank", "word", "documents", "score", "weight")
KINDS = {".csv": headed(NAME, COLUMNS), ".json": keyed(NAME, "words")}


@dataclass(frozen=True)
class Word:
    """A word of a model: training documents with it, the method's score, and what it adds.

    `weight` is what the selection multiplies its entries by; `coefficients`, one a class (for two
    classes one, for the second), speak for a class where they are positive. Models that are not
    linear have none.
    """

    word: str
    documents: int
    score: float | None
    weight: float
    coefficients: tuple[float, ...]


def words_of(model: Model, problem: Problem, path: PathClassifier | None = None) -> list[Word]:
    """The words of the model, in the order of the method that made it; else the strongest first."""
    frequency = np.bincount(problem.X_train.indices, minlength=problem.X_train.shape[1])
    scores = getattr(_chooser(path), "scores_", None)
    order, weights = _order(model, reduction_of(path), scores)
    coefficients = _coefficients(model, order)
    return [
        Word(
            str(problem.vocabulary[column]),
            int(frequency[column]),
            None if scores is None else float(scores[column]),
            float(weight),
            tuple(own),
        )
        for column, weight, own in zip(order.tolist(), weights.tolist(), coefficients, strict=True)
    ]


def reduction_of(path: PathClassifier | None) -> Reduction | None:
    """What the newest model was trained behind; None where it reads all words itself."""
    return path.reduction_ if isinstance(path, ReduceThenFit) else None


def _chooser(path: PathClassifier | None) -> BaseEstimator | None:
    """What has scored the words: the reducer, or the path classifier that has none."""
    return path.reducer_ if isinstance(path, ReduceThenFit) else path


def _order(
    model: Model, reduction: Reduction | None, scores: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    terms = model.features
    if isinstance(reduction, Selection) and set(reduction.terms) == set(terms):
        return reduction.terms, reduction.weights
    if not isinstance(model, LinearModel):
        return terms, np.ones(terms.size)
    if reduction is None and scores is not None:
        strength = scores
    else:
        strength = np.abs(csr_array(model.coef)).max(axis=0).toarray().ravel()
    order = terms[np.argsort(-strength[terms], kind="stable")]
    return order, np.ones(order.size)


def _coefficients(model: Model, order: np.ndarray) -> list[list[float]]:
    if not isinstance(model, LinearModel):
        return [[] for _ in order]
    told: list[list[float]] = csr_array(model.coef)[:, order].toarray().T.tolist()
    return told


def classes_of(model: Model, problem: Problem) -> tuple[str, ...]:
    """The classes that the coefficients speak for; none where there are no coefficients."""
    if not isinstance(model, LinearModel):
        return ()
    names = tuple(problem.classes[int(i)] for i in model.classes)
    return names[1:] if model.rule == "sign" else names


def selected_words(
    path: PathClassifier,
    size: Size,
    corpus: Corpus,
    text: TextOptions,
    weighting: WeightingOptions,
    target: TargetKind,
) -> list[tuple[str, tuple[str, ...], list[Word]]]:
    """The words that the method chooses for each question: its name, classes and words.

    All documents train, or those of the training part where the corpus has one.
    """
    counted = CountedCorpus.of(corpus, text.vectorizer())
    train = corpus.part(TRAIN) if corpus.split is not None else np.arange(len(corpus))
    split = Split("training", train, train[:0])
    told = []
    targets = targets_of(corpus, target)
    for problem in counted.problems(split, targets, weighting.weighting_for(corpus, text)):
        fitted = clone(path).set_params(size=size).fit(problem.X_train, problem.y_train)
        model = fitted.model_
        if not isinstance(model, LinearModel) and isinstance(reduction_of(fitted), Projection):
            raise LaconicError(
                f"the method chooses no words: it mixes {model.n_features:,} of them in every column, "
                "and what follows is not linear, so that words have no weights either. Choose a "
                "method that selects, such as IG, or a linear classifier, such as +ridge"
            )
        words = words_of(model, problem, fitted)
        told.append((problem.name, classes_of(model, problem), words))
    return told


def check_words(where: Path) -> None:
    """Words may replace words, never a file that something else wrote."""
    check_output(where, kind_of_words(where))


def kind_of_words(where: Path) -> Kind:
    """The kind of file that the name asks for."""
    if where.suffix not in KINDS:
        raise LaconicError(f"{where}: words are written as .csv or .json")
    return KINDS[where.suffix]


def write_words(where: Path, words: Sequence[Word], classes: Sequence[str]) -> None:
    """A table of words, CSV or (by its ending) JSON."""
    with draft(where, kind_of_words(where)) as stream:
        text = _csv(words, classes) if where.suffix == ".csv" else _json(words, classes)
        stream.write(text.encode("utf-8", "backslashreplace"))


def read_words(where: Path) -> tuple[list[Word], tuple[str, ...]]:
    """The words and classes of a CSV table that `write_words` wrote."""
    with open(where, encoding="utf-8", newline="") as file:
        head, *lines = csv.reader(file)
    words = [
        Word(
            uncell(word),
            int(documents),
            float(score) if score else None,
            float(weight),
            tuple(map(float, coefficients)),
        )
        for _, word, documents, score, weight, *coefficients in lines
    ]
    return words, tuple(map(uncell, head[len(COLUMNS) :]))


def _csv(words: Sequence[Word], classes: Sequence[str]) -> str:
    out = io.StringIO(newline="")
    table = csv.writer(out)
    table.writerow([*COLUMNS, *map(cell, classes)])
    for rank, one in enumerate(words, 1):
        about = (cell(one.word), one.documents, one.score, one.weight)
        table.writerow([rank, *about, *one.coefficients])
    return out.getvalue()


def _json(words: Sequence[Word], classes: Sequence[str]) -> str:
    told = [
        {
            "word": one.word,
            "documents": one.documents,
            "score": one.score,
            "weight": one.weight,
            "coefficients": dict(zip(classes, one.coefficients, strict=True)),
        }
        for one in words
    ]
    return json.dumps(finite({KEY: "words", "words": told}), ensure_ascii=False, indent=1) + "\n"
