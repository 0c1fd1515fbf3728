"""Machines with Gaussian kernel, trained on a few texts."""

from __future__ import annotations

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from laconic import ReduceThenFit, Vectorizer, Weighting
from laconic.classifiers.trainers import ReducedModel
from laconic.compact import CompactModel
from laconic.reduction import Projection, Selection
from tests.compact.models import NAMES, TEXTS

LABELS = {
    "sign": np.array([0, 1, 0, 1, 0, 1] * 2),
    "argmax": np.array([0, 1, 2, 0, 1, 2] * 2),
    "labels": np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 0]] * 2),
}


def trained(rule, how, normalize="all", classifier=None):
    """The model as `ReduceThenFit` has it, with vectorizer, weighting and documents."""
    vectorizer, weighting = Vectorizer(stem="porter"), Weighting("ltc")
    texts = [*TEXTS, *(text + " cat moon zebra" for text in TEXTS)]
    X = weighting.fit_transform(vectorizer.fit_transform(texts))
    svc = SVC(gamma="scale") if rule == "sign" else OneVsRestClassifier(SVC(gamma="scale"))
    chosen = svc if classifier is None else classifier
    y = LABELS[rule]
    if how == "selection":
        model = ReduceThenFit(None, chosen, size=8, normalize=normalize).fit(X, y).model_
    else:
        rng = np.random.default_rng(0)
        components = rng.normal(size=(X.shape[1], 4))
        components[::3] = 0.0
        reduction = Projection(components)
        model = ReducedModel(
            reduction,
            chosen.fit(reduction.apply(X), y),
            np.arange(len(NAMES[rule])),
            rule,
            normalize,
        )
    assert isinstance(model.reduction, Projection | Selection)
    return model, vectorizer, weighting, texts


def machine(rule, how, normalize="all"):
    model, vectorizer, weighting, _ = trained(rule, how, normalize)
    return CompactModel.of(model, vectorizer, weighting, classes=NAMES[rule])
