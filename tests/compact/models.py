"""Small models of every kind, built directly so that the tests know every number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from laconic import LinearModel, Vectorizer, Weighting
from laconic.compact import CompactModel

TEXTS = [
    "The cat sat on the mat; cats sit.",
    "Dogs bark at the moon, dog barks, DOG!",
    "Größe ÉTÉ naïve ΣΊΣΥΦΟΣ été straße",
    "a cat and a dog: cat dog cat dog",
    "moon moon moon mat mat",
    "sitting dogs, running cats; the naïve moon sat",
]
NAMES = {"sign": ["no", "yes"], "argmax": ["cats", "dogs", "moon"], "labels": ["a b", "ü", "<c>"]}


def linear(n_terms, rule="argmax", normalize="selected", *, ragged=True, seed=0):
    """Random coefficients over some of the columns; for each row its own if `ragged`."""
    rng = np.random.default_rng(seed)
    n_rows = 1 if rule == "sign" else 3
    size = max(1, (2 * n_terms) // 3)
    same = np.sort(rng.choice(n_terms, size, replace=False))
    rows = [
        np.sort(rng.choice(n_terms, size, replace=False)) if ragged else same for _ in range(n_rows)
    ]
    values = rng.normal(size=(n_rows, size))
    values[0, 0] = 0.0  # kept, with the coefficient 0
    coef = csr_array(
        (values.ravel(), np.concatenate(rows), np.arange(n_rows + 1) * size),
        shape=(n_rows, n_terms),
    )
    classes = np.arange(2 if rule == "sign" else 3)
    return LinearModel(
        coef, rng.normal(size=n_rows) / 10, classes, size, normalize=normalize, rule=rule
    )


def calibrated(compact):
    """The model with thresholds, unless its largest value wins, and with a calibration."""
    model = compact.model
    rows = np.arange(model.intercept.size)
    if model.rule == "argmax":
        return replace(compact, model=replace(model, calibration=[0.25]))
    pairs = np.column_stack([rows + 2.0, 0.5 - rows])
    return replace(
        compact, model=replace(model, thresholds=0.1 * (rows % 3) - 0.15, calibration=pairs)
    )


def served(
    rule="argmax", normalize="selected", scheme="ltc", *, ragged=True, texts=TEXTS, **settings
):
    """A compact model, and the function from texts to its decisions by the slow way."""
    vectorizer = Vectorizer(**settings)
    counts = vectorizer.fit_transform(texts)
    weighting = Weighting(scheme, max_df=0.9).fit(counts)
    model = linear(weighting.features_.size, rule, normalize, ragged=ragged)
    compact = CompactModel.of(model, vectorizer, weighting, classes=NAMES[rule])

    def slow(some):
        return model.decision(weighting.transform(vectorizer.transform(some)))

    return compact, slow
