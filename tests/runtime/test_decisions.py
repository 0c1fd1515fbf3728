"""Decision values against their definition, document by document."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.runtime.choices import Normalize
from laconic.runtime.counts import Vectors
from laconic.runtime.decisions import Coefficients, KernelDecision

RNG = np.random.default_rng(0)
TERMS = np.array([4, 0, 2])
WEIGHTS = np.array([2.0, -1.0, 0.5])
# no row for word 1; all words of the last document are outside of the reduction
COMPONENTS = np.array([[1.0, 0, -2], [0, 0, 0], [0.5, 3, 1], [0, 0, 0], [2, -1, 0]])
DOCUMENTS = np.array([[1.0, 2, 0, 0, 3], [0, 0, 4, 1, 0], [0, 0, 0, 0, 0], [0, 1, 0, 2, 0]])


def vectors(dense: np.ndarray) -> Vectors:
    docs, columns = np.nonzero(dense)
    starts = np.searchsorted(docs, np.arange(len(dense) + 1))
    return Vectors(columns.astype(np.int32), dense[docs, columns], starts)


def machine(terms: Any, normalize: Normalize) -> KernelDecision:
    reduction = (
        Coefficients.dense(COMPONENTS)
        if terms is None
        else Coefficients.of_terms(TERMS, WEIGHTS, n_words=5)
    )
    support, dual = RNG.normal(size=(4, 3)), RNG.normal(size=(2, 4))
    return KernelDecision(reduction, terms, support, dual, np.array([0.1, -0.2]), 0.7, normalize)


@pytest.mark.parametrize("normalize", ["selected", "all"])
@pytest.mark.parametrize("terms", [None, TERMS], ids=["projection", "selection"])
def test_a_kernel_decision_is_its_formula(terms: Any, normalize: Normalize) -> None:
    model = machine(terms, normalize)
    used = [0, 2, 4]
    assert model.features.tolist() == used
    for document, values in zip(DOCUMENTS, model.values(vectors(DOCUMENTS)), strict=True):
        z = document @ COMPONENTS if terms is None else document[TERMS] * WEIGHTS
        if normalize == "selected" and document[used].any():
            z = z / np.sqrt(np.sum(document[used] ** 2))
        kernel = [np.exp(-model.gamma * np.sum((z - support) ** 2)) for support in model.support]
        np.testing.assert_allclose(values, model.dual @ kernel + model.intercept, atol=1e-12)


def test_terms_are_distinct_words() -> None:
    for terms in ([1, 1, 2], [0, 1, 5]):
        with pytest.raises(LaconicError, match="not distinct columns among 5"):
            Coefficients.of_terms(np.array(terms), WEIGHTS, n_words=5)
