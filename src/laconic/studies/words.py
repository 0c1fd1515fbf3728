"""The words of a model as a table: documents, score, weight and coefficients of each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from laconic.classifiers.path import PathClassifier
from laconic.corpus.corpus import TRAIN, Corpus
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from laconic.files import KEY, Kind, check_output, csv_kind, draft, finite, json_kind
from laconic.model import LinearModel, Model
from laconic.reduction import Projection, Reduction, Selection
from laconic.row_files import cell, uncell
from laconic.scores import document_frequency
from laconic.studies.execution.trained_model import TrainedModel
from laconic.text.options import TargetKind, TextOptions, WeightingOptions
from laconic.text.problem import CountedCorpus, Problem, targets_of
from laconic.types import Size

NAME = "table of words"
COLUMNS = ("rank", "word", "documents", "score", "weight")
KINDS = {".csv": csv_kind(NAME, COLUMNS), ".json": json_kind(NAME, "words")}


@dataclass(frozen=True)
class Word:
    """A word of a model: training documents with it, the method's score, and coefficients.

    `weight` is the factor by which the selection multiplies its column. `coefficients` has one
    number per class (for two classes one number, of the second); positive ones support the class.
    Models that are not linear have none.
    """

    word: str
    documents: int
    score: float | None
    weight: float
    coefficients: tuple[float, ...]


def model_words(trained: TrainedModel, problem: Problem) -> list[Word]:
    """The words of the model, in the order of the method that selected them, or strongest first."""
    frequency = document_frequency(problem.X_train)
    scores = trained.scores
    order, weights = _order(trained.model, trained.reduction, scores)
    coefficients = _coefficients(trained.model, order)
    return [
        Word(
            str(problem.vocabulary[column]),
            int(frequency[column]),
            None if scores is None else float(scores[column]),
            float(weight),
            tuple(numbers),
        )
        for column, weight, numbers in zip(
            order.tolist(), weights.tolist(), coefficients, strict=True
        )
    ]


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
    coefficients: list[list[float]] = csr_array(model.coef)[:, order].toarray().T.tolist()
    return coefficients


def coefficient_classes(model: Model, problem: Problem) -> tuple[str, ...]:
    """The classes that the coefficients belong to; none if there are no coefficients."""
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
    """The words that the method selects: name, classes and words of each problem.

    It is trained on the training part of the corpus, or on all documents if there is no split.
    """
    counted = CountedCorpus.of(corpus, text.vectorizer())
    train = corpus.part(TRAIN) if corpus.split is not None else np.arange(len(corpus))
    scheme, tables = weighting.weighting_for(corpus, text), []
    for problem in counted.problems(Split.training(train), targets_of(corpus, target), scheme):
        fitted = clone(path).set_params(size=size).fit(problem.X_train, problem.y_train)
        model, trained = fitted.model_, TrainedModel.of(fitted, fitted.model_)
        if not isinstance(model, LinearModel) and isinstance(trained.reduction, Projection):
            raise LaconicError(
                f"the method selects no words: every component combines {model.n_features:,} of "
                "them, and the classifier is not linear, so words have no weights either. Choose a "
                "method that selects, such as IG, or a linear classifier, such as +ridge"
            )
        classes = coefficient_classes(model, problem)
        tables.append((problem.name, classes, model_words(trained, problem)))
    return tables


def check_words(where: Path) -> None:
    """Raise if a table of words would replace a file that Laconic did not write as one."""
    check_output(where, kind_of_words(where))


def kind_of_words(where: Path) -> Kind:
    """The kind of file, by its suffix."""
    if where.suffix not in KINDS:
        raise LaconicError(f"{where}: words are written as .csv or .json")
    return KINDS[where.suffix]


def write_words(where: Path, words: Sequence[Word], classes: Sequence[str]) -> None:
    """Write a table of words, as CSV or JSON by its suffix."""
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
    for rank, word in enumerate(words, 1):
        columns = (cell(word.word), word.documents, word.score, word.weight)
        table.writerow([rank, *columns, *word.coefficients])
    return out.getvalue()


def _json(words: Sequence[Word], classes: Sequence[str]) -> str:
    table = [
        {
            "word": word.word,
            "documents": word.documents,
            "score": word.score,
            "weight": word.weight,
            "coefficients": dict(zip(classes, word.coefficients, strict=True)),
        }
        for word in words
    ]
    return json.dumps(finite({KEY: "words", "words": table}), ensure_ascii=False, indent=1) + "\n"
