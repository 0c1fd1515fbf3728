"""Every method on documents of which nothing fits into memory, with `total` and `stack` alone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from laconic.errors import LaconicError, LaconicWarning, SizeUnavailable
from laconic.methods import METHODS, parse_method
from laconic.numerics.blocks import ENTRY_BYTES
from tests.blocks_double import GuardedBlocks
from tests.strategies import text_like

N_DOCS, N_TERMS, SIZES = 90, 60, (4, 12)
# Methods that need the documents, or the selected columns, in memory.
IN_MEMORY = {"MASK", "EXACT", "SV-SET", "REPAIRED", "WEIGHTS"}
# Selections on candidates, and whether they prove that with room for 80 % of the entries.
CANDIDATES = {
    "RLS-LARS": True,
    "SVM-LARS": True,
    "HUBER-LARS": True,
    "GREEDY": True,
    "LOGISTIC-LARS": False,
    "JOINT": False,
}


def available(model: object, expected: object) -> bool:
    """Whether there is a model of this size; it is unavailable for the same reason."""
    if isinstance(expected, SizeUnavailable):
        assert str(model) == str(expected)
        return False
    return True


def models(name: str, X: object, y: np.ndarray) -> list:
    classifier = "+ridge" if METHODS[name].classifier is not None else ""
    path = parse_method(f"{name}{classifier}").build(1.0, normalize="selected")
    if "random_state" in path.get_params():
        path.set_params(random_state=0)
    return list(path.path(X, y, SIZES))


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")
@pytest.mark.parametrize("name", sorted(METHODS.keys() - IN_MEMORY - CANDIDATES.keys() - {"RFE"}))
def test_a_method_gives_the_model_that_it_gives_in_memory(name):
    X, y = text_like(N_DOCS, N_TERMS, 3)
    found = models(name, GuardedBlocks.of(X), y)
    for model, expected in zip(found, models(name, X, y), strict=True):
        if not available(model, expected):
            continue
        np.testing.assert_array_equal(model.features, expected.features)
        values, others = model.decision(X), expected.decision(X)
        np.testing.assert_allclose(values, others, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("room", [0.5, 0.8])
@pytest.mark.parametrize("name", sorted(CANDIDATES))
def test_a_selection_on_candidates_is_that_of_all_words_or_says_that_it_may_not_be(name, room):
    X, y = text_like(N_DOCS, N_TERMS, 3)
    blocks = GuardedBlocks.of(X, memory=int(room * ENTRY_BYTES * X.nnz))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", LaconicWarning)
        found = models(name, blocks, y)
    unproved = any("might have been selected" in str(warning.message) for warning in given)
    assert not (unproved and CANDIDATES[name] and room == 0.8)
    for model, expected in zip(found, models(name, X, y), strict=True):
        if not unproved:
            values, others = model.decision(X), expected.decision(X)
            np.testing.assert_allclose(values, others, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore::laconic.errors.LaconicWarning")
def test_elimination_on_candidates_has_most_of_the_words():
    X, y = text_like(N_DOCS, N_TERMS, 3)
    blocks = GuardedBlocks.of(X, memory=int(0.9 * ENTRY_BYTES * X.nnz))
    for model, expected in zip(models("RFE", blocks, y), models("RFE", X, y), strict=True):
        shared = np.intersect1d(model.features, expected.features).size
        assert shared >= 0.75 * expected.n_features


@pytest.mark.parametrize("name", sorted(IN_MEMORY))
def test_a_method_that_needs_memory_says_what_to_do(name):
    X, y = text_like(N_DOCS, N_TERMS, 3)
    with pytest.raises(LaconicError, match="--in-memory"):
        models(name, GuardedBlocks.of(X), y)
