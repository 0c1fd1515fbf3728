"""Checks for custom reducers and path classifiers."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import clone

from laconic.classifiers.path import PathClassifier
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel, margins
from laconic.reducer import Reducer
from laconic.reduction import Reduction, Selection
from laconic.types import Matrix

# How far models of the same documents and size may differ, as a share of the spread of decisions:
# the root of the gap to which small problems are solved.
TOLERANCE = 1e-4


def check_reducer(
    reducer: Reducer, X: Matrix, y: ArrayLike | None = None, *, nested: bool = True
) -> None:
    """Check a reducer on documents: sizes, `lift`, state, feature names, sizes out of range.

    Parameters
    ----------
    reducer : Reducer
    X : array or sparse array of shape (n_docs, n_terms)
    y : labels of the documents, or None for an unsupervised reducer
    nested : False if smaller selections are not prefixes of larger ones (BSS)
    """
    fitted = clone(reducer).fit(X, y)
    before = pickle.dumps(fitted)
    sizes = _spread(fitted.available_)
    outcomes = {size: _cut_or_none(fitted, size) for size in sizes}
    cuts = {size: cut for size, cut in outcomes.items() if cut is not None}
    assert cuts, f"none of the sizes {sizes} is available"
    for size, cut in cuts.items():
        _check_reduction(cut, X)
        again = fitted.at(size)
        assert _same(again.apply(X), cut.apply(X)), f"at({size}) differs when called again"
    if nested:
        for small, large in pairwise(cuts.values()):
            _check_nested(small, large)
    assert pickle.dumps(fitted) == before, "at() or apply() changed the fitted reducer"
    _check_transform(clone(reducer).set_params(size=next(iter(cuts))).fit(X, y), X)
    _check_refusal(fitted)


def check_path(classifier: PathClassifier, X: Matrix, y: ArrayLike) -> None:
    """Check a path classifier: one item per size, ascending, valid decisions, `fit` as `path`.

    Parameters
    ----------
    classifier : PathClassifier
    X : array or sparse array of shape (n_docs, n_terms)
    y : labels of the documents, or an indicator matrix
    """
    sizes = _spread(X.shape[1])
    items = list(clone(classifier).path(X, y, list(reversed(sizes))))
    assert len(items) == len(sizes), f"{len(items)} items for {len(sizes)} sizes"
    models = [item for item in items if not isinstance(item, SizeUnavailable)]
    assert models, f"no model at any of the sizes {sizes}"
    model_sizes = [model.size for model in models]
    assert model_sizes == sorted(model_sizes), f"sizes are not ascending: {model_sizes}"
    for size, item in zip(sizes, items, strict=True):
        if isinstance(item, SizeUnavailable):
            assert item.reason, f"size {size} is refused without a reason"
            continue
        _check_model(item, X, y)
        fitted = clone(classifier).set_params(size=size).fit(X, y)
        _check_same_decisions(fitted.model_, item, X)
    impossible = next(iter(clone(classifier).path(X, y, [10 * X.shape[1]])))
    assert isinstance(impossible, SizeUnavailable), "a size beyond all terms must be refused"


def _spread(available: int) -> list[int]:
    """Small, medium and largest sizes."""
    return sorted({1, min(2, available), max(1, available // 3), available})


def _cut_or_none(reducer: Reducer, size: int) -> Reduction | None:
    try:
        return reducer.at(size)
    except SizeUnavailable as unavailable:
        assert unavailable.reason, f"size {size} is refused without a reason"
        return None


def _check_reduction(cut: Reduction, X: Matrix) -> None:
    Z = cut.apply(X)
    assert Z.shape == (X.shape[0], cut.size), f"apply gives {Z.shape} at size {cut.size}"
    if isinstance(cut, Selection):
        assert issparse(Z) == issparse(X), "a selection must keep sparse documents sparse"
        assert np.unique(cut.terms).size == cut.size, "terms are not distinct"
    coef = np.random.default_rng(0).normal(size=(3, cut.size))
    lifted = cut.lift(coef)
    assert lifted.shape == (3, X.shape[1]), f"lift gives {lifted.shape}"
    assert not isinstance(cut, Selection) or issparse(lifted), "a selection must lift to sparse"
    assert np.allclose(_dense(X @ lifted.T), _dense(Z @ coef.T)), "lift changes decisions"


def _check_nested(small: Reduction, large: Reduction) -> None:
    if isinstance(small, Selection) and isinstance(large, Selection):
        assert np.array_equal(small.terms, large.terms[: small.size]), (
            f"the {small.size} terms are not the first of the {large.size}"
        )


def _check_transform(reducer: Reducer, X: Matrix) -> None:
    assert _same(reducer.transform(X), reducer.at(reducer.size).apply(X)), (
        "transform is not at(size).apply"
    )
    names = reducer.get_feature_names_out()
    assert len(names) == reducer.at(reducer.size).size, "there must be one name per column"


def _check_refusal(reducer: Reducer) -> None:
    try:
        reducer.at(10 * reducer.available_ + 10)
    except SizeUnavailable as unavailable:
        assert unavailable.reason, "SizeUnavailable needs a reason"
    else:
        raise AssertionError("a size beyond what is available must raise SizeUnavailable")


def _check_model(model: Any, X: Matrix, y: ArrayLike) -> None:
    values = model.decision(X)
    columns = 1 if model.rule == "sign" else len(model.classes)
    assert values.shape == (X.shape[0], columns), f"decision values of shape {values.shape}"
    assert np.isfinite(values).all(), "decision values must be finite"
    assert np.shape(model.predict(X)) == np.shape(y), "predictions must have the shape of y"
    if isinstance(model, LinearModel):
        assert model.coef.shape[1] == X.shape[1], "coef must be over the original vocabulary"
        assert model.n_features <= X.shape[1]


def _check_same_decisions(fitted: Any, along: Any, X: Matrix) -> None:
    """A path may start each model from the one before, so both are near the optimum, not equal."""
    values, others = (margins(model.decision(X), model) for model in (fitted, along))
    assert np.allclose(values, others, atol=TOLERANCE * np.ptp(values)), (
        f"fit with size={along.size} gives another model than path at {along.size}"
    )


def _dense(product: Any) -> np.ndarray:
    return product.toarray() if issparse(product) else np.asarray(product)


def _same(left: Any, right: Any) -> bool:
    return np.array_equal(_dense(left), _dense(right))
