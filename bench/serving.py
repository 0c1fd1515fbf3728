"""Raw text to classes: a compact model against a scikit-learn pipeline of the same decisions.

The peer is the usual pipeline: CountVectorizer with PyStemmer in its analyzer, tf-idf, LinearSVC.
It is trained on the 1,000 words of the highest information gain, and its coefficients are put into
the compact model, so both must give the same classes. The peer is timed with a vocabulary of these
words only, which is its fastest form, and also with a LinearSVC over all words.
Both cache stems between calls, PyStemmer too; a model just loaded is timed separately.
On the test part of 20news-bydate, if `LACONIC_DATA` is set, and of the embedded corpus.
CPU seconds with one thread of BLAS, interleaved runs, medians; one short text by wall time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import Stemmer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from laconic import CompactModel, LinearModel, TopTerms, Vectorizer, Weighting, load_corpus
from laconic.corpus.corpus import Corpus
from laconic.reduction import Selection
from laconic.scores import information_gain

REPEATS = 5
SIZE = 1000
SHORT = "The shuttle reached its orbit, and the crew began to repair the telescope."


@dataclass(frozen=True)
class Trained:
    """A self-contained model, the pipeline with the same decisions, and one over all words."""

    ours: CompactModel
    same: Pipeline
    full: Pipeline
    texts: list[str]


def rows() -> list[Row]:
    with threadpool_limits(1):
        names = ["pydocs"] if not os.environ.get("LACONIC_DATA") else ["20news-bydate", "pydocs"]
        return [measured for name in names for measured in compared(name)]


def compared(name: str) -> list[Row]:
    trained = fitted(load_corpus(name))
    ours, texts = trained.ours, trained.texts
    verify(trained)
    mine, new, same, full = interleaved(
        REPEATS,
        lambda: ours.predict(texts),
        lambda: replace(ours).predict(texts),
        lambda: trained.same.predict(texts),
        lambda: trained.full.predict(texts),
    )
    short_ours, short_peer = interleaved(
        REPEATS,
        many(lambda: ours.predict([SHORT])),
        many(lambda: trained.same.predict([SHORT])),
    )
    key, what = f"serving.{name}", f"predict {name}, {len(texts):,} texts"
    over_same, over_all = f"a pipeline over the same {SIZE:,} words", "a pipeline over all words"
    unread = f"{what}, a model just loaded, CPU"
    short = f"{name}: one short text, 1,000 times, wall"
    return [
        row(f"{key}.same-words", f"{what}, CPU", over_same, mine.cpu, same.cpu),
        row(f"{key}.all-words", f"{what}, CPU", over_all, mine.cpu, full.cpu),
        row(f"{key}.unread", unread, over_same, new.cpu, same.cpu),
        row(f"{key}.short", short, over_same, short_ours.wall, short_peer.wall),
    ]


def many(work: Callable[[], object]) -> Callable[[], object]:
    return lambda: [work() for _ in range(1000)]


def fitted(corpus: Corpus) -> Trained:
    train, test = (corpus.take(corpus.part(part)) for part in ("train", "test"))
    y = [labels[0] for labels in train.labels]
    vectorizer = Vectorizer(stem="porter", min_length=1)
    counts = vectorizer.fit_transform(train.texts)
    weighting = Weighting("tfidf").fit(counts)
    chosen = TopTerms(information_gain).fit(counts, np.asarray(y)).at(SIZE)
    words = vectorizer.vocabulary_[np.sort(chosen.terms)]
    same, full = pipeline(words.tolist()).fit(train.texts, y), pipeline(None).fit(train.texts, y)
    svm = same[-1]
    coef = Selection(np.sort(chosen.terms), None, counts.shape[1]).lift(svm.coef_)
    linear = LinearModel(coef, svm.intercept_, svm.classes_, SIZE, normalize="selected")
    return Trained(CompactModel.of(linear, vectorizer, weighting), same, full, list(test.texts))


def pipeline(words: list[str] | None) -> Pipeline:
    pattern, stemmer = re.compile(r"\w+"), Stemmer.Stemmer("porter")
    counting = CountVectorizer(
        analyzer=lambda text: [stemmer.stemWord(word) for word in pattern.findall(text.lower())],
        vocabulary=words,
    )
    return make_pipeline(counting, TfidfTransformer(), LinearSVC())


def verify(trained: Trained) -> None:
    """Check the results; this also compiles the kernels outside the timing."""
    expected: Any = trained.same.decision_function(trained.texts)
    np.testing.assert_allclose(trained.ours.decision(trained.texts), expected, atol=1e-9)
    assert trained.ours.predict(trained.texts) == trained.same.predict(trained.texts).tolist()
