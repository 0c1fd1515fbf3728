from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import Corpus, Vectorizer, Weighting
from laconic.corpus.splits import folds
from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.text.problem import default_metric, default_weighting, make_problems, targets_of
from laconic.text.summary import CorpusSummary

TEXTS = ("cat sat", "dog ran", "cat ran ran", "dog sat", "bird flew", "")


def corpus_of(labels, split=None, texts=TEXTS):
    ids = tuple(map(str, range(len(texts))))
    return Corpus("pets", tuple(labels), ids, texts=tuple(texts), split=split)


CLASSES = [("cat",), ("dog",), ("cat",), ("dog",), ("bird",), ("bird",)]
SPLIT = ("train",) * 4 + ("test",) * 2


def test_classes_are_numbered_and_test_words_have_no_weight():
    (problem,) = make_problems(corpus_of(CLASSES, SPLIT))
    assert (problem.name, problem.fold) == ("pets", "given")
    assert problem.classes == ("bird", "cat", "dog")
    assert problem.y_train.tolist() == [1, 2, 1, 2]
    assert problem.y_test.tolist() == [0, 0]
    assert problem.vocabulary.tolist() == ["cat", "dog", "ran", "sat"]
    assert problem.X_train.shape == (4, 4)
    assert problem.X_test.nnz == 0
    np.testing.assert_allclose(np.sqrt(problem.X_train.power(2).sum(axis=1)), 1.0)


def test_labels_become_an_indicator():
    labels = [("a", "b"), (), ("b",), ("a",), ("a",), ("b",)]
    (problem,) = make_problems(corpus_of(labels, SPLIT))
    assert problem.y_train.toarray().tolist() == [[1, 1], [0, 0], [0, 1], [1, 0]]


def test_per_category_asks_about_each_class_and_shares_the_documents():
    problems = list(make_problems(corpus_of(CLASSES, SPLIT), target="one-vs-rest"))
    assert [p.name for p in problems] == ["pets: bird", "pets: cat", "pets: dog"]
    assert problems[1].classes == ("not cat", "cat")
    assert problems[1].y_train.tolist() == [1, 0, 1, 0]
    assert problems[0].X_train is problems[2].X_train


def test_weighting_is_fitted_on_each_training_fold():
    corpus = corpus_of(CLASSES)
    for problem, split in zip(
        make_problems(corpus, folds(corpus, 2), weighting=Weighting("tfidf")),
        folds(corpus, 2),
        strict=True,
    ):
        train = [corpus.texts[i] for i in split.train]
        vectorizer = Vectorizer().fit(train)
        assert problem.vocabulary.tolist() == vectorizer.get_feature_names_out().tolist()
        expected = Weighting("tfidf").fit_transform(vectorizer.transform(train))
        np.testing.assert_allclose(problem.X_train.toarray(), expected.toarray())


def test_vectors_keep_their_vocabulary_and_weights_stay_as_they_are():
    counts = csr_array(np.array([[1.0, 0, 2], [0, 3, 0], [1, 1, 0]]))
    assert default_weighting(Blocks.of(counts)).scheme == "ltc"
    assert default_weighting(Blocks.of(counts / 3)).scheme == "count"
    negative = counts - csr_array(np.eye(3)) * 4
    assert default_weighting(Blocks.of(negative)).scheme == "count", "no counts"
    corpus = Corpus(
        "v",
        (("a",), ("b",), ("a",)),
        ("1", "2", "3"),
        vectors=counts / 3,
        vocabulary=("x", "y", "z"),
        split=("train", "train", "test"),
    )
    (problem,) = make_problems(corpus)
    np.testing.assert_allclose(problem.X_train.toarray(), counts.toarray()[:2] / 3)
    assert problem.vocabulary.tolist() == ["x", "y", "z"]


def test_counts_in_memory_are_matrices_however_little_memory_is_free(monkeypatch):
    monkeypatch.setattr("laconic.text.options.free_memory", lambda: 1)
    of_texts = corpus_of(CLASSES, SPLIT)
    counts = Vectorizer().fit_transform(TEXTS)
    vocabulary = tuple(f"word {column}" for column in range(counts.shape[1]))
    of_vectors = replace(of_texts, texts=None, vectors=counts, vocabulary=vocabulary)
    for corpus in (of_texts, of_vectors):
        (problem,) = make_problems(corpus)
        assert isinstance(problem.X_train, csr_array)
        assert isinstance(problem.X_test, csr_array)


