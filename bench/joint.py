"""JOINT: JointSelection against scikit-learn's RFE(LinearSVC(), step=0.25), both to 1,000 words.

20news-bydate, training documents, ltc weights. JOINT selects the words of all sizes up to 1,000 on
the way; RFE of 1,000 only. Needs `LACONIC_DATA`. CPU seconds with one thread of BLAS, medians.
"""

from __future__ import annotations

import os
import sys

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import narrow, shape
from laconic import JointSelection, Vectorizer, Weighting, load_corpus

CORPUS = "20news-bydate"
SIZE = 1000
REPEATS = 3


def rows() -> list[Row]:
    if not os.environ.get("LACONIC_DATA"):
        print("joint: LACONIC_DATA is not set, so there are no documents", file=sys.stderr)
        return []
    corpus = load_corpus(CORPUS)
    train = np.array([part == "train" for part in corpus.split])
    counts = Vectorizer().fit_transform(corpus.texts)[train]
    y = np.array([labels[0] for labels, used in zip(corpus.labels, train, strict=True) if used])
    X = narrow(Weighting("ltc", min_df=2).fit(counts).transform(counts))
    with threadpool_limits(1):
        JointSelection(longest=12).fit(X, y)  # compiles
        ours, theirs = interleaved(
            REPEATS,
            lambda: JointSelection(longest=SIZE).fit(X, y),
            lambda: RFE(LinearSVC(), n_features_to_select=SIZE, step=0.25).fit(X, y),
        )
    what = f"{CORPUS}, {shape(X)}, 20 classes, JOINT to {SIZE:,} words, CPU"
    return [row(f"joint.{CORPUS}", what, "RFE(LinearSVC(), step=0.25)", ours.cpu, theirs.cpu)]