def test_without_a_split_one_is_drawn():
    (problem,) = make_problems(corpus_of(CLASSES))
    assert (problem.name, problem.fold) == ("pets", "split 1 of 1")
    assert problem.X_train.shape[0] + problem.X_test.shape[0] == 6


@pytest.mark.parametrize(
    ("labels", "split", "task", "says"),
    [
        (CLASSES, SPLIT, "regression", "choose"),
        ([("a", "b"), *CLASSES[1:]], SPLIT, "multiclass", "1 of 6 documents"),
        (CLASSES, ("train",) * 6, "auto", "6 training and 0 test"),
    ],
)
def test_refusals(labels, split, task, says):
    with pytest.raises(LaconicError, match=says):
        list(make_problems(corpus_of(labels, split), target=task))


def of_two(*counts):
    labels = [("ham",)] * counts[0] + [("spam",)] * counts[1]
    return corpus_of(labels, texts=("word",) * sum(counts))


def test_of_two_classes_the_rarer_is_positive_or_the_one_that_is_named():
    (rarer,) = targets_of(of_two(2, 4))
    assert (rarer.classes, rarer.y.tolist()) == (("spam", "ham"), [1, 1, 0, 0, 0, 0])
    (named,) = targets_of(of_two(2, 4), positive="spam")
    assert (named.classes, named.y.tolist()) == (("ham", "spam"), [0, 0, 1, 1, 1, 1])
    (equal,) = targets_of(of_two(3, 3))
    assert equal.classes == ("ham", "spam")
    swapped = replace(of_two(3, 3), classes=("spam", "ham"))
    assert targets_of(swapped)[0].classes == ("ham", "spam")
    (problem,) = make_problems(of_two(4, 4), positive="ham")
    assert problem.classes == ("spam", "ham")


@pytest.mark.parametrize(
    ("corpus", "kind", "message"),
    [
        (of_two(2, 2), "auto", "classes of pets are 'ham' and 'spam'. Name one"),
        (of_two(2, 2), "one-vs-rest", "pets has 2 labels"),
        (corpus_of(CLASSES), "auto", "pets has 3 classes. Only one of two"),
        (corpus_of([(), *CLASSES[1:]]), "auto", "pets has 3 labels"),
    ],
)
def test_a_positive_class_that_cannot_be_is_refused(corpus, kind, message):
    with pytest.raises(LaconicError, match=message):
        targets_of(corpus, kind, positive="cat")


def test_the_default_metric_is_that_of_the_target():
    assert default_metric(targets_of(of_two(2, 4))[0]) == "f1"
    assert default_metric(targets_of(corpus_of(CLASSES), "one-vs-rest")[0]) == "f1"
    assert default_metric(targets_of(corpus_of([(), *CLASSES[1:]]))[0]) == "f1_micro"
    assert default_metric(targets_of(corpus_of(CLASSES))[0]) == "accuracy"
    for largest, metric in ((5, "accuracy"), (6, "f1_macro")):
        labels = [("a",)] * largest + [("b",), ("c",)]
        target = targets_of(corpus_of(labels, texts=tuple(map(str, range(len(labels))))))[0]
        assert default_metric(target) == metric


def test_the_card_counts_and_names_problems():
    summary = CorpusSummary.of(corpus_of(CLASSES, SPLIT, texts=(*TEXTS[:4], "cat sat", "")))
    assert (summary.documents, summary.n_features, summary.train, summary.test) == (6, 4, 4, 2)
    assert summary.words == (0, 2, 3)
    assert summary.classes == {"bird": 2, "cat": 2, "dog": 2}
    assert summary.problems == (
        "1 documents have no words (kept)",
        "1 documents repeat the text of an earlier one (kept)",
        "3 classes have fewer than 5 documents",
        "1 classes have no training document",
        "2 classes have no test document",
    )
